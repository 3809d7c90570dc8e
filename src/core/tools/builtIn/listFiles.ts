/** `list_files`: the names in a folder, folders with a slash at the end, as many levels deep as asked. */

import * as z from 'zod';
import { ToolError } from '../../errors.ts';
import type { Files } from '../../ports.ts';
import { showInOneLine } from '../text/showHidden.ts';
import type { Tool } from '../tool.ts';

const MOST_ENTRIES = 1000;
/** Named in a listing, never entered unless asked for by path: they would fill it. */
const CLOSED: ReadonlySet<string> = new Set(['.git', 'node_modules']);

const input = z.strictObject({
  path: z.string().default('.').describe('Workspace-relative folder'),
  depth: z.int().min(1).max(10).default(1).describe('How many levels to list'),
});
type Input = z.infer<typeof input>;

export const listFiles: Tool<Input> = {
  name: 'list_files',
  toolClass: 'read',
  description: 'List files and folders of a workspace folder. Folders end with a slash.',
  input,
  async prepare({ path, depth }, { files }) {
    const { shown, exists, type } = await files.resolve(path);
    const visible = showInOneLine(shown);
    if (!exists) throw new ToolError(`${visible} does not exist. list_files without a path shows the top.`);
    if (type !== 'folder') throw new ToolError(`${visible} is not a folder. Use read_file.`);
    return {
      title: visible,
      approval: null,
      changes: [],
      async run({ signal }) {
        const lines: string[] = [];
        const complete = await collect(files, path, '', depth, lines, signal);
        if (lines.length === 0) return { text: `${visible} is empty.` };
        if (!complete) lines.push(`There are more than ${MOST_ENTRIES} entries; list a deeper folder.`);
        return { text: lines.join('\n'), ephemeral: { keepNewest: 1, of: 'call' } };
      },
    };
  },
};

/** A folder below the one asked for may be closed to us, or gone by now: the others are still listed. */
async function collectBelow(...[files, path, indent, depth, lines, signal]: Parameters<typeof collect>) {
  try {
    return await collect(files, path, indent, depth, lines, signal);
  } catch (thrown) {
    if (!(thrown instanceof ToolError)) throw thrown;
    lines.push(`${indent}(${thrown.message})`);
    return true;
  }
}

/** Depth first, in the order `Files` gives. False when the listing is full. */
async function collect(
  files: Files,
  path: string,
  indent: string,
  depth: number,
  lines: string[],
  signal: AbortSignal,
): Promise<boolean> {
  signal.throwIfAborted();
  for (const { name, type } of await files.list(path)) {
    if (lines.length >= MOST_ENTRIES) return false;
    lines.push(`${indent}${showInOneLine(name)}${type === 'folder' ? '/' : ''}`);
    if (type !== 'folder' || depth === 1 || CLOSED.has(name)) continue;
    if (!(await collectBelow(files, `${path}/${name}`, `${indent}  `, depth - 1, lines, signal))) return false;
  }
  return true;
}
