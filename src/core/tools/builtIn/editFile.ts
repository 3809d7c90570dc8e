/**
 * `edit_file`: replaces one exact piece of a text file. An edit that does not fit is refused with the exact reason, and
 * everything outside of the piece stays byte for byte: line ends, byte order mark, final line end.
 */

import * as z from 'zod';
import { ToolError } from '../../errors.ts';
import { encodeText } from '../text/decodeText.ts';
import { findLookAlikes } from '../text/findLookAlikes.ts';
import { restoreNeutralised } from '../text/neutralise.ts';
import { replaceText } from '../text/replaceText.ts';
import type { Tool } from '../tool.ts';
import { LARGEST_FILE, prepareChange, readForChange } from './prepareChange.ts';

const input = z.strictObject({
  path: z.string().describe('Workspace-relative path of an existing text file'),
  old_string: z.string().describe('The exact text to replace, with enough lines around it to be found only once'),
  new_string: z.string().describe('The text to put in its place'),
  replace_all: z.boolean().default(false).describe('Replace every occurrence'),
});
type Input = z.infer<typeof input>;

export const editFile: Tool<Input> = {
  name: 'edit_file',
  toolClass: 'write',
  description:
    'Replace one exact piece of text in a file. Refused when old_string is not found or is found more than once.',
  input,
  describe: ({ path, old_string, new_string }) => ({ kind: 'edit', path, before: old_string, after: new_string }),
  async prepare({ path, old_string, new_string, replace_all }, { files }) {
    if (old_string === '') {
      throw new ToolError('old_string is empty, so it is not clear where to change. Use write_file for a new file.');
    }
    if (old_string === new_string) throw new ToolError('old_string and new_string are the same; nothing would change.');
    if (!new_string.isWellFormed()) throw new ToolError('new_string holds half of a surrogate pair. Write it without.');
    if (new_string.includes('\0')) throw new ToolError('new_string holds a NUL character. Write it without.');
    const before = await readForChange(path, files);
    const { shown, decoded } = before;
    if (!decoded) throw new ToolError(`${shown} does not exist. Use write_file to create it.`);
    const options = { all: replace_all, lineEnd: decoded.lineEnd, mostCharacters: LARGEST_FILE };
    let replaced = replaceText(decoded.text, old_string, new_string, options);
    // The model may have copied a line in which it was shown our mark.
    const restored = restoreNeutralised(old_string);
    if (replaced.kind === 'notFound' && restored !== old_string) {
      replaced = replaceText(decoded.text, restored, restoreNeutralised(new_string), options);
    }
    switch (replaced.kind) {
      case 'notFound':
        throw new ToolError(explainNotFound(shown, decoded.text, old_string));
      case 'ambiguous':
        throw new ToolError(
          `old_string is found ${replaced.lines.length} times in ${shown} (${nameLines(replaced.lines)}). ` +
            'Put more of the lines around it into old_string, or set replace_all.',
        );
      case 'tooLong':
        throw new ToolError(
          `${shown} would become ${replaced.length} characters long, more than the ${LARGEST_FILE} that are written here.`,
        );
      case 'replaced': {
        if (replaced.text === decoded.text) throw new ToolError(`${shown} would not change.`);
        const after = { text: replaced.text, bytes: encodeText(replaced.text, decoded.bom) };
        const places = replaced.count === 1 ? '1 place' : `${replaced.count} places`;
        return prepareChange(path, before, after, files, `Changed ${shown} in ${places}.`);
      }
    }
  },
};

const MOST_LINES_NAMED = 10;

function nameLines(lines: readonly number[]): string {
  const more = lines.length - MOST_LINES_NAMED;
  return `lines ${lines.slice(0, MOST_LINES_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function explainNotFound(shown: string, text: string, search: string): string {
  const looks = findLookAlikes(text, search);
  if (looks.length === 0) return `old_string is not found in ${shown}, nor is any line like it. Read the file again.`;
  const lines = looks.map(
    ({ line, text: shownLine, spacingOnly }) =>
      `line ${line}${spacingOnly ? ' (only white space differs)' : ''}: ${shownLine}`,
  );
  return `old_string is not found in ${shown}. Nearest lines:\n${lines.join('\n')}`;
}
