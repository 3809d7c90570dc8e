/** Messages that a compaction took from view. */

import type { Message } from '../../context/message.ts';
import type { Projection } from '../../context/projection.ts';
import { parseJson } from '../../json.ts';
import { showInOneLine } from '../../tools/text/showHidden.ts';
import type { HiddenMessage } from './hiddenText.ts';

/** Messages that are looked through, the newest first, and their characters. */
const MOST_MESSAGES = 1_000;

const MOST_CHARACTERS = 4_000_000;

export interface Taken {
  readonly id: string;
  readonly message: Message;
}

/** The newest first. Results that merely expired are out of date and not meant. */
export function* takenFrom(context: Projection): Generator<Taken> {
  const seen = new Set<string>();
  let characters = 0;
  for (const { plan, trigger } of context.newestCompactions()) {
    if (trigger === 'ephemeral') continue;
    const ids = plan.flatMap((op) => (op.op === 'drop' ? op.ids : op.op === 'replace' ? [op.id] : []));
    for (const id of ids.reverse()) {
      if (seen.has(id)) continue;
      seen.add(id);
      if (seen.size > MOST_MESSAGES || characters > MOST_CHARACTERS) return;
      const slot = context.slot(id);
      if (!slot || slot.shown === 'whole') continue;
      const { message } = slot;
      characters += message.text.length;
      yield { id, message };
    }
  }
}

export function* hiddenIn(context: Projection): Generator<HiddenMessage> {
  for (const taken of takenFrom(context)) yield { name: nameMessage(taken), text: textOf(taken.message) };
}

export const nameMessage = ({ id, message }: Taken): string =>
  `${id} (${message.role === 'tool' ? `result of ${showInOneLine(message.toolName)}` : message.role})`;

function textOf(message: Message): string {
  if (message.role !== 'assistant') return message.text;
  const texts = (message.toolCalls ?? []).flatMap((call) => [...fieldsIn(parseJson(call.arguments))]);
  return [message.text, ...texts.map(([, text]) => text)].join('\n');
}

/** The texts in a call's arguments, each with the name of its field. */
export function* fieldsIn(value: unknown, name = ''): Generator<readonly [name: string, text: string]> {
  if (typeof value === 'string') yield [name, value];
  else if (typeof value === 'object' && value !== null)
    for (const [key, each] of Object.entries(value)) yield* fieldsIn(each, key);
}
