// The straightforward proxy: readline, and every message parsed and serialised again.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [command, ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });

function pump(from, to) {
  const lines = createInterface({ input: from, crlfDelay: Infinity });
  lines.on('line', (line) => {
    if (to.write(`${JSON.stringify(JSON.parse(line))}\n`)) return;
    from.pause();
    to.once('drain', () => from.resume());
  });
  lines.on('close', () => to.end());
}

pump(process.stdin, child.stdin);
pump(child.stdout, process.stdout);
child.on('exit', (code) => process.exit(code ?? 1));
