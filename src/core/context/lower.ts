/**
 * Lowering: the only place where context becomes provider messages. It is pure and obeys the epoch rule: between two
 * requests with the same newest shape entry the earlier list is a prefix of the later, because provider prompt caches
 * live on it.
 */

import type { Crypto } from '../crypto.ts';
import type { Journal } from '../journal/journal.ts';
import { sessionHash } from '../journal/sessionHash.ts';
import type { ModelChoice } from '../model/modelChoice.ts';
import type { ChatMessage, ModelRequest } from '../model/modelClient.ts';
import { wrap, wrapUserText } from './frames.ts';
import { type Context, lowerAttachments } from './item.ts';
import { type Message, type ReasoningOrigin, reasoningFor, type ToolCall, type ToolMessage } from './message.ts';
import type { Projection } from './projection.ts';

/** Rises when the same context begins to lower to something else; recorded with each request. */
export const LOWERING_VERSION = 3;

/** Closes a call that never ran: its answer was interrupted, or the session ended before the tool finished. */
export const ABANDONED_CALL = '[This tool call was interrupted and did not run to its end. Its result is unknown.]';

/** The message after an interrupted answer, because many providers refuse a request that ends with an answer. */
export const BROKEN_ANSWER = 'Your answer above broke off here; nothing of it was run.';

/**
 * All messages of the request, system prompt first. Tool blocks up to the entry `mendedUpTo` are written out as text,
 * because a provider refused their native form.
 */
export function lowerContext(context: Context, mendedUpTo = -1): ChatMessage[] {
  const messages: ChatMessage[] = [];
  const system = context.header?.items.map((item) => item.text).join('\n\n');
  const cache = context.header?.items.some((item) => item.cacheHint) ?? false;
  if (system) messages.push({ role: 'system', text: system, ...(cache ? { cache } : {}) });
  let open: readonly ToolCall[] = [];
  let inWords = false;
  const takesImages = context.configured?.images === true;
  const answer = (call: ToolCall, text: string, { attachments = [], isError }: Partial<ToolMessage> = {}) => {
    const { lines, parts } = lowerAttachments(attachments, takesImages);
    const result = [text, ...lines].join('\n');
    const failed = isError ? { isError } : {};
    const lowered = inWords
      ? writeCall(call, result)
      : ({ role: 'tool', toolCallId: call.id, text: result, ...failed } as const);
    messages.push(parts.length > 0 ? { ...lowered, parts } : lowered);
  };
  const close = () => {
    for (const call of open) answer(call, ABANDONED_CALL);
    open = [];
  };
  for (const { message, seq } of context.conversation) {
    if (message.role === 'tool') {
      // A result without its open call (its line was lost, or it came twice) would make providers refuse the request.
      const call = open.find(({ id }) => id === message.toolCallId);
      if (!call) continue;
      open = open.filter(({ id }) => id !== message.toolCallId);
      answer(call, message.text, message);
      continue;
    }
    close();
    const lowered = lowerMessage(message, context.configured ?? null, takesImages);
    if (!lowered) continue;
    inWords = seq <= mendedUpTo;
    if (lowered.role === 'assistant') open = lowered.toolCalls ?? [];
    if (!inWords || open.length === 0) messages.push(lowered);
    else if (lowered.text) messages.push({ role: 'assistant', text: lowered.text });
    if (message.role === 'assistant' && message.interrupted) {
      messages.push({ role: 'user', text: wrapUserText('reminder', BROKEN_ANSWER) });
    }
  }
  close();
  return messages;
}

/** A call and its result as plain text, for a provider that refuses their native form. */
export function writeCall({ name, arguments: given }: ToolCall, text: string): Extract<ChatMessage, { role: 'user' }> {
  return { role: 'user', text: wrap('tool-result', `You called ${name} with ${given}. Its result:\n\n${text}`) };
}

/** Null for a message without content for a model: an interrupted answer without text. */
function lowerMessage(
  message: Exclude<Message, ToolMessage>,
  to: ReasoningOrigin | null,
  takesImages: boolean,
): Exclude<ChatMessage, { role: 'tool' }> | null {
  switch (message.role) {
    case 'user': {
      const { lines, parts } = lowerAttachments(message.attachments, takesImages);
      const text = [wrapUserText(message.kind, message.text), ...lines].join('\n');
      return { role: 'user', text, ...(parts.length > 0 ? { parts } : {}) };
    }
    case 'assistant': {
      // Calls of an interrupted answer never ran, so they are not sent; its text was seen and is.
      const toolCalls = message.interrupted ? undefined : message.toolCalls;
      if (!message.text && !toolCalls?.length) return null;
      const reasoning = reasoningFor(message, to);
      return {
        role: 'assistant',
        text: message.text,
        ...(toolCalls?.length ? { toolCalls } : {}),
        ...(reasoning ? { reasoning } : {}),
      };
    }
  }
}

/**
 * The newest entry that is sent as plain text, for `lowerContext`; -1 when everything is sent in its native form. It
 * applies until the next shape entry: after a compaction, or to another model, the native form is tried again.
 */
export function mendedUpTo(journal: Journal): number {
  const { epoch } = journal.context;
  for (const entry of journal.backward()) {
    if (entry.seq <= epoch) return -1;
    if (entry.type === 'request' && entry.purpose === 'turn') return entry.mendedUpTo ?? -1;
  }
  return -1;
}

/** Tool blocks up to the entry `mended` are written out as text. */
export function turnRequest(
  context: Projection,
  { model, maxOutputTokens }: Pick<ModelChoice, 'model' | 'maxOutputTokens'>,
  mended: number | undefined,
): ModelRequest {
  return {
    model,
    messages: lowerContext(context, mended),
    tools: context.header?.tools ?? [],
    ...(maxOutputTokens ? { maxOutputTokens } : {}),
  };
}

export function bodyHash(crypto: Pick<Crypto, 'sha256'>, request: ModelRequest): Promise<string> {
  return crypto.sha256(new TextEncoder().encode(JSON.stringify(request)));
}

/** The request as sent: with the effort setting, and the key by which the provider finds the session's cache. */
export async function toSend(
  request: ModelRequest,
  { effort }: Pick<ModelChoice, 'effort'>,
  session: { readonly journal: Journal; readonly crypto: Crypto },
): Promise<ModelRequest> {
  return { ...request, ...(effort ? { effort } : {}), cacheKey: await sessionHash(session, 'prompt cache') };
}
