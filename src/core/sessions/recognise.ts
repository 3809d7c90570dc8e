/**
 * Recognises the program that recorded a session by the keys in its records. The file may begin with irrelevant lines,
 * and a line may have any length: only outlines are examined, and only of the beginning of an enormous file.
 */

import { isObject, type Json } from '../json.ts';
import { Outliner } from './outline.ts';

export type RecordedFormat = 'claudeCode' | 'codex' | 'pi' | 'kimi' | 'kimiWire' | 'cline' | 'normal' | 'normalList';

export type Recognised =
  /** A journal written by *Export Session*. */
  { readonly format: 'palimpsest'; readonly id: string } | { readonly format: RecordedFormat };

/** `likely`: other programs write similar beginnings, so later records are examined too. */
type Claim = 'sure' | 'likely' | null;

type Format = {
  readonly format: Recognised['format'];
  readonly label: string;
} & (
  | { readonly form: 'lines'; readonly claims: (record: Json) => Claim }
  /** The messages are in one list, which is the whole value, or is in this field of `holder`. */
  | { readonly form: 'list'; readonly claims: (messages: readonly Json[], holder: Json | null) => Claim }
);

/** The first format that is sure of a record wins; otherwise the first that found one likely. */
const FORMATS: readonly Format[] = [
  {
    format: 'palimpsest',
    label: 'Palimpsest',
    form: 'lines',
    claims: ({ type, format, id, crc }) =>
      sure(type === 'session' && typeof format === 'number' && typeof id === 'string' && typeof crc === 'string'),
  },
  {
    format: 'normal',
    label: 'chat completions, one message a line',
    form: 'lines',
    claims: ({ role }) => (isChatRole(role) ? 'likely' : null),
  },
  {
    format: 'claudeCode',
    label: 'Claude Code',
    form: 'lines',
    claims: ({ type, message }) => sure((type === 'user' || type === 'assistant') && isObject(message)),
  },
  {
    format: 'codex',
    label: 'Codex',
    form: 'lines',
    claims: ({ type, ...rest }) =>
      sure(
        type === 'session_meta' ||
          type === 'response_item' ||
          type === 'turn_context' ||
          ((type === 'message' || type === 'function_call') && ('content' in rest || 'call_id' in rest)),
      ),
  },
  {
    format: 'pi',
    label: 'pi',
    form: 'lines',
    claims: ({ type, message }) => sure(type === 'session' || (type === 'message' && isObject(message))),
  },
  {
    format: 'kimi',
    label: 'Kimi CLI',
    form: 'lines',
    claims: ({ role, content }) =>
      sure((typeof role === 'string' && role.startsWith('_')) || partTypes(content).includes('think')),
  },
  {
    format: 'kimiWire',
    label: 'Kimi CLI (wire.jsonl)',
    form: 'lines',
    claims: ({ type, protocol_version, message }) =>
      sure(
        (type === 'metadata' && typeof protocol_version === 'string') ||
          (isObject(message) && typeof message.type === 'string' && isObject(message.payload)),
      ),
  },
  {
    format: 'normalList',
    label: 'chat completions, a list of messages',
    form: 'list',
    claims: (messages, holder) => sure(holder === null && messages.some(isOfChat)),
  },
  {
    format: 'cline',
    label: 'Cline or Roo Code',
    form: 'list',
    claims: (messages, holder) => {
      if (!messages.some(({ role }) => role === 'user' || role === 'assistant')) return null;
      return holder === null ? 'likely' : sure(holder.version === 2);
    },
  },
];

const sure = (holds: boolean): Claim => (holds ? 'sure' : null);

const isChatRole = (role: unknown) =>
  role === 'system' || role === 'user' || role === 'assistant' || role === 'developer';

/** No other program uses these names. */
const isOfChat = (message: Json) =>
  message.role === 'system' ||
  message.role === 'developer' ||
  Array.isArray(message.tool_calls) ||
  typeof message.tool_call_id === 'string';

function partTypes(content: unknown): unknown[] {
  return Array.isArray(content) ? content.filter(isObject).map(({ type }) => type) : [];
}

/** Names of the formats, for the person who imports. */
export const FORMAT_LABELS: readonly string[] = FORMATS.map(({ label }) => label);

/** Most characters that are read: more than the longest line that an import reads. Most of them are in long texts. */
const MOST_READ = 128_000_000;
/** Most structural characters that are examined; enough for tens of thousands of irrelevant lines. */
const MOST_SIGNS = 3_000_000;
/** Most records that are examined after the first likely one. */
const MOST_AFTER = 200;

export class Recogniser {
  readonly #outliner: Outliner;
  #found: Recognised | null = null;
  #isSure = false;
  #left: number;
  #after = MOST_AFTER;

  constructor(most = { read: MOST_READ, signs: MOST_SIGNS }) {
    this.#left = most.read;
    this.#outliner = new Outliner(most.signs);
  }

  /** True when no more input is needed. */
  push(piece: string): boolean {
    const read = piece.slice(0, this.#left);
    this.#left -= read.length;
    for (const record of this.#outliner.push(read)) {
      this.#judge(record);
      if (this.#isSure || (this.#found && this.#after-- === 0)) return true;
    }
    return this.#left === 0 || this.#outliner.signsLeft === 0;
  }

  /** Call after the last piece. Unfinished values count, because a file may be cut off. */
  end(): Recognised | null {
    if (!this.#isSure) this.#judge(this.#outliner.unfinished);
    return this.#found;
  }

  #judge(record: unknown): void {
    for (const each of FORMATS) {
      const claim = claimOf(each, record);
      if (claim === null || (claim === 'likely' && this.#found)) continue;
      const { format } = each;
      const id = isObject(record) && typeof record.id === 'string' ? record.id : '';
      this.#found = format === 'palimpsest' ? { format, id } : { format };
      this.#isSure = claim === 'sure';
      if (this.#isSure) return;
    }
  }
}

function claimOf(format: Format, record: unknown): Claim {
  if (format.form === 'lines') return isObject(record) ? format.claims(record) : null;
  const holder = isObject(record) ? record : null;
  const messages = holder ? holder.messages : record;
  return Array.isArray(messages) ? format.claims(messages.filter(isObject), holder) : null;
}

/** Null for an unknown format. */
export function recognise(text: string): Recognised | null {
  const recogniser = new Recogniser();
  recogniser.push(text);
  return recogniser.end();
}
