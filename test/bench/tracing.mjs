// npm run bench:tracing: what tracing costs. Start-up with it beside a plain pipe, and the CPU time of the
// recorded sessions with it and without. Prints a table of ratios and exits with 1 when a target is
// missed. See README.md.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { median } from './figures.mjs';
import { buildRig, measured } from './rig.mjs';
import { receiver, sdkAloneCpu, sessionsCpu, sessionSpans } from './sessions.mjs';

const { values: options } = parseArgs({ options: { rounds: { type: 'string', default: '5' }, sessions: { type: 'string', default: '30' } } });
const root = fileURLToPath(new URL('../..', import.meta.url));
const repeat = Number(options.sessions);
const startsPerRound = 7;

execFileSync(process.execPath, [`${root}bin/build.js`, '--bundle'], { stdio: 'inherit' });
buildRig();
const collector = await receiver();

// Nothing is sent before the first answer; nobody listens there, so that nothing is waited for at the end.
const own = [process.execPath, `${root}bin/afterturn.js`];
const candidates = { direct: [], pipe: [process.execPath, `${root}test/bench/peers/pipe.mjs`], plain: [...own, '--'], traced: [...own, '--otlp', 'http://127.0.0.1:9', '--'] };
const shuffled = (list) => list.map((each) => [Math.random(), each]).sort(([a], [b]) => a - b).map(([, each]) => each);

function starts() {
  const ms = Object.fromEntries(Object.keys(candidates).map((name) => [name, []]));
  for (let n = 0; n < startsPerRound; n += 1) for (const name of shuffled(Object.keys(candidates))) ms[name].push(measured(candidates[name], []).init_ms);
  const added = (name) => median(ms[name]) - median(ms.direct);
  return { plain: added('plain') / added('pipe'), traced: added('traced') / added('pipe') };
}

async function tracingCpu(client, words = false) {
  const cpu = {};
  for (const otlp of shuffled([undefined, collector.url])) cpu[otlp === undefined ? 'plain' : 'traced'] = await sessionsCpu(client, { repeat, otlp, words });
  return { ratio: cpu.traced / cpu.plain, plain: cpu.plain };
}

const figures = {
  'start-up added, relative to pipe': { target: 1.3, series: [] },
  'the same without tracing': { series: [] },
  'CPU, v2 client, relative to without': { target: 1.15, series: [] },
  'CPU, v1 client, relative to without': { series: [] },
  'CPU, v2 client, texts word by word': { series: [] },
  'CPU, v1 client, texts word by word': { series: [] },
  'v2 client, if spans cost the SDK only': { series: [] },
};
const [startUp, plainStartUp, bridged, passed, bridgedWords, passedWords, atLeast] = Object.values(figures);
async function round(file) {
  const { plain, traced } = starts();
  startUp.series.push(traced);
  plainStartUp.series.push(plain);
  const v2 = await tracingCpu('v2');
  bridged.series.push(v2.ratio);
  passed.series.push((await tracingCpu('v1')).ratio);
  bridgedWords.series.push((await tracingCpu('v2', true)).ratio);
  passedWords.series.push((await tracingCpu('v1', true)).ratio);
  atLeast.series.push(1 + (await sdkAloneCpu(file, { repeat, otlp: collector.url })).ms / v2.plain);
}

await sessionSpans(async (file) => {
  for (let n = 0; n < Number(options.rounds); n += 1) {
    process.stderr.write(`round ${n + 1} of ${options.rounds}\n`);
    await round(file);
  }
});
collector.close();

for (const [name, { target, series }] of Object.entries(figures)) {
  const value = median(series);
  const verdict = target === undefined ? '' : value <= target ? `met: at most ${target}` : `MISSED: at most ${target}`;
  console.log(`${name.padEnd(38)} ${value.toFixed(2)} [${Math.min(...series).toFixed(2)} to ${Math.max(...series).toFixed(2)}]  ${verdict}`);
  if (target !== undefined && value > target) process.exitCode = 1;
}
