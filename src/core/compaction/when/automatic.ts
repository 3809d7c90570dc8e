/**
 * Decides when a compaction starts automatically, and what holds it back: an undo, a refusal, an attempt without a
 * result. Most of that is read from the journal, so that a resumed session holds and cools down as before.
 */

import type { ContextItem } from '../../context/item.ts';
import type { CompactionFailedEntry, Entry, SummaryWriter, TreeEntry } from '../../journal/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import { makeNote } from '../../journal/makeNote.ts';
import { parseObject } from '../../json.ts';
import { isOwnCount } from '../../tokens/meter.ts';
import { type Words, words } from '../../words.ts';
import type { ConsentFigures } from '../signals/consent.ts';
import type { CompactionOutcome } from '../signals/compactionSignal.ts';
import type { CompactionSettings } from '../settings/compactionSettings.ts';
import type { Gauge } from './gauge.ts';
import { hardLimit, type TriggerMoment } from './triggers.ts';

export type Automatic =
  | { readonly kind: 'still'; readonly reason: Words }
  /** `growth`: tokens by which the context must grow before it fires again, should this have no result. */
  | {
      readonly kind: 'fire';
      readonly trigger: 'threshold' | 'precheck';
      readonly growth: number;
      /** The next request may not fit: this cannot wait. */
      readonly urgent: boolean;
      /** The strategy asks for it before the settings would. */
      readonly early: boolean;
      readonly figures: ConsentFigures;
    };

type Fire = Extract<Automatic, { kind: 'fire' }>;

export class AutomaticTriggers {
  readonly #gauge: Gauge;
  readonly #journal: Journal;
  #overflows = 0;
  #refusals = 0;
  #fired: number | null = null;
  #heldBelow = 0;
  /** A person answered: they are not asked again at each message. */
  #answered = false;
  /** It fired, and waits for its summary. */
  #postponed: Fire | null = null;

  constructor(gauge: Gauge, journal: Journal) {
    this.#gauge = gauge;
    this.#journal = journal;
    // In a reopened session the person's answer still applies.
    this.#heldBelow = heldByRefusal(journal.backward());
    this.#answered = this.#heldBelow > 0;
  }

  /** Number of provider refusals since the last answer. */
  get refusals(): number {
    return this.#refusals;
  }

  /** The value compared when it fired, including a coming message or the margin; null while nothing runs for it. */
  get fired(): number | null {
    return this.#fired;
  }

