/**
 * An opaque name for a session: the same in each window and after each restart. Neither the folder's name nor the name
 * for another purpose can be derived from it.
 */

import type { Crypto } from '../crypto.ts';
import type { Journal } from './journal.ts';

interface Named {
  readonly journal: Journal;
  readonly crypto: Crypto;
}

/** 32 hexadecimal digits. */
export async function sessionHash({ journal, crypto }: Named, purpose: string): Promise<string> {
  const { id, nonce } = journal.session;
  const hash = await crypto.sha256(new TextEncoder().encode(`${purpose} of ${id} ${nonce}`));
  return hash.slice(0, 32);
}
