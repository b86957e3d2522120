/**
 * One initialisation of an agent, as a client of one version would have it, with the plugins and the
 * relay of the proxy. Knows processes and time; what it found means nothing here.
 */
import { builtInPlugins } from '../../plugins/index.js';
import { reportsOf } from '../../plugins/needs.js';
import { wantedFor } from '../../plugins/sources.js';
import type { Trouble, Visit, VisitEvent } from '../doctor/visit.js';
import { isRelayError, shown } from '../errors.js';
import type { Log, Plugin } from '../plugin.js';
import { agentOf, at, habitsOfAnswer, hasRawFeed, isObject, protocolVersionOf, type ProtocolVersion } from '../protocol/index.js';
import { createRelay, type Relay } from '../relay.js';
import { Lines } from '../wire/lines.js';
import { startAgent, type ProcessEnd } from './agent.js';
import { Agents } from './agents.js';
import { after, now } from './clock.js';
import type { Config } from './config.js';
import { createLog } from './log.js';
import { settingsOf } from './proxy.js';
import { packageVersion } from './version.js';

const ID = 'doctor';

const initializeOf = (client: ProtocolVersion): object => {
  const info = { name: 'afterturn-doctor', version: packageVersion() };
  return client === 1 ? { protocolVersion: 1, clientInfo: info, clientCapabilities: {} } : { protocolVersion: 2, info, capabilities: {} };
};

/** Sees what is said to the agent and what it answers. Its place is beside the agent. */
const witness = (note: (event: VisitEvent) => void): Plugin => ({
  name: 'doctor',
  toAgent: { calls: { initialize: ({ params }) => note({ type: 'asked', params }) } },
  toClient: { replies: { initialize: ({ result, error }) => note({ type: 'answered', result, error }) } },
});

interface Answer {
  readonly result?: unknown;
  readonly error?: unknown;
}

/** What an answer that cannot be worked with is. */
function troubleOf(answer: Answer): Trouble | undefined {
  if (answer.error !== undefined) return { kind: 'refused', code: at(answer.error, 'code'), message: at(answer.error, 'message') };
  if (protocolVersionOf(answer.result) !== undefined) return undefined;
  return { kind: 'malformed', came: isObject(answer.result) ? `an object with ${Object.keys(answer.result).join(', ') || 'nothing in it'}` : shown(answer.result) };
}

/** Calls `answered` with the answer to our request, as it stands in what reaches the client. */
function answerReader(answered: (answer: Answer) => void): (bytes: Uint8Array) => void {
  const lines = new Lines();
  return (bytes) => {
    lines.push(bytes);
    while (lines.next()) {
      const line = lines.buffer.subarray(lines.start, lines.end).toString();
      if (!line.includes(ID)) continue;
      const message: unknown = JSON.parse(line.trim());
      if (at(message, 'id') === ID && at(message, 'method') === undefined) answered(message as Answer);
    }
  };
}

/** One visit to the agent, as a client of one version. */
export class Visitor {
  readonly #config: Config;
  readonly #client: ProtocolVersion;
  readonly #events: VisitEvent[] = [];
  #strays = 0;
  #firstStray: string | undefined;

  constructor(config: Config, client: ProtocolVersion) {
    this.#config = config;
    this.#client = client;
  }

  /** Initialises the agent, waits for its answer, and ends it. */
  async visit(patience: number, leave: (agents: Agents) => void): Promise<Visit> {
    const { agentCommand } = this.#config;
    const log = createLog(this.#config.options['log-level'], (line) => void process.stderr.write(line));
    try {
      const events = { output: (chunk: Buffer) => relay.push('toClient', chunk), drained: () => relay.drained('toAgent'), broken: () => undefined };
      const agents = new Agents(await startAgent(agentCommand), agentCommand, events, log);
      leave(agents);
      let answered!: (answer: Answer) => void;
      const answer = new Promise<Answer>((resolve) => (answered = resolve));
      const read = answerReader(answered);
      const relay = this.#relay(agents, read, log);
      relay.push('toAgent', Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id: ID, method: 'initialize', params: initializeOf(this.#client) })}\n`));
      const trouble = await firstOf(answer, agents.exited, patience);
      await agents.end();
      await relay.close();
      return this.#findings(trouble);
    } catch (error) {
      if (!isRelayError(error)) throw error;
      return this.#findings({ kind: 'notStarted', text: error.message });
    }
  }

  #relay(agents: Agents, read: (bytes: Uint8Array) => void, log: Log): Relay {
    const { agentCommand } = this.#config;
    const plugins = builtInPlugins({ ...settingsOf(this.#config), onChoice: (choice) => void this.#events.push({ type: 'choice', choice }) });
    return createRelay({ plugins: [...plugins, witness((event) => void this.#events.push(event))], strayOutput: 'divert' }, {
      write: (direction, bytes) => (direction === 'toAgent' ? agents.write(bytes) : (read(bytes), true)),
      resume: (direction) => void (direction === 'toClient' && agents.resume()),
      restart: () => agents.restart(),
      stray: (line) => this.#stray(line),
      follow: () => ({ flush: () => undefined, close: () => undefined }),
      log,
      agentCommand,
      now,
      wallClock: () => Date.now(),
      after,
      uniqueId: () => crypto.randomUUID(),
    });
  }

  #stray(line: Uint8Array): void {
    this.#strays += 1;
    this.#firstStray ??= Buffer.from(line).toString().trim();
  }

  #findings(trouble: Trouble | undefined): Visit {
    const { source } = this.#config.options;
    const result = this.#events.findLast((event) => event.type === 'answered' && event.error === undefined) as Answer | undefined;
    const asksForFeed = wantedFor({ source }, initializeOf(this.#client))?.rawFeed === true;
    return {
      client: this.#client,
      events: this.#events,
      strays: this.#strays,
      firstStray: this.#firstStray,
      trouble,
      keptOpenBy: source === 'none' || result === undefined ? undefined : reportsOf(result.result, source),
      rawFeed: asksForFeed && habitsOfAnswer(result?.result).claudeMeta && hasRawFeed(agentOf(result?.result).version),
    };
  }
}

/** What happens first, as the trouble that it is. The end of the agent leaves its last bytes a moment. */
async function firstOf(answer: Promise<Answer>, exited: Promise<ProcessEnd>, patience: number): Promise<Trouble | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const silent = new Promise<Trouble>((resolve) => (timer = setTimeout(() => resolve({ kind: 'silent', ms: patience }), patience)));
  const gone = exited.then(async (end): Promise<Trouble> => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return { kind: 'exited', ...end };
  });
  try {
    return await Promise.race([answer.then(troubleOf), gone, silent]);
  } finally {
    clearTimeout(timer);
  }
}
