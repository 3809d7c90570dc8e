/**
 * The panel's end of the bridge: typed messages out, validated messages in, and the small state that survives a reload.
 */

import { t } from '@vscode/l10n';
import { type ImageToSend, type Kept, MOST_ROWS, type Saved, savedSchema } from '../../src/protocol/kept.ts';
import { decodeToPanel, type PanelState, type ToHost, type ToPanel } from '../../src/protocol/messages.ts';
import { MAX_TEXT, type Row } from '../../src/protocol/rows.ts';
import { CARD_KEY } from './cardKeys.ts';
import type { Composer } from './composer.ts';
import type { Panel } from './panel.ts';

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

/** The announcement of a card that asks. */
export const sayQuestion = (question: string) => `${question} ${t('{0} leads to it.', CARD_KEY)}`;

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

  /** A text that is there already would not be announced again, and gets a space that is not heard. */
  say(text: string): void {
    this.#element.textContent = text !== '' && text === this.#element.textContent ? `${text}\u00A0` : text;
  }

  /** A question leaves the caret where it is, so it says which key leads to it. */
  #ask(question: string): void {
    this.say(sayQuestion(question));
  }

  state(before: PanelState | null, now: PanelState): void {
    if (now.consent && before?.consent?.id !== now.consent.id) this.#ask(t('Compact the context now?'));
    else if (now.question && before?.question?.id !== now.question.id)
      this.#ask(now.question.kind === 'plan' ? t('Approve this plan?') : now.question.text);
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

/** Milliseconds from a change to its saving. */
const SAVE_AFTER = 300;

function keptOf({ replaces, draft }: Composer): Kept['editing'] {
  return replaces === null ? null : { rowId: replaces, text: draft.slice(0, MAX_TEXT) };
}

/** Null for a draft that may be a password: it is kept nowhere. */
function keptReason({ approvalId, text, secret }: NonNullable<Panel['reason']>): Kept['reason'] {
  return secret ? null : { approvalId, text: text.slice(0, 10_000) };
}

/** One list, so that it counts as unchanged. */
const NO_IMAGES: readonly ImageToSend[] = [];

/**
 * Saves the state of the page: draft, images, open rows and the reader's position. The editor has the quick copy, which
 * it writes to disk at some time; the host writes its own copy at once.
 */
export class Saving {
  readonly #panel: Panel;
  readonly #host: Host;
  /** The editor's copy from before the page was loaded. */
  readonly #before: Saved | null;
  /** The host's images; null if they must be sent again. */
  #keptImages: readonly ImageToSend[] | null = null;
  /** The same for the message being edited. */
  #keptEditing: readonly ImageToSend[] | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(panel: Panel, host: Host) {
    this.#panel = panel;
    this.#host = host;
    this.#before = host.load();
  }

  /** Number of rows that the page had before it was reloaded. */
  get count(): number {
    return this.#before?.count ?? 0;
  }

  save(): void {
    const { state, composer, editor, rows, reader, open, reason } = this.#panel;
    if (!state) return;
    const { sessionId } = state;
    const { images } = composer;
    const editingImages = editor?.images ?? NO_IMAGES;
    const kept = {
      at: Date.now(),
      draft: composer.draft.slice(0, MAX_TEXT),
      count: Math.min(rows.all.length, MOST_ROWS),
      anchor: reader.anchor(),
      open: [...open].slice(-50),
      editing: editor && keptOf(editor),
      pasted: composer.pasted || editor?.pasted === true,
      reason: reason && keptReason(reason),
    };
    this.#host.save({ sessionId, images: [...images], editingImages: [...editingImages], ...kept });
    this.#host.post({
      type: 'keep',
      sessionId,
      kept,
      ...(images === this.#keptImages ? {} : { images: [...images] }),
      ...(editingImages === this.#keptEditing ? {} : { editingImages: [...editingImages] }),
    });
    this.#keptImages = images;
    this.#keptEditing = editingImages;
  }

  /** The editor may discard a hidden page without notice, so important state is saved while it changes. */
  soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.save();
    }, SAVE_AFTER);
  }

  /** Another session is shown: pending state belongs to the previous one. */
  cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** The images of a restored draft are the host's own. */
  restored(): void {
    this.#keptImages = this.#panel.composer.images;
    this.#keptEditing = this.#panel.editor?.images ?? NO_IMAGES;
  }

  /** The newer of the host's and the editor's copies of a session, when the page shows its first one. */
  newest(kept: Kept | null): Kept | null {
    const before = this.#before;
    return before?.sessionId === this.#panel.state?.sessionId && before && before.at >= (kept?.at ?? 0) ? before : kept;
  }

  /** The first message created a session: the draft now belongs to it, and nothing stays with `sessionId`. */
  moveFrom(sessionId: string): void {
    const nothing = { draft: '', count: 0, anchor: null, open: [], editing: null, pasted: false, reason: null };
    const kept = { at: Date.now(), ...nothing };
    this.#host.post({ type: 'keep', sessionId, kept, images: [], editingImages: [] });
    this.#keptImages = null;
    this.#keptEditing = null;
    this.save();
  }
}
