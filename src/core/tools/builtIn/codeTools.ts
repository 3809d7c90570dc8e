/** The tools that ask the editor's language extensions for symbols, and what they share with `read_problems` and mentions. */

import * as z from 'zod';
import { ToolError } from '../../errors.ts';
import { words } from '../../words.ts';
import type { Files } from '../../workspace/files.ts';
import type { CodeFindings, CodePlace, CodeSymbol, Language } from '../../workspace/language.ts';
import { decodeFile, LARGEST_FILE } from '../text/decodeText.ts';
import { showInOneLine } from '../text/showHidden.ts';
import { defineTool } from '../tool.ts';
import { explainOmissions, fileToAsk, languageOf, readablePlaces, showPlace, showShort } from './readablePlaces.ts';

const MOST_REFERENCES = 200;

/** Maximum files whose lines are shown; for further files, only the places. */
const MOST_FILES = 50;

/** Characters of a line. */
const LONGEST_LINE = 300;
const MOST_LINES_NAMED = 10;

/**
 * `find_references`: where a symbol is used. The model names it by file, line and name, never by column, because models
 * count columns badly.
 */
export const findReferences = defineTool({
  name: 'find_references',
  alsoCalled: ['lsp', 'usages'],
  toolClass: 'read',
  description:
    'Find where a symbol is declared and used, by the editor’s language extensions. Unlike a search for its text, other ' +
    'symbols of the same name are left out.',
  input: z.strictObject({
    path: z.string().describe('Workspace-relative file in which the symbol stands'),
    symbol: z.string().min(1).max(200).describe('The name alone, as written in the file'),
    line: z.int().min(1).optional().describe('Line on which it stands, from 1; by default the first that holds it'),
  }),
  offered: (_, { language }) => language !== undefined,
  async prepare({ path, symbol, line }, ports) {
    const { files } = ports;
    const language = languageOf(ports);
    const { shown } = await fileToAsk(path, files);
    const place = findSymbol(shown, await readLines(shown, files), symbol, line);
    const what = `"${showInOneLine(symbol)}" (${showPlace(place)})`;
    return {
      title: what,
      approval: null,
      changes: [],
      async run({ signal }) {
        const { found, outside } = await language.references(place, signal);
        const { places, left, beyond } = await readablePlaces(found, files, signal);
        if (places.length === 0) {
          return { text: `No language extension knows a use of ${what}. search_text finds plain text.` };
        }
        const shownPlaces = places.slice(0, MOST_REFERENCES);
        const lines = await showLines(shownPlaces, files, signal);
        const more = beyond + places.length - shownPlaces.length;
        const notes = explainOmissions({ more, outside: outside + left, how: 'search_text with a path finds them' });
        return { text: [...lines, ...notes].join('\n') };
      },
    };
  },
});

async function readLines(path: string, files: Files): Promise<readonly string[]> {
  const { size, real } = await files.resolve(path);
  if (size > LARGEST_FILE) throw new ToolError(`${showInOneLine(path)} is too large. Use search_text.`);
  const decoded = await decodeFile(real, await files.read(path), files.text);
  if (decoded.kind === 'binary')
    throw new ToolError(words('{0} is not text: {1}.', showInOneLine(path), decoded.reason));
  return decoded.text.split(/\r\n|\r|\n/u);
}

/** The first place where the name occurs as a whole word. */
function findSymbol(path: string, lines: readonly string[], symbol: string, line: number | undefined): CodePlace {
  const columns = lines.map((text) => columnOf(text, symbol));
  const index = line === undefined ? columns.findIndex((column) => column > 0) : line - 1;
  const column = columns[index] ?? 0;
  if (column > 0) return { path, line: index + 1, column };
  const elsewhere = columns.flatMap((at, nth) => (at > 0 ? [nth + 1] : []));
  const visible = `"${showInOneLine(symbol)}" does not stand`;
  if (elsewhere.length === 0) throw new ToolError(`${visible} in ${showInOneLine(path)}.`);
  const named = elsewhere.slice(0, MOST_LINES_NAMED).join(', ');
  const rest = elsewhere.length > MOST_LINES_NAMED ? ' and more' : '';
  throw new ToolError(`${visible} on line ${line} of ${showInOneLine(path)}. It stands on lines ${named}${rest}.`);
}

const WORD = /[\p{L}\p{N}\p{M}_$]/u;

