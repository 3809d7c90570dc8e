/**
 * First step of `npm start` and `npm test`, before anything is installed: uses Node's own modules only, on any Node
 * from 20. Installs the dependencies if they are missing or older than the lock file, then runs the real script with
 * the Node that came with them.
 */

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const lock = join(root, 'package-lock.json');
const installed = join(root, 'node_modules/.package-lock.json');
const bin = join(root, 'node_modules/.bin');
const windows = process.platform === 'win32';
const node = join(root, 'node_modules/node/bin', windows ? 'node.exe' : 'node');

if (Number(process.versions.node.split('.')[0]) < 20) stop(`Node 20 or newer is needed; this is ${process.version}`);

if (!existsSync(node) || !existsSync(installed) || statSync(installed).mtimeMs < statSync(lock).mtimeMs) {
  console.log('installing dependencies (npm ci)');
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
    shell: windows,
  });
  if (status !== 0) stop('npm ci failed: see above; a network that reaches the npm registry is needed once');
}
if (!existsSync(node))
  stop(`${node} is missing: was npm told to ignore install scripts? Allow them for the package "node"`);

const [script, ...words] = process.argv.slice(2);
const child = spawn(node, [join(root, 'scripts', `${script}.ts`), ...words], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` },
});
// Ctrl+C reaches the child too, which decides when both end.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
// npm passes SIGTERM on only to its shell, so an orphan ends itself.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && child.kill('SIGTERM'), 500).unref();
child.on('exit', (code, signal) => process.exit(signal === null ? (code ?? 1) : 1));

function stop(reason) {
  console.error(reason);
  process.exit(1);
}
