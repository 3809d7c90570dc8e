/**
 * `edit_file`: replaces exact pieces of a text file, all of them or none. An edit that does not fit is refused with the
 * exact reason, and everything outside the pieces stays the same byte for byte: line ends, byte order mark, final line
 * end.
 */

import * as z from 'zod';
import { ToolError } from '../../errors.ts';
import { objectOf, parseObject } from '../../json.ts';
import { LARGEST_FILE } from '../text/decodeText.ts';
import {
  type FindText,
  findLookAlikes,
  openSearch,
  type Replacement,
  replaceText,
  showAround,
} from '../text/findText.ts';
import { restoreNeutralised } from '../text/neutralise.ts';
import { type OpenNotebook, openNotebook } from '../text/notebookText.ts';
import { defineTool } from '../tool.ts';
import { encodeAs, newPlaceholder, prepareChange, readForChange } from './prepareChange.ts';

/** The whole file is searched for each. */
const MOST_EDITS = 50;
const MOST_FAULTS_TOLD = 5;

const edit = z.strictObject({
  old_string: z.string().describe('The exact text to replace, with enough lines around it to be found only once'),
  new_string: z.string().describe('The text to put in its place'),
  replace_all: z.boolean().default(false).describe('Replace every occurrence'),
});

type Edit = z.infer<typeof edit>;

const own = z.strictObject({
  path: z.string().describe('Workspace-relative path of an existing text file'),
  edits: z
    .array(edit)
    .min(1)
    .max(MOST_EDITS)
    .describe('Replacements that do not overlap, each for the file as it is now. All are made, or none'),
});

const input = z.preprocess(toSeveral, own);

/** A single replacement may appear without a list around it, as in older sessions. */
function toSeveral(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || 'edits' in value) return value;
  const { old_string, new_string, replace_all, ...rest }: Partial<Edit> = value;
  if (old_string === undefined && new_string === undefined) return value;
  return { ...rest, edits: [{ old_string, new_string, ...(replace_all === undefined ? {} : { replace_all }) }] };
}

export const editFile = defineTool({
  name: 'edit_file',
  alsoCalled: ['edit', 'multiedit', 'notebookedit', 'replace', 'editfiles', 'patch', 'apply_patch'],
  toolClass: 'write',
  description:
    'Replace exact pieces of text in a file. Refused as a whole when an old_string is not found or is found more than once.',
  input,
  otherForms: {
    schema: z.strictObject({ ...own.partial().shape, ...edit.partial().shape, path: own.shape.path }),
    toOwn: (given) => objectOf(toSeveral(given)),
  },
  describe: ({ path, edits }) => ({
    kind: 'edit',
    path,
    pieces: edits.map(({ old_string, new_string }) => ({ before: old_string, after: new_string })),
  }),
  async prepare({ path, edits }, ports) {
    const number = (index: number) => (edits.length === 1 ? '' : `Edit ${index + 1}: `);
    refuse(edits.map((one, index) => prefix(number(index), faultOf(one))));
    const before = await readForChange(path, ports.files);
    const { shown, decoded } = before;
    if (!decoded) throw new ToolError(`${shown} does not exist. Use write_file to create it.`);
    refuse(
      edits.map(({ new_string }, index) => {
        const placeholder = newPlaceholder(new_string, before);
        if (placeholder === null) return null;
        return `${number(index)}new_string holds “${placeholder}” in place of code, which would be lost. Write the code itself, or make an edit of each part that changes and leave out of both strings what stays.`;
      }),
    );
    const notebook = /\.ipynb$/iu.test(shown) ? openNotebook(decoded.text) : null;
    const inCells = notebook ? edits.map((one) => locate(one, openSearch(notebook.text))) : null;
    const inFile = () => {
      const find = openSearch(decoded.text);
      return edits.map((one) => locate(one, find));
    };
    // Text that no cell holds may be in the file around them, as metadata are.
    const around = inCells?.every(({ kind }) => kind === 'notFound') ? inFile() : null;
    const byCell = notebook && !around?.every(({ kind }) => kind === 'found') ? notebook : null;
    const located = byCell ? (inCells ?? []) : (around ?? inFile());
    const searched = byCell?.text ?? decoded.text;
    const missing = located.filter(({ kind }) => kind === 'notFound').length;
    const tokens = Math.floor(MOST_NEAR_TOKENS / Math.max(1, missing));
    refuse(located.map((one, index) => prefix(number(index), explain(one, shown, searched, tokens, byCell))));
    const found = located.filter((one) => one.kind === 'found');
    const replacements = found.flatMap(({ replacements }) => replacements);
    const replaced = replaceText(searched, replacements, {
      lineEnd: byCell || decoded.lineEnd === '\r' ? '\n' : decoded.lineEnd,
      mostCharacters: LARGEST_FILE,
    });
    switch (replaced.kind) {
      case 'overlapping': {
        const indexOf = (one: Replacement) => found.findIndex(({ replacements }) => replacements.includes(one)) + 1;
        const both = [indexOf(replaced.first), indexOf(replaced.second)].sort((a, b) => a - b);
        throw new ToolError(
          `Edits ${both.join(' and ')} change the same text. Make one edit of them. Nothing was changed.`,
        );
      }
      case 'tooLong':
        throw new ToolError(
          `${shown} would become ${replaced.length} characters long, more than the ${LARGEST_FILE} that are written here.`,
        );
      case 'replaced': {
        const rewritten = byCell?.rewrite(replacements);
        const text = rewritten?.json ?? replaced.text;
        if (text === decoded.text) throw new ToolError(`${shown} would not change.`);
        if (notebook && !parseObject(text))
          throw new ToolError(`${shown} would no longer be JSON. Nothing was changed.`);
        const bytes = await encodeAs(text, decoded, shown, ports.files);
        const cells = rewritten && byCell ? { before: byCell.text, after: openNotebook(text)?.text ?? '' } : undefined;
        const after = { text, bytes, style: decoded, ...(cells ? { cells } : {}) };
        const places = replacements.length === 1 ? '1 place' : `${replacements.length} places`;
        const note = found.some(({ loosely }) => loosely)
          ? ' White space at line ends differed from old_string and was left out of account.'
          : '';
        const done = rewritten ? `${shown}: ${rewritten.summary}` : `Changed ${shown} in ${places}.`;
        return prepareChange(path, before, after, ports, `${done}${note}`);
      }
    }
  },
});

