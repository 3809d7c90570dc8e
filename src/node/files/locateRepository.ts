/**
 * Decides where the repository of a folder lies, and whether everything that git reads of it may be read: it lies in the
 * open folders, in a `.git` above them, or in the repository that made this folder, and nothing in it leads elsewhere.
 * Everything that has git read a repository asks here first. It runs nothing of a repository, and fails closed.
 */

import type { Dirent, Stats } from 'node:fs';
import { lstat, open, readdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isSystemError } from '../../core/errors.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { type Words, words } from '../../core/words.ts';
import { openDenied } from './deniedFolders.ts';
import { isInside } from './inside.ts';
import { type GitPlace, type RepositoryPlace, runGit } from './runGit.ts';

/** The folders that may be read. */
export interface OpenFolders {
  readonly folders: readonly string[];
  /** Folders that no tool may touch. */
  readonly denied: readonly string[];
}

export type Located =
  | {
      readonly kind: 'inside';
      readonly repository: RepositoryPlace;
      /** Path from the top of the work tree to the folder; ends with a slash unless empty. */
      readonly prefix: string;
      readonly reach: Reach;
    }
  /** `why`: a sentence. */
  | { readonly kind: 'elsewhere'; readonly why: Words }
  /** Git finds none there, or may not use it. */
  | { readonly kind: 'none'; readonly complaint: string };

/** Whether a path, with its links followed, lies where this repository may be read. */
export type Reach = (path: string) => Promise<boolean>;

/** `place.folder` is a real path. */
export async function locateRepository(
  place: GitPlace,
  { folders, denied }: OpenFolders,
  signal: AbortSignal,
): Promise<Located> {
  const found = await findEntry(place.folder);
  if (!found) return { kind: 'none', complaint: 'not a git repository' };
  const roots = (await Promise.all(folders.map(realOrNull))).filter((each) => each !== null);
  const ours = await openDenied(denied);
  const walk = new RepositoryWalk(place, found.top, roots, (real) => ours.holdsFolder(real), signal);
  try {
    const repository = await walk.follow(found);
    const byGit = await askGit(place, signal);
    if (byGit.kind === 'none') return byGit;
    const { prefix, top, gitFolder, commonFolder } = byGit;
    // Two readings must agree.
    if (top !== repository.top) throw elsewhere(top ?? '');
    if (gitFolder !== repository.gitFolder) throw elsewhere(gitFolder ?? '');
    if (commonFolder !== repository.commonFolder) throw elsewhere(commonFolder ?? '');
    return { kind: 'inside', repository, prefix, reach: (path) => walk.reaches(path) };
  } catch (thrown) {
    if (thrown instanceof Elsewhere) return { kind: 'elsewhere', why: thrown.why };
    throw thrown;
  }
}

/** Whether git finds one there or above, wherever it leads. */
export async function hasRepository(folder: string): Promise<boolean> {
  return (await findEntry(folder)) !== null;
}

interface FoundByGit {
  readonly kind: 'found';
  readonly prefix: string;
  /** Real paths; null for what is gone. */
  readonly top: string | null;
  readonly gitFolder: string | null;
  readonly commonFolder: string | null;
}

/** Where git itself finds it, which also minds whom it belongs to. */
async function askGit(
  place: GitPlace,
  signal: AbortSignal,
): Promise<FoundByGit | Extract<Located, { readonly kind: 'none' }>> {
  const args = ['rev-parse', '--show-prefix', '--show-toplevel', '--absolute-git-dir', '--git-common-dir'];
  const { code, output, complaint } = await runGit(place, args, signal);
  if (code !== 0) return { kind: 'none', complaint };
  const [prefix = '', ...paths] = output.split('\n');
  const real = (nth: number) => realOrNull(resolve(place.folder, paths[nth] ?? ''));
  return { kind: 'found', prefix, top: await real(0), gitFolder: await real(1), commonFolder: await real(2) };
}

class Elsewhere extends Error {
  readonly why: Words;

  constructor(why: Words) {
    super('elsewhere');
    this.why = why;
  }
}

interface Entry {
  /** The folder that holds `.git`. */
  readonly top: string;
  readonly facts: Stats;
}

