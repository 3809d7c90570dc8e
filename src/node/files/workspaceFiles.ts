/**
 * The workspace's files on disk. No call touches anything outside the workspace folders or inside the folders where
 * sessions are stored. A file with unsaved changes in an editor is read and changed there.
 */

import type { Dirent } from 'node:fs';
import { lstat, readdir, realpath } from 'node:fs/promises';
import { ToolError } from '../../core/errors.ts';
import { movedElsewhere } from '../../core/tools/builtIn/prepareChange.ts';
import { decodeFile, decodeText, encodeFile, equalBytes } from '../../core/tools/text/decodeText.ts';
import type { EditorText, ExactFiles, FileFacts, Files, TextStyle } from '../../core/workspace/files.ts';
import { readChecked, removeChecked, writeChecked } from './checkedFiles.ts';
import { type LinkVerdicts, openDenied } from './deniedFolders.ts';
import { explainFileError } from './fileErrors.ts';
import { findFiles } from './findFiles.ts';
import { isInside } from './inside.ts';
import { mayBeMisnamed, stampMisnamed } from './misnamed.ts';
import { moveChecked, respell } from './moveChecked.ts';
import { holdFolder } from './openFolder.ts';
import { nodeDisk, type PathDisk } from './pathDisk.ts';
import { type GuardedPath, guardExact, guardPath, placeNative, type Root, refuseGone } from './pathGuard.ts';
import { searchFiles } from './searchFiles.ts';
import { putBackUnfinished } from './writeInPlace.ts';

/** The editor's decoding and encoding. */
export interface HostText extends EditorText {
  /** ripgrep's name for the encoding configured for a workspace folder, by its real path; null for UTF-8. */
  searchEncoding(folder: string): string | null;
}

/** Documents with unsaved changes. */
export interface UnsavedDocuments {
  /** The text in the editor, without byte order mark; null when the file is not open or is saved. */
  text(real: string): string | null;
  /** The encoding in which the editor saves it; default: UTF-8, with the disk's byte order mark. */
  encoding?(real: string): string;
  /** It is open as a notebook that holds unsaved changes, which no extension can read as the bytes that would be saved. */
  isNotebook?(real: string): boolean;
  /** Replaces the whole text in the editor and saves it, so that editor and disk agree. */
  replace(real: string, text: string): Promise<void>;
}

export interface WorkspaceFilesOptions {
  /** The absolute workspace folders; relative paths start from the first. */
  readonly folders: readonly { readonly name: string; readonly path: string }[];
  /** The product's own folders, absolute, which tools must not touch even inside the workspace. */
  readonly denied: readonly string[];
  /** Default: no editor is there. */
  readonly unsaved?: UnsavedDocuments;
  readonly text?: HostText | undefined;
  /**
   * A folder of the product that backs up files with several hard links while they are written; without it they are
   * replaced.
   */
  readonly unfinished?: string;
  /** Absolute path of ripgrep; null if there is none: searching is then impossible. */
  readonly ripgrep: () => Promise<string | null>;
  /** Milliseconds after which a search ends with the results so far. */
  readonly searchMs?: number;
  /** Default: the system's. */
  readonly disk?: PathDisk;
}

const NO_EDITOR: UnsavedDocuments = {
  text: () => null,
  replace: () => Promise.reject(new Error('There is no editor here.')),
};

const BOM = [0xef, 0xbb, 0xbf];
const SEARCH_MS = 30_000;

/** Entries of a folder looked at together. */
const AT_ONCE = 500;

/** Characters of a path as the model wrote it. */
const LONGEST_SHOWN = 300;

