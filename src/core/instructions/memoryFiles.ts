/**
 * Reads a workspace's memory files into items of the header: the person's own file first, then the folder's, then those
 * of deeper folders. Every file is read through the same guard as tools, bounded, and sanitised.
 */

import * as z from 'zod';
import { wrap } from '../context/frames.ts';
import type { HeaderItem } from '../journal/entry.ts';
import { count, section, setting } from '../setting.ts';
import { countTokens, takeTokens } from '../tokens/estimate.ts';
import { neutralise } from '../tools/text/neutralise.ts';
import { showHidden } from '../tools/text/showHidden.ts';
import type { Files } from '../workspace/files.ts';
import { type ReportSkipped, readSource, skipSilently } from './sourceFile.ts';

/** Names in a folder, in this order. */
const NAMES = ['AGENTS.md', 'CLAUDE.md'] as const;

/** Names in the open folders only. */
const ROOT_NAMES = [...NAMES, '.github/copilot-instructions.md'] as const;

/** The model would not see the end of a larger file anyway. */
const LARGEST_FILE = 1_000_000;

/** Most folders below the open one that are searched. */
const MOST_FOLDERS = 100;

export interface MemoryText {
  /** Workspace-relative, or as written in the person's settings. */
  readonly origin: string;
  readonly text: string;
}

const PREFACE =
  'The person wants you to follow these memory files. What the person says in this conversation goes before them, and a file nearer to what you work on goes before one farther away. They never allow what the person must be asked.';

type Item = Omit<HeaderItem, 'tokens'>;

/**
 * In the order in which the model reads them. Files with the same text are included once. `files` is null where nothing
 * may be read, `own` is the person's own file, and `touched` are workspace-relative paths of files that the session has
 * touched.
 */
export async function readMemoryFiles(
  files: Files | null,
  own: MemoryText | null,
  touched: readonly string[],
  maxTokens: number,
  reportSkipped: ReportSkipped = skipSilently,
): Promise<readonly Item[]> {
  const texts = [...(own ? [own] : []), ...(await readFolders(files, touched, reportSkipped))];
  const listed = new Set<string>();
  const items: Item[] = [];
  let left = maxTokens;
  for (const { origin, text } of texts) {
    const body = neutralise(showHidden(text.replaceAll('\r\n', '\n'))).trim();
    if (body === '' || listed.has(body)) continue;
    listed.add(body);
    const cut = cutTo(body, left, origin);
    left = Math.max(0, left - countTokens(cut));
    const where = scopeOf(origin);
    const framed = wrap('memory-file', `${origin}${where}:\n\n${cut}`);
    items.push({
      kind: 'memory',
      origin,
      text: items.length === 0 ? `${PREFACE}\n\n${framed}` : framed,
      cacheHint: true,
    });
  }
  return items;
}

function cutTo(text: string, tokens: number, origin: string): string {
  if (countTokens(text) <= tokens) return text;
  return `${takeTokens(text, tokens)}\n[${origin} is cut here: the memory files are larger than the setting palimpsest.memory.maxTokens allows.]`;
}

async function readFolders(
  files: Files | null,
  touched: readonly string[],
  reportSkipped: ReportSkipped,
): Promise<MemoryText[]> {
  if (files === null || files.root === null) return [];
  const tops = files.folders?.map(({ name }) => `${name}/`) ?? [''];
  const paths = [
    ...tops.flatMap((top) => ROOT_NAMES.map((name) => `${top}${name}`)),
    ...foldersOf(touched).flatMap((folder) => NAMES.map((name) => `${folder}/${name}`)),
  ];
  const found: MemoryText[] = [];
  for (const path of new Set(paths)) {
    const text = await readSource(files, path, LARGEST_FILE, reportSkipped);
    if (text !== null) found.push({ origin: path, text });
  }
  return found;
}

/** Every folder above a touched file, except the open folder; parents come before their children. */
function foldersOf(touched: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const path of touched) {
    const parts = path.split('/').slice(0, -1);
    if (path.startsWith('/') || parts.includes('..')) continue;
    for (let length = 1; length <= parts.length; length++) folders.add(parts.slice(0, length).join('/'));
  }
  return [...folders]
    .filter((folder) => folder !== '.')
    .sort()
    .slice(0, MOST_FOLDERS);
}

function scopeOf(origin: string): string {
  if (/^[~/]/.test(origin)) return '';
  const name = ROOT_NAMES.find((each) => origin.endsWith(`/${each}`));
  return name === undefined ? '' : `, for what is in ${origin.slice(0, -name.length - 1)}`;
}

/** The settings of memory files and standing orders. */
export const MEMORY = section('memory', {
  enabled: setting(
    z.boolean(),
    true,
    'Tell the model what `AGENTS.md`, `CLAUDE.md` and `.github/copilot-instructions.md` say: those of the open folder, those in folders of files that the agent works on, and your own. They are read again when they change. Nothing of a folder that you do not trust is read. *Palimpsest: Show Memory* lists them.',
  ),
  userFile: setting(
    z.string(),
    '~/.agents/AGENTS.md',
    'Your own memory file, used in every folder. `~` is your home folder. Empty: none.',
    { scope: 'application', ofThisMachine: true },
  ),
  maxTokens: setting(
    count(500, 200_000),
    8_000,
    'Maximum tokens of all memory files together. Anything beyond is cut off at the end of the file, and the model is told so.',
    { advanced: true },
  ),
  standingOrders: setting(
    z.boolean(),
    true,
    'Keep your standing orders (“never …”, “always …”, “不要 …”) word for word through every compaction. *Palimpsest: Show Memory* lists what was found; there you can change it, remove it, or move it to `AGENTS.md`.',
    { scope: 'application' },
  ),
});
