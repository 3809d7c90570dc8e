/**
 * Makes what the package `palimpsest-api` carries besides its written files: the API and the conformance kit as plain
 * JavaScript for Node without VS Code, each as an ES module and as CommonJS, the types of the latter, the guide and the
 * licence.
 */

import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { BUILT_IN_TOOLS } from '../../src/core/tools/toolList.ts';
import { API_SOURCES, ROOT } from '../paths.ts';

export const API_FOLDER = join(ROOT, 'src/api');

/** Their names alone: the package carries no tool. */
const NAMES = `export const BUILT_IN_TOOLS = ${JSON.stringify(BUILT_IN_TOOLS.map(({ name }) => name))};`;

const ENTRIES: readonly { readonly name: string; readonly source: string }[] = [
  { name: 'palimpsest-api', source: [...API_SOURCES.map((path) => `export * from './${path}';`), NAMES].join('\n') },
  { name: 'conformance', source: `export * from './src/core/compaction/conformance/kit.ts';` },
  { name: 'testing', source: `export * from './src/core/compaction/conformance/testing.ts';` },
];
const FORMATS = [
  { format: 'esm', extension: 'js' },
  { format: 'cjs', extension: 'cjs' },
] as const;

export async function bundlePackage(folder: string): Promise<void> {
  const shared: BuildOptions = {
    absWorkingDir: ROOT,
    bundle: true,
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'node20',
    legalComments: 'none',
  };
  for (const { name, source } of ENTRIES) {
    const stdin = { contents: source, resolveDir: ROOT, loader: 'ts' } as const;
    for (const { format, extension } of FORMATS)
      await build({ ...shared, stdin, format, outfile: join(folder, `${name}.${extension}`) });
  }
}

export async function fillPackage(): Promise<void> {
  await bundlePackage(API_FOLDER);
  for (const { name } of ENTRIES) {
    const written = name === 'palimpsest-api' ? `${name}.d.ts` : `${name}.d.mts`;
    const types = await readFile(join(API_FOLDER, written), 'utf8');
    if (written !== `${name}.d.ts`) await writeFile(join(API_FOLDER, `${name}.d.ts`), types);
    const forRequire = types.replaceAll("'./palimpsest-api.js'", "'./palimpsest-api.cjs'");
    await writeFile(join(API_FOLDER, `${name}.d.cts`), forRequire);
  }
  for (const file of ['LICENSE', 'docs/writing-a-strategy.md', 'docs/strategy-template/SKILL.md'])
    await copyFile(join(ROOT, file), join(API_FOLDER, basename(file)));
}
