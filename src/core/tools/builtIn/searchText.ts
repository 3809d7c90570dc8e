/** `search_text`: lines of the workspace's files that match, in the form `path:line: text`. */

import * as z from 'zod';
import { argument } from '../argument.ts';
import { showInOneLine } from '../text/showHidden.ts';
import type { Tool } from '../tool.ts';

const MOST_MATCHES = 1000;
/** Characters of a matching line that are shown. */
const LONGEST_LINE = 300;

const input = z.strictObject({
  pattern: argument(10_000).describe('What to look for; ignores case when it is all lower case'),
  regex: z.boolean().default(false).describe('Take the pattern as a regular expression, not as plain text'),
  path: z.string().optional().describe('Workspace-relative file or folder to search in'),
  glob: argument(1000).optional().describe('Only files whose path matches, e.g. "*.ts" or "src/**"'),
  limit: z.int().min(1).max(MOST_MATCHES).default(100).describe('How many matching lines to show'),
});
type Input = z.infer<typeof input>;

export const searchText: Tool<Input> = {
  name: 'search_text',
  toolClass: 'read',
  description: 'Search the text of the workspace’s files, line by line. Files ignored by .gitignore are left out.',
  input,
  async prepare({ pattern, regex, path, glob, limit }, { files }) {
    const where = path === undefined ? '' : ` in ${showInOneLine((await files.resolve(path)).shown)}`;
    const what = regex ? `/${showInOneLine(pattern)}/` : `"${showInOneLine(pattern)}"`;
    const query = {
      pattern,
      regex,
      ...(path === undefined ? {} : { path }),
      ...(glob === undefined ? {} : { glob }),
    };
    return {
      title: `${what}${where}`,
      approval: null,
      changes: [],
      async run({ signal }) {
        const { matches, more, notes = [] } = await files.search(query, limit, signal);
        if (matches.length === 0) return { text: [`Nothing matches ${what}${where}.`, ...notes].join('\n') };
        const lines = matches.map((match) => `${showInOneLine(match.path)}:${match.line}: ${shorten(match.text)}`);
        if (more) lines.push(`There are more than ${limit} matches; narrow the search with path or glob.`);
        return { text: [...lines, ...notes].join('\n') };
      },
    };
  },
};

function shorten(line: string): string {
  const text = line.trimEnd();
  return text.length <= LONGEST_LINE ? text : `${text.slice(0, LONGEST_LINE)} … (${text.length} characters)`;
}
