/** Parts of a message that every dialect writes alike: names, ids and arguments of calls, and placeholders. */

import { wrap } from '../core/context/frames.ts';
import type { ToolCall } from '../core/context/message.ts';
import { isWholeObject, type Json } from '../core/json.ts';
import type { ContentPart } from '../core/model/modelClient.ts';
import { hashText } from './hashText.ts';

/** Some providers refuse an empty text. */
export const NOTHING = '[empty]';

/** Introduces images from tool results. No person wrote it. */
export const OF_RESULTS = wrap('tool-result', 'The images of the results above:');

/** The field of `Reasoning` that holds the summary and the items of the responses dialect. */
export const SUMMARY = 'summary';

/** The field of `Reasoning` that holds the thinking of the messages dialect. */
export const THINKING = 'thinking';

export function textOfPart(part: Exclude<ContentPart, { type: 'image' }>): string {
  return part.type === 'text' ? part.text.toWellFormed() : '[image]';
}

export function encodeName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unnamed_tool';
}

/** Several servers parse past arguments and fail on malformed ones, so those are wrapped, not guessed at. */
export function encodeArguments(text: string): string {
  return isWholeObject(text) ? text.toWellFormed() : JSON.stringify({ malformed_arguments: text.toWellFormed() });
}

/** One part of a text for each mark of `type`, by the lengths in the marks; null if these do not cover it exactly. */
export function splitExactly(text: string, items: readonly Json[], type: string): string[] | null {
  const lengths = lengthsOf(items, type);
  if (lengths.reduce((sum, length) => sum + length, 0) !== text.length) return null;
  let from = 0;
  return lengths.map((length) => {
    const part = text.slice(from, from + length);
    from += length;
    return part;
  });
}

/** The same; if the text has changed since, the first mark gets all of it. */
export function splitText(text: string, items: readonly Json[], type: string): string[] {
  return (
    splitExactly(text, items, type) ?? [
      text,
      ...lengthsOf(items, type)
        .slice(1)
        .map(() => ''),
    ]
  );
}

const lengthsOf = (items: readonly Json[], type: string): readonly number[] =>
  items.flatMap((item) => (item.type === type ? [Number(item.length)] : []));

const ID_FORMS = { short: /^[!-~]{1,40}$/, word: /^[a-zA-Z0-9_-]{1,40}$/, nine: /^[a-zA-Z0-9]{9}$/ };

/** The ids sent for calls: in the provider's form, and unique. */
export class SentIds {
  readonly #form: keyof typeof ID_FORMS;
  readonly #used = new Set<string>();
  /** Original id to sent id, for the calls of the newest assistant message. */
  #open = new Map<string, string>();

  constructor(form: keyof typeof ID_FORMS) {
    this.#form = form;
  }

  /** The calls of the next assistant message, which the following results answer. */
  open(calls: readonly ToolCall[] = []): void {
    this.#open = new Map();
    for (const { id } of calls) {
      let sent = ID_FORMS[this.#form].test(id) ? id : this.#hashed(id);
      for (let attempt = 2; this.#used.has(sent); attempt++) sent = this.#hashed(`${id}#${attempt}`);
      this.#used.add(sent);
      this.#open.set(id, sent);
    }
  }

  of(id: string): string {
    return this.#open.get(id) ?? id;
  }

  #hashed(id: string): string {
    const hash = hashText(id);
    return this.#form === 'nine' ? hash.slice(-9) : `call_${hash}`;
  }
}
