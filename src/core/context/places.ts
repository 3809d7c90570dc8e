/** Numbers the blocks and rounds of a conversation: whatever is appended gets its place, seen or not. */

import type { ItemKind } from './item.ts';

export class Places {
  /** Block of the newest appended message: its results join it, whatever a compaction inserted meanwhile. */
  block = 0;
  blocks = 0;
  round = 0;

  /** A message is appended: `block` and `round` are then its own. */
  add(kind: ItemKind): void {
    if (kind === 'user') this.round++;
    if (kind !== 'toolResult') this.block = this.nextBlock();
  }

  /** So many began among messages that nobody looks at. */
  pass(blocks: number, rounds: number): void {
    this.round += rounds;
    this.blocks += blocks;
    if (blocks > 0) this.block = this.blocks;
  }

  /** For what a compaction puts in. */
  nextBlock(): number {
    return ++this.blocks;
  }
}
