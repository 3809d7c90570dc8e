/**
 * Compares the types of the API with the promise: what authors of extensions compile against, without its comments, as it
 * was last accepted. It is the one thing that is committed besides the sources, because an edit of a source or of a tool's
 * schema does not show by itself that it changes what is published.
 */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTwoFilesPatch } from 'diff';
import ts from 'typescript';
import { ROOT } from '../paths.ts';
import { emitEntry } from './emitDeclarations.ts';

export const PROMISED = 'test/fixtures/palimpsest-api-1.d.ts';

const HEAD = `/** The types of \`palimpsest-api\` without their comments, as promised to extensions: \`npm run api -- --write\`. */
`;

/** The types of the API in the form of the promise. */
export function emitPromise(): string {
  const source = ts.createSourceFile('palimpsest-api.d.ts', emitEntry('palimpsest-api'), ts.ScriptTarget.Latest);
  return HEAD + ts.createPrinter({ removeComments: true }).printFile(source);
}

/** True when the two agree, or the difference was accepted. */
export async function checkDeclaration(write: boolean): Promise<boolean> {
  const promised = await readFile(join(ROOT, PROMISED), 'utf8').catch(() => '');
  const emitted = emitPromise();
  if (emitted === promised) {
    console.log(`api: the exported API is as promised in ${PROMISED}`);
    return true;
  }
  if (write) {
    await writeFile(join(ROOT, PROMISED), emitted);
    console.log(`api: ${PROMISED} was rewritten`);
    return true;
  }
  console.error(createTwoFilesPatch('promised', 'src/api', promised, emitted));
  console.error('api: the exported API differs from what is promised; accept with `npm run api -- --write`');
  return false;
}
