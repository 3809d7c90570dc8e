/**
 * The workspace's files on disk. No call touches anything outside the workspace folders or inside the folders where
 * sessions are kept. A file that is unsaved in an editor is read and changed there.
 */

import { lstat, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { ToolError } from '../../core/errors.ts';
import type { FileFacts, Files } from '../../core/ports.ts';
import { movedElsewhere } from '../../core/tools/builtIn/prepareChange.ts';
import { explainFileError, hasCode } from './fileErrors.ts';
import { type GuardedPath, guardPath, isDenied, isInside, type Root } from './pathGuard.ts';
import { readChecked } from './readChecked.ts';
import { searchFiles } from './searchFiles.ts';
import { writeAtomically } from './writeAtomically.ts';

/** Documents that differ from the disk because they are not saved yet. */
export interface UnsavedDocuments {
  /** The text in the editor, without byte order mark; null when the file is not open or is saved. */
  text(real: string): string | null;
  /** Replaces the whole text in the editor and saves it, so that editor and disk agree. */
  replace(real: string, text: string): Promise<void>;
}

export interface WorkspaceFilesOptions {
  /** The absolute workspace folders; relative paths start from the first. */
  readonly folders: readonly { readonly name: string; readonly path: string }[];
  /** Our own folders, absolute, which tools must not touch even inside the workspace. */
  readonly denied: readonly string[];
  readonly unsaved: UnsavedDocuments;
  /** Absolute path of ripgrep; null when there is none: then nothing can be searched. */
  readonly ripgrep: () => Promise<string | null>;
}

const BOM = [0xef, 0xbb, 0xbf];

export async function openWorkspaceFiles({ folders, denied, unsaved, ripgrep }: WorkspaceFilesOptions): Promise<Files> {
  const roots: Root[] = await Promise.all(
    folders.map(async ({ name, path }) => ({ name, path, real: await realpath(path) })),
  );
  const guard = async (path: string) => guardPath(path, roots, await realPaths(denied));

  const readUnsaved = async (real: string): Promise<Uint8Array | null> => {
    const text = unsaved.text(real);
    return text === null ? null : new TextEncoder().encode(text);
  };

  const read = async (path: string): Promise<Uint8Array> => {
    const { real, shown } = await guard(path);
    try {
      const onDisk = await readChecked(real, shown);
      const inEditor = await readUnsaved(real);
      if (!inEditor) return onDisk;
      return hasBom(onDisk) ? Uint8Array.from([...BOM, ...inEditor]) : inEditor;
    } catch (thrown) {
      throw explainFileError(shown, 'cannot be read', thrown);
    }
  };

  return {
    root: roots[0]?.path ?? null,

    async resolve(path) {
      const guarded = await guard(path);
      try {
        return await describe(guarded, unsaved);
      } catch (thrown) {
        throw explainFileError(guarded.shown, 'cannot be looked at', thrown);
      }
    },

    read,

    async write(path, bytes, expected) {
      const { real, shown, exists } = await guard(path);
      if (expected !== undefined && real !== expected) throw movedElsewhere(shown);
      try {
        if (exists && unsaved.text(real) !== null) {
          await unsaved.replace(real, new TextDecoder('utf-8', { fatal: true }).decode(bytes));
        } else {
          await writeAtomically(real, shown, bytes);
        }
      } catch (thrown) {
        throw explainFileError(shown, 'cannot be written', thrown);
      }
    },

    async list(path) {
      const { real, shown } = await guard(path);
      const ours = await realPaths(denied);
      try {
        const entries = await readdir(real, { withFileTypes: true });
        return entries
          .filter(({ name }) => !isDenied(join(real, name), ours))
          .map((entry) => ({
            name: entry.name,
            // A link counts as neither: following it could leave the workspace or never end.
            type: entry.isFile() ? ('file' as const) : entry.isDirectory() ? ('folder' as const) : ('other' as const),
          }))
          .sort((a, b) => (a.name < b.name ? -1 : 1));
      } catch (thrown) {
        throw explainFileError(shown, 'cannot be listed', thrown);
      }
    },

    async search(query, limit, signal) {
      if (roots.length === 0) throw new ToolError('No folder is open. Ask the user to open one.');
      const starts =
        query.path === undefined ? roots.map(startAt) : [await searchStart(await guard(query.path), roots)];
      return searchFiles({ starts, query, limit, signal, ripgrep: await ripgrep(), denied: await realPaths(denied) });
    },
  };

  function startAt(root: Root) {
    return { root: root.real, target: root.real, prefix: roots.length > 1 ? `${root.name}/` : '' };
  }

  async function searchStart({ real, shown, exists }: GuardedPath, all: readonly Root[]) {
    if (!exists) throw new ToolError(`${shown} does not exist. list_files shows what does.`);
    const root = all.find((candidate) => isInside(real, candidate.real));
    if (!root) throw new Error('guardPath let a path through that is in no root');
    return { ...startAt(root), target: real };
  }
}

/** A folder of ours that does not exist yet is kept as written, because it may be made later. */
async function realPaths(paths: readonly string[]): Promise<string[]> {
  return Promise.all(
    paths.map((path) =>
      realpath(path).catch((thrown: unknown) => {
        if (hasCode(thrown, 'ENOENT')) return path;
        throw thrown;
      }),
    ),
  );
}

async function describe(path: GuardedPath, unsaved: UnsavedDocuments): Promise<FileFacts> {
  const { shown, real, straight, exists, guarded } = path;
  const linked = real !== straight;
  if (!exists) return { shown, real, linked, exists, type: 'file', size: 0, guarded };
  const facts = await lstat(real);
  const type = facts.isFile() ? 'file' : facts.isDirectory() ? 'folder' : 'other';
  const text = type === 'file' ? unsaved.text(real) : null;
  return { shown, real, linked, exists, type, size: text === null ? facts.size : Buffer.byteLength(text), guarded };
}

function hasBom(bytes: Uint8Array): boolean {
  return BOM.every((byte, index) => bytes[index] === byte);
}
