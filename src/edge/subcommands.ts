/**
 * The subcommands: one row each. A subcommand is loaded when it is run.
 */
import { usages } from './usages.js';

export interface Subcommand {
  readonly usage: string;
  /** One line. */
  readonly summary: string;
  /** Arguments behind the name to the exit code. */
  run(args: readonly string[]): Promise<number>;
}

export const subcommands: Readonly<Record<string, Subcommand>> = {
  demo: {
    usage: 'afterturn demo',
    summary: 'Shows the main job: a scripted legacy agent inside, standard lists outside. Needs no account and no network.',
    run: async (args) => (await import('./demo.js')).runDemo(args),
  },
  doctor: {
    usage: 'afterturn doctor [options] [--timeout MS] -- AGENT_COMMAND [ARGS...]',
    summary:
      'Starts the agent, initialises it as a client of ACP v1 and one of v2 would have it, and shows what is spoken to it and why, and whether background work is reported. ' +
      'Takes the options of the proxy. Exits with 1 when the agent cannot be started or does not answer within the timeout (10000 ms).',
    run: async (args) => (await import('./doctor.js')).runDoctor(args),
  },
  check: {
    usage: usages.check,
    summary:
      'Checks recordings against the rules of ACP: every breach with its time, rule, section, what was expected and what came, and every message that is not valid by its schema. ' +
      'A recording is what --record writes, or has one JSON object a line, {"t": milliseconds, "dir": "c2a" or "a2c", "msg": message}. ' +
      'With AGENT_COMMAND it starts the agent, has a short session with it in each version of ACP (two prompts, nothing is allowed, in an empty folder), and checks that; --record FILE keeps it. ' +
      '--timeout MS: how long an answer may take (60000). --protocol v1|v2: that version only. --no-schema leaves the schemas out, --json is for programs. ' +
      'Exits with 0 without a breach, 1 with one and where the agent does not take part, 2 where a file is no recording or the agent cannot be started.',
    run: async (args) => (await import('./check.js')).runCheck(args),
  },
  replay: {
    usage: usages.replay,
    summary:
      'Plays the agent of a recording on stdin and stdout; put it behind "--" wherever an agent goes. With AGENT_COMMAND (or --as client) it plays the client against that agent, ' +
      'and prints what is said as a recording. Requests and answers are matched, and ids are those of the live side. --speed N: N times as fast as recorded. ' +
      '--longest-wait MS: no recorded pause is longer. --patience MS: how long a message that need not come is waited for (2000; the client: 500). ' +
      '--cwd DIR: where the sessions of the client begin. --timeout MS: how long the client waits for one that must come (60000). ' +
      'Exits with 1 when the recording cannot be played to its end.',
    run: async (args) => (await import('./replay.js')).runReplay(args),
  },
  migrate: {
    usage: usages.migrate,
    summary:
      'Shows what traffic from before ACP v2 and its background work is left in recordings, by agent, client and kind, and which cell of the matrix in the README would remove it. ' +
      'Exits with 0; 2 where a file is no recording.',
    run: async (args) => (await import('./migrate.js')).runMigrate(args),
  },
  report: {
    usage: usages.report,
    summary:
      'Shows what trace files (OTLP JSON lines, as --trace-file or the file exporter of a Collector writes them) and recordings (as for check) hold, as a timeline of sessions: ' +
      'turns, tool calls, permission waits and background items with their start, duration, state and outcome, and what ran longest, was left running, or failed. ' +
      'Several files stand on one clock; "-" is stdin. --html OUT: one page that loads nothing, in place of the text ("-": on stdout). --json: the timeline for programs. ' +
      'Exits with 0; 2 for a bad call, a file that is neither, and one that cannot be read.',
    run: async (args) => (await import('./report.js')).runReport(args),
  },
};
