/**
 * Runs one scenario in memory on a fake clock: scripted client, relay with the given plugins, replay
 * agent, and the output files. Recorded pauses cost no time, however long they are.
 */
import { createRelay } from '../../src/relay.js';
import { createReplay, type ReplayOptions } from '../../src/replay/index.js';
import type { FollowEvents, Plugin } from '../../src/plugin.js';
import { createClient, type ClientOptions, type ClientResult } from './client.js';
import { createClock, type Clock } from './clock.js';
import { judged, outputsOf, recordingsOf, type Judgement, type Scenario } from './scenario.js';
import type { RecordedMessage } from './recording.js';
import type { Outputs } from '../../src/replay/index.js';

export interface InMemoryOptions extends ReplayOptions, ClientOptions {
  readonly agentCommand?: readonly string[];
}

export type InMemoryRun = ClientResult & Judgement & { readonly log: readonly string[] };

type Message = RecordedMessage['msg'];

/** Output files that followers read as they grow. */
function createFiles() {
  const contents = new Map<string, Buffer>();
  const followers = new Set<{ readonly path: string; readonly events: FollowEvents; read: number | undefined }>();
  const deliver = (follower: { readonly path: string; readonly events: FollowEvents; read: number | undefined }): void => {
    const content = contents.get(follower.path);
    if (!content || follower.read === content.length) return;
    const from = follower.read;
    follower.read = content.length;
    follower.events.bytes(content.subarray(from ?? 0), from === undefined);
  };
  return {
    write(path: string, data: string): void {
      contents.set(path, Buffer.concat([contents.get(path) ?? Buffer.alloc(0), Buffer.from(data, 'base64')]));
      for (const follower of followers) if (follower.path === path) deliver(follower);
    },
    follow(path: string, events: FollowEvents) {
      const follower = { path, events, read: undefined };
      followers.add(follower);
      return { flush: () => deliver(follower), close: () => void followers.delete(follower) };
    },
  };
}

function lineSink(receive: (message: Message) => void): (bytes: Uint8Array) => void {
  let rest = '';
  return (bytes) => {
    const parts = (rest + Buffer.from(bytes).toString()).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) if (part !== '') receive(JSON.parse(part) as Message);
  };
}

const bytesOf = (message: Message): Uint8Array => Buffer.from(`${JSON.stringify(message)}\n`);

/** Runs timers, and lets promises of hooks settle in between, until nothing is left to do. */
async function runOut(clock: Clock): Promise<void> {
  do await new Promise((resolve) => setImmediate(resolve));
  while (clock.runNext());
}

/** What is played: the agent's side of `replayed`, the client's side of `native`, and the bytes of output files. */
export interface Played {
  readonly replayed: readonly RecordedMessage[];
  readonly native: readonly RecordedMessage[];
  readonly outputs?: Outputs;
}

/** Runs `scenario` through a relay with `plugins`, from the client to the agent. */
export async function runInMemory(scenario: Scenario, plugins: readonly Plugin[], options: InMemoryOptions = {}): Promise<InMemoryRun> {
  const recordings = recordingsOf(scenario);
  const run = await playInMemory({ ...recordings, outputs: outputsOf(scenario) }, plugins, options);
  return { ...run, ...judged(run.recording, recordings.native) };
}

/** As `runInMemory`, of recordings, without a judgement. */
export async function playInMemory({ replayed, native, outputs = {} }: Played, plugins: readonly Plugin[], options: InMemoryOptions = {}): Promise<ClientResult & { readonly log: readonly string[] }> {
  const { longestWait = 5000 } = options;
  const clock = createClock();
  const files = createFiles();
  const log: string[] = [];
  const logged = (level: string) => (text: string) => void log.push(`${level}: ${text}`);
  let result: ClientResult | undefined;
  let ids = 0;

  const later = (run: () => void): void => void clock.after(0, run);
  const toClient = lineSink((message) => later(() => client.receive(message)));
  const toAgent = lineSink((message) => later(() => replay.receive(message)));
  const relay = createRelay({ plugins }, {
    write: (direction, bytes) => {
      (direction === 'toClient' ? toClient : toAgent)(bytes);
      return true;
    },
    resume: () => {},
    stray: (line) => logged('stray')(Buffer.from(line).toString()),
    log: { error: logged('error'), warn: logged('warn'), info: logged('info'), debug: logged('debug') },
    agentCommand: options.agentCommand ?? ['claude-agent-acp'],
    now: () => clock.now(),
    wallClock: () => clock.now(),
    after: (ms, run) => clock.after(ms, run),
    follow: (path, events) => files.follow(path, events),
    uniqueId: () => `id-${(ids += 1)}`,
  });
  const replay = createReplay(
    replayed,
    { ...options, longestWait, outputs, outputFile: (path) => path },
    { now: () => clock.now(), after: (ms, run) => clock.after(ms, run), send: (message) => later(() => void relay.push('toClient', bytesOf(message))), write: (path, data) => files.write(path, data) },
  );
  const client = createClient(
    native,
    { giveUpAfter: 120_000, quiet: 2000, ...options, longestWait },
    { now: () => clock.now(), after: (ms, run) => clock.after(ms, run), send: (message) => later(() => void relay.push('toAgent', bytesOf(message))) },
    (over) => (result = over),
  );
  await runOut(clock);
  if (!result) throw new Error('the conversation did not end');
  return { ...result, log };
}
