/**
 * Collects changes and posts them at most once a frame. Invariant: a frame is true when it is posted. A row that
 * changed ten times is posted once, and a delta never follows a row that already contains it.
 */

import type { Attachment } from '../../core/context/message.ts';
import type { RowPage } from '../../core/transcript/transcript.ts';
import type { SessionChange } from '../../node/session/shownSession.ts';
import type { Kept } from '../../protocol/kept.ts';
import type { PanelState, ToPanel } from '../../protocol/messages.ts';
import { LIVE_ROW, type Row } from '../../protocol/rows.ts';
import type { PanelChange, PanelMessage } from './panelChanges.ts';

/** In milliseconds: a display's frame. */
const FRAME = 16;
/** Rows of a first page. */
const PAGE = 60;

interface Source {
  state(): PanelState;
  rows(beforeId: string | null, count: number): RowPage;
  row(id: string): Row | null;
  /** The page's stored state for the session on screen. */
  kept(): Kept | null;
}

/** Images that the session already stores. */
function sentImages(attachments: readonly Attachment[] | undefined) {
  return attachments ? { images: attachments.map(({ blob, name = '' }) => ({ blob, name })) } : {};
}

export class PanelFrames {
  readonly #source: Source;
  readonly #post: (frame: readonly ToPanel[]) => void;
  readonly #dirty = new Set<string>();
  readonly #deltas = new Map<string, { text: string; reasoning: string }>();
  #others: ToPanel[] = [];
  readonly #lost: ToPanel[] = [];
  /** Text added to the message before the page had started. */
  #early: ToPanel[] = [];
  #state = false;
  /** The whole page must be redrawn. */
  #whole = false;
  /** Ids of the rows in the panel: a contiguous run up to the newest. */
  readonly #sent = new Set<string>();
  /** Position of the first of them; -1 when there are no older ones. Earlier rows are not on the page. */
  #first = -1;
  #count = PAGE;
  #started = false;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(source: Source, post: (frame: readonly ToPanel[]) => void) {
    this.#source = source;
    this.#post = post;
  }

  take(change: PanelChange): void {
    if ('type' in change) this.#queue(change);
    else if (!this.#follow(change)) return;
    this.#timer ??= setTimeout(() => this.flush(), FRAME);
  }

  #queue(message: PanelMessage): void {
    (message.type === 'insertText' && !this.#started ? this.#early : this.#others).push(message);
  }

  /** False when there is nothing to post. */
  #follow(change: SessionChange): boolean {
    switch (change.kind) {
      case 'state':
        this.#state = true;
        break;
      case 'rows':
        for (const id of change.ids) {
          this.#dirty.add(id);
          this.#deltas.delete(id);
        }
        break;
      case 'delta': {
        // A row posted whole in this frame already contains the delta.
        if (this.#dirty.has(change.rowId)) return false;
        const delta = this.#deltas.get(change.rowId) ?? { text: '', reasoning: '' };
        delta.text += change.text;
        delta.reasoning += change.reasoning;
        this.#deltas.set(change.rowId, delta);
        break;
      }
      case 'replaced':
        this.#whole = true;
        this.#count = Math.max(this.#source.kept()?.count ?? 0, PAGE);
        break;
      case 'compose':
        this.#others.push({ type: 'compose', text: change.text, ...sentImages(change.attachments) });
        break;
      case 'saidAgain':
        this.#others.push({ type: 'saidAgain', text: change.text, ...sentImages(change.attachments) });
        break;
    }
    return true;
  }

  /** Shows a panel that just started, with the `count` newest rows. */
  show(count: number): void {
    this.#count = Math.max(count, this.#source.kept()?.count ?? 0, PAGE);
    this.#others.push(...this.#lost.splice(0));
    this.#whole = true;
    this.#others.push(...this.#early.splice(0));
    this.#started = true;
    this.flush();
  }

  /** The page was gone when this was posted: a person's text in it is given to the next page. */
  keep(frame: readonly ToPanel[]): void {
    this.#lost.push(...frame.filter(({ type }) => type === 'compose'));
  }

  older(beforeId: string, count: number): void {
    this.flush();
    const { rows, more } = this.#source.rows(beforeId, count);
    this.#hold(rows, more);
    this.#post([{ type: 'olderRows', beforeId, rows: [...rows], more }]);
  }

  flush(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const frame = this.#frame();
    this.#dirty.clear();
    this.#deltas.clear();
    this.#others = [];
    this.#state = false;
    this.#whole = false;
    if (frame.length > 0) this.#post(frame);
  }

  dispose(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #frame(): ToPanel[] {
    if (this.#whole) return [this.#show(), ...this.#others];
    const frame: ToPanel[] = [];
    // The streaming row is the newest, whenever in the frame it began.
    if (this.#dirty.delete(LIVE_ROW)) this.#dirty.add(LIVE_ROW);
    const dirty = [...this.#dirty]
      .filter((id) => this.#sent.has(id) || placeOf(id) > this.#first)
      .map((id) => ({ id, row: this.#source.row(id) }));
    const rows = dirty.flatMap(({ row }) => row ?? []);
    const gone = dirty.filter(({ id, row }) => row === null && this.#sent.delete(id)).map(({ id }) => id);
    for (const row of rows) this.#sent.add(row.id);
    // New rows go first, then removals: an answer replaces the row that streamed it.
    if (rows.length > 0) frame.push({ type: 'rows', rows });
    if (gone.length > 0) frame.push({ type: 'removeRows', ids: gone });
    for (const [rowId, delta] of this.#deltas) frame.push({ type: 'delta', rowId, ...delta });
    if (this.#state) frame.push({ type: 'state', state: this.#source.state() });
    return [...frame, ...this.#others];
  }

  #show(): ToPanel {
    const { rows, more } = this.#source.rows(null, this.#count);
    this.#sent.clear();
    this.#hold(rows, more);
    const kept = this.#source.kept();
    return { type: 'show', state: this.#source.state(), rows: [...rows], more, ...(kept ? { kept } : {}) };
  }

  /** `rows` are the first in the panel; `more`: there are older ones. */
  #hold(rows: readonly Row[], more: boolean): void {
    for (const row of rows) this.#sent.add(row.id);
    if (!more) this.#first = -1;
    else if (rows[0]) this.#first = placeOf(rows[0].id);
  }
}

/** Rows are ordered by the entries in their ids; the streaming row comes last. */
function placeOf(rowId: string): number {
  const [, seq] = /^[a-z](\d+)/.exec(rowId) ?? [];
  return seq === undefined ? Number.POSITIVE_INFINITY : Number(seq);
}
