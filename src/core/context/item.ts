/**
 * Context items: the messages that a model is about to see, in order, with the facts that strategies and lowering need.
 * An item is the present form of one slot of the fold; its message is shared, never copied.
 */

import type { HeaderEntry } from '../journal/entry.ts';
import type { ContentPart } from '../model/modelClient.ts';
import type { Attachment, Message, ReasoningOrigin, Usage } from './message.ts';

export type ItemKind = Message extends infer M
  ? M extends { role: 'user'; kind: infer K }
    ? K
    : M extends { role: 'assistant' }
      ? 'assistant'
      : 'toolResult'
  : never;

export interface ContextItem {
  /** Stable for the life of the session: `m17` for an appended message, `c20.0` for a compaction's insert. */
  readonly id: string;
  readonly kind: ItemKind;
  readonly message: Message;
  /** Uncalibrated estimate of the message as shown here. */
  readonly tokens: number;
  /** Items with the same number are one tool block, or one lone message: they stay or go together. */
  readonly block: number;
  /** Rises with every real user message; what comes before the first one is round 0. */
  readonly round: number;
  /** Milliseconds since the epoch of the entry that appended it. */
  readonly time: number;
  /** `seq` of the entry that appended it. */
  readonly seq: number;
  readonly pinned: boolean;
  /** A stub replaces the body. */
  readonly hidden: boolean;
}

/** What a provider reported for a request of a turn; `seq` is that of its entry. */
export interface UsageReport {
  readonly usage: Usage;
  readonly seq: number;
  readonly model: string;
}

/** The fold of the path from root to head. */
export interface Context {
  readonly header: HeaderEntry | null;
  /**
   * The session's model: only this model receives its own reasoning back, and images if it accepts them. Left out where
   * no model will be asked.
   */
  readonly configured?: (ReasoningOrigin & { readonly images?: boolean }) | null;
  readonly conversation: readonly ContextItem[];
  /**
   * The count of the newest compaction: of its result, or after its undo of the context before it, while nothing else has
   * changed the context's shape since. Null otherwise.
   */
  readonly compacted?: { readonly tokens: number; readonly seq: number } | null;
  /** Newest usage that a provider reported for a model turn on this path, if no shape entry came after it. */
  readonly lastUsage: UsageReport | null;
  /** The first report since that shape entry, and the newest ones, in order: together they show which can be true. */
  readonly reports?: readonly UsageReport[];
  /**
   * `seq` of the newest shape entry on the path, or of the newest revert when that is later; requests with the same
   * number share a prefix. -1 when there is none.
   */
  readonly epoch: number;
}

export function kindOf(message: Message): ItemKind {
  switch (message.role) {
    case 'user':
      return message.kind;
    case 'assistant':
      return 'assistant';
    case 'tool':
      return 'toolResult';
  }
}

/** The items after the latest user message, unless an answer without calls has ended the turn. */
export function openLoop(conversation: readonly ContextItem[]): readonly ContextItem[] {
  const end = conversation.at(-1)?.message;
  if (end?.role === 'assistant' && !end.toolCalls?.length) return [];
  return conversation.slice(conversation.findLastIndex((item) => item.kind === 'user') + 1);
}

/** Ids of protected items. The reasoning protection ends with the turn: a final answer ends it. */
export function protectedIds(conversation: readonly ContextItem[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const item of conversation) if (item.pinned) ids.add(item.id);
  const last = conversation.findLastIndex((item) => item.kind === 'user');
  const latest = conversation[last];
  if (latest) ids.add(latest.id);
  const loop = openLoop(conversation);
  const reasoning = new Set<number>();
  for (const { message, block } of loop) if (message.role === 'assistant' && message.reasoning) reasoning.add(block);
  for (const item of loop) if (reasoning.has(item.block)) ids.add(item.id);
  return ids;
}

/**
 * How a message's attachments are sent: the images themselves to a model that accepts images, otherwise a line that
 * names each.
 */
interface LoweredAttachments {
  /** Added to the text. */
  readonly lines: readonly string[];
  /** Sent next to the text. */
  readonly parts: readonly ContentPart[];
}

export function lowerAttachments(attachments: readonly Attachment[] = [], takesImages: boolean): LoweredAttachments {
  if (!takesImages) return { lines: attachments.map(describeImage), parts: [] };
  const parts = attachments.flatMap((image): ContentPart[] => [
    { type: 'text', text: `[${nameImage(image)}]` },
    { type: 'imageBlob', mime: image.mime, blob: image.blob, tokens: image.tokens },
  ]);
  return { lines: [], parts };
}

/** For a model that accepts no images. */
export function describeImage(image: Omit<Attachment, 'blob' | 'tokens'>): string {
  return `[${nameImage(image)} is not shown to you: this model takes no images.]`;
}

/** Such as `image "chart.png" (image/png, 800 × 600)`. */
export function nameImage({ mime, name, width, height }: Omit<Attachment, 'blob' | 'tokens'>): string {
  const named = name ? `${JSON.stringify(name)} ` : '';
  const size = width && height ? `, ${width} × ${height}` : '';
  return `image ${named}(${mime}${size})`.toWellFormed();
}

export function attachmentTokens({
  attachments = [],
}: {
  readonly attachments?: readonly { tokens: number }[];
}): number {
  return attachments.reduce((sum, { tokens }) => sum + tokens, 0);
}
