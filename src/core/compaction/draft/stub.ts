/**
 * The stub that replaces a hidden body: fixed wording, the session's nonce, the item's id for recall. Nothing else in a
 * context may look like one, so look-alikes in foreign text are neutralised. For a command's output, the first and last
 * lines may follow the stub.
 */

import type { ContextMessage } from '../../../api/index.ts';
import type { Timers } from '../../clock.ts';
import { nameImage } from '../../context/item.ts';
import type { ToolMessage } from '../../context/message.ts';
import type { BlobStore } from '../../journal/blobStore.ts';
import { countInTurns } from '../../tokens/estimate.ts';
import { shortenOutput } from '../../tools/text/shortenOutput.ts';
import { neutraliseNotes } from '../../tools/text/stripControls.ts';
import { words } from '../../words.ts';
import type { OffloadSettings } from '../sections/generalSettings.ts';
import { type Decision, type Draft, textTokens } from './draft.ts';

export interface Stub {
  readonly text: string;
  /** ISO time, for output that was pruned. */
  readonly prunedAt?: string;
}

/** The data that identify a stub of this session, and the lines that may follow it. */
export interface Stamp {
  readonly nonce: string;
  /** In milliseconds since the epoch; only the wording for pruned output gives the time. */
  readonly now: number;
  /** Number of first and last lines of a command's output that follow its stub. Default: none. */
  readonly commandLines?: number;
}

export type HideReason = 'hidden' | 'pruned' | 'offloaded';

const SUBJECTS = { user: 'user message', assistant: 'assistant message', tool: 'tool result' } as const;

/** Tools that run commands, including other programs' tools. */
const COMMAND = /command|shell|bash|terminal/i;

/** Characters of one line after a stub. */
const LONGEST_LINE = 160;

interface Hideable {
  readonly id: string;
  readonly role: keyof typeof SUBJECTS;
  readonly text: string;
  readonly toolName?: string;
}

export function makeStub(message: Hideable, reason: HideReason, stamp: Stamp): Stub {
  const stub = makeBareStub(message, reason, stamp);
  if (!stamp.commandLines || !COMMAND.test(message.toolName ?? '')) return stub;
  const lines = firstAndLast(message.text, stamp.commandLines);
  // If that would save little, the whole output is hidden.
  if (stub.text.length + 2 * lines.length > message.text.length) return stub;
  return { ...stub, text: `${stub.text}\n${neutraliseNotes(lines)}` };
}

