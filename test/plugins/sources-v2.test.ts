/** What is asked of a v1 agent in the name of a v2 client, through the bridge, and what of the answers reaches the client. */
import { describe, expect, it } from 'vitest';
import { bridge } from '../../plugins/bridge/index.js';
import { sources, type Source } from '../../plugins/sources.js';
import { wired, type Message, type Wired } from '../pipeline/harness.js';
import { ASKED, CLAUDE, sdkMessage, SUBTYPES } from './asking.js';

const air = (...capabilities: readonly string[]): Message => ({ jetbrains: { air: { version: 1, capabilities } } });

interface Options {
  readonly source?: Source;
  readonly agent?: { readonly name: string; readonly version: string };
  /** Of the client's capabilities. */
  readonly meta?: Message;
}

interface Connected extends Wired {
  /** `clientCapabilities` as the agent got them. */
  readonly declared: Message;
  /** The result of `initialize` as the client got it. */
  readonly result: Message;
  /** The agent gets this request; its params, as text. */
  asks(method: string, params: Message): string;
  /** The agent answers the request that it got last. */
  answersLast(result: Message): void;
}

function connected({ source = 'auto', agent = CLAUDE, meta }: Options = {}): Connected {
  const { atClient, atAgent } = sources({ source });
  const on = wired([atClient, bridge({ agentProtocol: 'v1' }), atAgent]);
  let last: Message;
  const gets = (): Message => {
    const message = on.agent.received().at(-1);
    last = message.id;
    return message.params;
  };
  const answersLast = (result: Message): void => on.agent.answers(last, result);
  on.client.sends({ jsonrpc: '2.0', id: 'init', method: 'initialize', params: { protocolVersion: 2, info: { name: 'c', version: '1' }, capabilities: meta === undefined ? {} : { _meta: meta } } });
  const declared = gets().clientCapabilities;
  const sessionCapabilities = { resume: {}, fork: {}, close: {}, delete: {}, list: {} };
  answersLast({ protocolVersion: 1, agentInfo: agent, agentCapabilities: { loadSession: true, sessionCapabilities }, authMethods: [], _meta: { ...air('asyncTasks'), other: 1 } });
  const { result } = on.client.received().at(-1);
  return {
    ...on, declared, result, answersLast,
    asks(method, params) {
      on.client.requests(method, params);
      return JSON.stringify(gets());
    },
  };
}

const metaOf = (params: string): Message => JSON.parse(params)._meta;
/** The agent's `status` names the user messages, which only a v2 client is told of by id; a reset makes it forget its tasks. */
const BRIDGED: readonly { readonly type: string; readonly subtype?: string }[] = [...ASKED, { type: 'system', subtype: 'status' }, { type: 'conversation_reset' }];
const added = { claudeCode: { options: { perTaskStopAffordance: true }, emitRawSDKMessages: BRIDGED } };
const NEW = { cwd: '/project', mcpServers: [] };

describe('`initialize` of a v2 client', () => {
  it('declares the extension in its name, beside what it declared itself', () => {
    expect(connected().declared._meta.jetbrains.air.capabilities).toContain('asyncTasks');
    const own = connected({ meta: { mine: 1, jetbrains: { air: { version: 1, capabilities: ['goals'], x: 2 }, y: 3 } } });
    expect(own.declared._meta).toMatchObject({ mine: 1, jetbrains: { air: { version: 1, x: 2 }, y: 3 } });
    expect(own.declared._meta.jetbrains.air.capabilities).toEqual(expect.arrayContaining(['goals', 'asyncTasks']));
  });

  it('keeps the answer to that from it, and nothing else', () => {
    expect(connected().result._meta).toEqual({ other: 1 });
  });

  it('leaves the answer to a client that declared a part of the extension', () => {
    expect(connected({ meta: air('goals') }).result._meta.jetbrains).toBeDefined();
  });

  it.each<[Source]>([['claude-raw'], ['none']])('declares nothing with `--source %s`', (source) => {
    expect(connected({ source }).declared._meta?.jetbrains).toBeUndefined();
  });
});

describe('set-up requests of a v2 client to claude-agent-acp', () => {
  it('ask for what is needed of the raw feed, and for work to survive an interrupt', () => {
    expect(metaOf(connected().asks('session/new', NEW))).toEqual(added);
    expect(metaOf(connected({ source: 'claude-raw' }).asks('session/new', NEW))).toEqual(added);
    expect(metaOf(connected({ source: 'async-tasks' }).asks('session/new', NEW))).toEqual({ claudeCode: { options: { perTaskStopAffordance: true } } });
  });

  it('later ones of the session carry the same, byte for byte: a difference would end its work', () => {
    const on = connected();
    const first = on.asks('session/new', NEW);
    on.answersLast({ sessionId: 's' });
    for (const [method, params] of [
      ['session/resume', { ...NEW, sessionId: 's' }], ['session/resume', { ...NEW, sessionId: 's', replayFrom: { type: 'start' } }], ['session/fork', { ...NEW, sessionId: 's' }],
    ] as const) {
      expect(JSON.stringify(metaOf(on.asks(method, params)))).toBe(JSON.stringify(metaOf(first)));
      on.answersLast({ sessionId: 's2' });
    }
  });

  it('keep the client\'s own values', () => {
    const own = { other: 1, claudeCode: { options: { perTaskStopAffordance: false, model: 'x' }, emitRawSDKMessages: true } };
    expect(metaOf(connected().asks('session/new', { ...NEW, _meta: own }))).toEqual(own);
    const some = { claudeCode: { emitRawSDKMessages: [{ type: 'system', subtype: 'init' }, { type: 'system', subtype: 'task_started' }] } };
    expect(metaOf(connected().asks('session/new', { ...NEW, _meta: some })).claudeCode.emitRawSDKMessages).toEqual([
      ...some.claudeCode.emitRawSDKMessages, ...BRIDGED.filter(({ subtype }) => subtype !== 'task_started'),
    ]);
  });

  it.each([[{ source: 'none' as const }], [{ agent: { name: 'other-agent', version: '1.0.0' } }], [{ meta: air('asyncTasks') }]])('are left alone with %o', (options) => {
    expect(metaOf(connected(options).asks('session/new', NEW))).toBeUndefined();
  });
});

describe('the raw feed to a v2 client', () => {
  it('is kept from one that did not ask for it', () => {
    const on = connected();
    on.asks('session/new', NEW);
    on.answersLast({ sessionId: 's' });
    on.client.received();
    for (const subtype of SUBTYPES) on.agent.sends(sdkMessage(subtype));
    expect(on.client.received().filter(({ method }) => method === '_claude/sdkMessage')).toEqual([]);
  });

  it('reaches one that did, and only what it asked for', () => {
    const on = connected();
    on.asks('session/new', { ...NEW, _meta: { claudeCode: { emitRawSDKMessages: [{ type: 'system', subtype: 'task_started' }] } } });
    on.answersLast({ sessionId: 's' });
    on.client.received();
    for (const subtype of SUBTYPES) on.agent.sends(sdkMessage(subtype));
    expect(on.client.received().filter(({ method }) => method === '_claude/sdkMessage')).toEqual([sdkMessage('task_started')]);
  });
});
