/** The folder of a trial window: each checkout has its own, so that `--fresh` in one leaves the others as they were. */

import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';

/** `cache`: the folder that all checkouts share. Two checkouts may have the same name in different folders. */
export function startHome(cache: string, checkout: string, scripted: boolean): string {
  const place = createHash('sha256').update(checkout).digest('hex').slice(0, 8);
  // The scripted model has its own sessions and settings, so that trying it leaves the others as they were.
  return join(cache, scripted ? 'start-scripted' : 'start', `${basename(checkout)}-${place}`);
}
