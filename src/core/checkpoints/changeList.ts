/**
 * Lists the files that differ from an earlier state, with the changes of everybody. A file is read again only when its
 * stamp or what it is compared with has changed.
 */

import type { FileImage, FilesEntry } from '../journal/entry.ts';
import { equalBytes } from '../tools/text/decodeText.ts';
import { type ChangedFile, type Compared, NOTHING } from './compared.ts';
import { type FileVersion, inBatches } from './fileKeeper.ts';
import { countChangedLines } from './lines.ts';
import { pairRenames } from './pairRenames.ts';
import type { RestorePorts } from './restoreFiles.ts';
import { conflictOf, listTargets, type RestoreTarget } from './restorePlan.ts';

export interface Changes {
  /** By path. */
  readonly changed: readonly ChangedFile[];
  /** Paths that cannot be compared. */
  readonly unknown: readonly string[];
  /** There may be more: a command ran where not every file was looked at, or there are too many to compare. */
  readonly incomplete: boolean;
}

/** The earlier state of one file. */
export interface Base {
  readonly path: string;
  /** The same for the same state. */
  readonly key: string;
  /** Rejects where it is not known any more. */
  readonly load: () => Promise<FileVersion | null>;
  readonly newFolder: string | null;
  /** The name under which it had that state. */
  readonly renamedFrom: string | null;
  /** Whether only commands have changed it: left out where version control ignores it. */
  readonly byCommands: boolean;
}

/** Where the earlier states come from. */
export interface BaseSource {
  readonly bases: () => Promise<{ readonly bases: readonly Base[]; readonly incomplete: boolean }>;
  /** The files as the agent left them, to tell changes of others from its own. Null: their authors do not matter. */
  readonly targets: () => ReadonlyMap<string, RestoreTarget> | null;
}

/** A file larger than this many bytes is left out. */
const MOST_BYTES = 10_000_000;
/** More files are not compared. Those of tools come first. */
const MOST_FILES = 2_000;

interface Known {
  readonly key: string;
  readonly stamp: string | null;
  /** Null where nothing differs. */
  readonly file: Compared | null | 'unknown';
}

export class ChangeList {
  readonly #source: BaseSource;
  readonly #ports: RestorePorts;
  #known = new Map<string, Known>();
  readonly #ignored = new Map<string, boolean>();

  constructor(source: BaseSource, ports: RestorePorts) {
    this.#source = source;
    this.#ports = ports;
  }

