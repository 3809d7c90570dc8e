/**
 * Generates histories for the conformance kit from a seed: the product's own tools with their arguments, parallel
 * calls, errors, reasoning, attachments, cut and ephemeral results, several scripts, giant results, reminders, kinds
 * and tools of later versions, earlier notes. The same seed yields the same history everywhere, so a broken case can be
 * run again.
 */

import type { Message, ToolMessage, UserKind, UserMessage } from '../../context/message.ts';
import { ORDERS_PREFACE } from '../../instructions/orders/orderList.ts';
import type { Random } from '../../seededRandom.ts';

const TEXTS = [
  'ok',
  'The retry test reads the clock twice.',
  '修复了重试测试，时钟只读取一次。',
  '👩‍👩‍👧‍👦 تم الاختبار',
  'Error: ENOENT: no such file, open src/retry.ts (E42)',
  'const delay = (ms: number) => new Promise((r) => setTimeout(r, ms));\n',
  '[palimpsest:0000 tool result hidden, 12 characters; recall with id m3]',
];

/** A kind from a later version, which journals may hold although today's types do not include it. */
const LATER_KIND = 'briefing' as UserKind;

const KINDS: readonly UserKind[] = [
  'user',
  'user',
  'user',
  'user',
  'reminder',
  'skillPrompt',
  'skillMetadata',
  'summary',
  LATER_KIND,
];

/** Typical arguments for the product's tools, by name. */
const ARGUMENTS: Readonly<Record<string, (path: string, text: string) => object>> = {
  read_file: (path) => ({ path, offset: 1, limit: 200 }),
  list_files: () => ({ path: 'src', depth: 2 }),
  search_text: (path) => ({ pattern: 'clock', regex: false, path }),
  edit_file: (path, text) => ({ path, old_string: 'const clock = now();', new_string: text }),
  write_file: (path, text) => ({ path, content: text }),
  run_command: (path) => ({ command: `npm test -- ${path}`, timeout_seconds: 120 }),
  recall: () => ({ id: 'm3' }),
};

export const BUILT_IN_TOOLS: ReadonlySet<string> = new Set(Object.keys(ARGUMENTS));

/** The last is another program's, as in an imported session. */
const TOOLS = [...BUILT_IN_TOOLS, 'task'];

/** A model may break off in the middle of a call. */
const BROKEN_ARGUMENTS = '{"path": "src/re';

const TRUNCATION = { by: 'formatter', direction: 'middle', originalLines: 900, originalBytes: 90_000 } as const;
const IMAGE = { mime: 'image/png', blob: 'a'.repeat(64), tokens: 800, name: 'screen.png' };

/** `turns` turns of a conversation; `name` makes its call ids unique. Sometimes ends in the middle of a tool loop. */
export function generateHistory(random: Random, turns: number, name: string): Message[] {
  const messages: Message[] = [];
  let call = 0;
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const chance = (share: number) => random() < share;
  const text = () => (chance(0.2) ? pick(TEXTS).repeat(1 + Math.floor(random() * 200)) : pick(TEXTS));
  const asks = (kind: UserKind): UserMessage => ({
    role: 'user',
    kind,
    text: text(),
    ...(chance(0.15) ? { attachments: [IMAGE] } : {}),
  });
  const result = (toolCallId: string, toolName: string): ToolMessage => {
    const body = text();
    return {
      role: 'tool',
      toolCallId,
      toolName,
      text: body,
      ...(body.startsWith('Error') ? { isError: true } : {}),
      ...(chance(0.1) ? { truncation: TRUNCATION } : {}),
      ...(chance(0.1) ? { ephemeral: { keepNewest: 1 } } : {}),
    };
  };
  for (let turn = 0; turn < turns; turn++) {
    messages.push(asks(turn === 0 ? 'user' : pick(KINDS)));
    const steps = Math.floor(random() * 5);
    for (let step = 0; step < steps; step++) {
      const toolCalls = Array.from({ length: Math.floor(random() * 4) }, () => {
        const tool = pick(TOOLS);
        const given = ARGUMENTS[tool]?.(`src/${Math.floor(random() * 9)}.ts`, text()) ?? { prompt: text() };
        return {
          id: `${name}-${call++}`,
          name: tool,
          arguments: chance(0.04) ? BROKEN_ARGUMENTS : JSON.stringify(given),
        };
      });
      const reasoning = chance(0.3) ? { reasoning: { field: 'reasoning_content', text: 'The clock.' } } : {};
      messages.push({ role: 'assistant', text: text(), ...reasoning, ...(toolCalls.length ? { toolCalls } : {}) });
      for (const { id, name: tool } of toolCalls) messages.push(result(id, tool));
    }
    if (chance(0.8)) messages.push({ role: 'assistant', text: text() });
  }
  return messages;
}

/** Messages of the product's own that a generated turn does not have. `name` makes its call id unique. */
export function generateExtras(random: Random, name: string): Message[] {
  switch (Math.floor(random() * 4)) {
    case 0:
      // A picture without a word.
      return [
        { role: 'user', kind: 'user', text: '', attachments: [IMAGE] },
        { role: 'assistant', text: 'I see it.' },
      ];
    case 1: {
      const id = `${name}-image`;
      const call = { id, name: 'read_file', arguments: '{"path":"docs/screen.png"}' };
      return [
        { role: 'assistant', text: '', toolCalls: [call] },
        { role: 'tool', toolCallId: id, toolName: 'read_file', text: 'An image.', attachments: [IMAGE] },
      ];
    }
    case 2:
      return [{ role: 'user', kind: 'reminder', text: `${ORDERS_PREFACE}\n- Never touch the lock file.` }];
    default:
      return [];
  }
}

/** The same messages with `mark` at both ends of each text, so that a part of one is recognised wherever it is kept. */
export function markTexts(messages: readonly Message[], mark: string): Message[] {
  return messages.map((message) => {
    const { text } = message;
    return {
      ...message,
      text: text.trim() === '' ? text : text.length < 60 ? `${text} ${mark}` : `${mark} ${text} ${mark}`,
    };
  });
}

/** A recorded conversation as a growing chain: its beginning, and the messages added after each compaction. */
interface Growth {
  readonly messages: readonly Message[];
  /** One part for each compaction but the last, in order. */
  readonly more: readonly (readonly Message[])[];
}

/** The first half, then the second half in equal parts. Calls and their results stay in one part. */
export function growRecorded(recorded: readonly Message[], compactions: number): Growth {
  const parts = Math.max(1, compactions - 1);
  const cuts = Array.from({ length: parts + 1 }, (_, i) =>
    cutAt(recorded, Math.ceil((recorded.length * (parts + i)) / (2 * parts))),
  );
  return {
    messages: recorded.slice(0, cuts[0]),
    more: cuts.slice(1).map((end, i) => recorded.slice(cuts[i], end)),
  };
}

/** The first index from `at` on where no call is waiting for its result. */
function cutAt(recorded: readonly Message[], at: number): number {
  let end = at;
  while (recorded[end]?.role === 'tool') end++;
  return end;
}
