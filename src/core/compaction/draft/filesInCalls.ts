/** The files that calls name, and which tools read or change them, including other programs' tools. */

import type { ToolCall } from '../../context/message.ts';
import { parseObject } from '../../json.ts';
import { once } from './once.ts';

/** Tools that read a file, including other programs' tools. */
export const READS = /^read_?file$|^read$/i;

/** Names of tools that change or remove files. */
export const WRITES = /write|edit|patch|create|delete|rename|move|replace|insert|update/i;

export const DELETES = /delete|remove_file/i;

const PATH_KEYS: ReadonlySet<string> = new Set(['path', 'file_path', 'filePath', 'file', 'filename', 'target_file']);

/** Values of the keys that name files, in JSON that may be malformed. */
export function pathsIn(json: string): string[] {
  return Object.entries(parseObject(json) ?? {}).flatMap(([key, path]) =>
    PATH_KEYS.has(key) && typeof path === 'string' && path.length > 0 && path.length < 300 ? [path.toWellFormed()] : [],
  );
}

export const pathsOf = once((call: ToolCall): readonly string[] => pathsIn(call.arguments));

/** The canonical spelling of a file, however a call named it. */
export const plainPath = (path: string): string => path.replaceAll('\\', '/').replace(/^(\.\/)+/, '');