  /** All files that were compared, also those that do not differ. */
  get paths(): string[] {
    return [...this.#known.keys()];
  }

  async list(): Promise<Changes> {
    const { bases: all, incomplete } = await this.#source.bases();
    const every = await this.#leaveIgnored(all);
    const byTools = every.filter(({ byCommands }) => !byCommands);
    const bases = [...byTools, ...every.filter(({ byCommands }) => byCommands)].slice(0, MOST_FILES);
    const known = new Map<string, Known>();
    await inBatches(bases, async (base) => known.set(base.path, await this.#compare(base)));
    this.#known = known;
    const found = [...known].sort(([a], [b]) => (a < b ? -1 : 1));
    const targets = this.#source.targets();
    const differing = found.flatMap(([, { file }]) => (file && file !== 'unknown' ? file : []));
    return {
      changed: pairRenames(differing).map((file) => ({ ...file, ...whoElse(file, targets) })),
      unknown: found.flatMap(([path, { file }]) => (file === 'unknown' ? path : [])),
      incomplete: incomplete || bases.length < every.length,
    };
  }

  async #leaveIgnored(bases: readonly Base[]): Promise<readonly Base[]> {
    const asked = bases.flatMap(({ path, byCommands }) => (byCommands && !this.#ignored.has(path) ? path : []));
    if (asked.length > 0) {
      const ignored = await this.#ports.files.ignored(asked);
      for (const path of asked) this.#ignored.set(path, ignored.has(path));
    }
    return bases.filter(({ path, byCommands }) => !byCommands || !this.#ignored.get(path));
  }

  async #compare(base: Base): Promise<Known> {
    const { path, key } = base;
    try {
      // Before reading, so that a change meanwhile shows.
      const stamp = await this.#ports.files.stamp(path);
      const before = this.#known.get(path);
      if (stamp !== null && before?.stamp === stamp && before.key === key) return before;
      return { key, stamp, file: await compare(base, this.#ports) };
    } catch {
      // Links, folders, what was not kept and what may not be read by now.
      return { key, stamp: null, file: 'unknown' };
    }
  }
}

/** Null where nothing differs. */
async function compare(base: Base, { files, crypto }: RestorePorts): Promise<Compared | null> {
  const { path, newFolder, renamedFrom } = base;
  const before = await base.load();
  const present = await files.read(path, MOST_BYTES, 'editor');
  if (present.kind === 'tooLarge') throw new Error('It is too large.');
  const now = present.kind === 'held' ? { bytes: present.bytes, executable: present.executable } : null;
  const same =
    before && now ? before.executable === now.executable && equalBytes(before.bytes, now.bytes) : before === now;
  if (same) return null;
  const hash = now && (await crypto.sha256(now.bytes));
  const lines = countChangedLines(before?.bytes ?? NOTHING, now?.bytes ?? NOTHING);
  return { path, renamedFrom, before, now, hash, newFolder, lines };
}

/** A file under another name starts from nothing, so what the agent left of it is looked for under this name. */
function whoElse(
  { path, hash }: Compared,
  targets: ReadonlyMap<string, RestoreTarget> | null,
): Pick<ChangedFile, 'conflict' | 'agentLeft'> {
  const target = targets?.get(path);
  if (!targets) return { conflict: null, agentLeft: null };
  if (!target) return { conflict: 'changedSince', agentLeft: null };
  const { left = null, unsure, foreign } = target;
  return { conflict: conflictOf(target, hash), agentLeft: hash !== left && !unsure && foreign === null ? left : null };
}

/**
 * The files of a session as they were at entry `moment`, or as they were reviewed since. An imported journal describes
 * files elsewhere, so only changes after the import count.
 */
export function sinceMoment(moment: number, ports: RestorePorts): BaseSource {
  const { journal } = ports;
  const entries = (): FilesEntry[] => {
    const since = Math.max(moment, journal.importedTo);
    return [...journal.ofType('files')].filter(({ seq }) => seq > since);
  };
  return {
    bases: async () => {
      const all = entries();
      return { bases: basesOf(all, ports), incomplete: all.some(({ incomplete }) => incomplete === true) };
    },
    targets: () => targetsOf(entries()),
  };
}

/** The content of each file before its first change, or the newest that was reviewed since. */
function basesOf(entries: readonly FilesEntry[], { blobs }: RestorePorts): Base[] {
  const images = new Map<string, FileImage>();
  const byTools = new Set<string>();
  for (const { cause, files } of entries) {
    for (const image of files) {
      if (cause === 'reviewed' || !images.has(image.path)) images.set(image.path, image);
      if (cause !== 'command') byTools.add(image.path);
    }
  }
  return [...images.values()].map((image) => {
    const { path, before, restorable, executable = false, newFolder = null, renamedFrom = null } = image;
    return {
      path,
      newFolder,
      renamedFrom,
      byCommands: !byTools.has(path),
      key: [before, restorable, executable, renamedFrom].join(' '),
      load: async () => {
        const bytes = before === null ? null : await blobs.get(before);
        if (!restorable || (before !== null && bytes === null)) throw new Error('Its earlier content was not kept.');
        return bytes && { bytes, executable };
      },
    };
  });
}

/** The files that were reviewed after a time, in milliseconds since the epoch, as they were reviewed last; by path. */
export function reviewedAfter(time: number, ports: RestorePorts): Map<string, Base> {
  const { journal } = ports;
  const reviewed = [...journal.ofType('files')].filter(
    (entry) => entry.cause === 'reviewed' && entry.seq > journal.importedTo && Date.parse(entry.time) >= time,
  );
  return new Map(basesOf(reviewed, ports).map((base) => [base.path, base]));
}

/** Each file as the agent left it. Where all of a file was reviewed, earlier authors do not matter. */
function targetsOf(entries: readonly FilesEntry[]): Map<string, RestoreTarget> {
  const settled = new Map<string, { readonly seq: number; readonly image: FileImage }>();
  for (const { seq, cause, files } of entries) {
    if (cause !== 'reviewed') continue;
    for (const image of files) if (image.after === image.before) settled.set(image.path, { seq, image });
  }
  const since = entries.flatMap((entry): FilesEntry[] => {
    const { seq, cause } = entry;
    if (cause === 'reviewed') return [];
    return [{ ...entry, files: entry.files.filter(({ path }) => seq > (settled.get(path)?.seq ?? -1)) }];
  });
  return new Map(listTargets(since, -1).map((target) => [target.path, target]));
}
