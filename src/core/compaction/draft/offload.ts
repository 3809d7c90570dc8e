/**
 * Offload (C10, C11, C12): the body of a large result goes into a blob, a preview and a reference stay. What the
 * formatter cut already is not cut again. The item keeps its id, so the reference survives any later compaction.
 */

import type { ContextItem } from '../../context/item.ts';
import type { ToolMessage } from '../../context/message.ts';
import type { BlobStore } from '../../ports.ts';
import { countTokens, takeTokens } from '../../tokens/estimate.ts';
import type { Candidate, Slot } from './candidate.ts';
import type { OffloadSettings } from './keepingSettings.ts';
import { makeStub } from './stub.ts';

export interface OffloadPorts {
  readonly blobs: BlobStore;
  readonly nonce: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** C10, `offload.onReturn`: a large result as it is put into the journal. Null when it stays as it is. */
export async function offloadOnReturn(
  message: ToolMessage,
  settings: OffloadSettings,
  { blobs, nonce }: Pick<OffloadPorts, 'blobs' | 'nonce'>,
): Promise<ToolMessage | null> {
  if (!settings.onReturn || message.truncation || message.offload) return null;
  const tokens = countTokens(message.text);
  if (tokens <= settings.threshold) return null;
  const blob = await blobs.put(new TextEncoder().encode(message.text));
  const preview = takeTokens(message.text, settings.previewTokens);
  const reference = `[palimpsest:${nonce} tool result offloaded, ${message.text.length} characters; read_file with path "output:${blob}" reads it whole]`;
  return { ...message, text: `${preview}\n${reference}`, offload: { blob, tokens } };
}

/** Ephemeral results that a candidate hides: their bodies go into blobs, a preview stands in front of the stub. */
export async function offloadHidden(
  candidate: Candidate,
  items: readonly ContextItem[],
  settings: OffloadSettings,
  ports: OffloadPorts,
): Promise<Candidate> {
  const slots: Slot[] = [];
  for (const slot of candidate) slots.push(await offloadSlot(slot, items, settings, ports));
  return slots;
}

async function offloadSlot(
  slot: Slot,
  items: readonly ContextItem[],
  settings: OffloadSettings,
  ports: OffloadPorts,
): Promise<Slot> {
  if (slot.kind !== 'change' || !slot.by.stub || slot.message.role !== 'tool' || !slot.message.ephemeral) return slot;
  const body = items[slot.index]?.message;
  if (body?.role !== 'tool' || body.truncation || body.offload) return slot;
  const tokens = countTokens(body.text);
  if (tokens <= settings.threshold) return slot;
  const blob = await ports.blobs.put(new TextEncoder().encode(body.text));
  const stub = makeStub(slot.message, 'offloaded', ports.nonce, ports.now);
  const text = `${takeTokens(body.text, settings.previewTokens)}\n${stub.text}`;
  return { ...slot, by: { text, stub: { text }, offload: { blob, tokens } } };
}

/** C12: indices of results a tool no longer wants, oldest first; those behind stubs went before. */
export function findExpired(items: readonly ContextItem[]): number[] {
  const seen = new Map<string, number>();
  const expired: number[] = [];
  for (let i = items.length - 1; i >= 0; i--) {
    const item = items[i];
    if (item?.message.role !== 'tool' || !item.message.ephemeral) continue;
    const { toolName, ephemeral } = item.message;
    const newer = seen.get(toolName) ?? 0;
    seen.set(toolName, newer + 1);
    if (newer >= ephemeral.keepNewest && !item.hidden && !item.pinned) expired.push(i);
  }
  return expired.reverse();
}
