/**
 * Makes contributed strategies work: registers them, activates their extensions on first use, and asks for consent once
 * for each publisher. If one is missing, late or gone, the person is told why; no other strategy replaces it silently.
 */

import * as vscode from 'vscode';
import type { Disposable } from '../../api/index.ts';
import type { DeclaredStrategy } from '../../core/compaction/hosting/contributed.ts';
import type { StrategyRegistry, Unavailable } from '../../core/compaction/hosting/registry.ts';
import type { AnyFactory } from '../../core/compaction/strategies/strategyEntry.ts';
import { extensionOf, isFileId } from '../../core/compaction/strategies/strategyIds.ts';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { type Words, words } from '../../core/words.ts';
import { within } from '../../node/strategyFiles/within.ts';
import { confirmInDialog } from '../notices/notify.ts';
import type { PublicApi, Registration } from './publicApi.ts';

/**
 * Publishers that may see conversations. Stored in global state, because a workspace cannot consent for a person. The
 * second list: with the first, nobody was told of the system prompt.
 */
const CONSENT_KEY = 'palimpsest.strategyPublishers.2';
const ACTIVATION_TIMEOUT_MS = 20_000;

interface AllowedPublisher {
  readonly label: string;
  /** Its strategies. */
  readonly description: string;
  /** Its next use asks again. */
  readonly withdraw: () => PromiseLike<void>;
}

export class ContributedStrategies implements vscode.Disposable {
  readonly #api: PublicApi;
  readonly #registry: StrategyRegistry;
  readonly #consent: vscode.Memento;
  readonly #log: Log;
  readonly #registered = new Map<string, Disposable>();
  /** Bad declarations already reported: manifests are read each time the menu opens. */
  readonly #problems = new Set<string>();
  /**
   * Publishers refused in this window. Asked again only when the strategy is chosen or run by hand, not at every
   * trigger.
   */
  readonly #refused = new Set<string>();
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #disposables: Disposable[];

  /** Fires when a publisher's permission to see conversations was given or withdrawn. */
  readonly onDidChangeAllowed = this.#changed.event;

  constructor(api: PublicApi, registry: StrategyRegistry, consent: vscode.Memento, log: Log) {
    this.#api = api;
    this.#registry = registry;
    this.#consent = consent;
    this.#log = log;
    registry.connect({
      owns: (id) => !isFileId(id),
      activate: (id, deliberate, signal) => this.#activate(id, deliberate, signal),
      declared: () => this.declared(),
    });
    this.#disposables = [
      this.#changed,
      api.follow((change, registration) => this.#follow(change, registration)),
      vscode.extensions.onDidChange(() => api.removeGone()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('palimpsest.compaction')) this.#refused.clear();
      }),
    ];
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
    for (const registered of this.#registered.values()) registered.dispose();
  }

  /** Every declared strategy, active or not. */
  declared(): readonly DeclaredStrategy[] {
    return this.#api.declared((text) => {
      if (this.#problems.has(text)) return;
      this.#problems.add(text);
      this.#log('warn', text);
    });
  }

  /** The configuration sections that contributed strategies name. */
  sections(): string[] {
    return this.declared().flatMap(({ section }) => section ?? []);
  }

  /** Values of the configuration section of a contributed strategy, by their keys below it. */
  section(id: string): Readonly<Record<string, unknown>> {
    const declared = this.declared().find((it) => it.id === id);
    if (!declared?.section) return {};
    const { section, keys } = declared;
    const values = vscode.workspace.getConfiguration();
    return Object.fromEntries(keys.map((key) => [key.slice(section.length + 1), values.get(key)]));
  }

  /** Publishers allowed to see conversations, each with its strategies here. */
  allowedPublishers(): AllowedPublisher[] {
    return this.#allowed.map((key) => {
      const own = this.declared().filter(({ publisher }) => publisher.toLowerCase() === key);
      return {
        label: own[0]?.publisher ?? key,
        description: own.length > 0 ? own.map(({ label }) => label).join(', ') : vscode.l10n.t('not installed'),
        withdraw: () => this.#allowOnly(this.#allowed.filter((each) => each !== key)),
      };
    });
  }

  isAllowed(publisher: string): boolean {
    return this.#allowed.includes(publisher.toLowerCase());
  }

  async #allowOnly(publishers: readonly string[]): Promise<void> {
    await this.#consent.update(CONSENT_KEY, publishers);
    this.#changed.fire();
  }

  get #allowed(): readonly string[] {
    return this.#consent.get<readonly string[]>(CONSENT_KEY, []);
  }

  #follow(change: 'added' | 'removed', { declared, factory }: Registration): void {
    const { id, label, description, publisher } = declared;
    this.#registered.get(id)?.dispose();
    this.#registered.delete(id);
    this.#log('info', `the strategy ${id} was ${change}`);
    if (change === 'removed') return;
    const entry = { id, label, description, publisher, factory: factory as AnyFactory };
    this.#registered.set(id, this.#registry.register(entry));
  }

  /** Null when the strategy is registered and may be used. */
  async #activate(id: string, deliberate: boolean, signal: AbortSignal): Promise<Unavailable | null> {
    const extension = vscode.extensions.getExtension(extensionOf(id));
    if (!extension) return missing(words('the extension {0} is not installed or is disabled', extensionOf(id)));
    const declared = this.declared().find((it) => it.id === id);
    if (!declared) return missing(words('the extension {0} declares no such strategy', extension.id));
    const refusal = await this.#askConsent(declared, deliberate);
    if (refusal !== null) return refusal;
    // A registration before its extension ever ran comes from another extension. Activating reveals that: the right
    // extension then finds its id taken.
    if (this.#registry.get(id) && extension.isActive) return null;
    try {
      await within(Promise.resolve(extension.activate()), ACTIVATION_TIMEOUT_MS, signal);
    } catch (thrown) {
      const why = messageOf(thrown).slice(0, 200).replace(/\.+$/, '');
      return missing(words('the extension {0} could not be activated ({1})', extension.id, why));
    }
    return this.#registry.get(id)
      ? null
      : missing(words('the extension {0} is active but did not register it', extension.id));
  }

  async #askConsent(
    { id, label, extension, publisher }: DeclaredStrategy,
    deliberate: boolean,
  ): Promise<Unavailable | null> {
    const key = publisher.toLowerCase();
    if (this.isAllowed(publisher)) return null;
    const reason = words('its publisher “{0}” was not allowed to see the conversation', publisher);
    if (this.#refused.has(id) && !deliberate) return { kind: 'declined', reason, now: false };
    const isAllowed = await confirmInDialog(
      vscode.l10n.t('Let “{0}” by the publisher “{1}” compact your conversations?', label, publisher),
      vscode.l10n.t(
        'The strategy comes from the extension {0}. It sees the whole conversation, with the contents of files and the output of commands in it, and may ask your models about it. Through a summary that continues your last request, the system prompt and your memory files may reach it, too. It gets no keys. This answer holds for every strategy of this publisher.',
        extension,
      ),
      vscode.l10n.t('Allow “{0}”', publisher),
    );
    if (!isAllowed) {
      this.#refused.add(id);
      return { kind: 'declined', reason, now: true };
    }
    await this.#allowOnly([...this.#allowed, key]);
    return null;
  }
}

const missing = (reason: Words): Unavailable => ({ kind: 'missing', reason });
