/** Bundles the Mocha suite that runs inside a real VS Code, and lists the sample extensions that run beside it. */

import { globSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from '../paths.ts';
import { ES_FORMS } from './buildProduct.ts';

export const SUITE = join(ROOT, 'out/vscode/index.js');

/** Folders of the sample extensions. */
export function listSampleExtensions(): string[] {
  return globSync('test/extensions/*/package.json', { cwd: ROOT })
    .sort()
    .map((path) => join(ROOT, path, '..'));
}

export async function buildTests(): Promise<void> {
  await rm(join(ROOT, 'out/vscode'), { recursive: true, force: true });
  await build({
    absWorkingDir: ROOT,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22',
    logLevel: 'warning',
    entryPoints: ['test/vscode/index.ts', ...globSync('test/vscode/*.test.ts', { cwd: ROOT })],
    outdir: 'out/vscode',
    outbase: 'test/vscode',
    splitting: true,
    sourcemap: 'linked',
    alias: ES_FORMS,
    external: ['vscode', 'mocha'],
  });
}
