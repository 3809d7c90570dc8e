/**
 * Runs a strategy of the product in the lab: the recorded messages are appended to a journal in memory, and the
 * product's own compactor meters, triggers, runs and validates the strategy whenever a turn would ask it.
 */

import type { Agent } from '../../core/agent/agent.ts';
import type { Compactor } from '../../core/compaction/compactor.ts';
import type { CompactionSignal } from '../../core/compaction/signals/compactionSignal.ts';
import type { ContextItem } from '../../core/context/item.ts';
import { bodyHash, LOWERING_VERSION, turnRequest } from '../../core/context/lower.ts';
import type { Message } from '../../core/context/message.ts';
import type { Crypto } from '../../core/crypto.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { readWords } from '../../core/words.ts';
import type { Contender } from '../contender.ts';
import { FIXED_TOKENS } from '../costMeter.ts';
import { type PreparedSession, systemLength } from '../prepareSession.ts';
import { commonPrefix, type Literal, messageTokens, type Part, type Request } from '../request.ts';
import { RunAccount } from '../runAccount.ts';
import type { RecordedMessage } from '../session.ts';
import { coreMessages, type LabAgentOptions, LabClock, openLabAgent, toRecorded } from './coreMessages.ts';
import { LabModel, type SummarySource } from './labModel.ts';

export interface LiveOptions extends LabAgentOptions {
  readonly summaries: SummarySource;
}

/** Throws when a setting is invalid. */
export async function makeLiveContender(
  strategy: string,
  prepared: PreparedSession,
  options: LiveOptions,
): Promise<Contender> {
  const clock = new LabClock(prepared.times.saidAt(0));
  const model = new LabModel(prepared.session, options.summaries, options.window, clock);
  const runs = new RunAccount(strategy);
  const onCompaction = (signal: CompactionSignal) => runs.follow(signal);
  const agent = await openLabAgent(model.choice, strategy, clock, { ...options, onCompaction });
  const contender = new LiveContender(prepared, { ...options, model, clock, agent, runs });
  await contender.open();
  return contender;
}

interface LiveParts extends LiveOptions {
  readonly model: LabModel;
  readonly clock: LabClock;
  readonly agent: Agent;
  readonly runs: RunAccount;
}

class LiveContender implements Contender {
  readonly #prepared: PreparedSession;
  readonly #core: ReturnType<typeof coreMessages>;
  readonly #journal: Journal;
  readonly #compactor: Compactor;
  readonly #model: LabModel;
  readonly #clock: LabClock;
  readonly #runs: RunAccount;
  readonly #window: number;
  readonly #crypto: Crypto;
  /** Whether summaries may continue the newest request. */
  readonly #continues: boolean;
  readonly #recordedPlaces: ReadonlySet<number>;
  /** Index of the recorded message for an item's id. */
  readonly #indices = new Map<string, number>();
  readonly #literals = new WeakMap<Message, Literal>();
  readonly #latest = new Map<string, Literal>();
  /** Index of the next message to append; the leading system messages are in the header. */
  #next: number;
  /** Size of the newest request as the lab's provider reports it: in the lab's tokens, without the fixed part. */
  #sent = 0;
  /** The tokens of it that the cache held, which the lab's costs assume. */
  #cached = 0;
  #before: readonly Part[] = [];

