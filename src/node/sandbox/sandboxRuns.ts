/**
 * The host's work around each command in the sandbox that may write: names at the top of the open folders that are
 * not there are covered by empty folders, all guarded names are found before and compared afterwards. Each run has a
 * record in the product's storage, which also serves other windows on the same folder and, when this process is killed,
 * the next start. Nothing is ever removed but an empty folder that a run made.
 */

import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { isSystemError, messageOf } from '../../core/errors.ts';
import { type Words, words } from '../../core/words.ts';
import { isInside } from '../files/inside.ts';
import { rename, rm, rmdir } from '../storage/disk/patientDisk.ts';
import { codeOf } from '../storage/disk/storageError.ts';
import {
  bytesOf,
  type GuardedName,
  identify,
  openParent,
  type PathBytes,
  textOf,
  type Walk,
  walkGuarded,
} from './guardedWalk.ts';

/** Names that editors, agents and git act upon as soon as they are there. */
export const COVERED = [
  '.git',
  '.vscode',
  '.husky',
  '.github',
  '.mcp.json',
  '.claude',
  '.cursor',
  'CLAUDE.md',
  'AGENTS.md',
] as const;

/** A guarded name that is new, or another one, since a command began: the command made it, or somebody else meanwhile. */
export interface NewName {
  readonly path: PathBytes;
  readonly identity: string;
  /** The open folder that holds it. */
  readonly root: PathBytes;
}

export interface LeftBehind {
  readonly names: readonly NewName[];
  /** Why the folders could not be looked through; null when they were. */
  readonly unseen: Words | null;
}
export const NOTHING_LEFT: LeftBehind = { names: [], unseen: null };

export interface SandboxRun {
  /** Names to be mounted read-only, and the folders above, which must keep their names. */
  readonly guarded: readonly GuardedName[];
  readonly above: readonly GuardedName[];
  /** Call it when all processes of the command have ended. */
  leave(): Promise<LeftBehind>;
}

export type Entering =
  | { readonly kind: 'entered'; readonly run: SandboxRun }
  | { readonly kind: 'refused'; readonly why: Words };

const recordSchema = z.object({
  pid: z.int().positive(),
  /** When the process started, as the system says; empty where it does not. */
  started: z.string(),
  folders: z.array(z.string()),
  /** In `latin1`, like paths of the walk. */
  covers: z.array(z.string()),
  /** Identities of guarded names by path; null until they were found. */
  before: z.record(z.string(), z.string()).nullable(),
});
type Record_ = z.infer<typeof recordSchema>;

const TRIES = 3;

/** Where the records cannot be written, or a folder changes under the walk. Throws what is no fault of the system. */
function refuseFault(thrown: unknown): Entering {
  if (!isSystemError(thrown)) throw thrown;
  return { kind: 'refused', why: words('What the sandbox needs on disk cannot be made ({0}).', messageOf(thrown)) };
}

export class SandboxRuns {
  readonly #storage: string;
  /** Entering and leaving happen one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  /** `storage` is the absolute path of a folder that only the product uses. */
  constructor(storage: string) {
    this.#storage = storage;
  }

