/** Tells by its shape which dialect a value is in, and takes off what a gateway put around it. Pure; bounded in depth. */

import { asRecord, asText, isObject, type Json, listOf, parseJson } from '../core/json.ts';
import { errorIn } from './noAnswer.ts';
import type { EndpointDialect } from './presets.ts';

/** Of a whole answer or of one event; null for a value of no dialect. */
export function formOf(value: unknown): EndpointDialect | null {
  const record = asRecord(value);
  if (!record) return null;
  const type = asText(record.type);
  if (Array.isArray(record.choices)) return 'chat';
  if (isResponse(record) || RESPONSE_EVENTS.test(type)) return 'responses';
  if (MESSAGE_EVENTS.test(type)) return 'messages';
  const isTold = record.type !== undefined || record.stop_reason !== undefined || Array.isArray(record.content);
  return isTold && isMessage(record) ? 'messages' : null;
}

const RESPONSE_EVENTS =
  /^response\.(?:created|queued|in_progress|completed|incomplete|failed|cancelled|(?:output|content|function|reasoning|refusal)_?\w*\.\w+)$/;

export const MESSAGE_EVENTS = /^(message_(start|delta|stop)|content_block_(start|delta|stop))$/;

/** A whole answer of the responses dialect. */
export function isResponse({ object, type, output, output_text: text }: Json): boolean {
  if (object === 'response') return true;
  return type === undefined && (typeof text === 'string' || listOf(output).some((item) => asRecord(item)?.type));
}

/** A whole answer of the messages dialect. */
export function isMessage({ type, role, content, choices }: Json): boolean {
  const isFilled = content !== undefined && content !== null;
  return type === 'message'
    ? isFilled
    : type === undefined && role === 'assistant' && isFilled && choices === undefined;
}

/** Fields of a gateway's own form that hold the answer of another server. */
const ENVELOPES = ['data', 'result', 'response', 'body', 'output', 'payload'];
const DEEPEST = 3;

/** The answer, or the error, inside of an envelope; any other value as it is. `name`: the event's. */
export function openEnvelope(value: unknown, name: string, depth = 0): unknown {
  const record = asRecord(value);
  if (!record || depth === DEEPEST || formOf(record) !== null) return value;
  for (const field of ENVELOPES) {
    // It belongs to an event that is known by its name alone.
    if (field === 'response' && name.startsWith('response.')) continue;
    const inner = openEnvelope(heldIn(record[field]), name, depth + 1);
    if (!isObject(inner) || (formOf(inner) === null && errorIn(inner, '') === undefined)) continue;
    return record.usage && !inner.usage ? { ...inner, usage: record.usage } : inner;
  }
  return value;
}

function heldIn(value: unknown): unknown {
  if (typeof value === 'string') return value.trimStart().startsWith('{') ? parseJson(value) : undefined;
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}
