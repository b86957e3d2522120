/**
 * One session of the proxy: the relay between our stdio and the agent, from the first byte to the
 * end of both. Knows who is told what and when; how is in the files that it joins.
 */
import type { Readable } from 'node:stream';
import { builtInPlugins } from '../../plugins/index.js';
import type { Direction, Log, Plugin } from '../plugin.js';
import { createRelay, type Ports, type Relay } from '../relay.js';
import { startAgent, type ProcessEnd } from './agent.js';
import type { Recorder, Way } from './recorder.js';
import { Agents } from './agents.js';
import { createTimers, now } from './clock.js';
import type { Config } from './config.js';
import { ending, initialEnding, type EndingEvent } from './ending.js';
import { createFollower } from './follow.js';
import { createLog } from './log.js';
import { whenParentIsGone } from './parent.js';
import { settledWithin } from './patience.js';
import { createSink, type Sink } from './sink.js';
import { createStderr } from './stderr.js';
import { takeStdio } from './stdio.js';
import { telemetryFor } from './telemetry-wanted.js';

/** Signals that ask us to end, and are the agent's to answer. */
const endingSignals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'];

/** After the agent's exit: how long somebody else may keep its stdout open. */
const lastBytesMs = 1000;
/** How long hooks and plugins may take for their last words. */
const lastWordsMs = 3000;

/** Runs the proxy and resolves with what this process should end with. Rejects with a `RelayError` if it cannot start. */
export async function runProxy(config: Config): Promise<ProcessEnd> {
  const { options, agentCommand } = config;
  const parent = process.ppid;
  const stderr = createStderr();
  const log = createLog(options['log-level'], (line) => stderr.write(line));
  const stdio = takeStdio(stderr);
  survive(log);
  const openTelemetry = telemetryFor(options, process.env, log, (text) => stderr.write(text));
  const own = await ownPlugins(options.plugin);
  const recorder = await recorderFor(config, log);

  const steer = createSteering(log);
  // What plugins wait for are words of the agent, which is not read while the client does not read.
  const timers = createTimers();
  const events = {
    output(chunk: Buffer) {
      const push = (bytes: Uint8Array): boolean => relay.push('toClient', bytes);
      const goesOn = recorder === undefined ? push(chunk) : recorder.came('agent', 'a2c', chunk, push);
      if (!goesOn) timers.stopsListening();
      return goesOn;
    },
    drained: () => relay.drained('toAgent'),
    broken: (error: NodeJS.ErrnoException) => log.info(`the agent reads no more (${error.code}); what the client still sends is dropped`),
  };
  const starting = startAgent(agentCommand).then((started) => (steer.agent(started), started));
  // Telemetry is loaded while the agent starts; what both sides say meanwhile waits in their pipes.
  const [first, telemetry] = await Promise.all([starting, openTelemetry?.()]);
  const agent = new Agents(first, agentCommand, events, log);
  steer.agent(agent);
  const counting = telemetry?.counting;
  const builtIn = builtInPlugins({ ...settingsOf(config), traces: telemetry !== undefined, onExitCode: telemetry?.exitCode, onStale: (what) => counting?.counts.stale(what) });
  // Tracing stands beside the agent: it sees the agent's own dialect.
  const ends = { atClient: counting === undefined ? [] : [counting.atClient], atAgent: counting === undefined ? [] : [counting.atAgent] };
  const plugins = [...ends.atClient, ...own, ...builtIn, ...ends.atAgent, ...(telemetry === undefined ? [] : [telemetry.plugin])];
  log.debug(`started ${JSON.stringify(agentCommand[0])} with plugins ${plugins.map((plugin) => plugin.name).join(', ') || 'none'}`);

  const toClient = createSink(stdio.output, {
    drained: () => relay.drained('toClient'),
    broken(error) {
      log.warn(`the client reads no more (${error.code}); ending the agent`);
      steer.tell({ kind: 'clientGone' });
    },
  });
  const sinks: Readonly<Record<Direction, Pick<Sink, 'write'>>> = { toAgent: tapped(agent, recorder, 'agent', 'c2a'), toClient: tapped(toClient, recorder, 'client', 'a2c') };
  const heard = { resume: () => (timers.listens(), agent.resume()) };
  const sources: Readonly<Record<Direction, { resume(): void }>> = { toAgent: stdio.input, toClient: heard };

  const relay: Relay = createRelay({ plugins, strayOutput: options['stray-output'] }, {
    ...clock,
    after: timers.after,
    write: (direction, bytes) => sinks[direction].write(bytes),
    resume: (direction) => void sources[direction].resume(),
    stray: (line) => stderr.write(line),
    traffic: counting?.counts,
    restart() {
      log.debug('starting the agent again');
      const isRestarted = agent.restart();
      if (isRestarted) timers.listens();
      if (isRestarted) recorder?.restarted();
      return isRestarted;
    },
    follow: createFollower((ms, run) => {
      // Output that grows for ever waits where it is for a client that does not read.
      const timer = setInterval(() => toClient.isFull() || run(), ms).unref();
      return () => clearInterval(timer);
    }),
    ...(recorder === undefined ? {} : { origin: recorder.origin }),
    log,
    agentCommand,
  });

  steer.onEndInput(() => agent.endInput());
  void passed(stdio.input, relay, recorder).then(() => steer.tell({ kind: 'clientEnded' }));
  // An input that ends is no client that is gone, and a parent that is gone is none either: both are.
  void over(stdio.input).then(() => whenParentIsGone(parent, () => {
    log.warn('the client is gone, but the agent goes on; ending it');
    steer.tell({ kind: 'clientGone' });
  }));
  const outputPassed = agent.over.then(() => relay.end('toClient'));

  const agentEnd = await agent.exited;
  log.debug(`the agent ended: ${agentEnd.signal ?? `code ${agentEnd.code}`}`);
  steer.tell({ kind: 'agentGone' });
  const swept = agent.sweep();
  await Promise.race([lastWords(agent, agentEnd, relay, toClient, outputPassed, log), steer.cut]);
  await Promise.race([Promise.all([swept, telemetry?.shutdown()]), steer.cut]);
  recorder?.close();
  await settledWithin(stderr.flushed(), lastBytesMs);
  return steer.ownEnd(agentEnd);
}

