// A proxy in which the head of a line decides: a routine line goes on as it comes, also in pieces; any
// other is held until it is whole, parsed, and then sent. Changes nothing: it shows what holding and
// parsing cost by themselves.
import { spawn } from 'node:child_process';

const LF = 10;
/** What many lines are and nobody changes: their heads, up to the kind. */
let routine;
/** Longer than any such head. */
const headLimit = 300;
/** The last of each kind that was met: nearly every line starts like one of them. */
const known = new Map();

function startsWith(chunk, from, to, head) {
  if (to - from < head.length) return false;
  for (let i = head.length - 1; i >= 0; i -= 1) if (chunk[from + i] !== head[i]) return false;
  return true;
}

function isRoutine(chunk, from, to) {
  for (const head of known.values()) if (startsWith(chunk, from, to, head)) return true;
  const [head, kind] = routine.exec(chunk.latin1Slice(from, Math.min(from + headLimit, to))) ?? [];
  if (head !== undefined) known.set(kind, Buffer.from(head, 'latin1'));
  return head !== undefined;
}

function pump(from, to) {
  let held = [];
  let heldSize = 0;
  let passing = false;
  const hold = (part) => {
    held.push(part);
    heldSize += part.length;
  };
  from.on('data', (chunk) => {
    let room = true;
    let sent = 0;
    const send = (until) => {
      if (until > sent) room = to.write(chunk.subarray(sent, until));
      sent = until;
    };
    let at = 0;
    while (at < chunk.length) {
      const found = chunk.indexOf(LF, at);
      const next = found === -1 ? chunk.length : found + 1;
      if (heldSize > 0 || !(passing || isRoutine(chunk, at, next))) {
        send(at);
        hold(chunk.subarray(at, next));
        sent = next;
        if (found !== -1) {
          const line = held.length === 1 ? held[0] : Buffer.concat(held);
          JSON.parse(line);
          room = to.write(line);
          held = [];
          heldSize = 0;
        }
      }
      passing = found === -1 && heldSize === 0;
      at = next;
    }
    send(chunk.length);
    if (room) return;
    from.pause();
    to.once('drain', () => from.resume());
  });
  from.on('end', () => to.end(held.length === 0 ? undefined : Buffer.concat(held)));
}

/** Runs the agent that the command line names behind it. `kinds`: the updates that are routine. */
export function proxy(kinds) {
  routine = new RegExp(`^\\{"jsonrpc":"2\\.0","method":"session\\/update","params":\\{"sessionId":"[^"\\\\]*","update":\\{"sessionUpdate":"(${kinds.join('|')})"`);
  const [command, ...args] = process.argv.slice(2);
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  pump(process.stdin, child.stdin);
  pump(child.stdout, process.stdout);
  child.on('exit', (code) => process.exit(code ?? 1));
}
