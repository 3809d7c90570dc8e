/**
 * A name for a session that says nothing about it: the same in each window and after each restart, and no way back to the
 * name of its folder, nor from the name for one purpose to that for another.
 */

import type { Crypto } from '../ports.ts';
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
