/** Invariants of each compaction of a chain, whatever made it. Throws at the first violation. */

import { expect } from 'vitest';
import type { History } from '../../../src/core/compaction/draft/history.ts';
import { LEDGER_HEADING } from '../../../src/core/compaction/draft/ledgerLines.ts';
import { fixedMessages } from '../../../src/core/compaction/draft/rules.ts';
import type { ContextItem } from '../../../src/core/context/item.ts';
import { lowerContext } from '../../../src/core/context/lower.ts';
import type { CompactionEntry } from '../../../src/core/journal/entry.ts';
import { countTokens } from '../../../src/core/tokens/estimate.ts';
import { blobs, type Chain } from './chain.ts';
import { refuseEncoded, refuseRequest } from './refuseRequest.ts';

/** The request that the next call would send is one that every provider takes. */
export function checkRequest(chain: Pick<Chain, 'context'>, which: number): void {
  const messages = lowerContext(chain.context);
  expect(refuseRequest(messages)).toBeNull();
  expect(refuseEncoded(messages, which)).toBeNull();
}

/** `before` is what was visible; results of an open loop may go where the window asks for it. */
export function checkKept(chain: Chain, before: readonly ContextItem[], history: History, mayCut: boolean): void {
  const left = new Map(chain.context.conversation.map((item) => [item.id, item]));
  const guarded = mayCut ? fixedMessages(history) : history.protectedAt;
  for (const index of guarded) expect(left.get(before[index]?.id ?? '')?.message).toEqual(before[index]?.message);
  const order = chain.context.conversation.map(({ id }) => id).filter((id) => before.some((item) => item.id === id));
  expect(order).toEqual(before.map(({ id }) => id).filter((id) => left.has(id)));
}

/** The ledger has its size, and holds the first task that left. */
export function checkLedger(chain: Chain, entry: CompactionEntry, before: readonly ContextItem[], most: number): void {
  const shown = JSON.stringify(chain.context.conversation.map(({ message }) => message));
  const made = entry.plan.flatMap((op) => (op.op === 'insert' ? [op.message.text] : [])).join('\n');
  const at = made.lastIndexOf(LEDGER_HEADING);
  if (at >= 0) expect(countTokens(made.slice(at))).toBeLessThanOrEqual(most);
  if (!entry.verification) return;
  const left = new Set(chain.context.conversation.map(({ id }) => id));
  const gone = before.filter(({ id }) => !left.has(id));
  if (gone.some(({ kind }) => kind === 'summary')) return;
  const first = gone.find(({ kind }) => kind === 'user');
  if (first && /^[\w ./]+$/.test(first.message.text)) expect(shown).toContain(first.message.text.trim().slice(0, 40));
}

/** The newest rounds are as they were. */
export function checkWholeRounds(chain: Chain, before: readonly ContextItem[], rounds: number): void {
  const newest = before.at(-1)?.round ?? 0;
  const whole = before.filter(({ round }) => round > newest - rounds);
  const left = new Map(chain.context.conversation.map((item) => [item.id, item]));
  for (const { id, message } of whole) expect(left.get(id)?.message).toEqual(message);
}

/** Offloaded content can be read back whole. */
export async function checkOffloaded(chain: Chain): Promise<void> {
  for (const { id, message } of chain.context.conversation) {
    if (message.role !== 'tool' || !message.offload) continue;
    const body = await blobs.get(message.offload.blob);
    expect(new TextDecoder().decode(body ?? new Uint8Array())).toBe(chain.context.slot(id)?.message.text);
  }
}
