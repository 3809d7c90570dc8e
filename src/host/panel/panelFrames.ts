/**
 * Gathers what changed and posts it at most once a frame. Invariant: what a posted frame says is true at the moment it
 * is posted, so a row changed ten times in a frame crosses once, and a delta never follows the row that contains it.
 */

import type { ToPanel } from '../../protocol/messages.ts';
import type { PanelChange, PanelController } from './panelController.ts';

/** Milliseconds; a display's frame. */
const FRAME = 16;

type Source = Pick<PanelController, 'state' | 'rows' | 'row'>;

export class PanelFrames {
  readonly #source: Source;
  readonly #post: (frame: readonly ToPanel[]) => void;
  readonly #dirty = new Set<string>();
  readonly #deltas = new Map<string, { text: string; reasoning: string }>();
  #others: ToPanel[] = [];
  #state = false;
  #page: 'kept' | 'refresh' | 'show' = 'kept';
  /** Rows the panel holds: as many are shown again after a page changed. */
  #held = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(source: Source, post: (frame: readonly ToPanel[]) => void) {
    this.#source = source;
    this.#post = post;
  }

  take(change: PanelChange): void {
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
        // A row that crosses whole in this frame has the delta in it already.
        if (this.#dirty.has(change.rowId)) return;
        const delta = this.#deltas.get(change.rowId) ?? { text: '', reasoning: '' };
        delta.text += change.text;
        delta.reasoning += change.reasoning;
        this.#deltas.set(change.rowId, delta);
        break;
      }
      case 'page':
        if (this.#page === 'kept') this.#page = 'refresh';
        break;
      case 'replaced':
        this.#page = 'show';
        this.#held = PAGE;
        break;
      case 'sessions':
        this.#others.push({ type: 'sessions', sessions: [...change.sessions] });
        break;
      case 'compose':
        this.#others.push({ type: 'compose', text: change.text });
        break;
    }
    this.#timer ??= setTimeout(() => this.flush(), FRAME);
  }

  /** A whole view for a panel that just started, with the `count` newest rows. */
  show(count: number): void {
    this.#held = Math.max(count, PAGE);
    this.#page = 'show';
    this.flush();
  }

  older(beforeId: string, count: number): void {
    this.flush();
    const { rows, more } = this.#source.rows(beforeId, count);
    this.#held += rows.length;
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
    this.#page = 'kept';
    if (frame.length > 0) this.#post(frame);
  }

  dispose(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #frame(): ToPanel[] {
    if (this.#page === 'show') {
      const { rows, more } = this.#source.rows(null, this.#held);
      return [{ type: 'show', state: this.#source.state(), rows: [...rows], more }, ...this.#others];
    }
    const frame: ToPanel[] = [];
    if (this.#page === 'refresh') {
      frame.push({ type: 'rows', rows: [...this.#source.rows(null, this.#held).rows] });
    }
    const found = [...this.#dirty].map((id) => ({ id, row: this.#source.row(id) }));
    const gone = found.filter(({ row }) => row === null).map(({ id }) => id);
    const rows = this.#page === 'refresh' ? [] : found.flatMap(({ row }) => row ?? []);
    if (rows.length > 0) frame.push({ type: 'rows', rows });
    if (gone.length > 0) frame.push({ type: 'removeRows', ids: gone });
    if (this.#page === 'kept') {
      for (const [rowId, delta] of this.#deltas) frame.push({ type: 'delta', rowId, ...delta });
    }
    if (this.#state) frame.push({ type: 'state', state: this.#source.state() });
    return [...frame, ...this.#others];
  }
}

/** Rows of a first page. */
export const PAGE = 60;
