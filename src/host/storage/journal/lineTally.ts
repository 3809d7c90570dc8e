/** What a pass over a journal's lines found: lines left out, gaps and doubles in the numbering. */

import type { DecodedLine } from '../../../core/journal/codec.ts';

export interface DamagedLine {
  /** From 1. */
  readonly line: number;
  /** In bytes. */
  readonly offset: number;
  readonly length: number;
  readonly reason: Extract<DecodedLine, { kind: 'damaged' }>['reason'] | 'doubled' | 'outOfOrder';
}

export interface LineTally {
  lines: number;
  /** Lines left out, in file order: not whole, or with a `seq` that was there before. */
  readonly damaged: DamagedLine[];
  /** Entries that are missing, by `seq`, both ends included. */
  readonly gaps: { readonly from: number; readonly to: number }[];
  /** The `seq` that comes next. */
  next: number;
  /** True when a whole line takes its place in the numbering; else it was counted as damaged. */
  place(seq: number, offset: number, length: number): boolean;
}

/** More lines than that are never lost at once: a higher number is forged, and would cost memory. */
const LARGEST_GAP = 1_000_000;

/** `past` is what an earlier pass over the lines before these found. */
export function tallyLines(past?: Pick<LineTally, 'lines' | 'damaged' | 'gaps' | 'next'>): LineTally {
  return {
    lines: past?.lines ?? 0,
    damaged: [...(past?.damaged ?? [])],
    gaps: [...(past?.gaps ?? [])],
    next: past?.next ?? 0,
    place(seq, offset, length) {
      if (seq < this.next || seq - this.next > LARGEST_GAP) {
        const missing = seq >= this.next || this.gaps.some(({ from, to }) => seq >= from && seq <= to);
        this.damaged.push({ line: this.lines, offset, length, reason: missing ? 'outOfOrder' : 'doubled' });
        return false;
      }
      if (seq > this.next) this.gaps.push({ from: this.next, to: seq - 1 });
      this.next = seq + 1;
      return true;
    },
  };
}
