/**
 * `Files` in memory: one workspace folder `/workspace`, whose paths pass the same check as on disk. There are no links,
 * so a real path is the path itself.
 */

import { ToolError } from '../../../src/core/errors.ts';
import { isGuarded } from '../../../src/core/tools/guardedNames.ts';
import type { FileFacts, Files, SearchMatch } from '../../../src/core/workspace/files.ts';
import { placeNative, placePath } from '../../../src/node/files/pathGuard.ts';

export interface MemoryFiles extends Files {
  /** The present content of a file; null when it does not exist. */
  textOf(path: string): string | null;
  /** Changes a file without the tools' knowledge. */
  put(path: string, content: string | Uint8Array): void;
  /** Deletes a file without the tools' knowledge. */
  lose(path: string): void;
}

const ROOT = '/workspace';

export function createMemoryFiles(initial: Readonly<Record<string, string | Uint8Array>> = {}): MemoryFiles {
  const files = new Map<string, Uint8Array>();
  const shownPath = (path: string) => placePath(path, [{ name: 'workspace', path: ROOT, real: ROOT }]).shown;
  const put = (path: string, content: string | Uint8Array) =>
    files.set(shownPath(path), typeof content === 'string' ? new TextEncoder().encode(content) : content);
  for (const [path, content] of Object.entries(initial)) put(path, content);

  const below = (folder: string) => [...files.keys()].filter((path) => folder === '.' || path.startsWith(`${folder}/`));

  const resolve = async (path: string): Promise<FileFacts> => {
    const shown = shownPath(path);
    const bytes = files.get(shown);
    const isFolder = !bytes && (shown === '.' || below(shown).length > 0);
    return {
      shown,
      real: shown === '.' ? ROOT : `${ROOT}/${shown}`,
      linked: false,
      exists: bytes !== undefined || isFolder,
      type: isFolder ? 'folder' : 'file',
      size: bytes?.length ?? 0,
      unsaved: false,
      guarded: isGuarded(shown),
    };
  };

  const door: Files['exact'] = {
    resolve,

    async read(path) {
      const bytes = files.get(shownPath(path));
      if (!bytes) throw new ToolError(`${path} cannot be read: it does not exist.`);
      return bytes;
    },

    async write(path, bytes) {
      const { shown, type } = await resolve(path);
      if (type === 'folder') throw new ToolError(`${shown} cannot be written: it is a folder.`);
      files.set(shown, bytes);
    },
  };

  return {
    root: ROOT,
    shownOf: async (native) => placeNative(native, [{ name: 'workspace', path: ROOT, real: ROOT }]),
    ...door,
    exact: door,
    textOf: (path) => {
      const bytes = files.get(path);
      return bytes ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes) : null;
    },
    put,
    lose: (path) => files.delete(shownPath(path)),

    async remove(path) {
      files.delete(shownPath(path));
    },

    async move(from, to) {
      const bytes = files.get(shownPath(from.path));
      if (!bytes || files.has(shownPath(to.path))) throw new ToolError(`${from.path} cannot be moved.`);
      files.delete(shownPath(from.path));
      files.set(shownPath(to.path), bytes);
    },

    async list(path) {
      const { shown, type } = await resolve(path);
      if (type !== 'folder') throw new ToolError(`${shown} cannot be listed: it is no folder.`);
      const names = new Map<string, 'file' | 'folder'>();
      for (const inside of below(shown)) {
        const [name = '', ...rest] = (shown === '.' ? inside : inside.slice(shown.length + 1)).split('/');
        names.set(name, rest.length > 0 ? 'folder' : 'file');
      }
      return [...names].map(([name, type]) => ({ name, type })).sort((a, b) => (a.name < b.name ? -1 : 1));
    },

    /** Only knows globs such as `*.ext`. */
    async search({ pattern, regex, path, glob }, limit, signal) {
      signal.throwIfAborted();
      const where = path === undefined ? '.' : shownPath(path);
      const matches = (text: string) => (regex ? new RegExp(pattern, 'u').test(text) : text.includes(pattern));
      const found: SearchMatch[] = [];
      for (const file of [...files.keys()].sort()) {
        if (file !== where && !below(where).includes(file)) continue;
        if (glob !== undefined && !file.endsWith(glob.replace(/^\*/u, ''))) continue;
        const lines = new TextDecoder().decode(files.get(file)).split('\n');
        for (const [index, text] of lines.entries()) {
          if (matches(text)) found.push({ path: file, line: index + 1, text });
        }
      }
      return { matches: found.slice(0, limit), more: found.length > limit };
    },

    /** Only knows globs such as `*.ext`. */
    async find({ glob, path }, limit, signal) {
      signal.throwIfAborted();
      const where = path === undefined ? '.' : shownPath(path);
      const found = below(where).filter((file) => file.endsWith(glob.replace(/^\*+/u, '')));
      return { paths: found.sort().slice(0, limit), total: found.length };
    },
  };
}

/** `Files` of a window without a folder. */
export function createNoFiles(): Files {
  const refuse = async (): Promise<never> => {
    throw new ToolError('No folder is open. Ask the user to open one.');
  };
  const door = { resolve: refuse, read: refuse, write: refuse };
  return {
    root: null,
    shownOf: async () => null,
    ...door,
    exact: door,
    remove: refuse,
    move: refuse,
    list: refuse,
    search: refuse,
    find: refuse,
  };
}
