/**
 * One streamed answer, put together from raw chunks. Invariant: it never trusts the order or presence of anything but
 * the text deltas; an answer counts as ended only when a finish reason was seen.
 */

import type { Reasoning, ToolCall, Usage } from '../../core/context/message.ts';
import { asRecord, asText, type Json } from '../../core/json.ts';
import type { FinishReason, ModelEvent } from '../../core/ports.ts';
import { words } from '../../core/words.ts';
import { normalizeUsage } from './normalizeUsage.ts';
import { DETAILS, ReasoningDetails, TEXT_FIELDS } from './reasoningDetails.ts';
import { createToolCallAssembler, MOST_CALLS } from './toolCallAssembler.ts';
import type { AnswerAssembler, DoneEvent } from './wireForm.ts';

export function createAnswerAssembler(takenIds: Iterable<string>, mintId: () => string): AnswerAssembler {
  const calls = createToolCallAssembler(takenIds, mintId);
  let text = '';
  let reasoning: { field: string; text: string } | null = null;
  let reason: string | null = null;
  const details = new ReasoningDetails();
  let usage: Usage | null = null;
  let chunks = 0;
  let characters = 0;

  const takeDelta = (delta: Json): ModelEvent[] => {
    const events: ModelEvent[] = [];
    const told = details.add(delta.reasoning_details);
    for (const field of [...TEXT_FIELDS, DETAILS]) {
      const piece = field === DETAILS ? told : asText(delta[field]);
      // A gateway may send the same words under two names: the first field that spoke is the one kept.
      if (!piece || (reasoning && reasoning.field !== field)) continue;
      reasoning = { field, text: (reasoning?.text ?? '') + piece };
      characters += piece.length;
      events.push({ type: 'reasoning', delta: piece, field });
    }
    const piece = textOf(delta.content) || asText(delta.refusal);
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
      const finish = choice?.finish_reason;
      if (typeof finish === 'string' && finish) reason = finish;
      // `message` instead of `delta`: a server that ignored `stream` answered whole.
      const delta = asRecord(choice?.delta) ?? asRecord(choice?.message);
      return delta ? takeDelta(delta) : [];
    },
    get awaits() {
      // Some write the missing reason of a piece as a word.
      if (reason === null || reason.toLowerCase() === 'null') return 'answer';
      return usage === null ? 'usage' : 'nothing';
    },
    finish() {
      if (reason === null) return { kind: 'cut' };
      const finish = readFinish(reason);
      if (finish === 'failed') return { kind: 'failed', reason };
      return {
        kind: 'done',
        event: {
          ...doneEvent(text, withItems(reasoning, details.items), calls.finish(), finish, usage),
          ...tellLeftOut(calls.leftOut),
        },
      };
    },
  };
}

/** Details without a word that could be read are reasoning too. */
function withItems(reasoning: Reasoning | null, items: readonly Json[]): Reasoning | null {
  return items.length === 0 ? reasoning : { ...(reasoning ?? { field: DETAILS, text: '' }), items };
}

export function doneEvent(
  text: string,
  reasoning: Reasoning | null,
  calls: readonly ToolCall[],
  finish: FinishReason,
  usage: Usage | null,
): DoneEvent {
  // What the output limit, a filter or the window cut off was never meant to run.
  const cutOff = finish === 'length' || finish === 'contentFilter' || finish === 'overflow';
  const kept = cutOff ? [] : calls;
  const ended = kept.length > 0 ? 'toolCalls' : finish === 'toolCalls' ? 'other' : finish;
  return {
    type: 'done',
    text,
    ...(reasoning ? { reasoning } : {}),
    toolCalls: kept,
    ...(cutOff && calls.length > 0 ? { discarded: calls.map((call) => call.name) } : {}),
    finish: ended,
    usage,
  };
}

export function tellLeftOut(leftOut: number): Pick<DoneEvent, 'notice'> {
  if (leftOut === 0) return {};
  return {
    notice: words(
      'The answer had {0} tool calls. Only the first {1} are run; the others were left out.',
      MOST_CALLS + leftOut,
      MOST_CALLS,
    ),
  };
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

/** A list of parts is how some gateways send text. */
function textOf(content: unknown): string {
  if (!Array.isArray(content)) return asText(content);
  return content.map((part) => asText(asRecord(part)?.text)).join('');
}

function callsIn(delta: Json): readonly unknown[] {
  if (Array.isArray(delta.tool_calls)) return delta.tool_calls;
  return delta.function_call ? [{ function: delta.function_call }] : [];
}
