/**
 * A compaction in progress: a history, a decision for each of its messages, the notes inserted between them, and the
 * resulting tokens. Immutable: each step returns a new draft, at a cost in proportion to its changes. Order and
 * identity of messages hold by construction; `rules.ts` checks the rest.
 */

import type { ContextMessage, JsonValue, LineReason } from '../../../api/index.ts';
import { attachmentTokens } from '../../context/item.ts';
import type { LedgerReport } from '../../journal/entry.ts';
import { countTokens, estimateMessage, MESSAGE_OVERHEAD } from '../../tokens/estimate.ts';
import type { Words } from '../../words.ts';
import type { History } from './history.ts';
import type { Stub } from './stub.ts';

export type Decision =
  | { readonly kind: 'undecided' }
  | { readonly kind: 'drop' }
  /** A stub replaces the text; `offload` references the blob that holds the whole body. */
  | {
      readonly kind: 'hide';
      readonly stub: Stub;
      readonly arguments?: readonly string[];
      readonly offload?: { readonly blob: string; readonly tokens: number };
    }
  /** Replaces the text, or the arguments of its calls in order. Omitted parts stay. */
  | {
      readonly kind: 'replace';
      readonly text?: string;
      readonly arguments?: readonly string[];
      /** The line that replaces the message's images. It stays when the text is replaced again. */
      readonly images?: string;
    };

/** A decision that keeps a message in its place with another body. */
export type Change = Extract<Decision, { kind: 'hide' | 'replace' }>;

/** A note inserted by the compaction, before the message with the index `before`. */
export interface Insert {
  readonly before: number;
  readonly text: string;
  readonly reasons?: readonly (LineReason | null)[];
}

export const UNDECIDED: Decision = { kind: 'undecided' };
export const DROP: Decision = { kind: 'drop' };

interface Decided {
  readonly decision: Decision;
  /** Uncalibrated tokens of the message under this decision. */
  readonly tokens: number;
}

const DROPPED: Decided = { decision: DROP, tokens: 0 };

type Parts = Pick<Draft, 'tokens' | 'inserts' | 'repairs' | 'ledger' | 'details'>;

export class Draft {
  readonly history: History;
  /** Uncalibrated tokens of the history as decided. */
  readonly tokens: number;
  /** In order. Each directly follows the last kept message before it. */
  readonly inserts: readonly Insert[];
  /** Repairs and changes made by the compactor itself. */
  readonly repairs: readonly Words[];
  /** Null until facts were looked for. */
  readonly ledger: LedgerReport | null;
  /** Details that the strategy stores for its next compaction. */
  readonly details: JsonValue | undefined;
  readonly #decided: ReadonlyMap<number, Decided>;

  private constructor(history: History, decided: ReadonlyMap<number, Decided>, parts: Parts) {
    this.history = history;
    this.#decided = decided;
    this.tokens = parts.tokens;
    this.inserts = parts.inserts;
    this.repairs = parts.repairs;
    this.ledger = parts.ledger;
    this.details = parts.details;
  }

  static of(history: History): Draft {
    const none = { inserts: [], repairs: [], ledger: null, details: undefined };
    return new Draft(history, new Map(), { tokens: history.tokens, ...none });
  }

  /** Uncalibrated tokens freed; negative when it is longer than the history. */
  get freed(): number {
    return this.history.tokens - this.tokens;
  }

  at(index: number): Decision {
    return this.#decided.get(index)?.decision ?? UNDECIDED;
  }

  isDropped(index: number): boolean {
    return this.#decided.get(index) === DROPPED;
  }

  /** Uncalibrated tokens of one message as decided. */
  tokensAt(index: number): number {
    return this.#decided.get(index)?.tokens ?? this.history.messages[index]?.tokens ?? 0;
  }

