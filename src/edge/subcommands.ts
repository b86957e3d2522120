/**
 * The subcommands: one row each. A subcommand is loaded when it is run.
 */

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
};