/** Like git, passes over a folder `.git` that is no repository. */
async function findEntry(folder: string): Promise<Entry | null> {
  for (let top = folder; ; top = dirname(top)) {
    const path = join(top, '.git');
    const facts = await statOrNull(path);
    if (facts && (!facts.isDirectory() || (await statOrNull(join(path, 'HEAD'))))) return { top, facts };
    if (dirname(top) === top) return null;
  }
}

/** Bytes of `.git`, `commondir` and the like, of a configuration, and of a list of other places of objects. */
const MOST_POINTER = 8_192;
const MOST_CONFIG = 1_000_000;

/** Names in a repository, other places of its objects, and files that its configuration includes. */
const MOST_NAMES = 200_000;
const MOST_PLACES = 20;

/** In a path, it leads git to another one than us: we read bytes that are not valid text as this character. */
const ODD = /[\0\uFFFD]/u;

/** In these parts of a repository is nothing that git reads to show something, so they are not walked. */
const UNREAD = /^(?:hooks|lfs|annex|(?:worktrees[\\/][^\\/]+[\\/])?modules)(?:[\\/]|$)/u;

class RepositoryWalk {
  readonly #place: GitPlace;
  readonly #top: string;
  readonly #isOurs: (real: string) => Promise<boolean>;
  readonly #signal: AbortSignal;
  /** Real paths of what may be read. */
  readonly #open: string[];
  /** Names that may still be looked at. */
  #left = MOST_NAMES;

  constructor(
    place: GitPlace,
    top: string,
    roots: readonly string[],
    isOurs: (real: string) => Promise<boolean>,
    signal: AbortSignal,
  ) {
    this.#place = place;
    this.#top = top;
    this.#open = [...roots];
    this.#isOurs = isOurs;
    this.#signal = signal;
  }

