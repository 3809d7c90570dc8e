/** The tools that find files: by their paths, by folder, and by their text. */

import * as z from 'zod';
import { ToolError } from '../../errors.ts';
import type { Files, OpenFolder, SearchMatch } from '../../workspace/files.ts';
import { showInOneLine, showPath } from '../text/showHidden.ts';
import { defineTool } from '../tool.ts';

/** An argument for another program: systems limit its length, and NUL ends it. */
const argument = (most: number) =>
  z
    .string()
    .min(1)
    .max(most)
    .refine((text) => !text.includes('\0'), 'holds a NUL character');

const MOST_PATHS = 1000;

/** `find_files`: the paths of the workspace's files that match a glob, one a line, sorted. */
export const findFiles = defineTool({
  name: 'find_files',
  alsoCalled: ['glob', 'filesearch', 'search', 'codebase'],
  toolClass: 'read',
  description: 'Find files of the workspace by name or path. Files ignored by .gitignore are left out.',
  input: z.strictObject({
    glob: argument(1000).describe('What the path must match, such as "*.test.ts" (in any folder) or "src/**/*.css"'),
    path: z.string().optional().describe('Workspace-relative folder to look in'),
    limit: z.int().min(1).max(MOST_PATHS).default(200).describe('How many paths to show'),
  }),
  async prepare({ glob, path, limit }, { files }) {
    const folder = path === undefined ? '' : showInOneLine((await files.resolve(path)).shown);
    const what = `${showInOneLine(glob)}${folder && ` in ${folder}`}`;
    return {
      title: `${showInOneLine(glob)}${folder && ` (${folder})`}`,
      approval: null,
      changes: [],
      async run({ signal }) {
        const query = { glob, ...(path === undefined ? {} : { path }) };
        const { paths, total, notes = [] } = await files.find(query, limit, signal);
        if (total === 0) return { text: [`No file matches ${what}.`, ...notes].join('\n') };
        const lines = paths.map(showPath);
        if (total > paths.length) lines.push(`There are ${total} files in all; narrow the search with path or glob.`);
        return { text: [...lines, ...notes].join('\n'), ephemeral: { keepNewest: 1, of: 'call' } };
      },
    };
  },
});

const MOST_ENTRIES = 1000;

/** Listed but never entered unless requested by path, because they would fill the listing. */
const CLOSED: ReadonlySet<string> = new Set(['.git', 'node_modules']);

