/** Emits the declaration of the exported API and compares it, line by line, with the committed one. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import ts from 'typescript';
import { API_SOURCES, ROOT } from '../paths.ts';
import { declareTools } from './declareTools.ts';

const COMMITTED = join(ROOT, 'src/api/palimpsest-api.d.ts');

/** The sources import nothing, so their declarations can stand in one file. `committed`: what is published already. */
export async function emitDeclaration(committed: string): Promise<string> {
  const emitted = API_SOURCES.map(async (path) => {
    const { outputText } = ts.transpileDeclaration(await readFile(join(ROOT, path), 'utf8'), {
      fileName: path,
      compilerOptions: { target: ts.ScriptTarget.ES2024, module: ts.ModuleKind.ESNext, isolatedDeclarations: true },
    });
    return outputText;
  });
  return [...(await Promise.all(emitted)), declareTools(committed)].join('');
}

/** True when the two agree, or the difference was accepted. */
export async function checkDeclaration(write: boolean): Promise<boolean> {
  const committed = await readFile(COMMITTED, 'utf8').catch(() => '');
  const emitted = await emitDeclaration(committed);
  if (emitted === committed) {
    console.log('api: the exported API is as declared in src/api/palimpsest-api.d.ts');
    return true;
  }
  if (write) {
    await writeFile(COMMITTED, emitted);
    console.log('api: src/api/palimpsest-api.d.ts was rewritten');
    return true;
  }
  console.error(createTwoFilesPatch('declared', 'src/api', committed, emitted));
  console.error('api: the exported API differs from its committed declaration; accept with `npm run api -- --write`');
  return false;
}