export async function openWorkspaceFiles(options: WorkspaceFilesOptions): Promise<Files> {
  const { folders, denied, unsaved = NO_EDITOR, text, unfinished = null } = options;
  const { ripgrep, searchMs = SEARCH_MS, disk = nodeDisk } = options;
  if (unfinished !== null) await putBackUnfinished(unfinished);
  const roots: Root[] = await Promise.all(
    folders.map(async ({ name, path }) => ({ name, path, real: await realpath(path) })),
  );
  const verdicts: LinkVerdicts = new Map();
  const ours = () => openDenied(denied, disk, verdicts);
  const guardBy = (verdict: typeof guardPath) => async (path: string) => {
    try {
      return await verdict(path, roots, await ours(), disk);
    } catch (thrown) {
      throw explainFileError(path.slice(0, LONGEST_SHOWN), 'cannot be reached', thrown);
    }
  };
  const guard = guardBy(guardPath);

  /** How the editor saves unsaved text. */
  const styleOf = (real: string, onDisk: Uint8Array): TextStyle => {
    const encoding = unsaved.encoding?.(real) ?? 'utf8';
    const bom = encoding.startsWith('utf8') ? hasBom(onDisk) : encoding.startsWith('utf16');
    return { encoding, bom, lineEnd: '\n' };
  };

  const refuseNotebook = (real: string, shown: string): void => {
    if (!unsaved.isNotebook?.(real)) return;
    throw new ToolError(`${shown} is open as a notebook with changes that are not saved. Ask the user to save it.`);
  };

  /** The bytes that saving would write. */
  const readUnsaved = async (real: string, shown: string, onDisk: Uint8Array): Promise<Uint8Array | null> => {
    const typed = unsaved.text(real);
    if (typed === null) return null;
    const style = styleOf(real, onDisk);
    if (!style.encoding.startsWith('utf8')) {
      const decoded = await decodeFile(real, onDisk, text);
      if (decoded.kind === 'binary' || decoded.lossy) {
        throw new ToolError(
          `${shown} is unsaved in an editor that reads it in ${style.encoding}, in which its bytes are no text. Ask the user to reopen it with its encoding.`,
        );
      }
    }
    return encodeFile(typed, style, text);
  };

  /**
   * Writes through the editor, whose text then becomes the file's. An editor unifies line ends and may format on save:
   * if other bytes result, they are written again afterwards.
   */
  const writeUnsaved = async (real: string, shown: string, bytes: Uint8Array): Promise<void> => {
    const { encoding } = styleOf(real, bytes);
    const decoded = encoding.startsWith('utf8') ? decodeText(bytes) : await decodeFile(real, bytes, text);
    const fits = decoded.kind === 'text' && !decoded.lossy;
    // Content that the editor cannot hold is written over the saved file; that content is already backed up.
    await unsaved.replace(real, fits ? decoded.text : (unsaved.text(real) ?? ''));
    if (!equalBytes(await readChecked(real, shown), bytes)) await writeChecked(real, shown, bytes, unfinished);
  };

  const openDoor = (guarded: (path: string) => Promise<GuardedPath>): ExactFiles => ({
    async resolve(path) {
      const place = await guarded(path);
      try {
        return await describe(place, unsaved);
      } catch (thrown) {
        throw explainFileError(place.shown, 'cannot be looked at', thrown);
      }
    },

    async read(path) {
      const { real, shown } = await guarded(path);
      refuseNotebook(real, shown);
      try {
        const onDisk = await readChecked(real, shown);
        return (await readUnsaved(real, shown, onDisk)) ?? onDisk;
      } catch (thrown) {
        throw explainFileError(shown, 'cannot be read', thrown);
      }
    },

    async write(path, bytes, expected) {
      const { real, shown, exists } = await guarded(path);
      if (expected !== undefined && real !== expected) throw movedElsewhere(shown);
      refuseNotebook(real, shown);
      try {
        if (exists && unsaved.text(real) !== null) await writeUnsaved(real, shown, bytes);
        else await writeChecked(real, shown, bytes, unfinished);
      } catch (thrown) {
        throw explainFileError(shown, 'cannot be written', thrown);
      }
    },
  });

  return {
    root: roots[0]?.path ?? null,
    ...(roots.length > 1 ? { folders } : {}),
    text,

    async shownOf(native) {
      // The editor may spell a folder on the path differently from the disk, or reach it through a link.
      return placeNative(native, roots) ?? placeNative(await realpath(native).catch(() => native), roots);
    },

    ...openDoor(guard),
    exact: openDoor(guardBy(guardExact)),

    async remove(path, expected) {
      const { real, shown } = await guard(path);
      if (real !== expected) throw movedElsewhere(shown);
      try {
        await removeChecked(real, shown);
      } catch (thrown) {
        throw explainFileError(shown, 'cannot be deleted', thrown);
      }
    },

    async move(from, to) {
      const [source, target] = [await guard(from.path), await guard(to.path)];
      if (source.real !== from.real) throw movedElsewhere(source.shown);
      if (target.real !== to.real) throw movedElsewhere(target.shown);
      try {
        if (source.real === target.real && target.written !== undefined) await respell(source, target.written);
        else await moveChecked(source, target);
      } catch (thrown) {
        throw explainFileError(source.shown, `cannot be moved to ${target.shown}`, thrown);
      }
    },

    async list(path, most = Number.POSITIVE_INFINITY) {
      const { real, shown } = await guard(path);
      try {
        const entries = (await readHeld(real, shown)).sort((a, b) => (a.name < b.name ? -1 : 1));
        const shownEntries = await withoutOurs(real, entries, most);
        const misnamed = entries.some(({ name }) => mayBeMisnamed(name)) ? await stampMisnamed(real) : null;
        return shownEntries.map((entry) => ({
          name: entry.name,
          ...(misnamed?.has(entry.name) ? { misnamed: true as const } : {}),
          // A link counts as neither: following it could leave the workspace or never end.
          type: entry.isFile() ? ('file' as const) : entry.isDirectory() ? ('folder' as const) : ('other' as const),
        }));
      } catch (thrown) {
        throw explainFileError(shown, 'cannot be listed', thrown);
      }
    },

    async search(query, limit, signal) {
      try {
        return await searchFiles({ ...(await prepareSearch(query.path)), query, limit, signal });
      } catch (thrown) {
        throw explainFileError(query.path ?? 'the workspace', 'cannot be searched', thrown);
      }
    },

    async find(query, limit, signal) {
      try {
        return await findFiles({ ...(await prepareSearch(query.path)), query, limit, signal });
      } catch (thrown) {
        throw explainFileError(query.path ?? 'the workspace', 'cannot be searched', thrown);
      }
    },
  };

  /** The entries behind the first `most` that are not ours are not looked at. */
  async function withoutOurs(folder: string, entries: readonly Dirent[], most: number): Promise<readonly Dirent[]> {
    const skipped = await ours();
    const kept: Dirent[] = [];
    let at = 0;
    while (at < entries.length && kept.length < most) {
      const next = entries.slice(at, at + Math.min(most - kept.length, AT_ONCE));
      const held = await skipped.among(folder, next);
      kept.push(...next.filter(({ name }) => !held.has(name)));
      at += next.length;
    }
    return [...kept, ...entries.slice(at)];
  }

  async function prepareSearch(path: string | undefined) {
    if (roots.length === 0) throw new ToolError('No folder is open. Ask the user to open one.');
    if (path === undefined) await Promise.all(roots.map((root) => refuseGone(root, disk)));
    const starts = path === undefined ? roots.map(startAt) : [await searchStart(await guard(path))];
    return {
      starts,
      ripgrep: await ripgrep(),
      denied: await ours(),
      searchMs,
      text,
    };
  }

  function startAt(root: Root) {
    const encoding = text?.searchEncoding(root.real) ?? null;
    return { root: root.real, target: root.real, prefix: roots.length > 1 ? `${root.name}/` : '', encoding };
  }

  async function searchStart({ real, shown, exists }: GuardedPath) {
    if (!exists) throw new ToolError(`${shown} does not exist. list_files shows what does.`);
    const facts = await lstat(real);
    if (!facts.isFile() && !facts.isDirectory()) {
      throw new ToolError(`${shown} is neither a file nor a folder, so it is not searched.`);
    }
    const root = roots.find((candidate) => isInside(real, candidate.real));
    if (!root) throw new Error('guardPath let a path through that is in no root');
    return { ...startAt(root), target: real };
  }
}

async function readHeld(real: string, shown: string): Promise<Dirent[]> {
  const folder = await holdFolder(real, shown);
  try {
    return await readdir(folder.at, { withFileTypes: true });
  } finally {
    await folder.release();
  }
}

async function describe(path: GuardedPath, unsaved: UnsavedDocuments): Promise<FileFacts> {
  const { shown, real, straight, exists, guarded } = path;
  const written = path.written === undefined ? {} : { written: path.written };
  const linked = real !== straight;
  if (!exists) return { shown, real, linked, exists, type: 'file', size: 0, unsaved: false, guarded, ...written };
  const facts = await lstat(real);
  const type = facts.isFile() ? 'file' : facts.isDirectory() ? 'folder' : 'other';
  const typed = type === 'file' ? unsaved.text(real) : null;
  const size = typed === null ? facts.size : Buffer.byteLength(typed);
  const names = type === 'file' && facts.nlink > 1 ? { names: facts.nlink } : {};
  return { shown, real, linked, exists, type, size, unsaved: typed !== null, guarded, ...written, ...names };
}

function hasBom(bytes: Uint8Array): boolean {
  return BOM.every((byte, index) => bytes[index] === byte);
}
