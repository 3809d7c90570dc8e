/** Loads the cleaner when something leaves for the first time: its rules and forms are no part of the start. */

import type { Cleaner } from './cleaner.ts';

/** `known`: secrets of any form, such as the keys of endpoints. */
export async function openCleaner(known: readonly string[] = []): Promise<Cleaner> {
  const { createCleaner } = await import('./cleaner.ts');
  return createCleaner(known);
}
