/** How the subcommands that work on recordings are called: for the help, and for the errors of their arguments. */
export const usages = {
  check: 'afterturn check [options] FILE... | -- AGENT_COMMAND [ARGS...]',
  replay: 'afterturn replay [options] FILE [-- AGENT_COMMAND [ARGS...]]',
  migrate: 'afterturn migrate [--json] FILE...',
  report: 'afterturn report [--json] [--html OUT] FILE...',
} as const;
