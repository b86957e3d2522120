// The least that a translator from v1 to v2 has to do with the lines of `bridgeMix`: it knows their forms
// beforehand and writes each from its own bytes, keeps nothing, decides nothing and checks nothing. A chunk
// gets its message's id, a diff becomes a patch, a terminal's output base64. It shows what is left of the
// floor when the rest costs nothing, and can translate no other traffic.
import { spawn } from 'node:child_process';
import { toV2Diff } from '../../../dist/src/protocol/bridge/diff.js';

const LF = 10;
const SLAB = 256 * 1024;
const update = '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"sess-0001","update":{';
const ending = '}}}\n';
const chunkHead = Buffer.from(`${update}"sessionUpdate":"agent_message_chunk",`);
const chunkStart = Buffer.from(`${chunkHead}"messageId":"907ba2e3-7dec-4405-b119-d888c3ecef27",`);
const callHead = Buffer.from(`${update}"sessionUpdate":"tool_call_update","toolCallId":"toolu_`);
const diffMark = ',"content":[{"type":"diff",';
const terminalMark = ',"content":[{"type":"terminal",';
const dataMark = '"terminal_output":{"terminal_id":"term-1","data":';
/** Where the marks are looked for: no id is longer. */
const markLimit = 100;
const dataLimit = 400;

function startsWith(bytes, at, head) {
  for (let i = head.length - 1; i >= 0; i -= 1) if (bytes[at + i] !== head[i]) return false;
  return true;
}

let slab = Buffer.allocUnsafeSlow(SLAB);
let written = 0;
let sent = 0;

function flush(to) {
  const room = written === sent || to.write(slab.subarray(sent, written));
  sent = written;
  return room;
}

function makeRoom(size, to) {
  if (slab.length - written >= size) return;
  flush(to);
  slab = Buffer.allocUnsafeSlow(Math.max(SLAB, size));
  written = sent = 0;
}

function put(bytes, from, end, to) {
  makeRoom(end - from, to);
  written += bytes.copy(slab, written, from, end);
}

function putText(text, to) {
  makeRoom(text.length * 3, to);
  written += slab.utf8Write(text, written);
}

function putPatch(line, start, end, to) {
  const { params } = JSON.parse(line.utf8Slice(start, end));
  const content = params.update.content.map((item) => ({ type: 'diff', ...toV2Diff(item, '/', []) }));
  putText(`${JSON.stringify({ jsonrpc: '2.0', method: 'session/update', params: { ...params, update: { ...params.update, content } } })}\n`, to);
}

/** All that is written with an escape there stands for ASCII, so that the bytes can be read as they are. */
function putTerminal(line, start, end, to) {
  const data = line.latin1Slice(start, start + dataLimit).indexOf(dataMark) + start + dataMark.length;
  const output = Buffer.from(JSON.parse(line.latin1Slice(data, end - '}}'.length - ending.length)), 'latin1');
  putText(`${update}"sessionUpdate":"terminal_output_chunk","terminalId":"term-1","data":"`, to);
  const base64 = output.base64Slice();
  makeRoom(base64.length, to);
  written += slab.latin1Write(base64, written);
  putText(`"${ending}`, to);
  put(line, start, data - dataMark.length - ',"_meta":{'.length, to);
  putText(ending, to);
}

function translate(line, start, end, to) {
  if (startsWith(line, start, chunkHead)) {
    put(chunkStart, 0, chunkStart.length, to);
    put(line, start + chunkHead.length, end, to);
    return;
  }
  if (startsWith(line, start, callHead)) {
    const mark = line.latin1Slice(start + callHead.length, Math.min(start + callHead.length + markLimit, end));
    if (mark.includes(diffMark)) return putPatch(line, start, end, to);
    if (mark.includes(terminalMark)) return putTerminal(line, start, end, to);
  }
  put(line, start, end, to);
}

const child = spawn(process.argv[2], process.argv.slice(3), { stdio: ['pipe', 'pipe', 'inherit'] });
process.stdin.pipe(child.stdin);
let held = [];
child.stdout.on('data', (chunk) => {
  let at = 0;
  for (let found = chunk.indexOf(LF); found !== -1; found = chunk.indexOf(LF, at)) {
    if (held.length === 0) translate(chunk, at, found + 1, process.stdout);
    else {
      const line = Buffer.concat([...held, chunk.subarray(at, found + 1)]);
      held = [];
      translate(line, 0, line.length, process.stdout);
    }
    at = found + 1;
  }
  if (at < chunk.length) held.push(chunk.subarray(at));
  if (!flush(process.stdout)) {
    child.stdout.pause();
    process.stdout.once('drain', () => child.stdout.resume());
  }
});
child.on('exit', (code) => { process.exitCode = code ?? 1; });
