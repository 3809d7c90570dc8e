/** Bundles what runs inside a real VS Code for the tests: the Mocha suite, and each sample extension in test/extensions. */

import { existsSync, globSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from '../paths.ts';

export const SUITE = join(ROOT, 'out/vscode/index.js');

/** Folders of the sample extensions. */
export function listSampleExtensions(): string[] {
  return globSync('test/extensions/*/package.json', { cwd: ROOT })
    .sort()
    .map((path) => join(ROOT, path, '..'));
}

export async function buildTests(): Promise<void> {
  await rm(join(ROOT, 'out/vscode'), { recursive: true, force: true });
  const common = {
    absWorkingDir: ROOT,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    logLevel: 'warning',
  } as const;
  await build({
    ...common,
    entryPoints: ['test/vscode/index.ts', ...globSync('test/vscode/*.test.ts', { cwd: ROOT })],
    outdir: 'out/vscode',
    outbase: 'test/vscode',
    splitting: true,
    sourcemap: 'linked',
    external: ['vscode', 'mocha'],
  });
  for (const folder of listSampleExtensions()) {
    const source = join(folder, 'src/extension.ts');
    if (!existsSync(source)) continue;
    await build({ ...common, entryPoints: [source], outfile: join(folder, 'dist/extension.js'), external: ['vscode'] });
  }
}
