/**
 * What ACP v1 demands of terminals: those that the client runs for the agent (`terminal/*`), and those of
 * the agent that `_meta` of its calls tells of (`terminal_info`, `terminal_output`, `terminal_exit`).
 */
import { faultIf, on, type Fault, type Moment, type Rule } from './rule.js';

const TERMINALS = 'Terminals';
const METADATA = 'Terminal metadata of tool calls (_meta)';

/** What the client must offer for a request of the agent. */
const NEEDS: Readonly<Record<string, string>> = { 'fs/read_text_file': 'fs.readTextFile', 'fs/write_text_file': 'fs.writeTextFile' };
const isOfTerminals = (method: string): boolean => method.startsWith('terminal/');

/** History names what is gone. */
const isRetelling = ({ before }: Moment): boolean => before.replaying || ['session/load', 'session/resume'].some((method) => before.open.has(method));

/** A rule about the terminal that a request of the agent names. */
const onTerminal = (find: (id: string, method: string, state: 'made' | 'released' | undefined) => readonly Fault[]): Rule['find'] =>
  on('ask', ({ method, terminal = '' }, { before }) => (isOfTerminals(method) && method !== 'terminal/create' ? find(terminal, method, before.clientTerminals.get(terminal)) : []));

export const terminalRules: readonly Rule[] = [
  {
    number: 'V1.10',
    versions: [1],
    name: 'v1-client-offers',
    title: 'The agent asks the client for files and terminals only where the client offers them',
    section: 'Initialization: Client Capabilities',
    find: on('ask', ({ method }, { options: { offered } }) => {
      const needed = isOfTerminals(method) ? 'terminal' : NEEDS[method];
      return faultIf(needed !== undefined && offered !== undefined && !offered.has(needed), 'no request that the client does not offer', `${method} without ${String(needed)}`);
    }),
  },
  {
    number: 'V1.11',
    versions: [1],
    name: 'v1-terminal-known',
    title: 'A terminal request names a terminal that terminal/create made in its session',
    section: TERMINALS,
    find: onTerminal((id, method, state) => faultIf(state === undefined, 'the id that terminal/create was answered with', `${method} of ${id}`)),
  },
  {
    number: 'V1.12',
    versions: [1],
    name: 'v1-terminal-released',
    title: 'A terminal that was released is not asked for again',
    section: `${TERMINALS}: Releasing Terminals`,
    find: onTerminal((id, method, state) => faultIf(state === 'released', 'no request for it after terminal/release', `${method} of ${id}`)),
  },
  {
    number: 'V1.13',
    versions: [1],
    name: 'v1-terminal-shown',
    title: 'A call shows only terminals that are there: made by terminal/create, or told by terminal_info',
    section: `${TERMINALS}: Embedding in Tool Calls`,
    find: on('call', ({ id, terminals = [] }, moment) => {
      const { after, options } = moment;
      if (isRetelling(moment) || !options.isWhole) return [];
      return terminals.flatMap((terminal) => faultIf(!after.clientTerminals.has(terminal) && !after.toldTerminals.has(terminal), 'a terminal that is there', `tool_call:${id}: shows ${terminal}`));
    }),
  },
  {
    number: 'V1.14',
    versions: [1],
    name: 'v1-terminal-info-first',
    title: 'terminal_info comes before the output and the exit of its terminal',
    section: METADATA,
    find: on('call', ({ told: { output, exit } }, moment) => {
      if (isRetelling(moment) || !moment.options.isWhole) return [];
      return [output, exit].flatMap((id) => faultIf(id !== undefined && !moment.after.toldTerminals.has(id), 'terminal_info before it', `terminal:${String(id)}: ${id === output ? 'output' : 'exit'} without one`));
    }),
  },
  {
    number: 'V1.15',
    versions: [1],
    name: 'v1-terminal-exits-once',
    title: 'A terminal that has exited has no further output and no further exit',
    section: METADATA,
    find: on('call', ({ told: { info, output, exit } }, moment) => {
      if (isRetelling(moment)) return [];
      return [output, exit].flatMap((id) =>
        faultIf(id !== undefined && id !== info && moment.before.toldTerminals.get(id) === 'exited', 'nothing after terminal_exit', `terminal:${String(id)}: another ${id === output ? 'output' : 'exit'}`));
    }),
  },
];