  /** Throws `Elsewhere`. */
  async follow({ top, facts }: Entry): Promise<RepositoryPlace> {
    const gitFolder = await this.#followEntry(join(top, '.git'), facts);
    const shared = await this.#readPointer(join(gitFolder, 'commondir'));
    const commonFolder = shared === null ? gitFolder : await this.#real(resolve(gitFolder, shared));
    await this.#trust(gitFolder, commonFolder, facts);
    for (const each of new Set([gitFolder, commonFolder])) if (!(await this.#isOpen(each))) throw elsewhere(each);
    const own = [...new Set([commonFolder, gitFolder])];
    for (const each of own) await this.#refuseLinks(each, own);
    for (const each of [commonFolder, gitFolder]) {
      const tables = await this.#readPointer(join(each, 'reftable', 'tables.list'), MOST_CONFIG);
      if (tables !== null && /[\\/]/u.test(tables)) throw elsewhere(tables);
    }
    await this.#followObjects(join(commonFolder, 'objects'));
    await this.#followConfigs(gitFolder, commonFolder);
    return { top, gitFolder, commonFolder };
  }

  async reaches(path: string): Promise<boolean> {
    const real = await realOrNull(path);
    return real !== null && (await this.#isOpen(real));
  }

  async #followEntry(entry: string, facts: Stats): Promise<string> {
    if (facts.isDirectory()) return entry;
    if (facts.isSymbolicLink()) {
      const real = await this.#real(entry);
      if ((await statOrNull(real))?.isDirectory()) return real;
      throw elsewhere(real);
    }
    const named = /^gitdir: (?<path>.+)$/su.exec((await this.#readPointer(entry)) ?? '')?.groups?.path;
    if (named === undefined) throw elsewhere(entry);
    return this.#real(resolve(dirname(entry), named));
  }

  /**
   * Outside of the open folders, only two kinds of repositories may be read. Both could only be there because somebody
   * who writes outside of the open folders wanted this folder to belong to them: a folder from elsewhere cannot do that.
   * - A folder `.git` above an open folder.
   * - One that names this folder in turn, as git has it of its work trees and submodules.
   */
  async #trust(gitFolder: string, commonFolder: string, facts: Stats): Promise<void> {
    if (await this.#isOpen(gitFolder)) return;
    const isOwn = facts.isDirectory() || (facts.isFile() && (await this.#pointsBack(gitFolder, commonFolder)));
    if (!isOwn) {
      const where = showInOneLine(gitFolder);
      throw new Elsewhere(
        words('Its repository is outside the open folders and does not name this folder: {0}', where),
      );
    }
    this.#open.push(facts.isDirectory() ? gitFolder : commonFolder);
  }

  async #pointsBack(gitFolder: string, commonFolder: string): Promise<boolean> {
    if (gitFolder === commonFolder) {
      const trees = (await this.#readConfig(join(gitFolder, 'config'))).filter(({ key }) => key === 'core.worktree');
      return trees.length > 0 && (await this.#areTop(trees, gitFolder));
    }
    if (dirname(gitFolder) !== join(commonFolder, 'worktrees')) return false;
    const named = await this.#readPointer(join(gitFolder, 'gitdir'));
    if (named === null) return false;
    const back = resolve(gitFolder, named);
    return basename(back) === '.git' && (await this.#isTop(dirname(back)));
  }

  async #isTop(path: string): Promise<boolean> {
    return (await realOrNull(path)) === this.#top;
  }

  async #areTop(values: readonly ConfigValue[], base: string): Promise<boolean> {
    for (const { value } of values) if (!(await this.#isTop(resolve(base, value)))) return false;
    return true;
  }

  async #isOpen(real: string): Promise<boolean> {
    return this.#open.some((each) => isInside(real, each)) && !(await this.#isOurs(real));
  }

  /** The real path of what a part of the repository names. */
  async #real(path: string): Promise<string> {
    const real = await realOrNull(path);
    if (real === null) throw elsewhere(path);
    return real;
  }

  /** Text of a short file without the line breaks behind it; null without one. */
  async #readPointer(path: string, most = MOST_POINTER): Promise<string | null> {
    return (await this.#readText(path, most))?.replace(/[\r\n]+$/u, '') ?? null;
  }

  async #readText(path: string, most: number): Promise<string | null> {
    const facts = await statOrNull(path);
    if (!facts) return null;
    if (!facts.isFile() || facts.size > most) throw elsewhere(path);
    const text = await readFile(path, 'utf8');
    if (ODD.test(text)) throw elsewhere(text);
    return text;
  }

  /** Links may only lead to other parts of the same repository. */
  async #refuseLinks(folder: string, own: readonly string[]): Promise<void> {
    let level = [folder];
    while (level.length > 0) {
      const listed = await Promise.all(level.map(async (each) => ({ each, entries: await listEntries(each) })));
      level = [];
      for (const { each, entries } of listed) {
        this.#left -= entries.length;
        if (this.#left < 0) throw new Elsewhere(words('Its repository is too large to be looked at.'));
        for (const entry of entries) {
          const path = join(each, entry.name);
          // Git opens another one.
          if (ODD.test(entry.name)) throw elsewhere(path);
          if (UNREAD.test(relative(folder, path))) continue;
          if (entry.isDirectory()) level.push(path);
          if (!entry.isSymbolicLink()) continue;
          const real = await this.#real(path);
          const isOwn = own.some((part) => isInside(real, part) && !UNREAD.test(relative(part, real)));
          if (!isOwn) throw elsewhere(path);
        }
      }
    }
  }

  /** Other places from which git takes objects, and those that these name in turn. */
  async #followObjects(objects: string): Promise<void> {
    const places = [objects];
    for (const place of places) {
      if (places.length > MOST_PLACES) throw elsewhere(place);
      const list = await this.#readText(join(place, 'info', 'alternates'), MOST_CONFIG);
      for (const line of list?.split('\n') ?? []) {
        if (line === '' || line.startsWith('#')) continue;
        // Git reads a name in quotes by rules of its own, and takes a carriage return for a part of the name.
        if (line.startsWith('"') || line.includes('\r')) throw elsewhere(line);
        const real = await this.#real(resolve(place, line));
        if (places.includes(real)) continue;
        if (!(await this.#isOpen(real))) throw elsewhere(real);
        await this.#refuseLinks(real, [real]);
        places.push(real);
      }
      const packs = join(place, 'pack');
      const incremental = join(packs, 'multi-pack-index.d');
      const layers = (await listEntries(incremental)).map(({ name }) => join(incremental, name));
      for (const file of [join(packs, 'multi-pack-index'), ...layers]) {
        const odd = (await readPackNames(file)).find((name) => /[\\/]/u.test(name));
        if (odd !== undefined) throw elsewhere(odd);
      }
    }
  }

  async #followConfigs(gitFolder: string, commonFolder: string): Promise<void> {
    const files = [join(commonFolder, 'config'), join(gitFolder, 'config.worktree')];
    for (const file of files) {
      if (files.length > MOST_PLACES) throw elsewhere(file);
      const values = await this.#readConfig(file);
      for (const { key, value } of values) {
        if (/^include(?:if\..*)?\.path$/su.test(key)) {
          // Git itself resolves these beginnings.
          if (/^[~%]/u.test(value) || ODD.test(value)) throw elsewhere(value);
          const real = await this.#real(resolve(dirname(file), value));
          if (!(await this.#isOpen(real))) throw elsewhere(real);
          if (!files.includes(real)) files.push(real);
        }
        // It may name a place.
        if (key === 'extensions.refstorage' && !/^\w+$/u.test(value)) throw elsewhere(value);
        // In the configuration that work trees share, it is only that of the main one.
        const holds = key === 'core.worktree' && (gitFolder === commonFolder || file !== files[0]);
        if (holds && !(await this.#isTop(resolve(gitFolder, value)))) {
          throw new Elsewhere(words('Its repository is that of another folder: {0}', showInOneLine(value)));
        }
      }
    }
  }

  /** As git understands the file, without what it includes, and without looking for a repository. */
  async #readConfig(file: string): Promise<readonly ConfigValue[]> {
    const facts = await statOrNull(file);
    if (!facts) return [];
    if (!facts.isFile() || facts.size > MOST_CONFIG) throw elsewhere(file);
    const args = ['config', '--file', file, '--no-includes', '-z', '--list'];
    const nowhere = join(file, 'none');
    const repository: RepositoryPlace = { top: dirname(file), gitFolder: nowhere, commonFolder: nowhere };
    const { output, code, cut } = await runGit({ ...this.#place, repository }, args, this.#signal);
    if (code !== 0 || cut) throw new Elsewhere(words('The configuration of its repository cannot be read.'));
    return output
      .split('\0')
      .filter((each) => each !== '')
      .map((each) => {
        const end = each.indexOf('\n');
        return end < 0 ? { key: each, value: '' } : { key: each.slice(0, end), value: each.slice(end + 1) };
      });
  }
}

const MOST_PACK_NAMES = 1_000_000;

/**
 * The packs that an index of several packs names, which git takes for paths. Its head is 12 bytes, followed by a table of
 * its parts with 4 bytes of name and 8 of offset each. Empty where git would not read it either.
 */
async function readPackNames(path: string): Promise<readonly string[]> {
  const file = await open(path).catch(() => null);
  if (!file) return [];
  try {
    const read = async (at: number, length: number) => (await file.read(Buffer.alloc(length), 0, length, at)).buffer;
    const head = await read(0, 12);
    if (head.toString('latin1', 0, 4) !== 'MIDX') return [];
    const parts = (head[6] ?? 0) + 1;
    const table = await read(12, parts * 12);
    const names: string[] = [];
    for (let at = 0; at < parts - 1; at++) {
      const begin = Number(table.readBigUInt64BE(at * 12 + 4));
      const length = Number(table.readBigUInt64BE(at * 12 + 16)) - begin;
      if (table.toString('latin1', at * 12, at * 12 + 4) !== 'PNAM') continue;
      if (length < 0 || length > MOST_PACK_NAMES) throw elsewhere(path);
      names.push(...(await read(begin, length)).toString('latin1').split('\0'));
    }
    return names;
  } finally {
    await file.close();
  }
}

interface ConfigValue {
  readonly key: string;
  readonly value: string;
}

function elsewhere(path: string): Elsewhere {
  return new Elsewhere(words('Its repository leads elsewhere: {0}', showInOneLine(path.slice(0, 300))));
}

/** Null when nothing is there. */
async function realOrNull(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (thrown) {
    if (isSystemError(thrown)) return null;
    throw thrown;
  }
}

/** Null when nothing can be learned of it. */
async function statOrNull(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (thrown) {
    if (isSystemError(thrown)) return null;
    throw thrown;
  }
}

/** Empty where it cannot be listed: git cannot read it either. */
async function listEntries(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (thrown) {
    if (isSystemError(thrown)) return [];
    throw thrown;
  }
}
