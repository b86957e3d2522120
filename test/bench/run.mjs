// npm run bench: afterturn beside a plain pipe (the floor) and other proxies. Prints a table of
// ratios and exits with 1 when a target is missed. See README.md.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { figures, holds, loads, median, targetText } from './figures.mjs';
import { buildRig, canPin, measured } from './rig.mjs';

const usage = `npm run bench -- [--rounds N] [--loads ${Object.keys(loads).join(',')}] [--peers NAME,...] [--longer N] [--json FILE]`;
const { values: options } = given(() => parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    rounds: { type: 'string', default: '5' },
    loads: { type: 'string', default: Object.keys(loads).join(',') },
    peers: { type: 'string', default: '' },
    longer: { type: 'string', default: '1' },
    json: { type: 'string' },
  },
}));
if (options.help) {
  console.log(`${usage}\nSee test/bench/README.md.`);
  process.exit(0);
}
const unknown = options.loads.split(',').find((name) => !Object.hasOwn(loads, name));
if (unknown !== undefined) fail(`expected loads among ${Object.keys(loads).join(', ')}, got ${unknown}`);

function given(read) {
  try {
    return read();
  } catch (error) {
    return fail(error.message);
  }
}

function fail(text) {
  console.error(`${text}\n${usage}`);
  return process.exit(2);
}

const longer = Number(options.longer);
if (!Number.isInteger(longer) || longer < 1) fail(`expected --longer with a whole number from 1 on, got ${options.longer}`);

const root = fileURLToPath(new URL('../..', import.meta.url));
const peer = (name) => [process.execPath, `${root}test/bench/peers/${name}.mjs`];
const direct = 'direct';
const floor = 'pipe';
const own = 'afterturn';
const candidates = {
  [direct]: [],
  [floor]: peer('pipe'),
  [own]: [process.execPath, `${root}bin/afterturn.js`, '--'],
  ...Object.fromEntries(options.peers.split(',').filter(Boolean).map((name) => [name, peer(name)])),
};
const chosen = options.loads.split(',');
const pin = canPin();

/** The fields of several runs, each the median. */
const merged = (runs) => Object.fromEntries(Object.keys(runs[0]).map((key) => [key, median(runs.map((run) => run[key]))]));
const shuffled = (list) => list.map((each) => [Math.random(), each]).sort(([a], [b]) => a - b).map(([, each]) => each);

/** The command of a candidate under a load; only afterturn has options. */
const commandOf = (name, options) => (name === own ? [...candidates[own].slice(0, -1), ...options, '--'] : candidates[name]);

/** The arguments of a load, a flood `--longer` times as long. */
const argsOf = (args) => args.map((arg) => arg.replace(/^([\w-]+):(\d+)$/, (_, name, times) => `${name}:${times * longer}`));

/** One round of one load: every candidate in turn, `repeat` times, in a new order each time. */
function roundOf({ args, pinned = false, repeat = 1, agent = [], options: given = [], rewritten = false }) {
  const runs = Object.fromEntries(Object.keys(candidates).map((name) => [name, []]));
  for (let n = 0; n < repeat; n += 1) {
    for (const name of shuffled(Object.keys(candidates))) runs[name].push(measured(commandOf(name, given), argsOf(args), { pinned: pinned && pin, agentArgs: agent }));
  }
  const result = Object.fromEntries(Object.entries(runs).map(([name, each]) => [name, merged(each)]));
  for (const [name, { flood_bytes: bytes }] of Object.entries(result)) {
    if (!rewritten && bytes !== result[direct].flood_bytes) throw new Error(`${name} changed the bytes: ${bytes} in place of ${result[direct].flood_bytes}`);
  }
  return result;
}

function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  return [line(rows[0]), line(widths.map((width) => '-'.repeat(width))), ...rows.slice(1).map(line)].join('\n');
}

execFileSync(process.execPath, [`${root}bin/build.js`, '--bundle'], { stdio: 'inherit' });
buildRig();
const rounds = [];
for (let n = 0; n < Number(options.rounds); n += 1) {
  rounds.push({});
  for (const name of chosen) {
    process.stderr.write(`round ${n + 1} of ${options.rounds}: ${name}\n`);
    rounds[n][name] = roundOf(loads[name]);
  }
}

const shownNames = Object.keys(candidates).filter((name) => name !== direct && name !== floor);
const seriesOf = (figure, name) => rounds.map((round) => round[figure.load]).map((raw) => figure.of(raw[name], raw[floor], raw[direct]));
const shown = (series) => `${median(series).toFixed(2)} [${Math.min(...series).toFixed(2)} to ${Math.max(...series).toFixed(2)}]`;
const taken = figures.filter((figure) => chosen.includes(figure.load));
const missed = taken.filter((figure) => !holds(figure, median(seriesOf(figure, own))));

console.log(table([
  [`relative to ${floor}`, 'target', ...shownNames, 'verdict'],
  ...taken.map((figure) => [figure.name, targetText(figure), ...shownNames.map((name) => shown(seriesOf(figure, name))), figure.target === undefined ? '' : missed.includes(figure) ? 'MISSED' : 'met']),
]));
if (!pin) console.log('taskset is not there: round trips were not kept on one core.');
if (options.json !== undefined) writeFileSync(options.json, JSON.stringify({ options, rounds }, null, 1));
process.exitCode = missed.length > 0 ? 1 : 0;
