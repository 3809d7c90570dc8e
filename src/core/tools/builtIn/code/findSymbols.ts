/** `find_symbols`: what a file declares, or where something of a name is declared in the workspace. */

import * as z from 'zod';
import { ToolError } from '../../../errors.ts';
import type { CodeFindings, CodeSymbol, Language } from '../../../ports.ts';
import { showInOneLine } from '../../text/showHidden.ts';
import type { Tool } from '../../tool.ts';
import { fileToAsk, languageOf, readablePlaces, showPlace, showShort, tellLeftOut } from './codePlaces.ts';

const MOST_SYMBOLS = 200;
/** Characters of one name. */
const LONGEST_NAME = 200;

const input = z.strictObject({
  query: z.string().min(1).max(200).optional().describe('A name, or a part of it'),
  path: z.string().optional().describe('Workspace-relative file: only what it declares'),
});
type Input = z.infer<typeof input>;

export const findSymbols: Tool<Input> = {
  name: 'find_symbols',
  toolClass: 'read',
  description:
    'Find functions, classes, variables and other symbols by the editor’s language extensions: by name in the whole ' +
    'workspace (query), or all that a file declares (path). Where no extension knows the language nothing is found; use search_text.',
  input,
  offered: (_, { language }) => language !== undefined,
  async prepare({ query, path }, ports) {
    const { files } = ports;
    const language = languageOf(ports);
    if (query === undefined && path === undefined) throw new ToolError('Give a query, a path, or both.');
    const file = path === undefined ? null : (await fileToAsk(path, files)).shown;
    const what = query === undefined ? '' : `"${showInOneLine(query)}"`;
    const where = file === null ? '' : showInOneLine(file);
    return {
      title: [what, where].filter(Boolean).join(' in '),
      approval: null,
      changes: [],
      async run({ signal }) {
        const { found, outside } = await find(language, file, query, signal);
        const { places, left, beyond } = await readablePlaces(found, files, signal);
        const lines = places.slice(0, MOST_SYMBOLS).map((symbol) => showSymbol(symbol, file === null));
        const notes = tellLeftOut({
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
};

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
