/** A client of either version that keeps nothing of what it is told but counts, for lives of many items. */
import { readFileSync, readdirSync } from 'node:fs';
import { agent, start, type End } from './session.js';

export interface CountingClient {
  /** Sends a request and resolves with its result. */
  asks(method: string, params: object): Promise<Record<string, unknown>>;
  /** Opens a session and resolves with its id. */
  opens(): Promise<string>;
  /** Resolves when the work of a prompt is over. */
  prompts(sessionId: string, text: string): Promise<unknown>;
  /** Pieces of background work that ended, those that ended twice, and those that have not. */
  ends(): { readonly works: number; readonly twice: number; readonly left: number };
  /** Megabytes that are resident once garbage had time. */
  resident(): Promise<number>;
  /** The most megabytes that ever were. */
  peak(): number;
  openFiles(): number;
  /** Ends the input; resolves with the end of the command. */
  closes(): Promise<End>;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: Record<string, unknown>;
  readonly error?: unknown;
  readonly params?: { readonly sessionId: string; readonly update: Record<string, unknown> };
}

interface Setting {
  readonly version: 1 | 2;
  readonly options: readonly string[];
  readonly agentName?: string;
  readonly agentArguments?: readonly string[];
  /** Megabytes of V8's old space. */
  readonly heap?: number | undefined;
}

const kilobytes = 1024;
const restMs = 2500;
const final: readonly unknown[] = ['completed', 'failed', 'cancelled'];

/** Of each piece of work only whether it has ended is kept, and only while it can end again soon. */
class Ends {
  readonly #open = new Set<string>();
  readonly #recent: string[] = [];
  works = 0;
  twice = 0;

  get left(): number {
    return this.#open.size;
  }

  began(id: string): void {
    this.#open.add(id);
  }

  /** `refines`: an end may be told again with more of what came of it. */
  ended(id: string, refines: boolean): void {
    if (this.#open.delete(id)) {
      this.works += 1;
      this.#recent.push(id);
      if (this.#recent.length > 1000) this.#recent.shift();
    } else if (!refines && this.#recent.includes(id)) this.twice += 1;
  }
}

export async function countingClient({ version, options, agentName = 'many', agentArguments = [], heap }: Setting): Promise<CountingClient> {
  const limit = heap === undefined ? {} : { NODE_OPTIONS: `--max-old-space-size=${heap}` };
  const session = start([...options, '--', ...agent(agentName, ...agentArguments)], { read: false, env: limit });
  const open = new Map<number, (result: Record<string, unknown>) => void>();
  const idles = new Map<string, (state: unknown) => void>();
  const ends = new Ends();

  const updates: Readonly<Record<string, (update: Record<string, unknown>, sessionId: string) => void>> = {
    terminal_update: ({ terminalId, exitStatus }) => (exitStatus === undefined || exitStatus === null ? ends.began(String(terminalId)) : ends.ended(String(terminalId), false)),
    tool_call: ({ toolCallId }) => version === 1 && ends.began(String(toolCallId)),
    tool_call_update: ({ toolCallId, status }) => version === 1 && final.includes(status) && ends.ended(String(toolCallId), true),
    state_update: (update, sessionId) => update.state === 'idle' && update.stopReason !== undefined && idles.get(sessionId)?.(update),
  };
  const takes = (line: string): void => {
    const { id, method, result, error, params } = JSON.parse(line) as Message;
    if (error !== undefined) throw new Error(`refused: ${line.slice(0, 300)}`);
    if (method === 'session/request_permission') return session.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: { outcome: { outcome: 'selected', optionId: 'y' } } })}\n`);
    if (id !== undefined && result !== undefined) {
      open.get(id)?.(result);
      open.delete(id);
    }
    if (params?.update !== undefined) updates[String(params.update.sessionUpdate)]?.(params.update, params.sessionId);
  };
  let rest = '';
  session.process.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    lines.forEach(takes);
  });

  let ids = 0;
  const asks: CountingClient['asks'] = (method, params) =>
    new Promise((resolve) => {
      const id = ids++;
      open.set(id, resolve);
      session.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  const inStatus = (name: string): number => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${session.process.pid}/status`, 'utf8'))?.[1]) / kilobytes;
  await asks('initialize', version === 2 ? { protocolVersion: 2, capabilities: {}, info: { name: 'counts', version: '1' } } : { protocolVersion: 1, clientCapabilities: {} });
  return {
    asks,
    opens: async () => String((await asks('session/new', { cwd: '/', mcpServers: [] })).sessionId),
    async prompts(sessionId, text) {
      const idle = new Promise((resolve) => idles.set(sessionId, resolve));
      const answer = await asks('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
      return version === 2 ? idle : answer;
    },
    ends: () => ({ works: ends.works, twice: ends.twice, left: ends.left }),
    async resident() {
      await new Promise((resolve) => setTimeout(resolve, heap === undefined ? restMs : 100));
      return inStatus('VmRSS');
    },
    peak: () => inStatus('VmHWM'),
    openFiles: () => readdirSync(`/proc/${session.process.pid}/fd`).length,
    closes() {
      session.endInput();
      return session.ended;
    },
  };
}
