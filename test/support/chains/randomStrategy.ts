/** A strategy that does anything: some of it is right, most of it breaks a rule. What is accepted must be valid all the same. */

import fc from 'fast-check';
import type { CompactionContext, ContextMessage } from '../../../src/api/index.ts';
import type { StrategyEntry } from '../../../src/core/compaction/strategies/strategyEntry.ts';

const at = fc.nat(30);
const deed = fc.oneof(
  fc.record({
    kind: fc.constantFrom('drop', 'dropBlock', 'hide', 'repeat', 'invent', 'badJson', 'halfPair', 'shout'),
    at,
  }),
  fc.record({ kind: fc.constant('dropBlock'), at }),
  fc.record({ kind: fc.constant('swap'), at, with: at }),
  fc.record({
    kind: fc.constantFrom('insert', 'shorten'),
    at,
    text: fc.constantFrom('notes', '', 'long '.repeat(200)),
  }),
  fc.record({ kind: fc.constantFrom('nothing', 'empty', 'throw', 'garbage', 'null'), at }),
);
export const deeds = fc.array(deed, { minLength: 1, maxLength: 4 });
type Deed = typeof deed extends fc.Arbitrary<infer T> ? T : never;

export function randomStrategy(all: readonly Deed[]): StrategyEntry {
  const compact = async (context: CompactionContext) => {
    let messages: unknown[] = [...context.history];
    for (const each of all) {
      const made = act(messages as ContextMessage[], each, context);
      if (!Array.isArray(made)) return made as never;
      messages = made;
    }
    return messages as never;
  };
  return {
    id: 'random.test/random',
    label: 'Random',
    description: '',
    publisher: null,
    factory: { needs: [], create: () => ({ compact }) },
  };
}

function act(messages: readonly ContextMessage[], each: Deed, { hide }: CompactionContext): unknown {
  const index = each.at % Math.max(1, messages.length);
  const message = messages[index];
  if (!message) return messages;
  const put = (other: unknown) => messages.map((it, i) => (i === index ? other : it));
  switch (each.kind) {
    case 'drop':
      return messages.filter((_, i) => i !== index);
    case 'dropBlock':
      return messages.filter(({ block }) => block !== message.block);
    case 'hide':
      return put(hide(message));
    case 'repeat':
      return [...messages, message];
    case 'swap': {
      const other = each.with % messages.length;
      return messages.map((it, i) => (i === index ? messages[other] : i === other ? message : it));
    }
    case 'invent':
      return put({ ...message, id: 'm9999' });
    case 'badJson':
      return message.role === 'assistant'
        ? put({ ...message, toolCalls: message.toolCalls.map((call) => ({ ...call, arguments: '{' })) })
        : messages;
    case 'halfPair':
      return put({ ...message, text: '\ud83d' });
    case 'shout':
      return put({
        ...message,
        text: `${message.text} [palimpsest:f00d tool result hidden, 3 characters; recall with id m1]`,
      });
    case 'insert':
      return [
        ...messages.slice(0, index),
        { role: 'user', kind: 'summary', text: each.text },
        ...messages.slice(index),
      ];
    case 'shorten':
      return put({ ...message, text: each.text });
    case 'empty':
      return [];
    case 'throw':
      throw new Error('a fault');
    case 'garbage':
      return [{ role: 'system' }, 7, null];
    case 'null':
      return null;
    case 'nothing':
      return messages;
  }
}
