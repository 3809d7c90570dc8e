/**
 * The API that other extensions get from `getAPI(1)`. It is created on activation, before the product is loaded, and
 * keeps registrations until the registry exists. It is part of the start path: the product imports this class as a type
 * only, so that the bundle keeps it in the entry. VS Code does not reveal which extension calls: all of them share one
 * process and these objects.
 */

import type * as vscode from 'vscode';
import type {
  CompactionEvent,
  CompactionPhase,
  CompactionStart,
  Disposable,
  PalimpsestApi,
  PalimpsestExports,
  StrategyFactory,
  StrategyId,
  StrategyPorts,
} from '../../api/index.ts';
import { type DeclaredStrategy, readDeclarations } from '../../core/compaction/hosting/contributed.ts';

class UnsupportedApiVersion extends Error {
  override readonly name = 'UnsupportedApiVersion';

  constructor(version: unknown) {
    super(`Palimpsest has no API version ${String(version)}: this release offers version 1.`);
  }
}

export interface Registration {
  readonly declared: DeclaredStrategy;
  readonly factory: StrategyFactory<keyof StrategyPorts>;
}

/** The part of `vscode.extensions` that is needed. */
export type InstalledExtensions = Pick<typeof vscode.extensions, 'all' | 'getExtension'>;

type RegistrationListener = (change: 'added' | 'removed', registration: Registration) => void;

/** Listeners of one kind of event. A function may be subscribed twice; each subscription is disposed of separately. */
class Subscriptions<Event extends object> {
  readonly #name: string;
  readonly #subscribed = new Set<{ readonly listener: (event: Event) => void }>();

  constructor(name: string) {
    this.#name = name;
  }

  subscribe(listener: (event: Event) => void): Disposable {
    if (typeof listener !== 'function') throw new TypeError(`${this.#name} needs a function.`);
    const subscription = { listener };
    this.#subscribed.add(subscription);
    return { dispose: () => this.#subscribed.delete(subscription) };
  }

  /** A listener that throws does not affect the others. */
  fire(event: Event, onError: (thrown: unknown) => void): void {
    // A copy: a listener may subscribe another, which gets only later events.
    for (const { listener } of [...this.#subscribed]) {
      try {
        listener(Object.freeze({ ...event }));
      } catch (thrown) {
        onError(thrown);
      }
    }
  }
}

export class PublicApi {
  readonly exports: PalimpsestExports;
  readonly #extensions: InstalledExtensions;
  readonly #registrations = new Map<string, Registration>();
  readonly #listeners = new Set<RegistrationListener>();
  readonly started = new Subscriptions<CompactionStart>('onWillCompact');
  readonly compacted = new Subscriptions<CompactionEvent>('onDidCompact');
  readonly progressed = new Subscriptions<CompactionPhase>('onDidProgress');

  constructor(extensions: InstalledExtensions) {
    this.#extensions = extensions;
    const api: PalimpsestApi = Object.freeze({
      version: 1 as const,
      registerCompactionStrategy: <N extends keyof StrategyPorts>(id: StrategyId, factory: StrategyFactory<N>) =>
        this.#register(id, factory as unknown as Registration['factory']),
      onWillCompact: (listener: (event: CompactionStart) => void) => this.started.subscribe(listener),
      onDidCompact: (listener: (event: CompactionEvent) => void) => this.compacted.subscribe(listener),
      onDidProgress: (listener: (event: CompactionPhase) => void) => this.progressed.subscribe(listener),
    });
    this.exports = Object.freeze({
      getAPI: (version: 1) => {
        if (version !== 1) throw new UnsupportedApiVersion(version);
        return api;
      },
    });
  }

  /** Calls `listener` for each existing registration, and for each later change. */
  follow(listener: RegistrationListener): Disposable {
    for (const registration of this.#registrations.values()) listener('added', registration);
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** Every declaration of every installed and enabled extension. */
  declared(onProblem: (text: string) => void): DeclaredStrategy[] {
    return this.#extensions.all.flatMap(({ id, packageJSON }) => {
      const { strategies, problems } = readDeclarations(id, packageJSON);
      problems.forEach(onProblem);
      return strategies;
    });
  }

  #register(id: StrategyId, factory: Registration['factory']): Disposable {
    if (typeof id !== 'string')
      throw new TypeError('registerCompactionStrategy needs an id, publisher.extension/name.');
    if (typeof factory?.create !== 'function' || !Array.isArray(factory.needs)) {
      throw new TypeError(`The strategy ${id} needs a factory with needs and create.`);
    }
    const declared = this.#findDeclared(id);
    if (!declared) {
      throw new Error(
        `The strategy ${id} is not declared by an installed extension: add it to contributes.palimpsest.compactionStrategies of its extension, and write its id exactly as that extension's publisher, name and the strategy's name are written.`,
      );
    }
    if (this.#registrations.has(id)) throw new Error(`The compaction strategy ${id} is already registered.`);
    const registration: Registration = { declared, factory };
    this.#registrations.set(id, registration);
    for (const listener of this.#listeners) listener('added', registration);
    return { dispose: () => this.#remove(id, registration) };
  }

  #remove(id: string, registration: Registration): void {
    if (this.#registrations.get(id) !== registration) return;
    this.#registrations.delete(id);
    for (const listener of this.#listeners) listener('removed', registration);
  }

  /** Removes the registrations of extensions that are gone, whether or not they disposed of them. */
  removeGone(): void {
    for (const [id, registration] of this.#registrations) if (!this.#findDeclared(id)) this.#remove(id, registration);
  }

  /**
   * The id must match exactly: VS Code finds extensions regardless of case, and two spellings would become two
   * registrations.
   */
  #findDeclared(id: string): DeclaredStrategy | null {
    const extension = this.#extensions.getExtension(id.slice(0, Math.max(0, id.indexOf('/'))));
    if (!extension) return null;
    const { strategies } = readDeclarations(extension.id, extension.packageJSON);
    return strategies.find((declared) => declared.id === id) ?? null;
  }
}
