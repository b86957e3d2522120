/**
 * The methods of ACP v1 and v2: who sends them, and what a method of one version is called in the
 * other. Extension methods (names that start with `_`) belong to no version.
 */

export type Sender = 'client' | 'agent' | 'either';

export interface MethodRow {
  readonly sender: Sender;
  /** The name in v1 and in v2. Absent: that version does not have it. */
  readonly v1?: string;
  readonly v2?: string;
  /** Params and result have one shape in both versions. */
  readonly sameShape?: true;
}

const same = (sender: Sender, ...methods: readonly string[]): MethodRow[] => methods.map((method) => ({ sender, v1: method, v2: method, sameShape: true }));
const differs = (sender: Sender, ...methods: readonly string[]): MethodRow[] => methods.map((method) => ({ sender, v1: method, v2: method }));
const onlyV1 = (sender: Sender, ...methods: readonly string[]): MethodRow[] => methods.map((method) => ({ sender, v1: method }));
const onlyV2 = (sender: Sender, ...methods: readonly string[]): MethodRow[] => methods.map((method) => ({ sender, v2: method }));

export const methodTable: readonly MethodRow[] = [
  ...differs('client', 'initialize', 'session/new', 'session/list', 'session/resume', 'session/fork', 'session/set_config_option', 'session/prompt'),
  ...same('client', 'session/close', 'session/delete', 'session/cancel'),
  ...same('client', 'session/archive', 'session/unarchive', 'session/status', 'session/set_title', 'auth/status', 'providers/list', 'providers/set', 'providers/disable'),
  { sender: 'client', v1: 'authenticate', v2: 'auth/login', sameShape: true },
  { sender: 'client', v1: 'logout', v2: 'auth/logout', sameShape: true },
  ...onlyV1('client', 'session/load', 'session/set_mode'),
  ...onlyV2('client', 'terminal/cancel', 'tool_call/cancel'),
  ...differs('agent', 'session/update', 'session/request_permission'),
  ...same('agent', 'elicitation/create', 'elicitation/complete', 'auth/status_update'),
  ...onlyV1('agent', 'fs/read_text_file', 'fs/write_text_file'),
  ...onlyV1('agent', 'terminal/create', 'terminal/output', 'terminal/release', 'terminal/wait_for_exit', 'terminal/kill'),
  ...same('either', 'mcp/message', '$/cancel_request'),
];

const bySide = (version: 'v1' | 'v2', side: 'client' | 'agent'): ReadonlyMap<string, MethodRow> =>
  new Map(methodTable.filter((row) => row[version] !== undefined && (row.sender === side || row.sender === 'either')).map((row) => [row[version] as string, row]));

const tables = { v1: { client: bySide('v1', 'client'), agent: bySide('v1', 'agent') }, v2: { client: bySide('v2', 'client'), agent: bySide('v2', 'agent') } } as const;

/** The row of `method` as `side` of that version sends it, or `undefined` when it may not. */
export const methodRow = (version: 'v1' | 'v2', side: 'client' | 'agent', method: string): MethodRow | undefined => tables[version][side].get(method);

/** Extension methods have no version. */
export const isExtension = (method: string): boolean => method.startsWith('_');
