/**
 * `npm run audit`: what `npm audit` knows against the packages that the product carries. `npm audit` by itself counts the
 * tools of development, which nobody installs with the extension. Fails when a bundled package has a known fault.
 */

import { spawnSync } from 'node:child_process';
import { buildProduct } from './build/buildProduct.ts';
import { foldersOf } from './build/bundledPackages.ts';
import { listFaults } from './build/listFaults.ts';
import { ROOT } from './paths.ts';

const folders = foldersOf(await buildProduct({ minify: true }));
const { stdout } = spawnSync('npm', ['audit', '--json'], {
  cwd: ROOT,
  encoding: 'utf8',
  shell: process.platform === 'win32',
  maxBuffer: 64 * 1024 * 1024,
});
try {
  const faults = listFaults(JSON.parse(stdout), folders);
  console.log([...faults, `audit: ${folders.length} bundled packages, ${faults.length} with a known fault`].join('\n'));
  process.exitCode = faults.length === 0 ? 0 : 1;
} catch (error) {
  console.error(`audit: npm gave no report: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 2;
}
