/**
 * "What the model sees": any request of the session, rebuilt from the journal exactly as it was sent, with the tokens
 * and the origin of each part. The recorded hash shows whether the rebuilt bytes are the bytes that were sent.
 */

import type { RequestEntry, ToolDeclaration } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import type { BlobStore, ChatMessage, ContentPart, Crypto, ModelRequest } from '../ports.ts';
import { countTokens, opaqueTokens } from '../tokens/estimate.ts';
import { bodyHash, LOWERING_VERSION, lowerContext, mendedUpTo, turnRequest } from './lower.ts';
import { maskOpaque, opaqueLength } from './message.ts';
import { Projection } from './projection.ts';

interface ModelViewPart {
  readonly role: ChatMessage['role'] | 'tools';
  /** Item ids, `system prompt` or `tools`. */
  readonly origin: string;
  /** Uncalibrated estimate. */
  readonly tokens: number;
  readonly text: string;
}

export interface ModelView {
  readonly parts: readonly ModelViewPart[];
  readonly tokens: number;
  /** Null for the next request; else whether the recorded hash matches. */
  readonly exact: boolean | null;
  /** The parts as they are sent; data that only a provider can read is masked. */
  readonly request: Pick<ModelRequest, 'messages' | 'tools'>;
}

/**
 * The same view with its parts scaled to add up to `tokens`: the meter's figure, or the provider's count. Estimates
 * give the proportions, and one total is shown everywhere.
 */
export function scaleTo(view: ModelView, tokens: number): ModelView {
  const scale = tokens / Math.max(1, view.tokens);
  let rest = tokens;
  const parts = view.parts.map((part, at) => {
    const own = at === view.parts.length - 1 ? Math.max(0, rest) : Math.round(part.tokens * scale);
    rest -= own;
    return { ...part, tokens: own };
  });
  return { ...view, parts, tokens: sumOf(parts) };
}

/** The request that would be sent now. */
export function viewNext(journal: Journal): ModelView {
  return describe(journal.context, mendedUpTo(journal), null);
}

/** The past request with this entry `seq`; null when there is none. */
export async function viewRequest(
  journal: Journal,
  seq: number,
  { crypto, blobs }: { readonly crypto: Pick<Crypto, 'sha256'>; readonly blobs: Pick<BlobStore, 'get'> },
): Promise<ModelView | null> {
  const entry = journal.entry(seq);
  if (entry?.type !== 'request') return null;
  if (entry.purpose === 'summary') return viewSummaryRequest(await blobs.get(entry.bodySha256));
  const context = Projection.of(journal.path(entry.parent));
  return describe(context, entry.mendedUpTo, await isExact(entry, context, crypto));
}

/** No context lowers to a summary's request, so the request is stored as sent, in the blob named by its checksum. */
function viewSummaryRequest(body: Uint8Array | null): ModelView | null {
  if (!body) return null;
  const { messages, tools }: Pick<ModelRequest, 'messages' | 'tools'> = JSON.parse(new TextDecoder().decode(body));
  // A request with tools continues the request before it; only its last message asks for the summary.
  const asks = tools.length === 0 ? 0 : messages.length - 1;
  const parts = messages.map((message, at): ModelViewPart => {
    const text = textOf(message);
    const origin = at < asks ? 'as in the last request' : 'summary prompt';
    return { role: message.role, origin, tokens: tokensOf(message, text), text };
  });
  const all = [...toolPart(tools), ...parts];
  return { parts: all, tokens: sumOf(all), exact: true, request: { messages: messages.map(maskMessage), tools } };
}

/** The requests on the current path, including those for summaries, oldest first. */
export function listRequests(journal: Journal): readonly RequestEntry[] {
  return journal.path().filter((entry) => entry.type === 'request');
}

async function isExact(entry: RequestEntry, context: Projection, crypto: Pick<Crypto, 'sha256'>): Promise<boolean> {
  if (entry.loweringVersion !== LOWERING_VERSION) return false;
  return (await bodyHash(crypto, turnRequest(context, entry, entry.mendedUpTo))) === entry.bodySha256;
}

function describe(context: Projection, mended: number | undefined, exact: boolean | null): ModelView {
  const tools = context.header?.tools ?? [];
  const messages = lowerContext(context, mended);
  const parts: ModelViewPart[] = [...toolPart(tools)];
  const origins = originsOf(context);
  for (const message of messages) {
    const text = textOf(message);
    parts.push({ role: message.role, origin: origins(message), tokens: tokensOf(message, text), text });
  }
  return { parts, tokens: sumOf(parts), exact, request: { messages: messages.map(maskMessage), tools } };
}

function toolPart(tools: readonly ToolDeclaration[]): ModelViewPart[] {
  const text = tools.map((tool) => JSON.stringify(tool)).join('\n');
  return tools.length > 0 ? [{ role: 'tools', origin: 'tools', tokens: countTokens(text), text }] : [];
}

const sumOf = (parts: readonly ModelViewPart[]): number => parts.reduce((sum, part) => sum + part.tokens, 0);

function textOf(message: ChatMessage): string {
  if (message.role === 'system') return message.text;
  if (message.role !== 'assistant') return [message.text, ...(message.parts ?? []).map(tellPart)].join('\n');
  const calls = (message.toolCalls ?? []).map((call) => `${call.name} ${call.arguments}`);
  return [message.reasoning?.text, describeOpaque(message), message.text, ...calls].filter(Boolean).join('\n');
}

function tellPart(part: ContentPart): string {
  return part.type === 'text' ? part.text : `[${part.mime}]`;
}

/** Shows that opaque reasoning exists and how long it is: only its provider can read it. */
function describeOpaque({ reasoning }: Extract<ChatMessage, { role: 'assistant' }>): string {
  const length = reasoning ? opaqueLength(reasoning) : 0;
  return length > 0 ? `[encrypted reasoning, ${length.toLocaleString('en-US')} characters]` : '';
}

/** Signatures of calls belong to the provider, like encrypted reasoning. */
function maskMessage(message: ChatMessage): ChatMessage {
  if (message.role !== 'assistant') return message;
  const { reasoning, toolCalls } = message;
  return {
    ...message,
    ...(reasoning ? { reasoning: maskOpaque(reasoning) } : {}),
    ...(toolCalls ? { toolCalls: toolCalls.map(({ extra, ...call }) => call) } : {}),
  };
}

function tokensOf(message: ChatMessage, text: string): number {
  const opaque = message.role === 'assistant' && message.reasoning ? opaqueTokens(message.reasoning) : 0;
  const parts = message.role === 'user' || message.role === 'tool' ? (message.parts ?? []) : [];
  const images = parts.reduce((sum, part) => sum + (part.type === 'imageBlob' ? part.tokens : 0), 0);
  return 4 + countTokens(text) + opaque + images;
}

/** Lowering keeps the order, so the item of each message is searched for from the last match onwards. */
function originsOf(context: Projection): (message: ChatMessage) => string {
  const items = context.conversation;
  let at = 0;
  return (message) => {
    if (message.role === 'system') return (context.header?.items ?? []).map(({ origin }) => origin).join(', ');
    for (let i = at; i < items.length; i++) {
      const item = items[i];
      if (!item || item.message.role !== message.role) continue;
      if (message.role === 'tool' && item.message.role === 'tool' && item.message.toolCallId !== message.toolCallId)
        continue;
      if (!message.text.includes(item.message.text)) continue;
      at = i + 1;
      return `${item.id} (${item.kind}${item.hidden ? ', hidden' : ''}${item.pinned ? ', pinned' : ''})`;
    }
    return 'added by lowering';
  };
}