/** The line with the exit code, then the first and the last `most` lines of the output, each of bounded length. */
function firstAndLast(output: string, most: number): string {
  const lines = output.trimEnd().split('\n');
  const first = lines.slice(0, most + 1);
  const last = lines.slice(first.length).slice(-most);
  const left = lines.length - first.length - last.length;
  const shorten = (line: string) => (line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}…` : line);
  return [...first.map(shorten), ...(left > 0 ? [`(lines left out: ${left})`] : []), ...last.map(shorten)]
    .join('\n')
    .toWellFormed();
}

function makeBareStub(message: Hideable, reason: HideReason, { nonce, now }: Stamp): Stub {
  const recall = `${message.text.length} characters; recall with id ${message.id}]`;
  switch (reason) {
    case 'hidden':
      return { text: `[palimpsest:${nonce} ${SUBJECTS[message.role]} hidden, ${recall}` };
    case 'offloaded':
      return { text: `[palimpsest:${nonce} ${SUBJECTS[message.role]} offloaded, ${recall}` };
    case 'pruned': {
      const prunedAt = new Date(now).toISOString();
      return { text: `[Output pruned at ${prunedAt}] [palimpsest:${nonce} ${recall}`, prunedAt };
    }
  }
}

/** True when a message was hidden by pruning, not for another reason. */
export const isPruned = ({ text }: { readonly text: string }): boolean => text.startsWith('[Output pruned at ');

/** Replaces messages dropped to make room; the recall tool's search finds them. */
export function makeDropNote(nonce: string, messages: number, tokens: number): string {
  return `[palimpsest:${nonce} ${messages} earlier messages (about ${tokens} tokens) were dropped to make room; search them with the recall tool]`;
}

/** True for a drop note of any session. */
export const isDropNote = (text: string): boolean =>
  /^\[palimpsest:\w+ \d+ earlier messages \(about \d+ tokens\) were dropped/.test(text);

/** The counts in an earlier drop note; null when `text` is not a note of this session. */
export function readDropNote(
  text: string,
  nonce: string,
): { readonly messages: number; readonly tokens: number } | null {
  const found = /^\[palimpsest:(\w+) (\d+) earlier messages \(about (\d+) tokens\)/.exec(text);
  return found?.[1] === nonce ? { messages: Number(found[2]), tokens: Number(found[3]) } : null;
}

/**
 * Removes images from before the latest round; a line names each and says how to see it again. Images of the latest
 * round stay as long as their messages do.
 */
export function nameImages(draft: Draft, stamp: Stamp): Draft {
  const newest = draft.history.messages.at(-1)?.round ?? 0;
  const named: [number, Decision][] = [];
  draft.visit((message, index) => {
    if (message.round >= newest || message.protected || !holdsImages(draft, index)) return;
    named.push([index, takeImages(draft, index, stamp)]);
  });
  if (named.length === 0) return draft;
  return draft.decide(named).repaired(words('Earlier messages whose images were removed: {0}.', named.length));
}

/** True when the message still has its images, as decided. */
export function holdsImages(draft: Draft, index: number): boolean {
  const decision = draft.at(index);
  if (decision.kind === 'drop' || decision.kind === 'hide') return false;
  if (decision.kind === 'replace' && decision.images !== undefined) return false;
  const message = draft.history.messages[index] as ContextMessage;
  return message.role !== 'assistant' && (message.attachments?.length ?? 0) > 0;
}

/** The message as decided, with a line in place of its images. */
export function takeImages(draft: Draft, index: number, { nonce }: Stamp): Extract<Decision, { kind: 'replace' }> {
  const decision = draft.at(index);
  const { id } = draft.history.messages[index] as ContextMessage;
  const body = draft.history.items[index]?.message;
  const images = body && body.role !== 'assistant' ? (body.attachments ?? []) : [];
  const names = images.map((image) => neutraliseNotes(nameImage(image))).join(', ');
  return {
    ...(decision.kind === 'replace' ? decision : { kind: 'replace' }),
    images: `[palimpsest:${nonce} ${names} taken out; recall with id ${id} shows it again]`,
  };
}

// Offload: moves the body of a large result to a blob and leaves a preview and a reference. A result cut by the
// formatter is not cut again. The item keeps its id, so the reference survives any later compaction.

/** The form in which a large result is journaled when the tool returns. Null when it stays unchanged. */
export async function offloadOnReturn(
  message: ToolMessage,
  settings: OffloadSettings,
  { blobs, nonce, timers }: { readonly blobs: BlobStore; readonly nonce: string; readonly timers: Timers },
): Promise<ToolMessage | null> {
  if (!settings.onReturn || message.truncation || message.offload) return null;
  const tokens = await countInTurns(message.text, timers);
  if (tokens <= settings.threshold) return null;
  const blob = await blobs.put(new TextEncoder().encode(message.text));
  const preview = shortenOutput(message.text, settings.previewTokens);
  const reference = `[palimpsest:${nonce} tool result offloaded, ${message.text.length} characters; read_file with path "output:${blob}" reads it whole]`;
  return { ...message, text: `${preview}\n${reference}`, offload: { blob, tokens } };
}

/** Moves the bodies of hidden ephemeral results to blobs, with a preview before the stub. */
export async function offloadHidden(
  draft: Draft,
  settings: OffloadSettings,
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
    const text = `${shortenOutput(body.text, settings.previewTokens)}\n${makeStub(message, 'offloaded', { ...stamp, commandLines: 0 }).text}`;
    offloaded.push([index, { kind: 'hide', stub: { text }, offload: { blob, tokens } }]);
  }
  return offloaded.length ? draft.decide(offloaded) : draft;
}
