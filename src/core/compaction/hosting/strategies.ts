/**
 * The strategies of a session: the chosen one runs, or the default when it is missing, cannot be created, or failed too
 * often in this session. A fallback is never silent: it is noted in the transcript, once for each reason. In place of
 * a strategy that the person declined nothing runs unasked.
 */

import type { Disposable } from '../../../api/index.ts';
import type { Journal } from '../../journal/journal.ts';
import { makeNote } from '../../journal/makeNote.ts';
import type { Log } from '../../log.ts';
import { inEnglish, type Words, words } from '../../words.ts';
import type { CompactionSettings } from '../settings/compactionSettings.ts';
import { DEFAULT_STRATEGY } from '../strategies/builtIn.ts';
import type { StrategyEntry } from '../strategies/strategyEntry.ts';
import { isFileId } from '../strategies/strategyIds.ts';
import type { StrategyRegistry } from './registry.ts';
import { StrategyHost } from './strategyHost.ts';

type Choice =
  /** `refused`: why the chosen one cannot be used; omitted where `entry` is the chosen one. */
  | { readonly kind: 'chosen'; readonly entry: StrategyEntry; readonly refused?: Words }
  /** `now` as in `Unavailable`; `instead` could run if the person agrees to that. */
  | { readonly kind: 'declined'; readonly now: boolean; readonly instead: StrategyEntry }
  | { readonly kind: 'stopped' };

/** A contributed strategy is disabled for the session after this many failures of its own. */
const MOST_FAILURES = 3;

interface Ports {
  readonly journal: Journal;
  readonly registry: StrategyRegistry;
  readonly log: Log;
}

export class Strategies {
  /** Holds the one that is in use. */
  readonly host: StrategyHost;
  readonly #ports: Ports;
  /** Strategies that cannot be created, and why. Another version of a person's file is another entry. */
  readonly #broken = new WeakMap<StrategyEntry, Words>();
  readonly #failures = new Map<string, number>();
  readonly #noted = new Set<string>();
  readonly #registered: Disposable;

  constructor(ports: Ports) {
    this.#ports = ports;
    this.host = new StrategyHost(ports.log);
    this.#registered = ports.registry.onDidChange((id) => {
      this.host.release(id);
      // Another version of a person's file begins without failures.
      if (isFileId(id)) this.#failures.delete(id);
    });
  }

  dispose(): void {
    this.#registered.dispose();
    this.host.release();
  }

  async choose(
    { strategy: id, chosenBy }: Pick<CompactionSettings, 'strategy' | 'chosenBy'>,
    deliberate: boolean,
    signal: AbortSignal,
  ): Promise<Choice> {
    const resolved = await this.#resolve(id, deliberate, signal);
    if (signal.aborted) return { kind: 'stopped' };
    if (resolved.kind === 'found') return { kind: 'chosen', entry: resolved.entry };
    const fallback = this.#ports.registry.get(DEFAULT_STRATEGY);
    if (!fallback) throw new Error(`The registry has no ${DEFAULT_STRATEGY}`);
    if (resolved.kind === 'declined') return { kind: 'declined', now: resolved.now, instead: fallback };
    const { reason: chosen } = resolved;
    const { label } = fallback;
    await this.#note(describeFallback(id, chosen, words(label), chosenBy));
    return { kind: 'chosen', entry: fallback, refused: chosen };
  }

  async #resolve(id: string, deliberate: boolean, signal: AbortSignal): ReturnType<StrategyRegistry['resolve']> {
    if (this.#failedTooOften(id))
      return { kind: 'missing', reason: words('it failed {0} times in this session', MOST_FAILURES) };
    const resolved = await this.#ports.registry.resolve(id, deliberate, signal);
    if (resolved.kind !== 'found') return resolved;
    const { entry } = resolved;
    const known = this.#broken.get(entry);
    if (known) return { kind: 'missing', reason: known };
    const hosted = this.host.use(entry);
    if (hosted.kind === 'ready') return resolved;
    this.#broken.set(entry, hosted.reason);
    return { kind: 'missing', reason: hosted.reason };
  }

  /** True when it cannot be created, or failed too often in this session, so that another is used. */
  isDisabled(id: string): boolean {
    const entry = this.#ports.registry.get(id);
    return this.#failedTooOften(id) || (entry !== null && this.#broken.has(entry));
  }

  #failedTooOften(id: string): boolean {
    return (this.#failures.get(id) ?? 0) >= MOST_FAILURES && this.#ports.registry.get(id)?.publisher !== null;
  }

  /** Counts a failure of the strategy itself; an unreachable model does not count. */
  countFailure(id: string): void {
    this.#failures.set(id, (this.#failures.get(id) ?? 0) + 1);
  }

  async #note(message: Words): Promise<void> {
    const text = inEnglish(message);
    this.#ports.log('warn', text);
    if (this.#noted.has(text)) return;
    this.#noted.add(text);
    await this.#ports.journal.append(makeNote('warning', message));
  }
}

/** Which strategy runs in place of the chosen one, why, and where another can be chosen. */
function describeFallback(id: string, reason: Words, instead: Words, chosenBy: CompactionSettings['chosenBy']): Words {
  switch (chosenBy?.by) {
    case 'agent':
      return words(
        'The compaction strategy {0} cannot be used: {1}. {2} is used instead. The agent’s file {3} names it: change its line “strategy”, or remove it.',
        id,
        reason,
        instead,
        chosenBy.file,
      );
    case 'session':
      return words(
        'The compaction strategy {0} cannot be used: {1}. {2} is used instead. It was chosen for this session: choose another with /strategy.',
        id,
        reason,
        instead,
      );
    default:
      return words(
        'The compaction strategy {0} cannot be used: {1}. {2} is used instead. Choose another in the setting palimpsest.compaction.strategy.',
        id,
        reason,
        instead,
      );
  }
}
