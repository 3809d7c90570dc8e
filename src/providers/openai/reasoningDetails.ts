/**
 * Puts `reasoning_details` together from the pieces of a stream. Invariant: the order is that of the first pieces, every
 * field comes back as it was sent, and only texts that came in pieces are joined: a provider checks them when they return.
 */

import { asRecord, asText, type Json, listOf } from '../../core/json.ts';

/** Fields that come in pieces. A signature or the like comes whole, once. */
const JOINED = ['text', 'summary', 'data'] as const;

/** An item costs room, whatever it holds. */
const ITEM_CHARACTERS = 20;

export class ReasoningDetails {
  readonly #items: Record<string, unknown>[] = [];
  /** Length of all items so far. */
  characters = 0;

  get items(): readonly Json[] {
    return this.#items;
  }

  /** Takes the list of one chunk; returns what can be read of it. */
  add(raw: unknown): string {
    let told = '';
    for (const each of listOf(raw)) {
      const piece = asRecord(each);
      if (!piece) continue;
      for (const value of Object.values(piece)) this.characters += asText(value).length;
      told += asText(piece.text) || asText(piece.summary);
      const last = this.#items.at(-1);
      if (last && isContinued(last, piece)) join(last, piece);
      else {
        this.characters += ITEM_CHARACTERS;
        this.#items.push({ ...piece });
      }
    }
    return told;
  }
}

/** The same item goes on: same kind, same index, and no other id. Without an index each piece is an item. */
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

/** Text of chat completions, in an answer and in a request alike. */
export const TEXT_FIELDS = ['reasoning_content', 'reasoning', 'reasoning_text'] as const;

/** Items of chat completions. As the name of a text: it was only in the items. */
export const DETAILS = 'reasoning_details';

/** Text and items of the responses form. */
export const SUMMARY = 'summary';

/** Whether the text may go back in chat completions as a field of its own. */
export function isReplayedField(field: string): boolean {
  return TEXT_FIELDS.some((name) => name === field);
}
