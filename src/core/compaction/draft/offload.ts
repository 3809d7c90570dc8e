/**
 * Offload: moves the body of a large result to a blob and leaves a preview and a reference. A result cut by the
 * formatter is not cut again. The item keeps its id, so the reference survives any later compaction.
 */

import type { ContextMessage } from '../../../api/index.ts';
import type { Timers } from '../../clock.ts';
import type { ToolMessage } from '../../context/message.ts';
import type { BlobStore } from '../../journal/blobStore.ts';
import { countInTurns } from '../../tokens/estimate.ts';
import { shortenOutput } from '../../tools/text/shortenOutput.ts';
import { type Decision, type Draft, textTokens } from './draft.ts';
import { makeStub, type Stamp } from './stub.ts';

const PREVIEW_TOKENS = 200;

/** The form in which a large result is journaled when the tool returns. Null when it stays unchanged. */
export async function offloadOnReturn(
  message: ToolMessage,
  settings: { readonly onReturn: boolean; readonly threshold: number },
  { blobs, nonce, timers }: { readonly blobs: BlobStore; readonly nonce: string; readonly timers: Timers },
): Promise<ToolMessage | null> {
  if (!settings.onReturn || message.truncation || message.offload) return null;
  const tokens = await countInTurns(message.text, timers);
  if (tokens <= settings.threshold) return null;
  const blob = await blobs.put(new TextEncoder().encode(message.text));
  const preview = shortenOutput(message.text, PREVIEW_TOKENS);
  const reference = `[palimpsest:${nonce} tool result offloaded, ${message.text.length} characters; read_file with path "output:${blob}" reads it whole]`;
  return { ...message, text: `${preview}\n${reference}`, offload: { blob, tokens } };
}

/** Moves the bodies of hidden ephemeral results to blobs, with a preview before the stub. */
export async function offloadHidden(
  draft: Draft,
  settings: { readonly threshold: number },
  blobs: BlobStore,
  stamp: Stamp,
): Promise<Draft> {
  const offloaded: [number, Decision][] = [];
  for (const [index, change] of draft.changes()) {
    const message = draft.history.messages[index] as ContextMessage;
    if (change.kind !== 'hide' || message.role !== 'tool' || !message.ephemeral) continue;
    const body = draft.history.items[index]?.message;
    if (body?.role !== 'tool' || body.truncation || body.offload) continue;
    const tokens = textTokens(message);
    if (tokens <= settings.threshold) continue;
    const blob = await blobs.put(new TextEncoder().encode(body.text));
    const text = `${shortenOutput(body.text, PREVIEW_TOKENS)}\n${makeStub(message, 'offloaded', { ...stamp, commandLines: 0 }).text}`;
    offloaded.push([index, { kind: 'hide', stub: { text }, offload: { blob, tokens } }]);
  }
  return offloaded.length ? draft.decide(offloaded) : draft;
}
