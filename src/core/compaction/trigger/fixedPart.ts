/**
 * Names the part that fills the window and cannot go: the system prompt, memory, tools, the latest message, pins. Where it
 * leaves little room, no compaction helps, and a person has to know what does.
 */

import type { Context } from '../../context/item.ts';
import { type MeterReading, splitHeader, sumTokens } from '../../tokens/meter.ts';
import { type Words, words } from '../../words.ts';

/** Calibrated tokens. */
interface Room {
  /** 0 when unknown. */
  readonly window: number;
  /** Where automatic compaction starts; null where no number is enough. */
  readonly trigger: number | null;
  /** Maximum of a request. */
  readonly hard: number;
  /** Tokens that a compaction should free. */
  readonly gain: number;
}

type Part = 'system' | 'memory' | 'tools' | 'message' | 'pinned';

/** The largest part that cannot go, and a way out; null while compactions have something to work on. */
export function describeFixedPart(
  context: Context,
  { factor }: Pick<MeterReading, 'factor'>,
  { window, trigger, hard, gain }: Room,
): Words | null {
  if (window === 0) return null;
  const parts = sizesOf(context);
  const fixed = sumTokens(parts) * factor;
  const leavesRoom = fixed + gain < Math.min(hard, trigger ?? hard);
  const [largest] = [...parts].sort((a, b) => b.tokens - a.tokens);
  if (leavesRoom || !largest) return null;
  const tokens = Math.round(largest.tokens * factor);
  return [...NAMES[largest.name](tokens, window), ...WAYS_OUT[largest.name]];
}

function sizesOf({ header, conversation }: Context): { readonly name: Part; readonly tokens: number }[] {
  const sizes: Record<Part, number> = { system: 0, memory: 0, tools: 0, message: 0, pinned: 0 };
  for (const { name, tokens } of splitHeader({ header }))
    if (name === 'system' || name === 'memory' || name === 'tools') sizes[name] += tokens;
  const latest = conversation.findLast(({ kind }) => kind === 'user');
  sizes.message = latest?.tokens ?? 0;
  for (const item of conversation) if (item.pinned && item !== latest) sizes.pinned += item.tokens;
  return (Object.keys(sizes) as Part[]).map((name) => ({ name, tokens: sizes[name] }));
}

const NAMES: Readonly<Record<Part, (tokens: number, window: number) => Words>> = {
  system: (tokens, window) =>
    words('The system prompt takes {0} of the window’s {1} tokens, and no compaction removes it.', tokens, window),
  memory: (tokens, window) =>
    words('Memory files take {0} of the window’s {1} tokens, and no compaction removes them.', tokens, window),
  tools: (tokens, window) =>
    words('The tools take {0} of the window’s {1} tokens, and no compaction removes them.', tokens, window),
  message: (tokens, window) =>
    words('Your latest message takes {0} of the window’s {1} tokens, and no compaction removes it.', tokens, window),
  pinned: (tokens, window) =>
    words('Pinned messages take {0} of the window’s {1} tokens, and no compaction removes them.', tokens, window),
};

const WAYS_OUT: Readonly<Record<Part, Words>> = {
  system: words('Choose a model with a larger window.'),
  memory: words('Shorten them, or choose a model with a larger window.'),
  tools: words('Switch off MCP servers or tools, or choose a model with a larger window.'),
  message: words('Send it in parts, mention the file instead, or choose a model with a larger window.'),
  pinned: words('Unpin some, or choose a model with a larger window.'),
};
