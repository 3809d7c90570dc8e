/**
 * One streamed answer, assembled from raw chunks. Invariant: it trusts neither the order nor the presence of anything
 * but the text deltas; an answer counts as complete only with a finish reason.
 */

import type { Reasoning, Usage } from '../../core/context/message.ts';
import { asRecord, asText, isObject, isWholeObject, type Json, listOf, objectOf } from '../../core/json.ts';
import type { ModelEvent } from '../../core/model/modelClient.ts';
import { IN_TEXT, splitContent, textOfThinking } from '../../core/model/thinking.ts';
import type { Money } from '../../core/money.ts';
import { type AnswerAssembler, doneEvent, readFinish } from '../dialect.ts';
import { normalizeUsage, reportedCost } from '../normalizeUsage.ts';
import { ToolCallAssembler } from '../toolCallAssembler.ts';

/** Fields for the text of reasoning, in answers and requests alike. */
const TEXT_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_text'] as const;

/** Fields for it that only answers have. */
const ANSWER_FIELDS = ['thinking', 'thought'] as const;

/** The field for items of reasoning. As the name of a text: it was only in the items. */
const DETAILS = 'reasoning_details';

/** True when the text may be returned in a field of its own. */
export function isReplayedField(field: string): boolean {
  return TEXT_FIELDS.some((name) => name === field);
}

export function createAnswerAssembler(takenIds: Iterable<string>, mintId: () => string): AnswerAssembler {
  const calls = new ToolCallAssembler(takenIds, mintId);
  let text = '';
  let reasoning: { field: string; text: string } | null = null;
  let reason = '';
  /** The index of the choice that is read: the first one's. */
  let first: number | null = null;
  let inPieces = false;
  const details = new ReasoningDetails();
  let usage: Usage | null = null;
  let cost: Money | undefined;
  let chunks = 0;
  let characters = 0;

  const takeDelta = (delta: Json): ModelEvent[] => {
    const events: ModelEvent[] = [];
    const content = splitContent(delta.content);
    const pieces: readonly (readonly [field: string, piece: string])[] = [
      ...[...TEXT_FIELDS, ...ANSWER_FIELDS].map((field) => [field, textOfThinking(delta[field])] as const),
      [DETAILS, details.add(delta.reasoning_details)],
      [IN_TEXT, content.thinking],
    ];
    for (const [field, piece] of pieces) {
      // A gateway may send the same text under two names: the first field used is kept.
      if (!piece || (reasoning && reasoning.field !== field)) continue;
      reasoning = { field, text: (reasoning?.text ?? '') + piece };
      characters += piece.length;
      events.push({ type: 'reasoning', delta: piece, field });
    }
    const piece = content.answer || asText(delta.refusal);
    if (piece) {
      text += piece;
      characters += piece.length;
      events.push({ type: 'text', delta: piece });
    }
    for (const progress of calls.addAll(callsIn(delta))) events.push({ type: 'toolCall', ...progress });
    return events;
  };

  const isOurs = (choice: Json) => first === null || indexOf(choice) === first;
  /**
   * A server that ignored `stream` sent a message instead of pieces. Where both came, the message repeats them: only what is
   * new in it counts.
   */
  const wholeMessage = (choice: Json): Json | null => {
    const message = asRecord(choice.message);
    const content = splitContent(message?.content).answer;
    if (!message || !inPieces || text === '' || !content.startsWith(text)) return message;
    return { ...message, content: content.slice(text.length) };
  };

  return {
    get chunks() {
      return chunks;
    },
    get characters() {
      return characters + calls.characters + details.characters;
    },
    add(raw) {
      const chunk = asRecord(raw);
      if (!chunk) return [];
      const all = listOf(chunk.choices).flatMap((each): readonly Json[] => (isObject(each) ? [each] : []));
      const choice = all.find(isOurs) ?? null;
      if (choice) first ??= indexOf(choice);
      if (choice || chunk.usage) chunks++;
      for (const reported of [choice?.usage, asRecord(chunk.x_groq)?.usage, chunk.usage])
        usage = newerUsage(usage, normalizeUsage(reported));
      cost = reportedCost(chunk.usage) ?? cost;
      if (!choice) return [];
      reason = reasonIn(choice) || reason;
      const piece = deltaIn(choice);
      inPieces ||= piece !== null;
      const delta = piece ?? wholeMessage(choice);
      const events = delta ? takeDelta(delta) : [];
      // GitHub Copilot puts the calls of one answer into a choice of their own.
      const isElsewhere = /^tool_calls$/i.test(reasonIn(choice)) && calls.characters === 0;
      const other = isElsewhere
        ? all.find((each) => each !== choice && callsIn(messageIn(each)).length > 0)
        : undefined;
      return other ? [...events, ...takeDelta({ tool_calls: callsIn(messageIn(other)) })] : events;
    },
    get awaits() {
      if (reason === '') return 'answer';
      return usage === null ? 'usage' : 'nothing';
    },
    finish(isOver) {
      const made = calls.finish();
      const isWhole = text !== '' || reasoning !== null || made.length > 0;
      if (reason === '' && !(isOver && isWhole && made.every((call) => isWholeObject(call.arguments))))
        return { kind: 'cut' };
      const finish = reason === '' ? 'stop' : readFinish(reason);
      if (finish === 'failed') return { kind: 'failed', reason };
      return {
        kind: 'done',
        event: doneEvent(
          { text, reasoning: withItems(reasoning, details.items), usage, ...(cost && { cost }) },
          made,
          calls.leftOut,
          finish,
        ),
      };
    },
  };
}

