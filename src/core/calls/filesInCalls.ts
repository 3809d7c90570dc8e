/**
 * The files that a call names and what it is to do with each, by its name and arguments alone, other programs' tools
 * included. Whether it did that, its outcome says.
 */

import type { ToolCall } from '../context/message.ts';
import { parseJson, parseObject } from '../json.ts';
import { once } from '../once.ts';
import { toolOf } from '../tools/toolList.ts';
import { OUTPUT_PREFIX } from '../tools/truncateOutput.ts';

type Act = 'reads' | 'changes' | 'deletes' | 'moves';

export type FileUse =
  | { readonly does: Exclude<Act, 'moves'>; readonly path: string }
  | { readonly does: 'moves'; readonly path: string; readonly to: string };

/** The canonical spelling of a file, however a call named it. */
export const plainPath = (path: string): string => path.replaceAll('\\', '/').replace(/^(\.\/)+/, '');

const PATH_KEYS: ReadonlySet<string> = new Set(['path', 'file_path', 'filePath', 'file', 'filename', 'target_file']);
const TARGET_KEYS: ReadonlySet<string> = new Set(['new_path', 'newPath', 'to', 'destination', 'dest', 'target_path']);
const LONGEST_PATH = 300;

const isPath = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length < LONGEST_PATH;

/** Values of the keys that name files, in JSON that may be malformed. */
export function pathsIn(json: string): string[] {
  return valuesOf(json, PATH_KEYS);
}

function valuesOf(json: string, keys: ReadonlySet<string>): string[] {
  return Object.entries(parseObject(json) ?? {}).flatMap(([key, path]) =>
    keys.has(key) && isPath(path) ? [path.toWellFormed()] : [],
  );
}

const OWN: ReadonlyMap<string, Act> = new Map([
  ['read_file', 'reads'],
  ['edit_file', 'changes'],
  ['write_file', 'changes'],
  ['delete_file', 'deletes'],
  ['move_file', 'moves'],
]);

/** Names of other programs' tools. */
const DELETES = /delete|remove_?file/i;
const MOVES = /rename|move/i;
const CHANGES = /write|edit|patch|create|replace|insert|update/i;
const READS = /^(?:read|view|open|cat|show|get)/i;
const LISTS = /dir|folder|list|tree/i;

/** Editors with several commands, such as `str_replace_editor`. */
const EDITOR = /editor|str_replace/i;

export const filesIn: (call: ToolCall) => readonly FileUse[] = once(findFiles);

/** The files that the call is to change, delete or move, each once. */
export const changesIn = (call: ToolCall): readonly FileUse[] => filesIn(call).filter(({ does }) => does !== 'reads');

function findFiles(call: ToolCall): readonly FileUse[] {
  const { name, arguments: json } = call;
  const patched = patchedIn(json);
  if (patched.length > 0) return patched;
  const act = actOf(call);
  if (!act) return [];
  const paths = pathsIn(json);
  if (act === 'moves') {
    const [to] = valuesOf(json, TARGET_KEYS);
    return paths.map((path) => (to === undefined ? { does: 'changes', path } : { does: 'moves', path, to }));
  }
  const isOutput = (path: string) => name === 'read_file' && path.startsWith(OUTPUT_PREFIX);
  return paths.filter((path) => !isOutput(path)).map((path) => ({ does: act, path }));
}

function actOf({ name, arguments: json }: ToolCall): Act | null {
  const own = OWN.get(name);
  if (own || toolOf(name)) return own ?? null;
  const bare = name.split('__').at(-1) ?? name;
  if (EDITOR.test(bare) && parseObject(json)?.command === 'view') return 'reads';
  if (DELETES.test(bare)) return 'deletes';
  if (MOVES.test(bare)) return 'moves';
  if (CHANGES.test(bare)) return 'changes';
  return READS.test(bare) && !LISTS.test(bare) ? 'reads' : null;
}

const PATCH = '*** Begin Patch';
const PATCHED = /^\*\*\* (?:(Add|Update|Delete) File|Move to): (.{1,299})$/;

/** The files of a patch, which may stand in a field, in a command or alone. */
function patchedIn(json: string): FileUse[] {
  if (!json.includes(PATCH)) return [];
  const uses: FileUse[] = [];
  for (const line of textsIn(parseJson(json) ?? json).flatMap((text) => text.split('\n'))) {
    const [, how, named = ''] = PATCHED.exec(line) ?? [];
    const path = named.trim().toWellFormed();
    const last = uses.at(-1);
    if (path === '') continue;
    if (how !== undefined) uses.push({ does: how === 'Delete' ? 'deletes' : 'changes', path });
    else if (last) uses[uses.length - 1] = { does: 'moves', path: last.path, to: path };
  }
  return uses;
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return value.includes(PATCH) ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
