/**
 * Packs `palimpsest-api` and looks at the packed file as its users' tools will: every entry must be found, with types of
 * its own kind, from ES modules and from CommonJS. The two tools that look are large together, so they are installed
 * beside the others when this is first run.
 */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../paths.ts';
import { runProcess } from '../test/runProcess.ts';
import { fillPackage } from './fillPackage.ts';

const TOOLS = { publint: '0.3.25', '@arethetypeswrong/cli': '0.18.5' };
const PUBLINT = 'publint/src/cli.js';
const ATTW = '@arethetypeswrong/cli/dist/index.js';

/** Path of the packed file of `palimpsest-api` in the folder `into`. */
export async function packApi(into: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-api-'));
  try {
    await fillPackage(folder);
    return packFolder(folder, into);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The same for any folder with a `package.json`. */
export function packFolder(folder: string, into: string): string {
  mkdirSync(into, { recursive: true });
  const packed = spawnSync('npm', ['pack', '--json', '--pack-destination', into], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (packed.status !== 0) throw new Error(`npm pack failed:\n${packed.stderr}`);
  const [{ filename }] = JSON.parse(packed.stdout) as [{ filename: string }];
  return join(into, filename);
}

/** True when neither tool finds anything. */
export async function packAndCheck(): Promise<boolean> {
  const file = await packApi(join(ROOT, 'dist'));
  console.log(`api: packed ${file.slice(ROOT.length + 1)}`);
  const found = (await install()) || (await look(PUBLINT, 'run', file, '--strict')) || (await look(ATTW, file));
  return found === 0;
}

const look = (tool: string, ...given: readonly string[]) =>
  runProcess(process.execPath, [join(ROOT, 'node_modules', tool), ...given]);

async function install(): Promise<number> {
  if (Object.keys(TOOLS).every((name) => existsSync(join(ROOT, 'node_modules', name)))) return 0;
  const packages = Object.entries(TOOLS).map(([name, version]) => `${name}@${version}`);
  return runProcess('npm', ['install', '--no-save', '--no-audit', '--no-fund', ...packages]);
}