  constructor(prepared: PreparedSession, { window, crypto, summaries, model, clock, agent, runs }: LiveParts) {
    this.#prepared = prepared;
    this.#window = window;
    this.#crypto = crypto;
    this.#continues = summaries.kind === 'scripted';
    this.#core = coreMessages(prepared);
    this.#model = model;
    this.#clock = clock;
    this.#runs = runs;
    const recorded = summaries.kind === 'recorded' ? prepared.session.compactions : [];
    this.#recordedPlaces = new Set(recorded.flatMap(({ after, summary }) => (summary === '' ? [] : [after])));
    this.#next = systemLength(prepared);
    this.#journal = agent.journal;
    this.#journal.listen((entry) => {
      if (entry.type === 'note' && entry.level === 'warning') runs.warn(readWords(entry.words, entry.text));
    });
    this.#compactor = agent.compactor;
  }

  async open(): Promise<void> {
    const items = this.#prepared.session.messages.slice(0, this.#next).map(({ content }, i) => ({
      kind: 'systemPrompt' as const,
      origin: 'recorded',
      text: content,
      tokens: this.#core.at(i).tokens,
    }));
    const tokens = items.reduce((sum, item) => sum + item.tokens, 0);
    await this.#journal.append({ type: 'header', items, tools: [], tokens });
  }

  async request(step: number, signal: AbortSignal): Promise<Request> {
    this.#model.place = step;
    while (this.#next < step) await this.#append(this.#next++, signal);
    if (this.#recordedPlaces.has(step)) await this.#compactor.compact({ trigger: 'manual' }, signal);
    await this.#compactor.trigger.beforeCall(signal);
    const parts = await this.#send(step, signal);
    const charge = this.#model.takeCharge();
    return charge ? { parts, charge } : { parts };
  }

  /** As in a turn: a request that exceeds the window is refused, and repeated as long as the compactor makes room. */
  async #send(step: number, signal: AbortSignal): Promise<Part[]> {
    for (;;) {
      const parts = this.#parts();
      this.#sent = messageTokens(this.#prepared, parts);
      if (this.#sent <= this.#window) {
        const held = this.#prepared.times.isCold(step) ? [] : parts.slice(0, commonPrefix(this.#before, parts));
        this.#cached = messageTokens(this.#prepared, held);
        this.#before = parts;
        await this.#journalRequest();
        return parts;
      }
      const outcome = await this.#compactor.trigger.afterOverflow(this.#window, signal);
      if (outcome.kind === 'compacted') continue;
      // A turn would stop here; the recording continues, as a person may.
      this.#compactor.trigger.beginTurn();
      return parts;
    }
  }

  /** As in a turn, so that a summary may continue this request. A person's own model gets a separate request. */
  async #journalRequest(): Promise<void> {
    if (!this.#continues) return;
    const request = turnRequest(this.#journal.context, this.#model.choice, undefined);
    await this.#journal.append({
      type: 'request',
      purpose: 'turn',
      model: request.model,
      bodySha256: await bodyHash(this.#crypto, request),
      loweringVersion: LOWERING_VERSION,
      messages: request.messages.length,
    });
    this.#model.sent = this.#sent + FIXED_TOKENS;
    this.#model.readAt = this.#clock.now();
  }

  account() {
    return { model: this.#model.use, runs: this.#runs.counts };
  }

  dispose(): void {
    this.#compactor.dispose();
  }

  /** Appends one recorded message, with the steps that a turn takes around it. */
  async #append(index: number, signal: AbortSignal): Promise<void> {
    const { message, tokens } = this.#core.at(index);
    await this.#restUntil(index, signal);
    if (message.role === 'user' && message.kind === 'user') {
      this.#compactor.trigger.beginTurn();
      await this.#compactor.trigger.beforeMessage(tokens, signal);
    }
    const entry = await this.#journal.append({ type: 'message', message, tokens });
    this.#indices.set(`m${entry.seq}`, index);
    if (message.role === 'assistant') {
      const output = this.#prepared.tokens[index] ?? 0;
      const [input, cached] = [this.#sent, this.#cached];
      const usage = { input, cached, written: input - cached, output, reasoning: 0 };
      await this.#journal.append({ type: 'usage', model: this.#model.choice.model, usage });
    }
    const next = this.#prepared.session.messages[index + 1];
    // It ends an answer and its results.
    if (next && next.role !== 'tool' && message.role !== 'user') await this.#compactor.trigger.afterResponse(signal);
  }

  /** As in the product, where the cache may be used once more before it goes cold while nobody works. */
  async #restUntil(index: number, signal: AbortSignal): Promise<void> {
    const { session, times } = this.#prepared;
    const before = session.messages[index - 1];
    const rests = before?.role === 'assistant' && !before.tool_calls;
    const { trigger } = this.#compactor;
    const due = rests ? trigger.millisUntilCold : null;
    if (due !== null && this.#clock.now() + due < times.saidAt(index)) {
      this.#clock.moveTo(this.#clock.now() + due);
      await trigger.beforeCold(signal);
    }
    this.#clock.moveTo(times.saidAt(index));
  }

  #parts(): Part[] {
    const parts: Part[] = [];
    for (let i = 0; i < systemLength(this.#prepared); i++) parts.push(i);
    for (const item of this.#journal.context.conversation) parts.push(this.#part(item));
    return parts;
  }

  #part(item: ContextItem): Part {
    const index = this.#indices.get(item.id);
    if (index !== undefined && this.#core.at(index).message === item.message) return index;
    const known = this.#literals.get(item.message);
    if (known) return known;
    const literal = this.#literalOf(item, index ?? null);
    this.#literals.set(item.message, literal);
    return literal;
  }

  /**
   * The literal previously sent for this item, as long as its text is the same: the context creates new message
   * objects.
   */
  #literalOf(item: ContextItem, index: number | null): Literal {
    const message = toRecorded(item);
    const before = this.#latest.get(item.id);
    if (before && JSON.stringify(before.message) === JSON.stringify(message)) return before;
    const literal: Literal = { index, message, leadsTo: this.#leadsTo(item, message) };
    this.#latest.set(item.id, literal);
    return literal;
  }

  /** A stub leads to its own message; notes may name ids of others. */
  #leadsTo(item: ContextItem, message: RecordedMessage): number[] {
    const named = [...message.content.matchAll(/\bid (m\d+)\b/g)].map((match) => match[1] ?? '');
    const ids = new Set(item.hidden ? [item.id, ...named] : named);
    return [...ids].flatMap((id) => this.#indices.get(id) ?? []);
  }
}
