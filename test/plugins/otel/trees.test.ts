/**
 * The whole trees of recorded conversations, as they were looked at: `trees/<agent>.txt`, which
 * `AFTERTURN_TREES=write` writes anew. A recording that is not in it is held to the rules alone.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { corpusNames, loadCorpus } from '../../tools/recording.js';
import { played, treesOf } from './played.js';

const SAME = ['gen_ai.conversation.id', 'session.id'];
const AGENT = ['gen_ai.agent.name', 'gen_ai.agent.version', 'gen_ai.provider.name', 'gen_ai.operation.name', 'acp.turn.started_by'];

/** What each kind of span says: always, and sometimes. */
const attributes: readonly (readonly [kind: RegExp, always: readonly string[], sometimes: readonly string[]])[] = [
  [/^invoke_agent ./, [...SAME, ...AGENT], ['jsonrpc.request.id', 'gen_ai.response.finish_reasons', 'gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens', 'gen_ai.usage.cache_read.input_tokens', 'gen_ai.usage.cache_creation.input_tokens', 'error.type', 'acp.unfinished', 'acp.end_reason']],
  [/^invoke_agent$/, [...SAME, 'gen_ai.operation.name', 'acp.subagent.session_id'], ['gen_ai.tool.call.id', 'error.type', 'acp.background.unfinished', 'acp.end_reason']],
  [/^execute_tool ./, [...SAME, 'gen_ai.operation.name', 'gen_ai.tool.name', 'gen_ai.tool.call.id'], ['acp.tool_call.status', 'error.type', 'acp.unfinished', 'acp.end_reason']],
  [/^background/, [...SAME, 'acp.background.id', 'acp.background.type', 'acp.background.can_stop', 'acp.background.outcome'], ['acp.background.task_type', 'gen_ai.tool.call.id', 'gen_ai.operation.name', 'acp.subagent.session_id', 'process.exit.code', 'error.type', 'acp.background.unfinished', 'acp.end_reason']],
  [/^session\/request_permission$/, [...SAME, 'rpc.system.name', 'rpc.method', 'network.transport'], ['jsonrpc.request.id', 'gen_ai.tool.call.id', 'acp.permission.outcome', 'acp.permission.option_kind', 'error.type', 'acp.unfinished', 'acp.end_reason']],
];

/** A name on a line of its own, its tree indented below it. */
function sectionsOf(text: string): Map<string, string> {
  return new Map(text.split(/^(?=\S)/m).filter((section) => section !== '').map((section) => {
    const [name = '', ...tree] = section.trimEnd().split('\n');
    return [name, tree.map((line) => `${line}\n`).join('')];
  }));
}

test.each(['claude', 'codex', 'gemini', 'opencode'])('the trees of %s', async (agent) => {
  const path = new URL(`trees/${agent}.txt`, import.meta.url);
  const looked = sectionsOf(existsSync(path) ? readFileSync(path, 'utf8') : '');
  const trees = new Map<string, string>();
  for (const name of corpusNames().filter((each) => each.startsWith(`${agent}/`))) {
    const records = loadCorpus(name);
    const said = JSON.stringify(records.map(({ msg }) => msg));
    const it = await played(records);
    const lines = treesOf(it);
    trees.set(name.slice(agent.length + 1), lines.map((line) => `  ${line}\n`).join(''));
    expect(lines, name).toHaveLength(it.spans().length);
    expect(it.log, name).toEqual([]);
    const ids = new Set(it.spans().map((span) => span.spanContext().spanId));
    for (const span of it.spans()) {
      const parent = span.parentSpanContext?.spanId;
      expect(parent === undefined || ids.has(parent), `${name}: the parent of ${span.name}`).toBe(true);
      const [, always = [], sometimes = []] = attributes.find(([kind]) => kind.test(span.name)) ?? [];
      const keys = Object.keys(span.attributes);
      expect(always.filter((key) => !keys.includes(key)), `${name}: ${span.name} lacks`).toEqual([]);
      expect(keys.filter((key) => !always.includes(key) && !sometimes.includes(key)), `${name}: ${span.name} has`).toEqual([]);
      for (const key of ['session.id', 'gen_ai.tool.call.id', 'acp.background.id', 'acp.subagent.session_id']) {
        if (span.attributes[key] !== undefined) expect(said, `${name}: ${key}`).toContain(span.attributes[key]);
      }
    }
  }
  if (process.env.AFTERTURN_TREES === 'write') writeFileSync(path, [...trees].map(([name, tree]) => `${name}\n${tree}`).join('\n'));
  else for (const [name, tree] of looked) expect(trees.get(name), name).toBe(tree);
  expect(looked.size).toBeGreaterThan(0);
});
