/**
 * The panel's end of the bridge: typed messages out, validated messages in, and the small state that survives a reload.
 */

import { t } from '@vscode/l10n';
import { type Saved, savedSchema } from '../../src/protocol/kept.ts';
import { decodeToPanel, type PanelState, type ToHost, type ToPanel } from '../../src/protocol/messages.ts';
import type { Row } from '../../src/protocol/rows.ts';

interface EditorApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): EditorApi;

export interface Host {
  post(message: ToHost): void;
  load(): Saved | null;
  save(saved: Saved): void;
}

export function connectHost(onFrame: (frame: readonly ToPanel[]) => void): Host {
  const editor = acquireVsCodeApi();
  window.addEventListener('message', (event: MessageEvent<unknown>) => {
    const decoded = decodeToPanel(event.data);
    if (decoded.kind === 'ok') onFrame(decoded.value);
    else console.error(`Palimpsest: a message from the extension does not fit. ${decoded.reason}`);
  });
  return {
    post: (message) => editor.postMessage(message),
    // An older version of the page may have saved it.
    load: () => savedSchema.safeParse(editor.getState()).data ?? null,
    save: (saved) => editor.setState(saved),
  };
}

/**
 * Announces to a screen reader only what matters: a complete answer, a question, a compaction, an error. The
 * conversation itself is not a live region, because a streaming answer would be read word by word.
 */
export class Announcer {
  readonly #element: HTMLElement;
  readonly #speak: (row: Row) => string;
  /** The text announced for each row, so that a redrawn question is not announced again. */
  readonly #said = new Set<string>();

  constructor(speak: (row: Row) => string) {
    this.#speak = speak;
    this.#element = document.createElement('div');
    this.#element.className = 'announcer';
    this.#element.setAttribute('role', 'status');
    document.body.append(this.#element);
  }

  say(text: string): void {
    this.#element.textContent = text;
  }

  state(before: PanelState | null, now: PanelState): void {
    if (now.consent && before?.consent?.id !== now.consent.id) this.say(t('Compact the context now?'));
    else if (now.question && before?.question?.id !== now.question.id)
      this.say(now.question.kind === 'plan' ? t('Approve this plan?') : now.question.text);
    else if (before && before.sessionId === now.sessionId && before.mode !== now.mode)
      this.say(t('{0}: {1}', t('Mode'), now.modes.find(({ id }) => id === now.mode)?.label ?? now.mode));
    else if (now.status === 'compacting' && before?.status !== 'compacting') this.say(t('Compacting…'));
  }

  /** `rows` are new, or have a question; the last that says something is announced. */
  rows(rows: readonly Row[]): void {
    const row = rows.findLast((each) => this.#speak(each) !== '');
    const text = row ? this.#speak(row) : '';
    // Includes the time, because every session numbers its rows from the same start.
    const key = `${row?.time} ${row?.id} ${text}`;
    if (text === '' || this.#said.has(key)) return;
    this.#said.add(key);
    this.say(text);
  }
}
