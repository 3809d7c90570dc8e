/**
 * `recall`: the model's way back to what compaction took out of its sight. It reads or searches the hidden, shortened,
 * dropped, offloaded and summarised content of the current path, under a budget of tokens for each turn.
 */

import * as z from 'zod';
import { nameImage } from '../../context/attachments.ts';
import type { Message } from '../../context/message.ts';
import type { Projection } from '../../context/projection.ts';
import type { SlotState } from '../../context/slot.ts';
import { ToolError } from '../../errors.ts';
import type { GivenImage } from '../../images/attachImages.ts';
import type { BlobStore } from '../../ports.ts';
import { countTokens, takeTokens } from '../../tokens/estimate.ts';
import type { RecallBudget } from '../recallBudget.ts';
import type { Tool, ToolOutcome, ToolSession } from '../tool.ts';

const input = z.strictObject({
  id: z.string().max(40).optional().describe('Id named by a stub, such as m17: reads that message whole'),
  query: z.string().max(200).optional().describe('Words to search for in everything that was compacted away'),
  offset: z.int().min(0).default(0).describe('With id: first character to read'),
});
type Input = z.infer<typeof input>;

const MOST_HITS = 20;
/** Characters around a hit. */
const AROUND = 120;
/** Less is not worth a call. */
const SMALLEST_BUDGET = 50;

export const recall: Tool<Input> = {
  name: 'recall',
  toolClass: 'read',
  description:
    'Read back or search what was compacted out of this conversation: hidden, shortened, dropped or summarised messages. ' +
    'Give the id a stub names, or a query. It reads the conversation as it was; files may have changed since.',
  input,
  offered: (settings) => settings.recall.tokensPerTurn > 0,
  async prepare({ id, query, offset }, { blobs, session }) {
    if ((id === undefined) === (query === undefined)) throw new ToolError('Give either an id or a query.');
    if (session.recall.isOff) throw new ToolError('Recall is switched off in the settings.');
    return {
      title: id ?? `“${query}”`,
      approval: null,
      changes: [],
      run: async () => {
        if (id === undefined) {
          const found = search(session.context, query ?? '');
          return spend(session.recall, found, found.length, 0);
        }
        const body = await readBody(session.context, id, blobs);
        const told = spend(session.recall, body.slice(offset), body.length, offset);
        return offset > 0 ? told : { ...told, ...(await readImages(session, id, blobs)) };
      },
    };
  },
};

function spend(budget: RecallBudget, text: string, whole: number, from: number): ToolOutcome {
  if (budget.left < SMALLEST_BUDGET) {
    throw new ToolError('The recall budget of this turn is used up. Go on with what you have, or ask the user.');
  }
  const shown = takeTokens(text, budget.left);
  budget.spend(countTokens(shown));
  if (shown.length === text.length) return { text: shown, readBack: true };
  return {
    readBack: true,
    text: `${shown}\n(${from + shown.length} of ${whole} characters read; the budget of this turn ends here.)`,
  };
}

async function readBody(context: Projection, id: string, blobs: BlobStore): Promise<string> {
  const slot = context.slot(id);
  if (!slot) throw new ToolError(`There is no message ${id} in this conversation. Search with a query instead.`);
  const { message } = slot;
  const blob = message.role === 'tool' ? (message.offload?.blob ?? message.truncation?.blob) : undefined;
  if (blob === undefined) return describe(message);
  const bytes = await blobs.get(blob);
  if (bytes) return new TextDecoder().decode(bytes);
  // Full outputs expire; what the model once saw does not.
  return `${describe(message)}\n(The full output has expired; this is what was shown at the time.)`;
}

/** Those that were taken out, as far as the budget goes. */
async function readImages({ context, recall, viewer }: ToolSession, id: string, blobs: BlobStore) {
  const message = context.slot(id)?.message;
  const attachments = message && message.role !== 'assistant' ? (message.attachments ?? []) : [];
  if (attachments.length === 0 || !viewer.takesImages) return {};
  const images: GivenImage[] = [];
  for (const { blob, name = '', tokens } of attachments) {
    const bytes = tokens <= recall.left ? await blobs.get(blob) : null;
    if (!bytes) continue;
    recall.spend(tokens);
    images.push({ name, bytes });
  }
  return { images };
}

function search(context: Projection, query: string): string {
  const wanted = query.toLowerCase().trim();
  if (wanted === '') throw new ToolError('The query is empty.');
  const hits: string[] = [];
  let more = 0;
  for (const slot of context.slots()) {
    if (slot.shown === 'whole') continue;
    const text = describe(slot.message);
    const at = text.toLowerCase().indexOf(wanted);
    if (at < 0) continue;
    if (hits.length < MOST_HITS) hits.push(`${nameOf(slot)}: …${around(text, at, wanted.length)}…`);
    else more++;
  }
  if (hits.length === 0)
    return `Nothing that was compacted away contains “${query}”. What you still see was not searched.`;
  return [...hits, more ? `${more} more messages contain it; search for something longer.` : '']
    .filter(Boolean)
    .join('\n');
}

function around(text: string, at: number, length: number): string {
  return text
    .slice(Math.max(0, at - AROUND), at + length + AROUND)
    .replace(/\s+/g, ' ')
    .toWellFormed();
}

function nameOf({ id, message }: SlotState): string {
  return `${id} (${message.role === 'tool' ? `result of ${message.toolName}` : message.role})`;
}

function describe(message: Message): string {
  if (message.role !== 'assistant') {
    return [message.text, ...(message.attachments ?? []).map((image) => `[${nameImage(image)}]`)].join('\n');
  }
  const calls = (message.toolCalls ?? []).map((call) => `[called ${call.name} ${call.arguments}]`);
  return [message.text, ...calls].filter(Boolean).join('\n');
}
