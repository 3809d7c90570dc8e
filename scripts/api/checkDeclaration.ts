/** Emits the declaration of `src/api/index.ts` and compares it, line by line, with the committed one. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import ts from 'typescript';
import { ROOT } from '../paths.ts';

const SOURCE = join(ROOT, 'src/api/index.ts');
const COMMITTED = join(ROOT, 'src/api/palimpsest-api.d.ts');

export function emitDeclaration(source: string): string {
  const { outputText } = ts.transpileDeclaration(source, {
    fileName: 'index.ts',
    compilerOptions: { target: ts.ScriptTarget.ES2024, module: ts.ModuleKind.ESNext, isolatedDeclarations: true },
  });
  return outputText;
}

/** True when the two agree, or the difference was accepted. */
export async function checkDeclaration(write: boolean): Promise<boolean> {
  const emitted = emitDeclaration(await readFile(SOURCE, 'utf8'));
  const committed = await readFile(COMMITTED, 'utf8').catch(() => '');
  if (emitted === committed) {
    console.log('api: the exported API is as declared in src/api/palimpsest-api.d.ts');
    return true;
  }
  if (write) {
    await writeFile(COMMITTED, emitted);
    console.log('api: src/api/palimpsest-api.d.ts was rewritten');
    return true;
  }
  console.error(createTwoFilesPatch('declared', 'src/api/index.ts', committed, emitted));
  console.error('api: the exported API differs from its committed declaration; accept with `npm run api -- --write`');
  return false;
}
