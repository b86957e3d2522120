import { describe, expect, test } from 'vitest';
import { check, type Finding, type RecordedMessage } from '../../src/check/index.js';
import { strictValidator } from '../../src/edge/schema.js';
import { Reason } from '../../src/protocol/reasons.js';
import { masked, redacted } from '../../src/record/redact.js';
import { corpusNames, loadCorpus } from '../tools/recording.js';

const redactedAll = (records: readonly RecordedMessage[]): RecordedMessage[] => records.map((record) => ({ ...record, msg: redacted(record.msg) as RecordedMessage['msg'] }));

test('letters and digits are masked, the rest and the length stay', () => {
  expect(masked('cd /home/josé && TOKEN=a1b2 日本')).toBe('xx /xxxx/xxxx && xxxxx=x0x0 xx');
});

test('contents and secrets are masked by field, whatever stands in them', () => {
  const message = {
    jsonrpc: '2.0', id: 'abc-1', method: 'session/update',
    params: { sessionId: 'sess-1', update: {
      sessionUpdate: 'tool_call_update', toolCallId: 'call-1', status: 'completed', kind: 'execute', title: 'cat secret.txt',
      rawInput: { command: 'cat', status: 'hidden', count: 3, list: ['a', null, true] }, rawOutput: 'deep', locations: [{ path: '/home/me/secret.txt', line: 7 }],
      content: [{ type: 'content', content: { type: 'text', text: 'my words' } }, { type: 'diff', path: '/a/b', oldText: 'old', newText: null }],
      _meta: { claudeCode: { toolName: 'Bash' }, apiKey: 'id1', sessionToken: 'abc', free: 'word', nested: { authTokenId: 'a-1' } },
    } },
  };
  expect(redacted(message)).toEqual({
    jsonrpc: '2.0', id: 'abc-1', method: 'session/update',
    params: { sessionId: 'sess-1', update: {
      sessionUpdate: 'tool_call_update', toolCallId: 'call-1', status: 'completed', kind: 'execute', title: 'xxx xxxxxx.xxx',
      rawInput: { command: 'xxx', status: 'xxxxxx', count: 3, list: ['x', null, true] }, rawOutput: 'xxxx', locations: [{ path: '/xxxx/xx/xxxxxx.xxx', line: 7 }],
      content: [{ type: 'content', content: { type: 'text', text: 'xx xxxxx' } }, { type: 'diff', path: '/x/x', oldText: 'xxx', newText: null }],
      _meta: { claudeCode: { toolName: 'Bash' }, apiKey: 'xx0', sessionToken: 'xxx', free: 'xxxx', nested: { authTokenId: 'x-0' } },
    } },
  });
});

test('servers, environments and headers lose their values', () => {
  const params = { cwd: '/home/me', mcpServers: [{ type: 'http', name: 'mine', url: 'https://host/x', headers: [{ name: 'Authorization', value: 'Bearer 1' }] }, { name: 'b', command: '/bin/b', args: ['--key', 'k1'], env: [{ name: 'KEY', value: 'v' }] }] };
  expect(redacted(params)).toEqual({ cwd: '/xxxx/xx', mcpServers: [{ type: 'http', name: 'xxxx', url: 'xxxxx://xxxx/x', headers: [{ name: 'xxxxxxxxxxxxx', value: 'xxxxxx 0' }] }, { name: 'x', command: '/xxx/x', args: ['--xxx', 'x0'], env: [{ name: 'xxx', value: 'x' }] }] });
});

test('who speaks, and a sentence under a name of the protocol', () => {
  expect(redacted({ agentInfo: { name: '@scope/agent', title: 'My Agent', version: '1.2.3' }, status: 'a whole sentence' })).toEqual({ agentInfo: { name: '@scope/agent', title: 'xx xxxxx', version: '1.2.3' }, status: 'x xxxxx xxxxxxxx' });
});

test('why the command itself ended something stays, and no other reason', () => {
  for (const reason of Object.values(Reason)) expect(redacted({ reason })).toEqual({ reason });
  expect(redacted({ _meta: { afterturn: { reason: 'the agent exited' } }, reason: 'my own', rawInput: { reason: 'the agent exited' } })).toEqual({ _meta: { afterturn: { reason: 'the agent exited' } }, reason: 'xx xxx', rawInput: { reason: 'xxx xxxxx xxxxxx' } });
});

describe('a native recording that is redacted', () => {
  const facts = (findings: readonly Finding[]): string[] => findings.map(({ t, line, rule, name, came }) => `${t} ${line} ${rule} ${name} ${rule === 'S.1' ? came.replace(/ \(.*/, '') : came}`);
  test('breaks the same rules, is as valid as before, and says nothing of its texts', () => {
    const changed = corpusNames().flatMap((name) => {
      const records = loadCorpus(name);
      const after = redactedAll(records);
      const [found, before] = [facts(check(after, {}, strictValidator)), facts(check(records, {}, strictValidator))];
      const told = /workspace\/project|hello\.sh|server\.sh|home\/user/.exec(JSON.stringify(after));
      return JSON.stringify(found) === JSON.stringify(before) && told === null ? [] : [[name, found.filter((fact) => !before.includes(fact)), told?.[0]]];
    });
    expect(changed).toEqual([]);
  });
});
