/** The texts of --help, made from the tables of options and subcommands. Loaded only when asked for. */
import { defaultText, optionNames, optionRow, variableOf } from './options.js';
import { subcommands, type Subcommand } from './subcommands.js';

const width = 88;
const optionIndent = ' '.repeat(6);

/** Words in lines that start with `indent`. */
function wrapped(text: string, indent: string): string {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(' ')) {
    if (line.length + word.length > width) {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()].join('\n');
}

function optionHelp(): string {
  const rows = optionNames.map((name) => {
    const row = optionRow(name);
    const { value, help, repeatable, flag } = row;
    const shownDefault = row.default === undefined || repeatable || flag ? '' : ` Default: ${defaultText(row)}.`;
    return `  --${name}${value === '' ? '' : ` ${value}`}\n${wrapped(`${help}${shownDefault} (${variableOf(name)})`, optionIndent)}`;
  });
  return [...rows, '  --help, -h\n      This text.', '  --version, -V\n      The version.'].join('\n');
}

/** The help of the whole command. */
export function helpText(): string {
  const names = Object.keys(subcommands);
  return `afterturn [options] -- AGENT_COMMAND [ARGS...]
${names.map((name) => `${subcommands[name]?.usage ?? name}   (afterturn ${name} --help)`).join('\n')}

Sits on stdio between an ACP client and an agent, and shows the work that goes on after the turn.
Everything after -- is the agent's command, untouched. Exits with the agent's exit code, or by the
same signal; 2 for a usage error.

Options (the command line wins over the variable, the variable over the file):
${optionHelp()}
`;
}

/** The help of a subcommand. */
export function subcommandHelp({ usage, summary }: Subcommand): string {
  return `${usage}\n\n${wrapped(summary, '')}\n`;
}
