/** Saves the unfinished work of the page, so that a reload of the panel loses nothing of it. */

import { type ImageToSend, type Kept, MOST_ROWS, type Saved } from '../../src/protocol/kept.ts';
import type { PanelState } from '../../src/protocol/messages.ts';
import { MAX_TEXT, type Row } from '../../src/protocol/rows.ts';
import type { Host } from './host.ts';

/** Milliseconds from a change to its saving. */
const SAVE_AFTER = 300;

/** A message that is being written. */
interface Draft {
  readonly draft: string;
  readonly images: readonly ImageToSend[];
  readonly pasted: boolean;
  /** The row of the message that it will replace; null for a new message. */
  readonly replaces: string | null;
}

/** The draft of a reason to decline a question. `secret`: it may be a password, which lives in this page only. */
export type ReasonDraft = NonNullable<Kept['reason']> & { readonly secret?: boolean };

/** The page whose state is saved. */
interface SavedPage {
  readonly state: PanelState | null;
  readonly composer: Draft;
  readonly editor: Draft | null;
  readonly rows: { readonly all: readonly Row[] };
  readonly reader: { anchor(): Kept['anchor'] };
  readonly open: ReadonlySet<string>;
  readonly reason: ReasonDraft | null;
}

function keptOf({ replaces, draft }: Draft): Kept['editing'] {
  return replaces === null ? null : { rowId: replaces, text: draft.slice(0, MAX_TEXT) };
}

/** Null for a draft that may be a password: it is kept nowhere. */
function keptReason({ approvalId, text, secret }: ReasonDraft): Kept['reason'] {
  return secret ? null : { approvalId, text: text.slice(0, 10_000) };
}

/** One list, so that it counts as unchanged. */
const NO_IMAGES: readonly ImageToSend[] = [];

/**
 * Saves the state of the page: draft, images, open rows and the reader's position. The editor has the quick copy, which
 * it writes to disk at some time; the host writes its own copy at once.
 */
export class Saving {
  readonly #page: SavedPage;
  readonly #host: Host;
  /** The editor's copy from before the page was loaded. */
  readonly #before: Saved | null;
  /** The host's images; null if they must be sent again. */
  #keptImages: readonly ImageToSend[] | null = null;
  /** The same for the message being edited. */
  #keptEditing: readonly ImageToSend[] | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(page: SavedPage, host: Host) {
    this.#page = page;
    this.#host = host;
    this.#before = host.load();
  }

  /** Number of rows that the page had before it was reloaded. */
  get count(): number {
    return this.#before?.count ?? 0;
  }

  save(): void {
    const { state, composer, editor, rows, reader, open, reason } = this.#page;
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
    this.#keptImages = this.#page.composer.images;
    this.#keptEditing = this.#page.editor?.images ?? NO_IMAGES;
  }

  /** The newer of the host's and the editor's copies of a session, when the page shows its first one. */
  newest(kept: Kept | null): Kept | null {
    const before = this.#before;
    return before?.sessionId === this.#page.state?.sessionId && before && before.at >= (kept?.at ?? 0) ? before : kept;
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
