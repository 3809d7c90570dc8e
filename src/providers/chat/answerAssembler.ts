/**
 * One streamed answer, assembled from raw chunks. Invariant: it trusts neither the order nor the presence of anything
 * but the text deltas; an answer counts as complete only with a finish reason.
 */

import type { Reasoning, Usage } from '../../core/context/message.ts';
import { asRecord, asText, type Json, listOf } from '../../core/json.ts';
import type { FinishReason, ModelEvent } from '../../core/model/modelClient.ts';
import { IN_TEXT, splitContent, textOfThinking } from '../../core/model/thinking.ts';
import type { Money } from '../../core/money.ts';
import { type AnswerAssembler, doneEvent } from '../dialect.ts';
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
  let reason: string | null = null;
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
    for (const raw of callsIn(delta)) {
      const progress = calls.add(raw);
      if (progress) events.push({ type: 'toolCall', ...progress });
    }
    return events;
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
      const choice = asRecord(Array.isArray(chunk.choices) ? chunk.choices[0] : undefined);
      if (choice || chunk.usage) chunks++;
      usage =
        normalizeUsage(chunk.usage) ??
        normalizeUsage(choice?.usage) ??
        normalizeUsage(asRecord(chunk.x_groq)?.usage) ??
        usage;
      cost = reportedCost(chunk.usage) ?? cost;
      const finish = choice?.finish_reason;
      if (typeof finish === 'string' && finish) reason = finish;
      // `message` instead of `delta`: a server that ignored `stream` sent the whole answer.
      const delta = asRecord(choice?.delta) ?? asRecord(choice?.message);
      return delta ? takeDelta(delta) : [];
    },
    get awaits() {
      // Some servers write a missing reason as a word.
      if (reason === null || reason.toLowerCase() === 'null') return 'answer';
      return usage === null ? 'usage' : 'nothing';
    },
    finish() {
      if (reason === null) return { kind: 'cut' };
      const finish = readFinish(reason);
      if (finish === 'failed') return { kind: 'failed', reason };
      return {
        kind: 'done',
        event: doneEvent(
          { text, reasoning: withItems(reasoning, details.items), usage, ...(cost && { cost }) },
          calls.finish(),
          calls.leftOut,
          finish,
        ),
      };
    },
  };
}

/** Details without readable text are reasoning too. */
function withItems(reasoning: Reasoning | null, items: readonly Json[]): Reasoning | null {
  return items.length === 0 ? reasoning : { ...(reasoning ?? { field: DETAILS, text: '' }), items };
}

function readFinish(reason: string): FinishReason | 'failed' {
  switch (reason.toLowerCase()) {
    case 'stop':
    case 'end_turn':
    case 'stop_sequence':
    case 'eos':
    case 'eos_token':
      return 'stop';
    case 'tool_calls':
    case 'tool_use':
    case 'function_call':
      return 'toolCalls';
    case 'length':
    case 'max_tokens':
    case 'max_output_tokens':
      return 'length';
    case 'content_filter':
    case 'sensitive':
    case 'refusal':
    case 'safety':
      return 'contentFilter';
    case 'model_context_window_exceeded':
    case 'context_length_exceeded':
      return 'overflow';
    case 'error':
    case 'abort':
    case 'cancelled':
    case 'network_error':
    case 'insufficient_system_resource':
      return 'failed';
    default:
      return 'other';
  }
}

function callsIn(delta: Json): readonly unknown[] {
  if (Array.isArray(delta.tool_calls)) return delta.tool_calls;
  return delta.function_call ? [{ function: delta.function_call }] : [];
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
