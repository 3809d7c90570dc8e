/**
 * Finds the results that their tools no longer want: the newest of a kind stay, and the others go when that is worth
 * reading the rest again.
 */

import type { ContextItem } from '../../context/item.ts';
import { parseObject } from '../../json.ts';

/** The freed tokens times this must outweigh the tokens read again. */
const WEIGHT = 2;

interface Expired {
  readonly index: number;
  readonly waits: boolean;
}

/**
 * Indices, oldest first; existing stubs are omitted. Deferred results go together, once they hold `outdatedTokens` and
 * half as much as would be read again; 0 keeps them. With `null` all go, because a compaction is about to change the
 * context anyway.
 */
export function findExpired(items: readonly ContextItem[], outdatedTokens: number | null): number[] {
  const expired = outdatedTokens === 0 ? findAll(items).filter(({ waits }) => !waits) : findAll(items);
  const first = outdatedTokens === null ? 0 : firstThatGoes(items, expired, outdatedTokens);
  return expired.flatMap(({ index }) => (index >= first ? [index] : []));
}

/** Everything after it is read again in any case, so all expired results there go too. */
function firstThatGoes(items: readonly ContextItem[], expired: readonly Expired[], least: number): number {
  let first = expired.find(({ waits }) => !waits)?.index ?? Number.POSITIVE_INFINITY;
  let freed = 0;
  let readAgain = 0;
  let at = items.length;
  for (const { index } of expired.toReversed()) {
    while (--at > index) readAgain += items[at]?.tokens ?? 0;
    freed += items[index]?.tokens ?? 0;
    if (freed >= least && freed * WEIGHT >= readAgain) first = Math.min(first, index);
  }
  return first;
}

function findAll(items: readonly ContextItem[]): Expired[] {
  const calls = new Map<string, string>();
  for (const { message } of items) {
    if (message.role !== 'assistant') continue;
    for (const call of message.toolCalls ?? []) calls.set(call.id, call.arguments);
  }
  const seen = new Map<string, number>();
  const expired: Expired[] = [];
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index];
    if (item?.message.role !== 'tool' || !item.message.ephemeral) continue;
    const { toolName, toolCallId, ephemeral } = item.message;
    const waits = ephemeral.of === 'call';
    const kind = waits ? `${toolName} ${normalise(calls.get(toolCallId) ?? '')}` : toolName;
    const newer = seen.get(kind) ?? 0;
    seen.set(kind, newer + 1);
    if (newer >= ephemeral.keepNewest && !item.hidden && !item.pinned) expired.push({ index, waits });
  }
  return expired.reverse();
}

/** Models format their arguments freely. */
function normalise(text: string): string {
  const parsed = parseObject(text);
  return parsed ? JSON.stringify(parsed) : text;
}
