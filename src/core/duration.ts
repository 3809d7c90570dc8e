/** How long something took, in a person's words. */

import { type Words, words } from './words.ts';

/** `40 ms`, `1.2 s`, `3 min 5 s`. */
export function formatDuration(ms: number): Words {
  if (ms < 100) return words('{0} ms', Math.round(ms));
  if (ms < 59_950) return words('{0} s', (ms / 1_000).toFixed(1));
  const seconds = Math.round(ms / 1_000);
  return words('{0} min {1} s', Math.floor(seconds / 60), seconds % 60);
}
