/** The placeholder the plain strategies put in place of an old tool result, and which results it is worth hiding. */

import type { PreparedSession } from '../prepareSession.ts';
import type { Literal, Part } from '../request.ts';
import type { RecordedMessage } from '../session.ts';

/** Shorter results cost less than the placeholder is worth. */
const MIN_HIDDEN = 200;

/** Stubs of one session: the same object for the same message, so that a request's prefix stays the same. */
export class Stubs {
  readonly #messages: readonly RecordedMessage[];
  readonly #stubs = new Map<number, Literal>();

  constructor({ session }: PreparedSession) {
    this.#messages = session.messages;
  }

  canHide(index: number): boolean {
    const message = this.#messages[index];
    return message?.role === 'tool' && message.content.length >= MIN_HIDDEN;
  }

  hide(index: number): Part {
    const known = this.#stubs.get(index);
    if (known) return known;
    const message = this.#messages[index];
    if (!message) throw new Error(`No message ${index}`);
    const content = `[Old tool result hidden: ${message.content.length} chars; recall with id m${index}]`;
    const stub: Literal = { index, message: { ...message, content }, leadsTo: [index] };
    this.#stubs.set(index, stub);
    return stub;
  }
}
