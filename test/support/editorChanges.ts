/** Changes of lines as an editor finds them: it compares lines without their ends, and counts the empty one at the end. */

import { diffArrays } from 'diff';
import type { LineChange } from '../../src/core/checkpoints/lines.ts';

export function editorChanges(before: Uint8Array, after: Uint8Array): LineChange[] {
  const lines = (bytes: Uint8Array) =>
    Buffer.from(bytes)
      .toString('latin1')
      .split(/\r\n|\r|\n/);
  const changes: LineChange[] = [];
  let [old, now] = [0, 0];
  let open: { before: { from: number; count: number }; after: { from: number; count: number } } | null = null;
  for (const part of diffArrays(lines(before), lines(after))) {
    if (!part.added && !part.removed) {
      open = null;
      old += part.count;
      now += part.count;
      continue;
    }
    if (!open) {
      open = { before: { from: old, count: 0 }, after: { from: now, count: 0 } };
      changes.push(open);
    }
    if (part.removed) {
      open.before.count += part.count;
      old += part.count;
    } else {
      open.after.count += part.count;
      now += part.count;
    }
  }
  return changes;
}