const indexOf = ({ index }: Json) => (typeof index === 'number' ? index : 0);

/** Empty without one. Some servers write a missing reason as a word. */
function reasonIn({ finish_reason, finishReason }: Json): string {
  const reason = asText(finish_reason) || asText(finishReason);
  return /^(null|none)$/i.test(reason) ? '' : reason;
}

/** Servers of the older completions send a text instead of a delta. */
function deltaIn({ delta, text }: Json): Json | null {
  return asRecord(delta) ?? (typeof delta === 'string' ? { content: delta } : text ? { content: text } : null);
}

const messageIn = (choice: Json): Json => asRecord(choice.delta) ?? objectOf(choice.message);

/** Zeros at the end do not replace what was counted before. */
const newerUsage = (before: Usage | null, now: Usage | null): Usage | null =>
  now === null || (before && now.output === 0) ? before : now;

/** Details without readable text are reasoning too. */
function withItems(reasoning: Reasoning | null, items: readonly Json[]): Reasoning | null {
  return items.length === 0 ? reasoning : { ...(reasoning ?? { field: DETAILS, text: '' }), items };
}

function callsIn({ tool_calls: calls, function_call: legacy }: Json): readonly unknown[] {
  if (Array.isArray(calls)) return calls;
  const only = asRecord(calls);
  if (only) return only.function ? [only] : Object.values(only);
  return legacy ? [{ function: legacy }] : [];
}

/** Fields that arrive in pieces. Signatures and others arrive whole, once. */
const JOINED = ['text', 'summary', 'data'] as const;

/** Base size of an item, whatever its content. */
const ITEM_CHARACTERS = 20;

/**
 * Assembles `reasoning_details` from the pieces of a stream. Invariant: items are in the order of their first pieces,
 * every field is returned as it was sent, and only texts that arrived in pieces are joined: a provider verifies them
 * when they return.
 */
class ReasoningDetails {
  readonly #items: Record<string, unknown>[] = [];
  /** Length of all items so far. */
  characters = 0;

  get items(): readonly Json[] {
    return this.#items;
  }

  /** Takes the list of one chunk; returns its readable text. */
  add(raw: unknown): string {
    let reported = '';
    for (const each of listOf(raw)) {
      const piece = asRecord(each);
      if (!piece) continue;
      for (const value of Object.values(piece)) this.characters += asText(value).length;
      reported += asText(piece.text) || asText(piece.summary);
      const last = this.#items.at(-1);
      if (last && isContinued(last, piece)) join(last, piece);
      else {
        this.characters += ITEM_CHARACTERS;
        this.#items.push({ ...piece });
      }
    }
    return reported;
  }
}

/**
 * True when the piece continues the same item: same kind, same index, and no other id. Without an index each piece is
 * an item.
 */
function isContinued(last: Json, piece: Json): boolean {
  if (typeof piece.index !== 'number' || piece.index !== last.index || piece.type !== last.type) return false;
  return !last.id || !piece.id || last.id === piece.id;
}

function join(last: Record<string, unknown>, piece: Json): void {
  for (const [name, value] of Object.entries(piece)) {
    const isJoined = JOINED.some((joined) => joined === name) && typeof value === 'string';
    if (isJoined) last[name] = asText(last[name]) + value;
    else if (value !== null || !Object.hasOwn(last, name)) last[name] = value;
  }
}