  /** `folders` are real paths. */
  enter(folders: readonly string[]): Promise<Entering> {
    return this.#inTurn(async () => {
      for (let tries = 1; ; tries += 1) {
        const entering = await this.#enter(folders).catch(refuseFault);
        if (entering !== 'again') return entering;
        if (tries === TRIES)
          return { kind: 'refused', why: words('Another command changed the open folders in the meantime.') };
      }
    });
  }

  /** Names that commands left behind whose process was killed before it looked. Forgets these commands. */
  findOrphans(): Promise<LeftBehind> {
    return this.#inTurn(async () => {
      const names: NewName[] = [];
      let unseen: Words | null = null;
      for (const { path, record } of await this.#records()) {
        if (record !== null && isRunning(record)) continue;
        const left = record === null ? NOTHING_LEFT : await this.#compare(record);
        names.push(...left.names);
        unseen ??= left.unseen;
        await this.#uncover((record?.covers ?? []) as PathBytes[], path);
      }
      return { names, unseen };
    });
  }

  async #inTurn<T>(deed: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(deed, deed);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #enter(folders: readonly string[]): Promise<Entering | 'again'> {
    const path = join(this.#storage, `${process.pid}-${randomBytes(6).toString('hex')}.json`);
    const started = startOf(process.pid);
    const wanted = folders.flatMap((folder) => COVERED.map((name) => bytesOf(join(folder, name))));
    // Written first: a command that ends meanwhile then keeps the covers.
    await this.#write(path, { pid: process.pid, started, folders: [...folders], covers: wanted, before: null });
    const covers: PathBytes[] = [];
    const refuse = async (why: Words): Promise<Entering> => {
      await this.#uncover(covers, path);
      return { kind: 'refused', why };
    };
    try {
      const impossible = await this.#cover(wanted, covers, path);
      const walk = await this.#walkAndCover(folders, covers);
      if (walk.kind === 'unseen') return await refuse(walk.why);
      const { names, above } = walk.found;
      const known = new Map(names.map((each) => [each.path, each]));
      const link = wanted.map((each) => known.get(each)).find((each) => each !== undefined && leadsToFolder(each));
      if (link !== undefined) {
        return await refuse(words('{0} is a link to a folder, and a link cannot be guarded.', textOf(link.path)));
      }
      const isHeld = (path: PathBytes) => impossible.has(path) || names.some((name) => isInside(path, name.path));
      if (!wanted.every(isHeld)) {
        await refuse([]);
        return 'again';
      }
      const before = Object.fromEntries(names.map((each) => [each.path, each.identity]));
      const record: Record_ = { pid: process.pid, started, folders: [...folders], covers, before };
      await this.#write(path, record);
      return { kind: 'entered', run: { guarded: names, above, leave: () => this.#leave(path, record) } };
    } catch (thrown) {
      await refuse([]);
      throw thrown;
    }
  }

  #leave(path: string, record: Record_): Promise<LeftBehind> {
    return this.#inTurn(async () => {
      const left = await this.#compare(record);
      try {
        await this.#uncover(record.covers as PathBytes[], path);
      } catch (thrown) {
        // The record stays for the next start. The command has ended, and its result must not be lost.
        if (!isSystemError(thrown)) throw thrown;
      }
      return left;
    });
  }

  async #compare({ folders, covers, before }: Record_): Promise<LeftBehind> {
    if (before === null) return NOTHING_LEFT;
    const walk = await walkGuarded(folders);
    if (walk.kind === 'unseen') return { names: [], unseen: walk.why };
    const known = new Map(Object.entries(before));
    const isCover = new Set(covers);
    const names = walk.found.names
      .filter(({ path, identity }) => known.get(path) !== identity && !(isCover.has(path) && isEmptyFolder(path)))
      .map(({ path, identity }) => ({ path, identity, root: rootOf(path, folders) }));
    return { names, unseen: null };
  }

  /** Finds all guarded names; what a guarded link leads to, and is not there, is covered on the way. */
  async #walkAndCover(folders: readonly string[], covers: PathBytes[]): Promise<Walk> {
    const walk = await walkGuarded(folders);
    if (walk.kind === 'unseen' || walk.found.missing.length === 0) return walk;
    const before = covers.length;
    for (const each of walk.found.missing) {
      if (makeCover(each, rootOf(each, folders)) === 'made') covers.push(each);
    }
    const more = covers.slice(before).flatMap((each) => identify(Buffer.from(each, 'latin1'), each) ?? []);
    return { kind: 'walked', found: { ...walk.found, names: [...walk.found.names, ...more] } };
  }

  /** Adds to `covers` those that are this run's, alone or with others. Returns names that can be made by nobody. */
  async #cover(wanted: readonly PathBytes[], covers: PathBytes[], own: string): Promise<ReadonlySet<PathBytes>> {
    const others = new Set((await this.#records(own)).flatMap(({ record }) => record?.covers ?? []));
    const impossible = new Set<PathBytes>();
    for (const path of wanted) {
      const made = makeCover(path, null);
      if (made === 'impossible') impossible.add(path);
      if (made === 'made' || (made === 'there' && others.has(path) && isEmptyFolder(path))) covers.push(path);
    }
    return impossible;
  }

  /** Removes a run's record, and covers that no other run needs. A folder in which somebody wrote something stays. */
  async #uncover(covers: readonly PathBytes[], own: string): Promise<void> {
    // Gone before the others are looked at: of two that leave together, at least one sees none.
    await rm(own, { force: true });
    const needed = new Set((await this.#records(own)).flatMap(({ record }) => record?.covers ?? []));
    for (const path of covers.filter((each) => !needed.has(each))) {
      await rmdir(Buffer.from(path, 'latin1')).catch((thrown: unknown) => {
        if (!isSystemError(thrown)) throw thrown;
      });
    }
  }

  async #records(except?: string): Promise<{ readonly path: string; readonly record: Record_ | null }[]> {
    const names = await readdir(this.#storage).catch(() => []);
    const paths = names.filter((name) => name.endsWith('.json')).map((name) => join(this.#storage, name));
    return Promise.all(
      paths
        .filter((path) => path !== except)
        .map(async (path) => ({ path, record: readRecord(await readFile(path, 'utf8').catch(() => '')) })),
    );
  }

  async #write(path: string, record: Record_): Promise<void> {
    await mkdir(this.#storage, { recursive: true, mode: 0o700 });
    try {
      await writeFile(`${path}.new`, JSON.stringify(record), { mode: 0o600 });
      await rename(`${path}.new`, path);
    } catch (thrown) {
      await rm(`${path}.new`, { force: true });
      throw thrown;
    }
  }
}

/** Null for a record that was cut off, which names nothing. */
function readRecord(text: string): Record_ | null {
  try {
    return recordSchema.parse(JSON.parse(text));
  } catch (thrown) {
    if (thrown instanceof SyntaxError || thrown instanceof z.ZodError) return null;
    throw thrown;
  }
}

function isRunning({ pid, started }: Record_): boolean {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    if (codeOf(thrown) === 'EPERM') return true;
    return false;
  }
  return started === startOf(pid);
}

/** Of Linux: a process id that is used again belongs to another start. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch (thrown) {
    if (isSystemError(thrown)) return '';
    throw thrown;
  }
}

function rootOf(path: PathBytes, folders: readonly string[]): PathBytes {
  const root = folders.map(bytesOf).find((folder) => isInside(path, folder));
  if (root === undefined) throw new Error('A guarded name lies in no open folder.');
  return root;
}

/**
 * `impossible`: no folder can be made there, and nothing else by a command of the same person. Throws system errors where
 * a command could yet make one: on a full disk, or in a folder whose owner can open it for writing.
 */
function makeCover(path: PathBytes, root: PathBytes | null): 'made' | 'there' | 'impossible' {
  const parent = root === null ? null : openParent(path, root);
  if (root !== null && parent === null) return 'impossible';
  try {
    mkdirSync(parent?.folder.pathOf(parent.name) ?? Buffer.from(path, 'latin1'), { mode: 0o755 });
    return 'made';
  } catch (thrown) {
    if (!isSystemError(thrown)) throw thrown;
    const code = codeOf(thrown) ?? '';
    if (code === 'EEXIST') return 'there';
    const isClosed = NEVER.has(code) || (code === 'EACCES' && !isOwnFolder(dirname(path)));
    if (!isClosed) throw thrown;
    return 'impossible';
  } finally {
    parent?.folder.close();
  }
}

/** Read-only, immutable, or no folder any more. */
const NEVER: ReadonlySet<string> = new Set(['EROFS', 'EPERM', 'ENOENT', 'ENOTDIR']);

const isOwnFolder = (path: string) =>
  statSync(Buffer.from(path, 'latin1'), { throwIfNoEntry: false })?.uid === process.getuid?.();

function isEmptyFolder(path: PathBytes): boolean {
  const at = Buffer.from(path, 'latin1');
  try {
    return lstatSync(at).isDirectory() && readdirSync(at).length === 0;
  } catch (thrown) {
    if (isSystemError(thrown)) return false;
    throw thrown;
  }
}

function leadsToFolder({ path, kind }: GuardedName): boolean {
  if (kind !== 'link') return false;
  try {
    readdirSync(Buffer.from(path, 'latin1'));
    return true;
  } catch (thrown) {
    // To nothing, it may become a folder.
    return codeOf(thrown) !== 'ENOTDIR';
  }
}

export interface SetAside {
  readonly path: PathBytes;
  /** Where it lies now; null when it stays, because it is not what was shown or cannot be moved. */
  readonly kept: string | null;
}

/** Moves names that the person saw into a new folder below `folder`, each only if it is still the same. */
export async function setAside(names: readonly NewName[], folder: string): Promise<SetAside[]> {
  const place = join(folder, randomBytes(6).toString('hex'));
  await mkdir(place, { recursive: true, mode: 0o700 });
  const moved: SetAside[] = [];
  for (const [at, { path, identity, root }] of names.entries()) {
    const parent = openParent(path, root);
    if (parent === null) {
      moved.push({ path, kept: null });
      continue;
    }
    try {
      const from = parent.folder.pathOf(parent.name);
      const isSame = identify(from, path)?.identity === identity;
      // Its own name may be one that no other place may hold.
      const kept = join(place, `${at + 1}`);
      if (isSame) await rename(from, kept);
      moved.push({ path, kept: isSame ? kept : null });
    } catch (thrown) {
      if (!isSystemError(thrown)) throw thrown;
      moved.push({ path, kept: null });
    } finally {
      parent.folder.close();
    }
  }
  return moved;
}
