/** `find_files`: the paths of the workspace's files that match a glob, one to a line, in the order of their letters. */

import * as z from 'zod';
import { argument } from '../../argument.ts';
import { showInOneLine } from '../../text/showHidden.ts';
import type { Tool } from '../../tool.ts';

const MOST_PATHS = 1000;

const input = z.strictObject({
  glob: argument(1000).describe('What the path must match, such as "*.test.ts" (in any folder) or "src/**/*.css"'),
  path: z.string().optional().describe('Workspace-relative folder to look in'),
  limit: z.int().min(1).max(MOST_PATHS).default(200).describe('How many paths to show'),
});
type Input = z.infer<typeof input>;

export const findFiles: Tool<Input> = {
  name: 'find_files',
  toolClass: 'read',
  description: 'Find files of the workspace by name or path. Files ignored by .gitignore are left out.',
  input,
  async prepare({ glob, path, limit }, { files }) {
    const where = path === undefined ? '' : ` in ${showInOneLine((await files.resolve(path)).shown)}`;
    const what = `${showInOneLine(glob)}${where}`;
    return {
      title: what,
      approval: null,
      changes: [],
      async run({ signal }) {
        const query = { glob, ...(path === undefined ? {} : { path }) };
        const { paths, total, notes = [] } = await files.find(query, limit, signal);
        if (total === 0) return { text: [`No file matches ${what}.`, ...notes].join('\n') };
        const lines = paths.map(showInOneLine);
        if (total > paths.length) lines.push(`There are ${total} files in all; narrow the search with path or glob.`);
        return { text: [...lines, ...notes].join('\n'), ephemeral: { keepNewest: 1, of: 'call' } };
      },
    };
  },
};
