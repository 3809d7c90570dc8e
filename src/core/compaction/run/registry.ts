/**
 * The strategies that can be chosen: the built-in ones, those that other extensions registered, and those in a person's
 * own files. All are the same kind of thing, and only `publisher` and `file` tell them apart.
 */

import type { Disposable, StrategyId } from '../../../api/index.ts';
import { type Words, words } from '../../words.ts';
import { BUILT_IN_STRATEGIES } from '../strategies/builtIn.ts';
import type { ListedStrategy, StrategyEntry } from './strategyEntry.ts';

type Resolution =
  | { readonly kind: 'found'; readonly entry: StrategyEntry }
  /** `reason` says in words what is wrong with it and what can be done. */
  | { readonly kind: 'missing'; readonly reason: Words };

/** Where strategies that are not built in come from. */
export interface StrategySource {
  readonly owns: (id: string) => boolean;
  /**
   * Makes a strategy available, and asks for consent. Called for unknown ids and before each use. Null is success.
   * `deliberate`: a person asked for it just now, so what they refused before may be asked again.
   */
  readonly activate: (id: string, deliberate: boolean, signal: AbortSignal) => Promise<Words | null>;
  /** What can be chosen, also before it is available. */
  readonly declared: () => readonly ListedStrategy[];
}

export class StrategyRegistry {
  readonly #entries = new Map<string, StrategyEntry>();
  readonly #listeners = new Set<(id: string) => void>();
  readonly #sources: StrategySource[] = [];

  constructor(entries: readonly StrategyEntry[] = BUILT_IN_STRATEGIES) {
    for (const entry of entries) this.#entries.set(entry.id, entry);
  }

  get(id: string): StrategyEntry | null {
    return this.#entries.get(id) ?? null;
  }

  connect(source: StrategySource): void {
    this.#sources.push(source);
  }

  async resolve(id: string, deliberate: boolean, signal: AbortSignal): Promise<Resolution> {
    const here = this.#entries.get(id);
    if (here && here.publisher === null) return { kind: 'found', entry: here };
    const source = this.#sources.find(({ owns }) => owns(id));
    const refusal = source ? await source.activate(id, deliberate, signal) : null;
    const entry = this.#entries.get(id);
    if (refusal !== null) return { kind: 'missing', reason: refusal };
    if (entry) return { kind: 'found', entry };
    return { kind: 'missing', reason: words('no installed extension registers the strategy {0}', id) };
  }

  /** Everything that can be chosen, registered or only declared, the built-in ones first. */
  list(): readonly ListedStrategy[] {
    const declared = this.#sources.flatMap((source) => source.declared());
    const waiting = declared.filter(({ id }) => !this.#entries.has(id));
    return [...this.#entries.values(), ...waiting];
  }

  /** Throws when the id is taken. Disposing takes the strategy out and tells listeners, who end its running calls. */
  register(entry: StrategyEntry): Disposable {
    if (this.#entries.has(entry.id)) throw new Error(`The compaction strategy ${entry.id} is already registered.`);
    // A copy of its own tells this registration from a later one of the same object.
    const own = { ...entry };
    this.#entries.set(entry.id, own);
    this.#tell(entry.id);
    return {
      dispose: () => {
        if (this.#entries.get(entry.id) !== own) return;
        this.#entries.delete(entry.id);
        this.#tell(entry.id);
      },
    };
  }

  /** Calls `listener` with the id of each strategy that came or went. */
  onDidChange(listener: (id: string) => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  #tell(id: string): void {
    for (const listener of this.#listeners) listener(id);
  }
}

/** One element of `contributes.palimpsest.compactionStrategies`. */
export interface DeclaredStrategy {
  readonly id: StrategyId;
  readonly label: string;
  readonly description: string;
  readonly extension: string;
  readonly publisher: string;
  /** Configuration section of that extension whose values the strategy reads; null when it has none. */
  readonly section: string | null;
  /** Full keys of the section's settings, as that extension's manifest contributes them. */
  readonly keys: readonly string[];
}

interface Declarations {
  readonly strategies: readonly DeclaredStrategy[];
  /** Declarations that cannot be used, in words. */
  readonly problems: readonly string[];
}

const EXTENSION = /^[a-z0-9-]+\.[a-z0-9-]+$/i;

const NAME = /^[a-z0-9-]{1,64}$/i;

const LONGEST_LABEL = 80;

const LONGEST_DESCRIPTION = 400;

/** `extension` is its id, `publisher.name`. */
export function readDeclarations(extension: string, manifest: unknown): Declarations {
  const declared = at(manifest, 'contributes', 'palimpsest', 'compactionStrategies');
  if (declared === undefined) return { strategies: [], problems: [] };
  if (!Array.isArray(declared)) {
    return { strategies: [], problems: [`${extension}: contributes.palimpsest.compactionStrategies is not a list`] };
  }
  // People consent to a publisher by name, so no name may look like another's. The gallery allows no other letters either.
  if (!EXTENSION.test(extension)) {
    return {
      strategies: [],
      problems: [`${extension}: its publisher and name are not of letters, digits and hyphens`],
    };
  }
  const strategies = new Map<string, DeclaredStrategy>();
  const problems: string[] = [];
  for (const [i, given] of declared.entries()) {
    const read = readDeclaration(extension, manifest, given);
    if (typeof read === 'string') problems.push(`${extension}: compaction strategy ${i} ${read}`);
    else if (strategies.has(read.id)) problems.push(`${extension}: the strategy ${read.id} is declared twice`);
    else strategies.set(read.id, read);
  }
  return { strategies: [...strategies.values()], problems };
}

function readDeclaration(extension: string, manifest: unknown, given: unknown): DeclaredStrategy | string {
  const name = at(given, 'name');
  if (typeof name !== 'string' || !NAME.test(name)) return 'has no name of letters, digits and hyphens';
  const label = at(given, 'label');
  if (typeof label !== 'string' || label.trim() === '') return `(${name}) has no label`;
  const description = at(given, 'description');
  const settings = at(given, 'settings');
  if (settings !== undefined && typeof settings !== 'string')
    return `(${name}) names its settings by something else than a section`;
  const publisher = extension.split('.')[0] ?? extension;
  return {
    id: `${extension}/${name}` as StrategyId,
    label: oneLine(label, LONGEST_LABEL),
    description: typeof description === 'string' ? oneLine(description, LONGEST_DESCRIPTION) : '',
    extension,
    publisher,
    section: settings ?? null,
    keys: settings === undefined ? [] : keysOf(manifest, settings),
  };
}

/** Only what the extension itself contributes: no strategy reads another extension's settings through us. */
function keysOf(manifest: unknown, section: string): string[] {
  const configuration = at(manifest, 'contributes', 'configuration');
  const parts: unknown[] = Array.isArray(configuration) ? configuration : [configuration];
  const keys = parts.flatMap((part) => {
    const properties = at(part, 'properties');
    return typeof properties === 'object' && properties !== null ? Object.keys(properties) : [];
  });
  return keys.filter((key) => key.startsWith(`${section}.`));
}

function at(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const key of path) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = (here as Record<string, unknown>)[key];
  }
  return here;
}

/** Shown in menus and, quoted, in the question of consent: short, without line breaks, hidden characters or quotes. */
function oneLine(text: string, longest: number): string {
  return text
    .replace(/[\p{C}\s]+/gu, ' ')
    .replace(/["“”„‟«»]/g, "'")
    .trim()
    .slice(0, longest);
}
