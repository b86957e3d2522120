import { builtInPlugins } from '../../plugins/index.js';
import { codexRecording, ofStandardClient } from './codex.js';
import { playInMemory } from './scenario-in-memory.js';
import { judged } from './scenario.js';
import { writeFileSync } from 'node:fs';
const names = process.argv.slice(2);
const all = 'a b b-next b-codemode c d e f f-busy f-talk g g-model h h-delete j j-poll l l-cancel m n p r s t'.split(' ');
for (const s of names.length ? names : all) {
  const replayed = codexRecording(`${s}.legacy`); const native = ofStandardClient(codexRecording(`${s}.v2air`));
  const plugins = builtInPlugins({ agentProtocol: 'auto', source: 'auto', followUpWindow: 250, stale: 'auto', staleAfter: 2000, agentCommand: ['codex-acp'] } as any);
  try {
    const run = await playInMemory({ replayed, native }, plugins, { agentCommand: ['codex-acp'] });
    const j = judged(run.recording, native);
    writeFileSync(`/tmp/rig/codex-mem/${s}.ndjson`, run.recording.map((r) => JSON.stringify(r)).join('\n') + '\n');
    console.log(`## ${s}`, run.missing.length ? `MISSING ${run.missing}` : '', run.log.length ? `LOG ${run.log}` : '');
    for (const f of j.checkFindings) console.log('  CHECK', f.rule, f.name, f.line, f.expected, '|', f.came);
    for (const e of j.schemaErrors) console.log('  SCHEMA', e);
    for (const d of j.differences) console.log('  DIFF', d.reason ?? '', d.path, '\n       native', JSON.stringify(d.native)?.slice(0, 300), '\n       ours  ', JSON.stringify(d.ours)?.slice(0, 300));
  } catch (e) { console.log(`## ${s} ERROR`, (e as Error).stack); }
}
