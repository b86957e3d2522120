/** What `afterturn check` found, as lines for a person. Knows neither recordings nor agents. */
import type { Finding, Side } from '../check/index.js';

/** What was checked, and what was found. Times are in milliseconds of the recording; `null`: it has none. */
export interface Checked {
  /** The recording, or the command of the agent. */
  readonly file: string;
  readonly side: Side | undefined;
  readonly protocol: 'v1' | 'v2';
  readonly messages: number;
  readonly breaches: readonly Finding[];
}

const counted = (count: number, one: string, many: string): string => `${count === 0 ? 'no' : count} ${count === 1 ? one : many}`;

/** One line for what was checked, with `about` in brackets, and some for each breach. */
export function* checkedLines({ file, protocol, messages, breaches }: Checked, about: readonly string[]): Generator<string> {
  yield `${file} (${[...about, `ACP ${protocol}`].join(', ')}): ${counted(breaches.length, 'breach', 'breaches')} in ${counted(messages, 'message', 'messages')}`;
  for (const { t, line, rule, name, title, section, by, session, expected, came } of breaches) {
    yield `  ${Number.isNaN(t) ? '' : `${t} ms, `}line ${line}: ${rule} ${title} (${name})${by === 'client' ? ', broken by the client' : ''}`;
    yield `      section:  ${section}`;
    if (session !== '') yield `      session:  ${session}`;
    yield `      expected: ${expected}`;
    yield `      came:     ${came}`;
  }
}
