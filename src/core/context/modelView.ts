/**
 * "What the model sees": any request of the session, rebuilt from the journal exactly as it was sent, with the tokens
 * and the origin of each part. The recorded hash shows whether the rebuilt bytes are the bytes that were sent.
 */

import type { Crypto } from '../crypto.ts';
import type { BlobStore } from '../journal/blobStore.ts';
import type { RequestEntry, ToolDeclaration } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import type { ChatMessage, ContentPart, ModelRequest } from '../model/modelClient.ts';
import { countTokens, opaqueTokens } from '../tokens/estimate.ts';
import { type MeterPart, scaleTokens, splitIntoParts, sumTokens } from '../tokens/meter.ts';
import type { ContextItem } from './item.ts';
import { bodyHash, LOWERING_VERSION, lowerContext, mendedUpTo, turnRequest } from './lower.ts';
import { maskOpaque, opaqueLength } from './message.ts';
import { Projection } from './projection.ts';

export interface ModelViewPart {
  /** `tools`: one declared tool each. */
  readonly role: ChatMessage['role'] | 'tools';
  /** Item ids, `system prompt` or the name of a tool. */
  readonly origin: string;
  /** Uncalibrated estimate. */
  readonly tokens: number;
  readonly text: string;
  /** The message that it shows, without what only a provider can read; null for the header and what lowering adds. */
  readonly item: ShownItem | null;
}

type ShownItem = Pick<ContextItem, 'kind' | 'message' | 'hidden' | 'pinned'>;

export interface ModelView {
  readonly parts: readonly ModelViewPart[];
  readonly tokens: number;
  /** By kind, as in the meter; they add up to `tokens`. Empty for the request of a summary. */
  readonly kinds: readonly MeterPart[];
  /** Null for the next request; else whether the recorded hash matches. */
  readonly exact: boolean | null;
  /** The parts as they are sent; data that only a provider can read is masked. */
  readonly request: Pick<ModelRequest, 'messages' | 'tools'>;
}

/**
 * The same view with its parts scaled to add up to `tokens`: the meter's figure, or the provider's count. Estimates
 * give the proportions, and one total is shown everywhere. The parts of a role add up to what the kinds say of it.
 */
export function scaleTo(view: ModelView, tokens: number): ModelView {
  const kinds = scaleTokens(view.kinds, tokens);
  const groups = new Map<string, { readonly tokens: number; readonly parts: readonly ModelViewPart[] }>();
  let rest = tokens;
  for (const [group, names] of ROLE_GROUPS) {
    const parts = view.parts.filter(({ role }) => role === group);
    const own = sumTokens(kinds.filter(({ name }) => names.includes(name)));
    if (parts.length === 0 || own === 0) continue;
    groups.set(group, { tokens: own, parts });
    rest -= own;
  }
  const others = view.parts.filter(({ role }) => !groups.has(role));
  const all = [...groups.values(), { tokens: rest, parts: others }];
  const scaled = new Map(
    all.flatMap(({ tokens: own, parts }) => {
      const shares = scaleTokens(parts, own);
      return parts.map((part, at) => [part, shares[at] ?? part] as const);
    }),
  );
  const parts = view.parts.map((part) => scaled.get(part) ?? part);
  return { ...view, kinds, parts, tokens: sumTokens(parts) };
}

/** The kinds of which nothing is sent in another role; all other kinds are sent as the person's. */
const ROLE_GROUPS: readonly (readonly [ModelViewPart['role'], readonly MeterPart['name'][]])[] = [
  ['tools', ['tools']],
  ['system', ['system', 'memory']],
  ['assistant', ['assistant']],
  ['tool', ['toolResults']],
];

/** Differences between two requests, by role and text. */
export interface ModelViewChange {
  /** Parts that the earlier request did not have. */
  readonly added: ReadonlySet<ModelViewPart>;
  /** Parts of the earlier request that this one no longer has. */
  readonly gone: readonly ModelViewPart[];
}

export function compareViews(before: Pick<ModelView, 'parts'>, view: Pick<ModelView, 'parts'>): ModelViewChange {
  const keyOf = ({ role, text }: ModelViewPart) => `${role} ${text}`;
  const left = new Map<string, ModelViewPart[]>();
  for (const part of before.parts) {
    const same = left.get(keyOf(part));
    if (same) same.push(part);
    else left.set(keyOf(part), [part]);
  }
  const added = view.parts.filter((part) => left.get(keyOf(part))?.shift() === undefined);
  return { added: new Set(added), gone: [...left.values()].flat() };
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
    return { role: message.role, origin, tokens: tokensOf(message, text), text, item: null };
  });
  const all = [...toolParts(tools), ...parts];
  return {
    parts: all,
    tokens: sumTokens(all),
    kinds: [],
    exact: true,
    request: { messages: messages.map(maskMessage), tools },
  };
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
  const parts: ModelViewPart[] = [...toolParts(tools)];
  const origins = originsOf(context);
  for (const message of messages) {
    const text = textOf(message);
    parts.push({ role: message.role, ...origins(message), tokens: tokensOf(message, text), text });
  }
  const tokens = sumTokens(parts);
  const request = { messages: messages.map(maskMessage), tools };
  return { parts, tokens, kinds: splitIntoParts(context, { tokens }), exact, request };
}

function toolParts(tools: readonly ToolDeclaration[]): ModelViewPart[] {
  return tools.map((tool) => {
    const text = JSON.stringify(tool);
    return { role: 'tools', origin: tool.name, tokens: countTokens(text), text, item: null };
  });
}

function textOf(message: ChatMessage): string {
  if (message.role === 'system') return message.text;
  if (message.role !== 'assistant') return [message.text, ...(message.parts ?? []).map(writePart)].join('\n');
  const calls = (message.toolCalls ?? []).map((call) => `${call.name} ${call.arguments}`);
  return [message.reasoning?.text, describeOpaque(message), message.text, ...calls].filter(Boolean).join('\n');
}

function writePart(part: ContentPart): string {
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
function originsOf(context: Projection): (message: ChatMessage) => Pick<ModelViewPart, 'origin' | 'item'> {
  const items = context.conversation;
  let at = 0;
  return (message) => {
    if (message.role === 'system') {
      const origins = new Set((context.header?.items ?? []).map(({ origin }) => origin));
      return { origin: [...origins].join(', '), item: null };
    }
    for (let i = at; i < items.length; i++) {
      const item = items[i];
      if (!item || item.message.role !== message.role) continue;
      if (message.role === 'tool' && item.message.role === 'tool' && item.message.toolCallId !== message.toolCallId)
        continue;
      if (!message.text.includes(item.message.text)) continue;
      at = i + 1;
      return {
        origin: `${item.id} (${item.kind}${item.hidden ? ', hidden' : ''}${item.pinned ? ', pinned' : ''})`,
        item: showItem(item),
      };
    }
    return { origin: 'added by lowering', item: null };
  };
}

function showItem({ kind, message, hidden, pinned }: ContextItem): ShownItem {
  if (message.role !== 'assistant') return { kind, message, hidden, pinned };
  const toolCalls = (message.toolCalls ?? []).map(({ extra, ...call }) => call);
  return { kind, message: { role: 'assistant', text: message.text, toolCalls }, hidden, pinned };
}
