/** What fills a window and cannot go is named by its largest part, with what a person can do about that part. */

import { describe, expect, it } from 'vitest';
import { describeFixedPart } from '../../../src/core/compaction/trigger/fixedPart.ts';
import type { Context } from '../../../src/core/context/item.ts';
import { inEnglish } from '../../../src/core/words.ts';

const WINDOW = 10_000;
const ROOM = { window: WINDOW, trigger: 8_000, hard: 9_000, gain: 500 };

interface Held {
  readonly system?: number;
  readonly memory?: number;
  readonly tools?: number;
  /** Messages in order; the latest of a person stays. */
  readonly conversation?: readonly { readonly kind: string; readonly tokens: number; readonly pinned?: true }[];
}

function contextOf({ system = 0, memory = 0, tools = 0, conversation = [] }: Held): Context {
  const items = [
    { kind: 'systemPrompt', tokens: system },
    { kind: 'memory', tokens: memory },
  ];
  return { header: { items, tokens: system + memory + tools }, conversation } as unknown as Context;
}

const describeIn = (held: Held, room: Partial<Parameters<typeof describeFixedPart>[2]> = {}, factor = 1) => {
  const fixed = describeFixedPart(contextOf(held), { factor }, { ...ROOM, ...room });
  return fixed && inEnglish(fixed);
};

const ask = (tokens: number) => ({ kind: 'user', tokens });
const result = (tokens: number) => ({ kind: 'toolResult', tokens });
const pinned = (tokens: number) => ({ ...result(tokens), pinned: true as const });

describe('what fills the window and cannot go', () => {
  it.each([
    ['The system prompt takes 8,000', 'Choose a model', { system: 8_000, tools: 400 }],
    ['Memory files take 7,000', 'Shorten them', { memory: 7_000, tools: 1_000 }],
    ['The tools take 7,000', 'Switch off MCP servers', { tools: 7_000, system: 1_000 }],
    ['Your latest message takes 7,600', 'Send it in parts', { tools: 400, conversation: [ask(7_600)] }],
    ['Pinned messages take 7,700', 'Unpin some', { conversation: [pinned(4_000), pinned(3_700), ask(100)] }],
  ])('%s: %s', (what, wayOut, held) => {
    const text = describeIn(held) ?? '';
    expect(text).toContain(`${what} of the window’s 10,000 tokens, and no compaction removes `);
    expect(text).toContain(wayOut);
  });

  it('is nothing while a compaction can free what it should', () => {
    expect(describeIn({ tools: 7_499, conversation: [result(9_000)] })).toBeNull();
    expect(describeIn({ tools: 7_500, conversation: [result(9_000)] })).not.toBeNull();
  });

  it('counts the latest message once, though it is pinned, and no earlier one', () => {
    expect(describeIn({ tools: 3_000, conversation: [ask(4_000), { ...ask(4_000), pinned: true }] })).toBeNull();
    expect(describeIn({ tools: 3_600, conversation: [{ ...ask(4_000), pinned: true }] })).not.toBeNull();
  });

  it('is measured in the tokens of the meter', () => {
    expect(describeIn({ tools: 4_000 })).toBeNull();
    expect(describeIn({ tools: 4_000 }, {}, 2)).toContain('The tools take 8,000');
  });

  it('goes by what a request may have where nothing starts a compaction, and is unknown with the window', () => {
    expect(describeIn({ tools: 8_400 }, { trigger: null })).toBeNull();
    expect(describeIn({ tools: 8_500 }, { trigger: null })).not.toBeNull();
    expect(describeIn({ tools: 9_000 }, { window: 0 })).toBeNull();
  });
});