  /** Indices of dropped messages, in order. */
  dropped(): number[] {
    const found: number[] = [];
    for (const [index, decided] of this.#decided) if (decided === DROPPED) found.push(index);
    return found.sort((a, b) => a - b);
  }

  /** Hidden and replaced messages, in order. */
  changes(): (readonly [index: number, change: Change])[] {
    const found: [number, Change][] = [];
    for (const [index, { decision }] of this.#decided) {
      if (decision.kind === 'hide' || decision.kind === 'replace') found.push([index, decision]);
    }
    return found.sort(([a], [b]) => a - b);
  }

  /** Calls `visitor` for each kept message, changed or not, in order. */
  visit(visitor: (message: ContextMessage, index: number) => void): void {
    for (const [index, message] of this.history.messages.entries()) if (!this.isDropped(index)) visitor(message, index);
  }

  /** The history for a strategy: hidden messages appear as stubs, and removed images are absent. */
  view(): readonly ContextMessage[] {
    const changed = this.changes().filter(([, change]) => dropsImages(change));
    if (changed.length === 0) return this.history.messages;
    const messages = [...this.history.messages];
    for (const [index, { kind }] of changed) {
      const message = messages[index] as ContextMessage;
      const shown = {
        text: this.textAt(index),
        tokens: this.tokensAt(index),
        hidden: kind === 'hide' || message.hidden,
      };
      messages[index] = Object.freeze(
        message.role === 'assistant' || !message.attachments
          ? { ...message, ...shown }
          : { ...message, ...shown, attachments: Object.freeze([]) },
      );
    }
    return Object.freeze(messages);
  }

  /** The text of a message as decided; it must not be dropped. */
  textAt(index: number): string {
    const message = this.history.messages[index] as ContextMessage;
    return newText(this.at(index), message) ?? message.text;
  }

  /** The arguments of a message's calls as decided, in order. */
  argumentsAt(index: number): readonly string[] {
    const message = this.history.messages[index] as ContextMessage;
    const given = message.role === 'assistant' ? message.toolCalls.map((call) => call.arguments) : [];
    return newArguments(this.at(index)) ?? given;
  }

  /** Each decision replaces the previous one for the same message. */
  decide(decisions: Iterable<readonly [index: number, decision: Decision]>): Draft {
    const decided = new Map(this.#decided);
    let tokens = this.tokens;
    for (const [index, decision] of decisions) {
      const message = this.history.messages[index] as ContextMessage;
      const earlier = decided.get(index);
      const before = earlier?.tokens ?? message.tokens;
      const after = weigh(message, withoutImages(decision, earlier?.decision));
      if (decision.kind === 'undecided') decided.delete(index);
      else decided.set(index, after);
      tokens += after.tokens - before;
    }
    const isDropped = (index: number) => decided.get(index) === DROPPED;
    const inserts = this.inserts.map((insert) => ({ ...insert, before: settle(insert.before, isDropped) }));
    return this.#with({ tokens, inserts }, decided);
  }

  /** Inserts a note right before the message at `before`, after the notes already there. */
  insert(before: number, text: string, reasons?: Insert['reasons']): Draft {
    const insert = { before: settle(before, (index) => this.isDropped(index)), text, ...(reasons ? { reasons } : {}) };
    const at = this.inserts.findLastIndex((each) => each.before <= insert.before) + 1;
    return this.#with({ inserts: this.inserts.toSpliced(at, 0, insert), tokens: this.tokens + insertTokens(text) });
  }

  /**
   * Replaces the text of every note, or removes it where `change` returns null. Reasons for the old lines are removed
   * too, unless the lines are the same.
   */
  rewriteInserts(change: (text: string, at: number) => string | null, sameLines = false): Draft {
    let { tokens } = this;
    const inserts = this.inserts.flatMap((insert, at): Insert[] => {
      const text = change(insert.text, at);
      if (text === insert.text) return [insert];
      tokens += (text === null ? 0 : insertTokens(text)) - insertTokens(insert.text);
      if (text === null) return [];
      return [sameLines ? { ...insert, text } : { before: insert.before, text }];
    });
    return this.#with({ inserts, tokens });
  }

  /** `done` describes the repair. */
  repaired(done: Words): Draft {
    return this.#with({ repairs: [...this.repairs, done] });
  }

  verified(ledger: LedgerReport): Draft {
    return this.#with({ ledger });
  }

  keeping(details: JsonValue): Draft {
    return this.#with({ details });
  }

  /** The same decisions in a history that has grown since: later messages are undecided. */
  onto(history: History): Draft {
    const tokens = this.tokens + history.tokens - this.history.tokens;
    return new Draft(history, this.#decided, { ...this, tokens });
  }

  #with(parts: Partial<Parts>, decided = this.#decided): Draft {
    return new Draft(this.history, decided, { ...this, ...parts });
  }
}

/** The position of an insert before `index`: right after the last kept message before it. */
function settle(index: number, isDropped: (index: number) => boolean): number {
  let before = index;
  while (before > 0 && isDropped(before - 1)) before--;
  return before;
}

/** The stored estimate may come from another rule (attachments, imports), so only the difference is applied. */
function weigh(message: ContextMessage, decision: Decision): Decided {
  if (decision.kind === 'drop') return DROPPED;
  if (decision.kind === 'undecided') return { decision, tokens: message.tokens };
  const tokens = tokensWith(message, newText(decision, message), newArguments(decision));
  return { decision, tokens: dropsImages(decision) ? Math.max(1, tokens - imageTokens(message)) : tokens };
}

/** Removed images do not return with another text. */
function withoutImages(decision: Decision, earlier: Decision | undefined): Decision {
  if (decision.kind !== 'replace' || earlier?.kind !== 'replace' || earlier.images === undefined) return decision;
  return { images: earlier.images, ...decision };
}

function dropsImages(decision: Decision): boolean {
  return decision.kind === 'hide' || (decision.kind === 'replace' && decision.images !== undefined);
}

export function imageTokens(message: ContextMessage): number {
  return message.role === 'assistant' ? 0 : attachmentTokens(message);
}

/** Uncalibrated tokens of a message with another text, or other arguments of its calls in order. */
export function tokensWith(message: ContextMessage, text?: string, json?: readonly string[]): number {
  let saved = text === undefined ? 0 : textTokens(message) - countTokens(text);
  if (message.role === 'assistant' && json) {
    for (const call of message.toolCalls) saved += countTokens(call.arguments);
    for (const each of json) saved -= countTokens(each);
  }
  return Math.max(1, message.tokens - saved);
}

/**
 * Uncalibrated tokens of a message's text. A long result is not counted again: its stored estimate covers only text,
 * images and framing.
 */
export function textTokens(message: ContextMessage): number {
  const { role, text, tokens } = message;
  return role === 'tool' && text.length > LONG
    ? Math.max(0, tokens - MESSAGE_OVERHEAD - imageTokens(message))
    : countTokens(text);
}

const LONG = 4_000;

function newText(decision: Decision, message: ContextMessage): string | undefined {
  if (decision.kind === 'hide') return decision.stub.text;
  if (decision.kind !== 'replace') return undefined;
  const { text, images } = decision;
  if (images === undefined) return text;
  const body = text ?? message.text;
  return body.includes(images) ? body : [body, images].filter(Boolean).join('\n');
}

function newArguments(decision: Decision): readonly string[] | undefined {
  return decision.kind === 'hide' || decision.kind === 'replace' ? decision.arguments : undefined;
}

/** Uncalibrated tokens of a note. */
export const insertTokens = (text: string): number => estimateMessage({ role: 'user', kind: 'summary', text });