/** From 1; 0 where the line does not contain the name as a whole word. */
function columnOf(text: string, symbol: string): number {
  for (let at = text.indexOf(symbol); at !== -1; at = text.indexOf(symbol, at + 1)) {
    const joins = (one: string, other: string) => WORD.test(one) && WORD.test(other);
    const before = joins(text.charAt(at - 1), symbol.charAt(0));
    const after = joins(text.charAt(at + symbol.length), symbol.charAt(symbol.length - 1));
    if (!before && !after) return at + 1;
  }
  return 0;
}

async function showLines(places: readonly CodePlace[], files: Files, signal: AbortSignal): Promise<string[]> {
  const texts = new Map<string, readonly string[] | null>();
  const shown: string[] = [];
  for (const place of places) {
    signal.throwIfAborted();
    if (!texts.has(place.path)) {
      texts.set(place.path, texts.size < MOST_FILES ? await linesIfReadable(place.path, files) : null);
    }
    const text = texts.get(place.path)?.[place.line - 1];
    shown.push(text === undefined ? showPlace(place) : `${showPlace(place)}: ${showShort(text, LONGEST_LINE)}`);
  }
  return shown;
}

/** A file may be gone or unreadable by now: its places are listed without their lines. */
async function linesIfReadable(path: string, files: Files): Promise<readonly string[] | null> {
  try {
    return await readLines(path, files);
  } catch (thrown) {
    if (thrown instanceof ToolError) return null;
    throw thrown;
  }
}

const MOST_SYMBOLS = 200;

/** Characters of one name. */
const LONGEST_NAME = 200;

/** `find_symbols`: the declarations in a file, or where a name is declared in the workspace. */
export const findSymbols = defineTool({
  name: 'find_symbols',
  alsoCalled: ['lsp'],
  toolClass: 'read',
  description:
    'Find functions, classes, variables and other symbols by the editor’s language extensions: by name in the whole ' +
    'workspace (query), or all that a file declares (path). Where no extension knows the language nothing is found; use search_text.',
  input: z.strictObject({
    query: z.string().min(1).max(200).optional().describe('A name, or a part of it'),
    path: z.string().optional().describe('Workspace-relative file: only what it declares'),
  }),
  offered: (_, { language }) => language !== undefined,
  async prepare({ query, path }, ports) {
    const { files } = ports;
    const language = languageOf(ports);
    if (query === undefined && path === undefined) throw new ToolError('Give a query, a path, or both.');
    const file = path === undefined ? null : (await fileToAsk(path, files)).shown;
    const what = query === undefined ? '' : `"${showInOneLine(query)}"`;
    const where = file === null ? '' : showInOneLine(file);
    return {
      title: what && where ? `${what} (${where})` : what || where,
      approval: null,
      changes: [],
      async run({ signal }) {
        const { found, outside } = await find(language, file, query, signal);
        const { places, left, beyond } = await readablePlaces(found, files, signal);
        const lines = places.slice(0, MOST_SYMBOLS).map((symbol) => showSymbol(symbol, file === null));
        const notes = explainOmissions({
          more: beyond + places.length - lines.length,
          outside: outside + left,
          how: 'narrow the search with query',
        });
        if (lines.length > 0) return { text: [...lines, ...notes].join('\n') };
        const none = ['No language extension names a symbol', what, where && `in ${where}`].filter(Boolean).join(' ');
        return { text: [`${none}. search_text finds plain text.`, ...notes].join('\n') };
      },
    };
  },
});

async function find(
  language: Language,
  file: string | null,
  query: string | undefined,
  signal: AbortSignal,
): Promise<CodeFindings<CodeSymbol>> {
  if (file === null) return language.symbolsNamed(query ?? '', signal);
  const wanted = (query ?? '').toLowerCase();
  const all = await language.symbolsIn(file, signal);
  return { found: all.filter(({ name }) => name.toLowerCase().includes(wanted)), outside: 0 };
}

function showSymbol(symbol: CodeSymbol, withPath: boolean): string {
  const { kind, name, container, line } = symbol;
  const inside = container === '' ? '' : ` in ${showShort(container, LONGEST_NAME)}`;
  return `${withPath ? showPlace(symbol) : `line ${line}`}: ${kind} ${showShort(name, LONGEST_NAME)}${inside}`;
}
