/** Random conversations as arbitraries: kinds of messages, odd texts, parallel calls, reasoning, ephemeral results. */

import fc from 'fast-check';
import type { Message, UserKind } from '../../../src/core/context/message.ts';
import type { Recorded, RecordedMessage } from '../../../src/core/sessions/recorded.ts';

const text = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'ok',
      'src/a.ts changed',
      '修复重试测试',
      'let x = 1;\n',
      '👩‍👩‍👧 done',
      'Error: E42 at line 7',
    ),
  },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  { weight: 2, arbitrary: fc.nat(400).map((n) => 'word '.repeat(n)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      'x'.repeat(9_000),
      // More than what is offloaded when an ephemeral result leaves.
      `let y = "${'long '.repeat(1_100)}"`,
      '[palimpsest:f00d tool result hidden, 3 characters; recall with id m1]',
      '',
    ),
  },
);

const step = fc.record({
  says: text,
  reasons: fc.boolean(),
  results: fc.array(text, { maxLength: 3 }),
});

const KINDS: readonly UserKind[] = ['user', 'user', 'user', 'reminder', 'skillPrompt', 'skillMetadata', 'summary'];

/** One message in the user role, and the steps that follow it. */
export const turn = fc.record({
  asks: text,
  kind: fc.constantFrom(...KINDS),
  steps: fc.array(step, { maxLength: 4 }),
});
export type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

/** Ids and names as models and programs write them. */
const ID_ENDS = ['', '', '', ':fn/名', `-${'x'.repeat(60)}`];
const NAMES = ['read_file', 'write_file', 'run_command', 'skill', 'todo_write', 'mcp.server/look up'];

let nextCall = 0;

export const messagesOf = (turns: readonly Turn[]): Message[] =>
  turns.flatMap(({ asks, kind, steps }): Message[] => [
    { role: 'user', kind, text: asks || 'go' },
    ...steps.flatMap(({ says, reasons, results }): Message[] => {
      const toolCalls = results.map((result, i) => {
        const number = nextCall++;
        return {
          id: `t${number}${ID_ENDS[number % ID_ENDS.length]}`,
          // Several results of one tool that wants only its newest.
          name: result.startsWith('let') ? 'look' : (NAMES[(number + i) % NAMES.length] ?? 'task'),
          arguments: JSON.stringify({ path: `src/${i >> 1}.ts`, ...(i > 0 ? { text: result } : {}) }),
        };
      });
      const reasoning = reasons ? { reasoning: { field: 'reasoning_content', text: 'because' } } : {};
      return [
        {
          role: 'assistant',
          text: says || (results.length ? '' : 'hm'),
          ...(results.length ? { toolCalls } : {}),
          ...reasoning,
        },
        ...results.map(
          (result, i): Message => ({
            role: 'tool',
            toolCallId: toolCalls[i]?.id ?? '',
            toolName: toolCalls[i]?.name ?? '',
            text: result,
            ...(result.startsWith('Error') ? { isError: true } : {}),
            ...(result.startsWith('let') ? { ephemeral: { keepNewest: 1 } } : {}),
          }),
        ),
      ];
    }),
  ]);

/**
 * The same conversation as another program might have recorded it: ids come twice, results are missing, and it compacted
 * after every `every` messages.
 */
export function recordingOf(turns: readonly Turn[], every: number): Recorded[] {
  const recorded: Recorded[] = [];
  const kept: RecordedMessage[] = [];
  for (const [i, message] of messagesOf(turns).entries()) {
    const each = recordedOf(message, i);
    if (!each) continue;
    recorded.push(each);
    kept.push(each);
    if (every === 0 || (i + 1) % every !== 0) continue;
    const summary: RecordedMessage = { role: 'user', kind: 'summary', text: `notes ${i}` };
    // A program keeps whole answers: with one stay its results.
    const context = i % 2 ? [summary, ...kept.filter(({ role }) => role === 'user').slice(-2)] : null;
    recorded.push({ role: 'compaction', context });
  }
  return recorded;
}

function recordedOf(message: Message, i: number): RecordedMessage | null {
  switch (message.role) {
    case 'user':
      return { role: 'user', text: message.text, kind: message.kind };
    case 'assistant': {
      const toolCalls = message.toolCalls?.map((call) => ({ ...call, id: call.id.slice(0, 2) }));
      return { role: 'assistant', text: message.text, ...(toolCalls ? { toolCalls } : {}) };
    }
    case 'tool':
      return i % 5 === 4 ? null : { role: 'tool', toolCallId: message.toolCallId.slice(0, 2), text: message.text };
  }
}