const clock: Pick<Ports, 'now' | 'wallClock' | 'uniqueId'> = {
  now,
  wallClock: () => Date.now(),
  uniqueId: () => crypto.randomUUID(),
};

/** What the built-in plugins are told of the configuration. */
export function settingsOf({ options, agentCommand }: Config): Parameters<typeof builtInPlugins>[0] {
  return {
    agentProtocol: options['agent-protocol'],
    source: options.source,
    followUpWindow: options['follow-up-window'],
    fills: options.fill,
    stale: options.stale,
    staleAfter: options['stale-after'],
    agentCommand,
  };
}

async function ownPlugins(modules: readonly string[]): Promise<readonly Plugin[]> {
  if (modules.length === 0) return [];
  const { pluginsOf } = await import('./load-plugins.js');
  return pluginsOf(modules, process.cwd());
}

/** The recorder of this session, if one is asked for. Throws a `RelayError`. */
async function recorderFor({ options }: Config, log: Log): Promise<Recorder | undefined> {
  const { record: path, 'record-size': size, redact } = options;
  if (path !== undefined) return (await import('./recorder.js')).openRecorder({ path, size, redact, log, now: clock.now });
  if (redact) log.warn('--redact masks a recording, but no --record FILE is given');
  return undefined;
}

/** The sink, with what is written to it recorded first. */
function tapped(sink: Pick<Sink, 'write'>, recorder: Recorder | undefined, side: 'client' | 'agent', dir: Way): Pick<Sink, 'write'> {
  if (recorder === undefined) return sink;
  return {
    write(bytes) {
      recorder.seen(side, dir, bytes);
      return sink.write(bytes);
    },
  };
}

/** A plugin that throws outside of its hooks must not end the session ("Faults"). */
function survive(log: Log): void {
  const report = (error: unknown): void => log.error(`unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  process.on('uncaughtException', report);
  process.on('unhandledRejection', report);
}

/** Moves the bytes of the client; resolves when its last line has passed the plugins. */
async function passed(source: Readable, relay: Relay, recorder: Recorder | undefined): Promise<void> {
  source.on('data', (chunk: Buffer) => {
    const push = (bytes: Uint8Array): boolean => relay.push('toAgent', bytes);
    if (!(recorder === undefined ? push(chunk) : recorder.came('client', 'c2a', chunk, push))) source.pause();
  });
  await over(source);
  await relay.end('toAgent');
}

/** Resolves at the end of a source. One that fails has ended: nothing more comes from it. */
const over = (source: Readable): Promise<void> =>
  new Promise((resolve) => {
    for (const event of ['end', 'error', 'close']) source.on(event, () => resolve());
  });

/** The last bytes of the agent, then what the plugins have to say, then all of it out of the process. */
async function lastWords(agent: Agents, end: ProcessEnd, relay: Relay, toClient: Sink, outputPassed: Promise<void>, log: Log): Promise<void> {
  const slowClient = (): boolean => toClient.isFull();
  if (!(await settledWithin(agent.over, lastBytesMs, slowClient))) {
    log.info('the agent is gone, but its stdout is still held open; nothing more is read from it');
    agent.stopReading();
  }
  for (const [what, work] of [
    ['passing the last messages', () => outputPassed],
    ['what follows the exit', () => relay.agentExited(end.code, end.signal)],
    ['closing the plugins', () => relay.close()],
  ] as const) {
    if (!(await settledWithin(work(), lastWordsMs, slowClient))) log.warn(`${what} took too long and was given up`);
  }
  await toClient.flushed();
}

/** Joins the rules of `ending` with signals, timers and the agent. */
function createSteering(log: Log) {
  let agent: Pick<Agents, 'signal'> | undefined;
  let state = initialEnding;
  let timer: NodeJS.Timeout | undefined;
  let endInput = (): void => {};
  let cutNow = (): void => {};
  const cut = new Promise<void>((resolve) => (cutNow = resolve));

  function tell(event: EndingEvent): void {
    const [next, effects] = ending(state, event);
    state = next;
    if (state.phase === 'gone' || state.phase === 'killed') clearTimeout(timer);
    for (const effect of effects) {
      if (effect.do === 'endInput') endInput();
      else if (effect.do === 'finish') cutNow();
      else if (effect.do === 'tell') log.warn("the client's input has ended, but the agent goes on; it ends by itself, by a signal to us, or when the client is gone");
      else if (effect.do === 'signal') {
        log.debug(`sending ${effect.signal} to the agent`);
        agent?.signal(effect.signal);
      } else {
        clearTimeout(timer);
        timer = setTimeout(() => tell({ kind: 'timeUp' }), effect.ms);
      }
    }
  }

  for (const signal of endingSignals) process.on(signal, () => tell({ kind: 'signal', signal, at: now() }));
  return {
    tell,
    agent: (started: Pick<Agents, 'signal'>) => void (agent = started),
    /** Resolves when the last bytes are not to be waited for any longer. */
    cut,
    onEndInput: (run: () => void) => void (endInput = run),
    ownEnd: (agentEnd: ProcessEnd): ProcessEnd => (state.endBy === undefined ? agentEnd : { code: null, signal: state.endBy }),
  };
}
