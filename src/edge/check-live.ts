/**
 * `afterturn check -- AGENT_COMMAND`: a short session with a live agent, in each version, against the
 * rules. Knows files, versions and the exit code.
 */
import { closeSync, mkdtempSync, openSync, readFileSync, realpathSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Validator } from '../check/index.js';
import { relayError } from '../errors.js';
import { judged, obstacleOf, signInAsked, type LiveSettings, type StepReport } from '../live/index.js';
import { agentOf } from '../protocol/index.js';
import { headerLine, recordedLine } from '../record/line.js';
import type { Agents } from './agents.js';
import type { CheckArguments } from './check.js';
import { checkedLines, type Checked } from './check-text.js';
import { quoted } from './command-line.js';
import { conversationWith, type Talk, type Transcript } from './live-conversation.js';
import { printable } from './log.js';
import { endProcess } from './process-end.js';
import { packageVersion } from './version.js';

/** A model can take its time. Milliseconds. */
const defaultTimeout = 60_000;

/** What was checked of a live agent. */
interface CheckedAgent extends Checked {
  readonly agent: { readonly name: string | undefined; readonly version: string | undefined };
  readonly steps: readonly StepReport[];
  /** Why nothing could be checked. */
  readonly obstacle: string | undefined;
  /** The ways to sign in of an agent that asks for it. */
  readonly signIn: readonly string[] | undefined;
}

/** Where the transcripts go: a file, or nowhere. Throws a `RelayError` where the file cannot be written. */
function transcripts(path: string | undefined): { begin(): Transcript; close(): void } {
  if (path === undefined) {
    return { begin: () => { let line = 0; return () => (line += 1); }, close: () => {} };
  }
  try {
    const fd = openSync(path, 'a', 0o600);
    let lines = readFileSync(path, 'utf8').split('\n').length - 1;
    const write = (text: string): number => {
      writeSync(fd, text);
      return (lines += 1);
    };
    return {
      begin: () => {
        write(headerLine(packageVersion(), new Date().toISOString(), false));
        return ({ t, dir, text }) => write(recordedLine({ t, at: 'client', dir, text }, false));
      },
      close: () => closeSync(fd),
    };
  } catch (error) {
    throw relayError('UNWRITABLE_RECORDING', { path, reason: error instanceof Error ? error.message : String(error) });
  }
}

const named = (reports: readonly StepReport[], outcome: StepReport['outcome']): string =>
  reports.filter((report) => report.outcome === outcome).map(({ name, code }) => (code === undefined ? name : `${name} (${code})`)).join(', ');

function* agentLines(checked: CheckedAgent, { lingered }: Talk): Generator<string> {
  const { agent, obstacle, signIn, steps } = checked;
  yield* checkedLines(checked, agent.name === undefined ? [] : [`${agent.name}${agent.version === undefined ? '' : ` ${agent.version}`}`]);
  if (obstacle !== undefined) yield `  nothing more could be checked: ${obstacle}.`;
  if (signIn !== undefined) yield `  it asks for authentication (${signIn.join(', ') || 'it names no way'}), so its sessions are not checked. Sign in with the agent's own command, and run this again.`;
  for (const [label, outcome] of [['answered', 'answered'], ['refused', 'refused'], ['unanswered', 'unanswered'], ['not offered', 'not offered']] as const) {
    const names = named(steps, outcome);
    if (names !== '') yield `  ${`${label}:`.padEnd(12)} ${names}`;
  }
  if (lingered) yield '  It went on after the end of its input, and was ended by a signal.';
}

/** Resolves with the exit code: 0 without a breach, 1 with one and where nothing could be checked. Rejects with a `RelayError` for a bad call and an agent that cannot be started. */
export async function checkAgent(command: readonly string[], given: CheckArguments['given'], validator: Validator | undefined): Promise<number> {
  const protocol = given.get('protocol');
  const versions = protocol === undefined ? ([1, 2] as const) : protocol === 'v1' ? ([1] as const) : ([2] as const);
  const patience = Number(given.get('timeout') ?? defaultTimeout);
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'afterturn-check-')));
  const file = command.map(quoted).join(' ');
  const record = transcripts(given.get('record'));
  let current: Agents | undefined;
  const tidy = (): void => rmSync(cwd, { recursive: true, force: true });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      current?.signal('SIGKILL');
      tidy();
      endProcess({ code: null, signal });
    });
  }

  const all: CheckedAgent[] = [];
  try {
    for (const version of versions) {
      const settings: LiveSettings = { version, cwd, patience, client: { name: 'afterturn-check', version: packageVersion() } };
      const talk = await conversationWith(command, settings, record.begin(), (agents) => (current = agents));
      const { live, messages } = talk;
      const checked: CheckedAgent = {
        file, side: undefined, protocol: `v${version}`, messages: messages.length, breaches: judged(talk, validator),
        agent: agentOf(live.facts.answers.get('initialize')?.result), steps: live.reports, obstacle: obstacleOf(talk), signIn: signInAsked(talk),
      };
      all.push(checked);
      if (!given.has('json')) for (const line of agentLines(checked, talk)) process.stdout.write(`${printable(line)}\n`);
      // An agent without an answer to one version has none to the other.
      if (live.facts.answers.get('initialize') === undefined) break;
    }
  } finally {
    record.close();
    tidy();
  }
  if (given.has('json')) process.stdout.write(`${printable(JSON.stringify({ checked: all }))}\n`);
  return all.some(({ breaches }) => breaches.length > 0) || all.every(({ obstacle }) => obstacle !== undefined) ? 1 : 0;
}
