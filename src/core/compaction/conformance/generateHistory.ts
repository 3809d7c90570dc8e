/**
 * Histories for the conformance kit, from a seed: parallel calls, errors, reasoning, several scripts, giant results,
 * reminders, earlier notes. The same seed gives the same history everywhere, so a broken case can be run again.
 */

import type { Message, UserKind } from '../../context/message.ts';
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
const TOOLS = ['read_file', 'search_text', 'edit_file', 'run_command', 'task'];
const KINDS: readonly UserKind[] = ['user', 'user', 'user', 'reminder', 'skillPrompt', 'skillMetadata', 'summary'];

/** `turns` turns of a conversation; `name` makes its call ids unique. Ends in the middle of a tool loop now and then. */
export function generateHistory(random: Random, turns: number, name: string): Message[] {
  const messages: Message[] = [];
  let call = 0;
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const text = () => (random() < 0.2 ? pick(TEXTS).repeat(1 + Math.floor(random() * 200)) : pick(TEXTS));
  for (let turn = 0; turn < turns; turn++) {
    messages.push({ role: 'user', kind: turn === 0 ? 'user' : pick(KINDS), text: text() });
    const steps = Math.floor(random() * 5);
    for (let step = 0; step < steps; step++) {
      const toolCalls = Array.from({ length: Math.floor(random() * 4) }, () => ({
        id: `${name}-${call++}`,
        name: pick(TOOLS),
        arguments: JSON.stringify({ path: `src/${Math.floor(random() * 9)}.ts`, text: text() }),
      }));
      const reasoning = random() < 0.3 ? { reasoning: { field: 'reasoning_content', text: 'The clock.' } } : {};
      messages.push({ role: 'assistant', text: text(), ...reasoning, ...(toolCalls.length ? { toolCalls } : {}) });
      for (const { id, name: tool } of toolCalls) {
        const body = text();
        const isError = body.startsWith('Error') ? { isError: true } : {};
        messages.push({ role: 'tool', toolCallId: id, toolName: tool, text: body, ...isError });
      }
    }
    if (random() < 0.8) messages.push({ role: 'assistant', text: text() });
  }
  return messages;
}
