/**
 * Makes what the types package carries besides the types: the conformance kit as one file of plain JavaScript for Node
 * without VS Code, the guide, and the licence.
 */

import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { ROOT } from '../paths.ts';

export async function bundleKit(outfile = join(ROOT, 'src/api/conformance.mjs')): Promise<string> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: ['src/core/compaction/conformance/kit.ts'],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'node20',
    legalComments: 'none',
  });
  return outfile;
}

export async function fillPackage(): Promise<void> {
  const folder = join(ROOT, 'src/api');
  await bundleKit();
  for (const file of ['LICENSE', 'docs/writing-a-strategy.md']) {
    await copyFile(join(ROOT, file), join(folder, basename(file)));
  }
}
