/**
 * A provider's prompt cache over the bodies of chat completions, and what it counts. `automatic` keeps every prefix of
 * every request, as OpenAI, DeepSeek and servers with a prefix cache do. `marked` is Anthropic's: a prefix is kept where a
 * block carries `cache_control`, is looked for there and in the 20 blocks before it, and holds for one value of
 * `tool_choice`, effort and limit of thinking. Tokens are a quarter of the bytes.
 */

import { createHash } from 'node:crypto';
import { asRecord, asText, type Json, listOf, objectOf } from '../../../src/core/json.ts';

interface CacheCount {
  readonly input: number;
  readonly read: number;
  readonly written: number;
}

interface Block {
  readonly bytes: string;
  readonly tokens: number;
  readonly marked: boolean;
}

const LOOK_BACK = 20;
const MOST_MARKS = 4;

export class PromptCache {
  readonly #kind: 'automatic' | 'marked';
  readonly #kept = new Set<string>();
  /** In the order of the requests. */
  readonly counts: CacheCount[] = [];

  constructor(kind: 'automatic' | 'marked') {
    this.#kind = kind;
  }

  /** Usage as OpenRouter reports it. Throws for marks that Anthropic refuses. */
  count(body: Json, output = 10): Json {
    const { input, read, written } = this.#take(body);
    this.counts.push({ input, read, written });
    return {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: input + output,
      prompt_tokens_details: {
        cached_tokens: read,
        ...(this.#kind === 'marked' ? { cache_write_tokens: written } : {}),
      },
    };
  }

  #take(body: Json): CacheCount {
    const blocks = blocksOf(body);
    const keys = keysOf(body, blocks, this.#kind);
    const upTo = sumsOf(blocks);
    const input = upTo.at(-1) ?? 0;
    const marks = blocks.flatMap((block, i) => (block.marked ? [i] : []));
    if (marks.length > MOST_MARKS)
      throw new Error(`A maximum of 4 blocks with cache_control may be provided. Found ${marks.length}.`);
    const places = this.#kind === 'automatic' ? keys.map((_, i) => i) : marks;
    let hit = -1;
    for (const place of places)
      for (let at = place; at >= 0 && place - at <= (this.#kind === 'automatic' ? 0 : LOOK_BACK); at--)
        if (this.#kept.has(keys[at] ?? '')) hit = Math.max(hit, at);
    for (const place of places) this.#kept.add(keys[place] ?? '');
    const read = upTo[hit] ?? 0;
    const last = upTo[places.at(-1) ?? -1] ?? 0;
    return { input, read, written: this.#kind === 'automatic' ? 0 : Math.max(0, last - read) };
  }
}

function keysOf(body: Json, blocks: readonly Block[], kind: 'automatic' | 'marked'): string[] {
  const settings = kind === 'marked' ? [body.tool_choice, body.reasoning, body.reasoning_effort] : [];
  let key = asText(body.model);
  let inMessages = false;
  return blocks.map(({ bytes }) => {
    const isMessage = !bytes.startsWith('tool ') && !bytes.startsWith('system ');
    if (isMessage && !inMessages) key += JSON.stringify(settings);
    inMessages ||= isMessage;
    key = createHash('sha256').update(key).update('\0').update(bytes).digest('base64');
    return key;
  });
}

/** Tokens up to and with each block. */
export function sumsOf(blocks: readonly Pick<Block, 'tokens'>[]): number[] {
  let sum = 0;
  return blocks.map(({ tokens }) => {
    sum += tokens;
    return sum;
  });
}

/** Tools, then messages; a text and a list of one text are the same. */
function blocksOf(body: Json): Block[] {
  const tools = listOf(body.tools).map((tool) => toBlock('tool', objectOf(tool)));
  const messages = listOf(body.messages).flatMap((message) => {
    const { role, content, tool_calls: calls, ...rest } = objectOf(message);
    const parts = Array.isArray(content) ? content : content ? [{ type: 'text', text: content }] : [];
    return [
      ...parts.map((part) => toBlock(asText(role), { ...rest, ...objectOf(part) })),
      ...listOf(calls).map((call) => toBlock(asText(role), objectOf(call))),
    ];
  });
  return [...tools, ...messages];
}

function toBlock(role: string, { cache_control: mark, ...rest }: Json): Block {
  if (mark && rest.type === 'text' && !asText(rest.text).trim())
    throw new Error('cache_control cannot be set for empty text blocks');
  if (mark && asRecord(mark)?.type !== 'ephemeral') throw new Error('cache_control: unknown type');
  const bytes = `${role} ${JSON.stringify(rest)}`;
  return { bytes, tokens: Math.ceil(Buffer.byteLength(bytes) / 4), marked: mark !== undefined };
}