/** Throws if there are faults, listing several at once so that the model can fix them all. */
function refuse(faults: readonly (string | null)[]): void {
  const reasons = faults.filter((fault) => fault !== null);
  if (reasons.length === 0) return;
  const more = reasons.length - MOST_FAULTS_TOLD;
  const lines = [...reasons.slice(0, MOST_FAULTS_TOLD), ...(more > 0 ? [`${more} more edits do not fit.`] : [])];
  if (faults.length > 1) lines.push(`None of the ${faults.length} edits was made.`);
  throw new ToolError(lines.join('\n'));
}

const prefix = (before: string, fault: string | null) => (fault === null ? null : `${before}${fault}`);

function faultOf({ old_string, new_string }: Edit): string | null {
  if (old_string === '') {
    return 'old_string is empty, so it is not clear where to change. Use write_file for a new file.';
  }
  if (old_string === new_string) return 'old_string and new_string are the same; nothing would change.';
  if (!new_string.isWellFormed()) return 'new_string holds half of a surrogate pair. Write it without.';
  if (new_string.includes('\0')) return 'new_string holds a NUL character. Write it without.';
  return null;
}

type Located =
  | { readonly kind: 'found'; readonly replacements: readonly Replacement[]; readonly loosely: boolean }
  | { readonly kind: 'notFound'; readonly search: string }
  | { readonly kind: 'ambiguous'; readonly lines: readonly number[] };

function locate({ old_string, new_string, replace_all }: Edit, find: FindText): Located {
  let found = find(old_string, replace_all);
  let text = new_string;
  // The model may have copied a line that was shown with an escaped marker.
  const restored = restoreNeutralised(old_string);
  if (found.kind === 'notFound' && restored !== old_string) {
    found = find(restored, replace_all);
    text = restoreNeutralised(new_string);
  }
  if (found.kind === 'notFound') return { kind: 'notFound', search: old_string };
  if (found.kind === 'ambiguous') return found;
  return { ...found, replacements: found.places.map((place) => ({ ...place, text })) };
}

const MOST_LINES_NAMED = 10;

/** Tokens of the lines of the file that a refusal shows around the best match. */
const MOST_NEAR_TOKENS = 150;

function explain(
  located: Located,
  shown: string,
  text: string,
  tokens: number,
  notebook: OpenNotebook | null,
): string | null {
  switch (located.kind) {
    case 'found':
      return null;
    case 'notFound':
      return explainNotFound(shown, text, located.search, tokens);
    case 'ambiguous':
      return (
        `old_string is found ${located.lines.length} times in ${shown} (${notebook ? nameCells(located.lines, notebook) : nameLines(located.lines)}). ` +
        'Put more of the lines around it into old_string, or set replace_all.'
      );
  }
}

function nameLines(lines: readonly number[]): string {
  const more = lines.length - MOST_LINES_NAMED;
  return `lines ${lines.slice(0, MOST_LINES_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function nameCells(lines: readonly number[], { cellAt }: OpenNotebook): string {
  const cells = [...new Set(lines.slice(0, MOST_LINES_NAMED).map(cellAt))];
  return `in ${cells.map((cell) => `cell ${cell}`).join(', ')}`;
}

/** Begins the refusal of an edit whose text the file does not hold. */
export const NOT_FOUND = 'old_string is not found in';

function explainNotFound(shown: string, text: string, search: string, tokens: number): string {
  const lookAlikes = findLookAlikes(text, search);
  const [best] = lookAlikes;
  if (!best) return `${NOT_FOUND} ${shown}, nor is any line like it. Read the file again.`;
  const lines = lookAlikes.map(
    ({ line, text: shownLine, spacingOnly }) =>
      `line ${line}${spacingOnly ? ' (only white space differs)' : ''}: ${shownLine}`,
  );
  const around = showAround(text, search, best.line, tokens);
  return [`${NOT_FOUND} ${shown}. Nearest lines:`, ...lines, ...(around ? [around] : [])].join('\n');
}
