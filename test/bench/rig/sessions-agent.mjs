// Plays the agent of recorded sessions at full speed: `session/new` names the recording in
// `_meta.bench`; each prompt is answered with all that the recorded agent said from that prompt to the
// next one. Ids are those of the live side. With `words` behind the recording's name each text of the agent
// comes word by word, as a model streams it. Knows v1 only, whoever the client is.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const streamed = new Set(process.argv[3] === 'words' ? ['agent_message_chunk', 'agent_thought_chunk'] : []);

/** The message, or one a word. */
function inWords(message) {
  const update = message.params?.update;
  if (!streamed.has(update?.sessionUpdate) || update.content?.type !== 'text') return [message];
  return update.content.text.split(/(?<=\s)(?=\S)/).map((text) => ({ ...message, params: { ...message.params, update: { ...update, content: { ...update.content, text } } } }));
}

const recordings = new Map();
const sessions = new Map();

/** What the recorded agent said: at its start, at the session's start, and from each prompt on; one block each. */
function recorded(path) {
  if (recordings.has(path)) return recordings.get(path);
  const made = { id: undefined, session: '', opening: undefined, blocks: [] };
  const asked = new Map();
  for (const line of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
    const { dir, msg } = JSON.parse(line);
    if (dir === 'c2a') {
      if (msg.method !== undefined) asked.set(msg.id, msg.method);
      if (msg.method === 'session/prompt') made.blocks.push([]);
      continue;
    }
    const answers = msg.method === undefined ? asked.get(msg.id) : undefined;
    if (answers === 'session/new') {
      made.session = msg.result.sessionId;
      made.opening = msg.result;
    } else if (answers === 'initialize') made.initialized = msg.result;
    else if (made.blocks.length > 0 && (answers === undefined || answers === 'session/prompt')) made.blocks.at(-1).push(...inWords(msg));
  }
  recordings.set(path, made);
  return made;
}

const say = (messages) => process.stdout.write(messages.map((message) => `${message}\n`).join(''));
const json = (message) => JSON.stringify({ jsonrpc: '2.0', ...message });
let asked = 0;

const methods = {
  initialize: ({ id, params }) => say([json({ id, result: recorded(process.argv[2]).initialized })], params),
  'session/new'({ id, params }) {
    const recording = recorded(params._meta.bench);
    const session = `${recording.session}-${sessions.size}`;
    sessions.set(session, { recording, turn: 0 });
    say([json({ id, result: { ...recording.opening, sessionId: session } })]);
  },
  'session/prompt'({ id, params: { sessionId } }) {
    const session = sessions.get(sessionId);
    const block = session.recording.blocks[session.turn++] ?? [];
    say(block.map((message) => {
      const own = message.method === undefined ? { ...message, id } : message.id === undefined ? message : { ...message, id: `asked-${asked++}` };
      return JSON.stringify(own).replaceAll(session.recording.session, sessionId);
    }));
  },
};

createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.id !== undefined && message.method !== undefined) (methods[message.method] ?? (() => say([json({ id: message.id, result: {} })])))(message);
}).on('close', () => process.exit(0));
