/**
 * Anthropic's prompt cache over the bodies of messages requests, as published: a prefix is written where a block carries
 * `cache_control`, and looked for there and in the 20 blocks before it; it lives for five minutes or an hour after its last
 * use; a prompt below the model's smallest prefix is not cached; a change of `tool_choice`, thinking or effort drops
 * the messages, a change of tools drops everything. Tokens are a quarter of the bytes.
 */

import { createHash } from 'node:crypto';
import type { Clock } from '../../../src/core/clock.ts';
import { asText, type Json, listOf, objectOf } from '../../../src/core/json.ts';
import { sumsOf } from './promptCache.ts';

export interface MessagesCount {
  readonly input: number;
  readonly read: number;
  /** Written for five minutes, and for an hour. */
  readonly written: { readonly short: number; readonly long: number };
}

interface Block {
  readonly level: 'tools' | 'system' | 'messages';
  readonly bytes: string;
  readonly tokens: number;
  readonly ttl: '5m' | '1h' | null;
}

const LOOK_BACK = 20;
const LIVES_MS = { '5m': 300_000, '1h': 3_600_000 };

export class MessagesCache {
  readonly #clock: Clock;
  readonly #smallest: number;
  readonly #kept = new Map<string, { used: number; readonly ttl: '5m' | '1h' }>();
  /** In the order of the requests. */
  readonly counts: MessagesCount[] = [];

  /** `smallest`: tokens below which a prefix is not cached. */
  constructor(clock: Clock, smallest = 1_024) {
    this.#clock = clock;
    this.#smallest = smallest;
  }

  /** The usage of a request, in the provider's own fields. */
  count(body: Json, output = 10): Json {
    const count = this.#take(body);
    this.counts.push(count);
    const { input, read, written } = count;
    return {
      input_tokens: input - read - written.short - written.long,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written.short + written.long,
      cache_creation: { ephemeral_5m_input_tokens: written.short, ephemeral_1h_input_tokens: written.long },
      output_tokens: output,
    };
  }

  #take(body: Json): MessagesCount {
    const blocks = blocksOf(body);
    const keys = keysOf(body, blocks);
    const upTo = sumsOf(blocks);
    const now = this.#clock.now();
    const marks = blocks.flatMap(({ ttl }, at) =>
      ttl !== null && (upTo[at] ?? 0) >= this.#smallest ? [{ at, ttl }] : [],
    );
    let hit = -1;
    for (const { at } of marks)
      for (let place = at; place >= 0 && at - place <= LOOK_BACK; place--)
        if (this.#isKept(keys[place] ?? '', now)) hit = Math.max(hit, place);
    if (hit >= 0) {
      const found = this.#kept.get(keys[hit] ?? '');
      if (found) found.used = now;
    }
    const written = { short: 0, long: 0 };
    let from = upTo[hit] ?? 0;
    for (const { at, ttl } of marks) {
      const to = upTo[at] ?? 0;
      if (at > hit) {
        written[ttl === '1h' ? 'long' : 'short'] += to - from;
        from = to;
      }
      this.#kept.set(keys[at] ?? '', { used: now, ttl });
    }
    return { input: upTo.at(-1) ?? 0, read: upTo[hit] ?? 0, written };
  }

  #isKept(key: string, now: number): boolean {
    const found = this.#kept.get(key);
    return found !== undefined && now - found.used <= LIVES_MS[found.ttl];
  }
}

function keysOf(body: Json, blocks: readonly Block[]): string[] {
  const settings = JSON.stringify([body.tool_choice, body.thinking, body.output_config]);
  let key = asText(body.model);
  let inMessages = false;
  return blocks.map(({ level, bytes }) => {
    if (level === 'messages' && !inMessages) {
      key += settings;
      inMessages = true;
    }
    key = createHash('sha256').update(key).update('\0').update(bytes).digest('base64');
    return key;
  });
}

function blocksOf(body: Json): Block[] {
  const messages = listOf(body.messages).flatMap((message) => {
    const { role, content } = objectOf(message);
    const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : listOf(content);
    return parts.map((part) => toBlock('messages', { role, ...objectOf(part) }));
  });
  return [
    ...listOf(body.tools).map((tool) => toBlock('tools', objectOf(tool))),
    ...listOf(body.system).map((part) => toBlock('system', objectOf(part))),
    ...messages,
  ];
}

function toBlock(level: Block['level'], { cache_control: mark, ...rest }: Json): Block {
  const bytes = `${level} ${JSON.stringify(rest)}`;
  const ttl = mark === undefined ? null : asText(objectOf(mark).ttl) === '1h' ? '1h' : '5m';
  return { level, bytes, tokens: Math.ceil(Buffer.byteLength(bytes) / 4), ttl };
}
