/** How the subcommands that work on recordings are called: for the help, and for the errors of their arguments. */
export const usages = {
  check: 'afterturn check [--json] [--no-schema] [--protocol v1|v2] FILE...',
  replay: 'afterturn replay [options] FILE [-- AGENT_COMMAND [ARGS...]]',
  migrate: 'afterturn migrate [--json] FILE...',
} as const;
