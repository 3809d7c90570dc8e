/**
 * The declarations that `palimpsest-api` publishes, made of the sources of `src/api` and of the tools' schemas. Invariant:
 * nothing else goes into them, so they are made when needed and committed nowhere.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { API_SOURCES, ROOT } from '../paths.ts';
import { declareTools } from './declareTools.ts';

/** Entries of the package, by the name of their file. */
export const ENTRIES = ['palimpsest-api', 'conformance', 'testing'] as const;
type Entry = (typeof ENTRIES)[number];

/** The declaration of an entry for ES modules. */
export function emitEntry(entry: Entry): string {
  if (entry === 'palimpsest-api') return emitApi();
  return emit(`src/api/${entry}.ts`).replace(/'\.\/(?:index|errors)\.ts'/g, "'./palimpsest-api.js'");
}

/** These sources import nothing, so their declarations can stand in one file. */
const emitApi = () => [...API_SOURCES.map(emit), declareTools()].join('');

function emit(path: string): string {
  const { outputText } = ts.transpileDeclaration(readFileSync(join(ROOT, path), 'utf8'), {
    fileName: path,
    compilerOptions: { target: ts.ScriptTarget.ES2024, module: ts.ModuleKind.ESNext, isolatedDeclarations: true },
  });
  return outputText;
}
