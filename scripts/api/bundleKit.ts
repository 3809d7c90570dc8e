/** The conformance kit alone, as one file of plain JavaScript. */

import { build } from 'esbuild';
import { ROOT } from '../paths.ts';

export async function bundleKit(outfile: string): Promise<void> {
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
}
