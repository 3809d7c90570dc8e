/**
 * Announces to a screen reader only what matters: a complete answer, a question, a compaction, an error. The
 * conversation itself is not a live region, because a streaming answer would be read word by word.
 */

import { t } from '@vscode/l10n';
import type { PanelState } from '../../src/protocol/messages.ts';
import type { Row } from '../../src/protocol/rows.ts';
import { CARD_KEY } from './cardKeys.ts';

/** The announcement of a card that asks. */
export const announceQuestion = (question: string) => `${question} ${t('{0} leads to it.', CARD_KEY)}`;
export class Announcer {
  readonly #element: HTMLElement;
  readonly #speak: (row: Row) => string;
  /** The text announced for each row, so that a redrawn question is not announced again. */
  readonly #announced = new Set<string>();

  constructor(speak: (row: Row) => string) {
    this.#speak = speak;
    this.#element = document.createElement('div');
    this.#element.className = 'announcer';
    this.#element.setAttribute('role', 'status');
    document.body.append(this.#element);
  }

  /** A text that is there already would not be announced again, and gets a space that is not heard. */
  announce(text: string): void {
    this.#element.textContent = text !== '' && text === this.#element.textContent ? `${text}\u00A0` : text;
  }

  /** A question leaves the caret where it is, so it says which key leads to it. */
  #ask(question: string): void {
    this.announce(announceQuestion(question));
  }

  state(before: PanelState | null, now: PanelState): void {
    if (now.consent && before?.consent?.id !== now.consent.id) this.#ask(t('Compact the context now?'));
    else if (now.question && before?.question?.id !== now.question.id)
      this.#ask(now.question.kind === 'plan' ? t('Approve this plan?') : now.question.text);
    else if (before && before.sessionId === now.sessionId && before.mode !== now.mode)
      this.announce(t('{0}: {1}', t('Mode'), now.modes.find(({ id }) => id === now.mode)?.label ?? now.mode));
    else if (now.status === 'compacting' && before?.status !== 'compacting') this.announce(t('Compacting…'));
  }

  /** `rows` are new, or have a question; the last that says something is announced. */
  rows(rows: readonly Row[]): void {
    const row = rows.findLast((each) => this.#speak(each) !== '');
    const text = row ? this.#speak(row) : '';
    // Includes the time, because every session numbers its rows from the same start.
    const key = `${row?.time} ${row?.id} ${text}`;
    if (text === '' || this.#announced.has(key)) return;
    this.#announced.add(key);
    this.announce(text);
  }
}