/** `list_files`: the names in a folder, folders with a slash at the end, as many levels deep as asked. */
export const listFiles = defineTool({
  name: 'list_files',
  alsoCalled: ['ls', 'list', 'listdirectory', 'list_directory', 'glob', 'search', 'codebase'],
  toolClass: 'read',
  description: 'List files and folders of a workspace folder. Folders end with a slash.',
  input: z.strictObject({
    path: z.string().default('.').describe('Workspace-relative folder'),
    depth: z.int().min(1).max(10).default(1).describe('How many levels to list'),
  }),
  title: ({ path }) => titleOf(showInOneLine(path)),
  async prepare({ path, depth }, { files }) {
    const { folders = [] } = files;
    const isTop = folders.length > 0 && /^\.?\/?$/.test(path);
    const { shown, exists, type } = await files.resolve(path);
    const visible = showInOneLine(shown);
    if (!exists) throw new ToolError(`${visible} does not exist. list_files without a path shows the top.`);
    if (type !== 'folder') throw new ToolError(`${visible} is not a folder. Use read_file.`);
    return {
      title: titleOf(visible),
      approval: null,
      changes: [],
      async run({ signal }) {
        const lines: string[] = [];
        const cut = isTop
          ? await collectFolders(files, folders, depth, lines, signal)
          : await collect(files, shown, '', depth, lines, signal);
        if (lines.length === 0) return { text: `${visible} is empty.` };
        if (cut) {
          const where = cut.folder === '.' ? 'the workspace folder' : showPath(cut.folder.replace(/^\.\//u, ''));
          lines.push(
            `The list ends after ${MOST_ENTRIES} entries: ${cut.left} of the ${cut.all} in ${where} are left out, and what would come after them. List a deeper folder, or use find_files with a path and a glob.`,
          );
        }
        return { text: lines.join('\n'), ephemeral: { keepNewest: 1, of: 'call' } };
      },
    };
  },
});

/** Empty for the workspace. */
const titleOf = (folder: string) => (folder === '.' ? '' : folder);

/** At the top of several open folders, their names are listed. */
async function collectFolders(
  files: Files,
  folders: readonly OpenFolder[],
  depth: number,
  lines: string[],
  signal: AbortSignal,
): Promise<CutFolder | null> {
  for (const { name } of folders) {
    lines.push(`${showPath(name)}/`);
    const cut = depth > 1 ? await collectBelow(files, name, '  ', depth - 1, lines, signal) : null;
    if (cut) return cut;
  }
  return null;
}

/** A folder below the requested one may be unreadable, or gone by now: the others are still listed. */
async function collectBelow(...[files, path, indent, depth, lines, signal]: Parameters<typeof collect>) {
  try {
    return await collect(files, path, indent, depth, lines, signal);
  } catch (thrown) {
    if (!(thrown instanceof ToolError)) throw thrown;
    lines.push(`${indent}(${thrown.message})`);
    return null;
  }
}

/** The folder in which the list was full, and how many of its entries are missing. */
interface CutFolder {
  readonly folder: string;
  readonly left: number;
  readonly all: number;
}

/** Depth first, in the order of `Files`. Null when everything is listed. */
async function collect(
  files: Files,
  path: string,
  indent: string,
  depth: number,
  lines: string[],
  signal: AbortSignal,
): Promise<CutFolder | null> {
  signal.throwIfAborted();
  const entries = await files.list(path, Math.max(1, MOST_ENTRIES - lines.length));
  for (const [nth, { name, type, misnamed }] of entries.entries()) {
    if (lines.length >= MOST_ENTRIES) return { folder: path, left: entries.length - nth, all: entries.length };
    const remark = misnamed ? ' (not valid UTF-8 on the disk: no tool can open it, a command can rename it)' : '';
    lines.push(`${indent}${showPath(name)}${type === 'folder' ? '/' : ''}${remark}`);
    if (misnamed || type !== 'folder' || depth === 1 || CLOSED.has(name)) continue;
    const cut = await collectBelow(files, `${path}/${name}`, `${indent}  `, depth - 1, lines, signal);
    if (cut) return cut;
  }
  return null;
}

const MOST_MATCHES = 1000;

/** Characters shown of a matching line. */
const LONGEST_LINE = 300;
const BEFORE_MATCH = 100;
const BEHIND_MATCH = 50;

/** `search_text`: lines of the workspace's files that match, in the form `path:line: text`. */
export const searchText = defineTool({
  name: 'search_text',
  alsoCalled: ['grep', 'textsearch', 'grep_search', 'search_file_content', 'search', 'codebase'],
  toolClass: 'read',
  description:
    'Search the text of the workspace’s files, line by line. Files ignored by .gitignore are left out. In files that are ' +
    'neither Unicode nor in the encoding set for their folder only ASCII is found.',
  input: z.strictObject({
    pattern: argument(10_000).describe('What to look for; ignores case when it is all lower case'),
    regex: z.boolean().default(false).describe('Take the pattern as a regular expression, not as plain text'),
    path: z.string().optional().describe('Workspace-relative file or folder to search in'),
    glob: argument(1000).optional().describe('Only files whose path matches, e.g. "*.ts" or "src/**"'),
    limit: z.int().min(1).max(MOST_MATCHES).default(100).describe('How many matching lines to show'),
  }),
  async prepare({ pattern, regex, path, glob, limit }, { files }) {
    const folder = path === undefined ? '' : showInOneLine((await files.resolve(path)).shown);
    const where = folder && ` in ${folder}`;
    const what = regex ? `/${showInOneLine(pattern)}/` : `"${showInOneLine(pattern)}"`;
    const query = {
      pattern,
      regex,
      ...(path === undefined ? {} : { path }),
      ...(glob === undefined ? {} : { glob }),
    };
    return {
      title: `${what}${folder && ` (${folder})`}`,
      approval: null,
      changes: [],
      async run({ signal }) {
        const { matches, more, notes = [] } = await files.search(query, limit, signal);
        if (matches.length === 0) return { text: [`Nothing matches ${what}${where}.`, ...notes].join('\n') };
        const lines = matches.map((match) => `${showPath(match.path)}:${match.line}: ${shorten(match)}`);
        if (more) lines.push(`There are more than ${limit} matches; narrow the search with path or glob.`);
        return { text: [...lines, ...notes].join('\n') };
      },
    };
  },
});

/** A part of a long line, with the first match in it. */
function shorten({ text: line, at = 0 }: SearchMatch): string {
  const text = line.trimEnd();
  if (text.length <= LONGEST_LINE) return text;
  const from = at + BEHIND_MATCH <= LONGEST_LINE ? 0 : Math.min(at - BEFORE_MATCH, text.length - LONGEST_LINE);
  const part = text.slice(from, from + LONGEST_LINE).toWellFormed();
  const [before, where] = from === 0 ? ['', ''] : ['… ', `, from character ${from + 1}`];
  return `${before}${part} … (${text.length} characters${where})`;
}
