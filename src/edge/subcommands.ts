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
};
