/**
 * A person's own strategies, each in one file listed in `compaction.strategyFiles`. A file is read again before each
 * use, and a strategy loaded from other contents is dropped first: an older version never runs in place of a newer one.
 */

import { basename, extname, isAbsolute } from 'node:path';
import type { Disposable } from '../../api/index.ts';
import type { StrategyRegistry, Unavailable } from '../../core/compaction/hosting/registry.ts';
import type { ListedStrategy } from '../../core/compaction/strategies/strategyEntry.ts';
import { fileId, isFileId } from '../../core/compaction/strategies/strategyIds.ts';
import { UserFacingError, wordsOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { inEnglish, type Words, words } from '../../core/words.ts';
import { compileStrategyFile, loadStrategyFile } from './loadStrategyFile.ts';
import type { StrategyFile } from './program.ts';
import { readStrategyFile } from './readStrategyFile.ts';
import { within } from './within.ts';

interface StrategyFilesParts {
  readonly registry: StrategyRegistry;
  /** Absolute paths, as listed in the person's own settings. */
  readonly paths: () => readonly string[];
  readonly workspaceFolders: () => readonly string[];
  /** True when the person trusts the workspace. */
  readonly trusted: () => boolean;
  /** Hashes of the allowed contents. */
  readonly allowed: { get(): readonly string[]; set(hashes: readonly string[]): PromiseLike<void> };
  /** Asks the person whether these contents may be loaded. */
  readonly ask: (label: string, file: StrategyFile) => Promise<boolean>;
  /** Calls `changed` when the file was written, created or removed. */
  readonly watch: (path: string, changed: () => void) => Disposable;
  /** Tells the person what is wrong with the setting. */
  readonly warn: (fault: Words) => void;
  readonly log: Log;
}

interface ListedFile extends ListedStrategy {
  /** Its path. */
  readonly file: string;
}

interface Loaded {
  readonly hash: string;
  readonly registered: Disposable;
}

interface AllowedFile {
  readonly label: string;
  readonly path: string;
  readonly hash: string;
}

/** Maximum stored hashes of allowed contents; each save may add one. */
const MOST_ALLOWED = 500;
const LOADING_TIMEOUT_MS = 20_000;
const OWNER = 'you';

export class StrategyFiles {
  readonly #parts: StrategyFilesParts;
  readonly #loaded = new Map<string, Loaded>();
  readonly #watched = new Map<string, Disposable>();
  /** The content of each file when it was last read. */
  readonly #seen = new Map<string, string>();
  readonly #listeners = new Set<(id: string) => void>();
  /** Contents refused in this window: asked about again only when the strategy is chosen or run by hand. */
  readonly #refused = new Set<string>();
  /** Faults already reported: the setting is read each time the menu opens. */
  readonly #faults = new Set<string>();
  /** Files are prepared one at a time, so that nobody is asked twice. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: StrategyFilesParts) {
    this.#parts = parts;
    parts.registry.connect({
      owns: isFileId,
      activate: (id, deliberate, signal) => this.#makeReady(id, deliberate, signal),
      declared: () => [...this.#listed().values()],
    });
    this.follow();
  }

  /** Reads the setting again. */
  follow(): void {
    const listed = this.#listed();
    const paths = new Map([...listed.values()].map(({ id, file }) => [file, id]));
    for (const [id] of this.#loaded) if (!listed.has(id)) this.#drop(id);
    for (const [path, watching] of this.#watched) {
      if (paths.has(path)) continue;
      watching.dispose();
      this.#watched.delete(path);
    }
    for (const [path, id] of paths) {
      if (!this.#watched.has(path))
        this.#watched.set(
          path,
          this.#parts.watch(path, () => void this.#check(id)),
        );
    }
  }

  /** Calls `listener` with the id when a file's contents differ from those read last. */
  onDidChange(listener: (id: string) => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** The contents in use, after asking about them if needed. Throws a `UserFacingError` with the reason if there are none. */
  async allowedFile(id: string, signal: AbortSignal): Promise<StrategyFile> {
    const unavailable = await this.#makeReady(id, true, signal);
    if (unavailable !== null) throw new UserFacingError(unavailable.reason);
    const file = await readStrategyFile(this.#listed().get(id)?.file ?? id, this.#parts.workspaceFolders());
    if (this.#loaded.get(id)?.hash === file.hash) return file;
    throw new UserFacingError(words('its file {0} changed in the meantime; try again', file.path));
  }

  /**
   * Contents that may be loaded: the present ones of listed files, with their paths, and the number of others.
   * Withdrawing disables the strategy at once.
   */
  async consents(): Promise<{ readonly files: readonly AllowedFile[]; readonly others: readonly string[] }> {
    const { allowed, workspaceFolders } = this.#parts;
    const read = [...this.#listed().values()].map(async ({ label, file }) => {
      const hash = await readStrategyFile(file, workspaceFolders()).then(
        (found) => found.hash,
        () => null,
      );
      return hash !== null && allowed.get().includes(hash) ? [{ label, path: file, hash }] : [];
    });
    const files = (await Promise.all(read)).flat();
    const named = new Set(files.map(({ hash }) => hash));
    return { files, others: allowed.get().filter((hash) => !named.has(hash)) };
  }

  /** These contents are asked about again before they are loaded. */
  async withdraw(hashes: readonly string[]): Promise<void> {
    const { allowed } = this.#parts;
    await allowed.set(allowed.get().filter((hash) => !hashes.includes(hash)));
    for (const [id, { hash }] of [...this.#loaded]) if (hashes.includes(hash)) this.#drop(id);
  }

  dispose(): void {
    for (const watching of this.#watched.values()) watching.dispose();
    for (const id of [...this.#loaded.keys()]) this.#drop(id);
  }

  /** By id. Omits unusable files, and warns the person once about each. */
  #listed(): ReadonlyMap<string, ListedFile> {
    const listed = new Map<string, ListedFile>();
    for (const file of new Set(this.#parts.paths())) {
      const name = basename(file, extname(file));
      const id = fileId(name);
      const fault = faultOf(file, id, listed);
      if (fault === null && id !== null) listed.set(id, { id, label: name, description: '', publisher: OWNER, file });
      else if (fault !== null) this.#warnOnce(fault);
    }
    return listed;
  }

  #warnOnce(fault: Words): void {
    const text = inEnglish(fault);
    if (this.#faults.has(text)) return;
    this.#faults.add(text);
    this.#parts.log('warn', text);
    this.#parts.warn(fault);
  }

  /** Null when its present contents are registered and may be used. One at a time, in the order of the calls. */
  #makeReady(id: string, deliberate: boolean, signal: AbortSignal): Promise<Unavailable | null> {
    const made = this.#last.then(() => this.#prepare(id, deliberate, signal));
    this.#last = made.catch(() => undefined);
    return made;
  }

  async #prepare(id: string, deliberate: boolean, signal: AbortSignal): Promise<Unavailable | null> {
    const listed = this.#listed().get(id);
    if (!listed) return missing(words('the setting palimpsest.compaction.strategyFiles names no file for it'));
    try {
      const unavailable = await this.#load(listed, deliberate, signal);
      if (unavailable !== null) this.#drop(id);
      return unavailable;
    } catch (thrown) {
      this.#drop(id);
      return missing(wordsOf(thrown));
    }
  }

  async #load(listed: ListedFile, deliberate: boolean, signal: AbortSignal): Promise<Unavailable | null> {
    const { registry, trusted, workspaceFolders, log } = this.#parts;
    if (!trusted()) return missing(words('strategies in files are not loaded in Restricted Mode'));
    const file = await readStrategyFile(listed.file, workspaceFolders());
    this.#seen.set(listed.id, file.hash);
    if (this.#loaded.get(listed.id)?.hash === file.hash) return null;
    this.#drop(listed.id);
    // Before the question: nobody is asked about a file that cannot be loaded.
    const code = await compileStrategyFile(file);
    const answer = await this.#ask(listed.label, file, deliberate);
    if (answer !== 'allowed') {
      const reason = words('its file {0} was not allowed to be loaded as it is now', file.path);
      return { kind: 'declined', reason, now: answer === 'declined' };
    }
    const factory = await within(loadStrategyFile(file, code), LOADING_TIMEOUT_MS, signal);
    log('info', `the strategy ${listed.id} was loaded from ${file.path}`);
    this.#loaded.set(listed.id, { hash: file.hash, registered: registry.register({ ...listed, factory }) });
    return null;
  }

  /** `earlier`: declined before in this window, and not asked about again. */
  async #ask(label: string, file: StrategyFile, deliberate: boolean): Promise<'allowed' | 'declined' | 'earlier'> {
    const { allowed, ask } = this.#parts;
    const { hash } = file;
    if (allowed.get().includes(hash)) return 'allowed';
    if (this.#refused.has(hash) && !deliberate) return 'earlier';
    if (!(await ask(label, file))) {
      this.#refused.add(hash);
      return 'declined';
    }
    await allowed.set([...allowed.get().filter((each) => each !== hash), hash].slice(-MOST_ALLOWED));
    return 'allowed';
  }

  /** Called after a change on disk. Saving the same contents again changes nothing. */
  async #check(id: string): Promise<void> {
    const listed = this.#listed().get(id);
    if (!listed) return;
    const now = await readStrategyFile(listed.file, this.#parts.workspaceFolders()).then(
      ({ hash }) => hash,
      (thrown: unknown) => inEnglish(wordsOf(thrown)),
    );
    if (this.#seen.get(id) === now) return;
    this.#seen.set(id, now);
    this.#drop(id);
    for (const listener of [...this.#listeners]) listener(id);
  }

  /** Ends its running calls. */
  #drop(id: string): void {
    const loaded = this.#loaded.get(id);
    this.#loaded.delete(id);
    loaded?.registered.dispose();
  }
}

const missing = (reason: Words): Unavailable => ({ kind: 'missing', reason });

function faultOf(file: string, id: string | null, listed: ReadonlyMap<string, unknown>): Words | null {
  if (!isAbsolute(file))
    return words('The setting palimpsest.compaction.strategyFiles contains {0}, which is not an absolute path.', file);
  if (id === null) {
    return words(
      'The setting palimpsest.compaction.strategyFiles names {0}: name the file with letters, digits and hyphens.',
      file,
    );
  }
  if (listed.has(id)) {
    return words(
      'The setting palimpsest.compaction.strategyFiles lists two files named {0}. Rename one of them.',
      file,
    );
  }
  return null;
}