  /**
   * Call when a turn begins: a failed compaction may be retried; a person's refusal holds until the context has grown.
   */
  beginTurn(): void {
    this.#overflows = 0;
    this.#refusals = 0;
    if (!this.#answered) this.#heldBelow = 0;
  }

  answered(): void {
    this.#refusals = 0;
  }

  /** Call when the provider refused a request as too long; returns how often in this turn. */
  countOverflow(): number {
    this.#refusals++;
    return ++this.#overflows;
  }

  /**
   * `say`: the strategy's own decision, whether or not the settings would compact; undefined where it leaves it to
   * them. `summary`: whether one is being prepared, or ready. A compaction that waited for it is then due, whatever the
   * strategy says now.
   */
  decide(
    settings: CompactionSettings,
    moment: TriggerMoment,
    say: boolean | undefined,
    summary: 'running' | 'ready' | null,
  ): Automatic {
    const decision = this.#decide(settings, moment, say);
    if (summary === null) this.#postponed = null;
    if (decision.kind === 'fire' || summary !== 'ready' || this.holds(settings)) return decision;
    return this.#postponed ?? decision;
  }

  #decide(settings: CompactionSettings, moment: TriggerMoment, say: boolean | undefined): Automatic {
    const { reading, window, answerRoom } = this.#gauge;
    const decision = this.#gauge.decide(settings.trigger, moment);
    const coming = moment.at === 'beforeCall' ? reading.tokens + settings.trigger.safetyMargin : 0;
    // Contexts that exceed the window are compacted whatever the trigger measures and in spite of any hold.
    const impossible = window > 0 && coming >= window - answerRoom;
    if (say === false && !impossible && coming < hardLimit(window, answerRoom, settings.trigger))
      return still(words('The strategy says that it is not time yet.'));
    if (decision.kind === 'below' && !impossible && !say) return still(words('The context is below its limit.'));
    const growth = growthOf(settings, window || reading.tokens);
    if (!impossible && this.holds(settings))
      return still(words('Paused until the context grows or you send a message.'));
    const message = moment.at === 'beforeMessage' ? Math.round(moment.tokens * reading.factor) : 0;
    const next = reading.tokens + message + settings.trigger.safetyMargin;
    const urgent = impossible || next >= hardLimit(window, answerRoom, settings.trigger);
    if (decision.kind === 'below') {
      const figures = { tokens: reading.tokens, window, ownCount: false };
      const trigger = moment.at === 'afterResponse' ? 'threshold' : 'precheck';
      return { kind: 'fire', trigger, growth, urgent, early: !impossible, figures };
    }
    this.#fired = decision.tokens;
    const ownCount = isOwnCount(settings.trigger.basis);
    // The margin and the coming message belong to the check, not to the present context.
    const tokens = settings.trigger.basis === 'estimate' ? reading.tokens : decision.tokens;
    const figures = { tokens, window: decision.maximum, ownCount };
    const messages = decision.clauses.includes('messages') ? { messages: this.#gauge.messages } : {};
    const { trigger } = decision;
    return { kind: 'fire', trigger, growth, urgent, early: false, figures: { ...figures, ...messages } };
  }

  /**
   * True when nothing would fire now, whatever the figures: a person undid or declined, and nothing has happened since.
   */
  holds(settings: CompactionSettings): boolean {
    const { reading, window } = this.#gauge;
    const growth = growthOf(settings, window || reading.tokens);
    return holdsAfterUndo(this.#journal.backward(), growth / reading.factor) || reading.tokens < this.#heldBelow;
  }

  postpone(decision: Fire): void {
    this.#fired = null;
    this.#postponed = decision;
  }

  /**
   * Decides from the outcome whether the next trigger is held. A refusal is recorded, with the size at which the person
   * is asked again.
   */
  async settle(outcome: CompactionOutcome, settings: CompactionSettings, { growth, figures }: Fire): Promise<void> {
    this.#fired = null;
    this.#postponed = null;
    const stillFires =
      outcome.kind !== 'compacted' || this.#gauge.decide(settings.trigger, { at: 'beforeCall' }).kind === 'fire';
    this.#answered = outcome.kind === 'refused' || (settings.requireConfirmation && outcome.kind !== 'failed');
    this.#heldBelow = stillFires ? Math.ceil(this.#gauge.reading.tokens + growth) : 0;
    if (outcome.kind !== 'refused' || outcome.choice !== 'notNow') return;
    // In the unit of the question, which a strategy's own estimator may have counted.
    const grown = growth * (figures.ownCount ? this.#gauge.scale(settings.trigger) : 1);
    const next = Math.ceil(figures.tokens + grown);
    const said = outcome.declined
      ? words(
          'Not compacted, because you did not allow the strategy {0}. You will be asked again at about {1} tokens.',
          outcome.declined,
          next,
        )
      : figures.ownCount
        ? words(
            'Not compacted, as you chose. You will be asked again at about {0} tokens, by this strategy’s own count.',
            next,
          )
        : words('Not compacted, as you chose. You will be asked again at about {0} tokens.', next);
    await this.#journal.append(makeNote('info', said, { heldBelow: this.#heldBelow }));
  }
}

/** Tokens by which the context must grow before another attempt. */
export const growthOf = ({ trigger }: Pick<CompactionSettings, 'trigger'>, window: number): number =>
  Math.max(1, trigger.holdGrowth * window);

const still = (reason: Words): Automatic => ({ kind: 'still', reason });

/** The freed tokens times this must outweigh the tokens read again. */
const WEIGHT = 2;

interface Expired {
  readonly index: number;
  readonly waits: boolean;
}

/**
 * Indices, oldest first; existing stubs are omitted. Deferred results go together, once they hold `outdatedTokens` and
 * half as much as would be read again; 0 keeps them. With `null` all go, because a compaction is about to change the
 * context anyway.
 */
export function findExpired(items: readonly ContextItem[], outdatedTokens: number | null): number[] {
  const expired = outdatedTokens === 0 ? findAll(items).filter(({ waits }) => !waits) : findAll(items);
  const first = outdatedTokens === null ? 0 : firstThatGoes(items, expired, outdatedTokens);
  return expired.flatMap(({ index }) => (index >= first ? [index] : []));
}

/** Everything after it is read again in any case, so all expired results there go too. */
function firstThatGoes(items: readonly ContextItem[], expired: readonly Expired[], least: number): number {
  let first = expired.find(({ waits }) => !waits)?.index ?? Number.POSITIVE_INFINITY;
  let freed = 0;
  let readAgain = 0;
  let at = items.length;
  for (const { index } of expired.toReversed()) {
    while (--at > index) readAgain += items[at]?.tokens ?? 0;
    freed += items[index]?.tokens ?? 0;
    if (freed >= least && freed * WEIGHT >= readAgain) first = Math.min(first, index);
  }
  return first;
}

function findAll(items: readonly ContextItem[]): Expired[] {
  const calls = new Map<string, string>();
  for (const { message } of items) {
    if (message.role !== 'assistant') continue;
    for (const call of message.toolCalls ?? []) calls.set(call.id, call.arguments);
  }
  const seen = new Map<string, number>();
  const expired: Expired[] = [];
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index];
    if (item?.message.role !== 'tool' || !item.message.ephemeral) continue;
    const { toolName, toolCallId, ephemeral } = item.message;
    const waits = ephemeral.of === 'call';
    const kind = waits ? `${toolName} ${normalise(calls.get(toolCallId) ?? '')}` : toolName;
    const newer = seen.get(kind) ?? 0;
    seen.set(kind, newer + 1);
    if (newer >= ephemeral.keepNewest && !item.hidden && !item.pinned) expired.push({ index, waits });
  }
  return expired.reverse();
}

/** Models format their arguments freely. */
function normalise(text: string): string {
  const parsed = parseObject(text);
  return parsed ? JSON.stringify(parsed) : text;
}

/**
 * After an undo, automatic triggers hold until a person writes or the context has grown by `growth` uncalibrated
 * tokens. `newestFirst` are the entries of the path, from the head back to the root; few of them are read.
 */
export function holdsAfterUndo(newestFirst: Iterable<TreeEntry>, growth: number): boolean {
  let grown = 0;
  for (const entry of newestFirst) {
    switch (entry.type) {
      case 'compactionUndone':
        return grown < growth;
      case 'compaction':
      case 'compactionRedone':
        return false;
      case 'message':
        if (entry.message.role === 'user' && entry.message.kind === 'user') return false;
        grown += entry.tokens;
        if (grown >= growth) return false;
        break;
      default:
        break;
    }
  }
  return false;
}

/**
 * Maximum entries searched for a refusal: for an older one, either the person was asked again or the context has not
 * grown.
 */
const REFUSAL = 2_000;

/**
 * The reading below which nothing fires, because a person declined a compaction; 0 without a refusal since the last
 * one. `newestFirst` as above.
 */
function heldByRefusal(newestFirst: Iterable<TreeEntry>): number {
  let looked = 0;
  for (const entry of newestFirst) {
    if (entry.type === 'note' && entry.heldBelow !== undefined) return Number(entry.heldBelow) || 0;
    if (entry.type.startsWith('compaction') || ++looked >= REFUSAL) return 0;
  }
  return 0;
}

interface CoolDownRule {
  readonly failures: number;
  readonly minutes: number;
}

export interface CoolDown {
  /** For a person: how long it lasts, and how to end it. */
  readonly said: Words;
}

/**
 * Set while no model may be asked: `strategy` failed `rule.failures` times in a row with the same `writer`, most
 * recently less than `rule.minutes` ago. A success of the same strategy ends the series; compactions of the ladder do
 * not, and failures with another writer are skipped. `now` is in milliseconds.
 */
export function findCoolDown(
  entries: readonly Entry[],
  strategy: string,
  writer: SummaryWriter | null,
  rule: CoolDownRule,
  now: number,
): CoolDown | null {
  let failures = 0;
  let until = 0;
  for (let i = entries.length - 1; i >= 0; i--) {
    const entry = entries[i] as Entry;
    if (entry.type === 'compaction' && entry.strategy === strategy) return null;
    if (entry.type !== 'compactionFailed' || entry.strategy !== strategy || !isBy(entry, writer)) continue;
    const failed = Date.parse(entry.time);
    if (failures === 0) until = failed + rule.minutes * 60_000;
    // A failure in the future means that the clock was set back: the pause must not last until then.
    if (failures === 0 && (failed > now || now >= until)) return null;
    failures++;
    if (failures >= rule.failures) return { said: describeCoolDown(writer, failures, until - now) };
  }
  return null;
}

/** Older failures do not name the writer. */
function isBy({ writer: known }: CompactionFailedEntry, writer: SummaryWriter | null): boolean {
  return !known || (known.endpoint === writer?.endpoint && known.model === writer.model);
}

function describeCoolDown(writer: SummaryWriter | null, failures: number, ms: number): Words {
  return words(
    'Summaries by {0} failed {1} times in a row, so it is not asked for another {2} min. To continue at once, choose another model in palimpsest.compaction.summary.model, or another strategy.',
    writer?.model ?? '?',
    failures,
    Math.ceil(ms / 60_000),
  );
}

/** True when every call of the newest answer has its result: only then may the context change its shape. */
export function isQuiescent(conversation: readonly ContextItem[]): boolean {
  const at = conversation.findLastIndex(({ message }) => message.role === 'assistant');
  const answer = conversation[at]?.message;
  if (answer?.role !== 'assistant' || answer.interrupted || !answer.toolCalls?.length) return true;
  const answered = new Set<string>();
  for (const { message } of conversation.slice(at + 1)) if (message.role === 'tool') answered.add(message.toolCallId);
  // A later user message closes abandoned calls: lowering answers them.
  if (conversation.slice(at + 1).some(({ message }) => message.role === 'user')) return true;
  return answer.toolCalls.every((call) => answered.has(call.id));
}
