/**
 * Tells a screen reader what matters, and only that: an answer that is complete, a question, a compaction, an error.
 * The conversation itself is not a live region, because a streaming answer would be read word by word.
 */

import type { PanelState } from '../../src/protocol/messages.ts';
import type { Row } from '../../src/protocol/rows.ts';
import { formatQuestion, formatTokens } from '../words/format.ts';
import { noticeText } from '../words/noteText.ts';
import { strings } from '../words/strings.ts';

/** Characters of an answer that are read out; the rest is in the conversation. */
const EXCERPT = 240;

export class Announcer {
  readonly #element: HTMLElement;
  readonly #asked = new Set<string>();

  constructor() {
    this.#element = document.createElement('div');
    this.#element.className = 'announcer';
    this.#element.setAttribute('role', 'status');
    document.body.append(this.#element);
  }

  say(text: string): void {
    this.#element.textContent = text;
  }

  state(before: PanelState | null, now: PanelState): void {
    if (now.consent && before?.consent?.id !== now.consent.id) this.say(strings.consentTitle);
    else if (now.status === 'compacting' && before?.status !== 'compacting') this.say(strings.compacting);
  }

  /** `rows` are new, or ask something; the last of them is read out. */
  rows(rows: readonly Row[]): void {
    const row = rows.at(-1);
    switch (row?.type) {
      case 'assistant':
        if (!row.live && row.text) this.say(`${strings.assistant}: ${row.text.slice(0, EXCERPT)}`);
        break;
      case 'tool':
        if (row.approval && !this.#asked.has(row.approval.id)) {
          this.#asked.add(row.approval.id);
          this.say(`${formatQuestion(row.approval.detail)} ${row.approval.title}`);
        }
        break;
      case 'compaction':
        this.say(
          `${strings.compactionLabel}: ${strings.compacted(formatTokens(row.tokensBefore), formatTokens(row.tokensAfter))}`,
        );
        break;
      case 'dmail':
        this.say(strings.dmail(row.checkpoint));
        break;
      case 'notice':
        this.say(noticeText(row).text);
        break;
      case 'user':
      case 'checkpoint':
      case undefined:
        break;
    }
  }
}
