/**
 * Where the caret goes by itself: into the message field, when nothing else on the page has it. What asks something never
 * takes it.
 */

import type { ToHost } from '../../src/protocol/messages.ts';

/** Where the caret can be. */
interface Caret {
  /** The message field below the conversation. */
  readonly composer: { focus(): void; holdBack(): void };
  readonly cardKeys: { readonly isInCard: boolean };
  /** Questions that were answered. */
  readonly answered: Set<string>;
  post(message: ToHost): void;
}

/** Answers a question, which then gives up the caret. A second answer has no effect. */
export function answerOnce(panel: Caret, id: string, answer: ToHost): void {
  if (panel.answered.has(id)) return;
  panel.answered.add(id);
  panel.post(answer);
  panel.composer.focus();
}

/**
 * The page has just got the focus. A card that had it before is not where the person went now, and its keys do not count.
 */
export function onPageEntered({ cardKeys, composer }: Caret): void {
  if (isCaretLost() || cardKeys.isInCard) composer.focus();
}

/** The element with the caret has left the page. `asked`: the question, if it was in a card. */
export function onCaretLost({ answered, composer }: Caret, asked: string | null): void {
  composer.focus();
  // The person may be writing into the card that is gone, and Enter was meant for that.
  if (asked !== null && !answered.has(asked)) composer.holdBack();
}

/** True when nothing has the focus: its element has left the page, or the page has just been entered. */
export function isCaretLost(): boolean {
  return document.hasFocus() && (document.activeElement === null || document.activeElement === document.body);
}
