/**
 * Fills a folder with the package `palimpsest-api`: its written files, the API and the conformance kit as plain JavaScript
 * for Node without VS Code, each as an ES module and as CommonJS with its types, the guide and the licence.
 */

import { copyFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { BUILT_IN_TOOLS } from '../../src/core/tools/toolList.ts';
import { API_SOURCES, ROOT } from '../paths.ts';
import { ENTRIES, emitEntry } from './emitDeclarations.ts';

const WRITTEN = [
  'src/api/package.json',
  'src/api/README.md',
  'src/api/CHANGELOG.md',
  'LICENSE',
  'docs/writing-a-strategy.md',
  'docs/strategy-template/SKILL.md',
];

/** Their names alone: the package carries no tool. */
const NAMES = `export const BUILT_IN_TOOLS = ${JSON.stringify(BUILT_IN_TOOLS.map(({ name }) => name))};`;

const SOURCES: Readonly<Record<(typeof ENTRIES)[number], string>> = {
  'palimpsest-api': [...API_SOURCES.map((path) => `export * from './${path}';`), NAMES].join('\n'),
  conformance: `export * from './src/core/compaction/conformance/kit.ts';`,
  testing: `export * from './src/core/compaction/conformance/testing.ts';`,
};

const FORMATS = [
  { format: 'esm', extension: 'js' },
  { format: 'cjs', extension: 'cjs' },
] as const;

export async function fillPackage(folder: string): Promise<void> {
  for (const path of WRITTEN) copyFileSync(join(ROOT, path), join(folder, basename(path)));
  for (const entry of ENTRIES) {
    for (const { format, extension } of FORMATS)
      await build({
        absWorkingDir: ROOT,
        stdin: { contents: SOURCES[entry], resolveDir: ROOT, loader: 'ts' },
        format,
        outfile: join(folder, `${entry}.${extension}`),
        bundle: true,
        platform: 'neutral',
        mainFields: ['module', 'main'],
        target: 'node20',
        legalComments: 'none',
      });
    const types = emitEntry(entry);
    writeFileSync(join(folder, `${entry}.d.ts`), types);
    writeFileSync(join(folder, `${entry}.d.cts`), types.replaceAll("'./palimpsest-api.js'", "'./palimpsest-api.cjs'"));
  }
}
