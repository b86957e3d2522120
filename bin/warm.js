// Sessions whose only purpose is V8's code cache: the launcher (afterturn.js) writes one for each script
// that has none, at the end of the session that read it, with what was compiled on the way. So a script's
// first session here says what its cache holds. Knows sessions, not scripts.
'use strict';
const { spawn } = require('node:child_process');
const { join } = require('node:path');
const { createInterface } = require('node:readline');

/** Answers all that it is asked with all that may be an answer, and says something in each turn. */
const agent = `
const say = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const update = (value) => say({ method: 'session/update', params: { sessionId: 's', update: value } });
require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  const [answer, turn] = process.argv.slice(1).map((text) => JSON.parse(text));
  const told = method === 'session/prompt' ? turn : [];
  // In v2 a prompt is answered when it is taken in.
  if (answer.protocolVersion === 1) told.forEach(update);
  if (id !== undefined) say({ id, result: { ...answer, sessionId: 's', stopReason: 'end_turn' } });
  if (answer.protocolVersion === 2) told.forEach(update);
});`;

const chunk = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'x' } };
const call = [{ sessionUpdate: 'tool_call', toolCallId: 'c', title: 'x', kind: 'execute', status: 'pending', rawInput: {} }, { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed' }];
const callInV2 = ['pending', 'completed'].map((status) => ({ sessionUpdate: 'tool_call_update', toolCallId: 'c', title: 'x', kind: 'execute', status }));
const states = (...updates) => [{ sessionUpdate: 'state_update', state: 'running' }, ...updates, { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' }];

const v1 = { protocolVersion: 1, agentCapabilities: {} };
const claude = { ...v1, agentInfo: { name: '@agentclientprotocol/claude-agent-acp', version: '0.60.0' } };
const v2 = { protocolVersion: 2, info: { name: 'a', version: '1' }, capabilities: {} };
const v1Client = { protocolVersion: 1, clientCapabilities: {} };
const v2Client = { protocolVersion: 2, info: { name: 'c', version: '1' }, capabilities: {} };

/** Nobody listens there. */
const traced = (protocol) => ({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_EXPORTER_OTLP_PROTOCOL: protocol });

/** In this order, each after the one before: the first is the plain one. */
const sessions = [
  { client: v1Client, answer: v1, turn: [chunk] },
  { client: v1Client, answer: claude, turn: [...call, chunk] },
  { client: v2Client, answer: claude, turn: [...call, chunk] },
  { client: v2Client, answer: v2, turn: states(...callInV2, chunk) },
  { client: v1Client, answer: v2, turn: states(...callInV2, chunk), options: ['--agent-protocol', 'v2'] },
  { client: v1Client, answer: v1, turn: [...call, chunk], env: traced('http/protobuf') },
  { client: v1Client, answer: v1, turn: [...call, chunk], env: traced('grpc') },
];

/** One short session, each request after the answer to the one before. */
function run({ client, answer, turn, options = [], env = {} }) {
  const command = [join(__dirname, 'afterturn.js'), ...options, '--', process.execPath, '-e', agent, '--', JSON.stringify(answer), JSON.stringify(turn)];
  const child = spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'ignore'], env });
  const requests = [['initialize', client], ['session/new', { cwd: '/', mcpServers: [] }], ['session/prompt', { sessionId: 's', prompt: [] }]];
  const ask = () => {
    const [method, params] = requests.shift() ?? [];
    if (method === undefined) child.stdin.end();
    else child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: method, method, params })}\n`);
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (id !== undefined && method === undefined) ask();
  });
  child.stdin.on('error', () => {});
  ask();
  const timer = setTimeout(() => child.kill(), 10_000);
  return new Promise((resolve) => child.on('close', () => (clearTimeout(timer), resolve())));
}

exports.warm = async () => {
  for (const session of sessions) await run(session);
};
