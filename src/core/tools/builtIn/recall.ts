/**
 * `recall`: lets the model read what compaction removed from its view. It reads or searches the hidden, shortened,
 * dropped, offloaded and summarised content of the current path, and cut outputs in full, under a budget of tokens for
 * each turn.
 */

import * as z from 'zod';
import type { GivenImage } from '../../context/images.ts';
import { nameImage } from '../../context/item.ts';
import type { Message } from '../../context/message.ts';
import type { Projection } from '../../context/projection.ts';
import type { SlotState } from '../../context/slot.ts';
import { ToolError } from '../../errors.ts';
import type { BlobStore } from '../../journal/blobStore.ts';
import { countTokens, takeTokens } from '../../tokens/estimate.ts';
import { defineTool, type ToolOutcome, type ToolSession } from '../tool.ts';
import type { RecallBudget } from './recallBudget.ts';

const MOST_HITS = 20;
/** Maximum places shown for one message. */
const MOST_PLACES = 3;
/** Characters around a hit. */
const AROUND = 120;
/** This many neighbouring characters distinguish it from the same words elsewhere. */
const BESIDE = 40;
/** Maximum occurrences examined in one message, and words of a query. */
const MOST_OCCURRENCES = 10_000;
const MOST_WORDS = 20;
/** Maximum characters of full outputs that one search reads. */
const MOST_READ = 50_000_000;
/** Smaller amounts are not worth a call. */
const SMALLEST_BUDGET = 50;

export const recall = defineTool({
  name: 'recall',
  toolClass: 'read',
  description:
    'Read back or search what was compacted out of this conversation: hidden, shortened, dropped or summarised messages. ' +
    'Give the id a stub names, or a query. It reads the conversation as it was; files may have changed since.',
  input: z.strictObject({
    id: z.string().max(40).optional().describe('Id named by a stub, such as m17: reads that message whole'),
    query: z.string().max(200).optional().describe('Words to search for in everything that was compacted away or cut'),
    offset: z.int().min(0).default(0).describe('With id: first character to read'),
  }),
  offered: (settings) => settings.recall.tokensPerTurn > 0,
  async prepare({ id, query, offset }, { blobs, session }) {
    if ((id === undefined) === (query === undefined)) throw new ToolError('Give either an id or a query.');
    if (session.recall.isOff) throw new ToolError('Recall is switched off in the settings.');
    return {
      title: id ?? `“${query}”`,
      approval: null,
      changes: [],
      run: async ({ signal }) => {
        if (id === undefined) {
          const found = await search(session.context, query ?? '', blobs, signal);
          return spend(session.recall, found, found.length, 0);
        }
        const body = await readBody(session.context, id, blobs);
        const result = spend(session.recall, body.slice(offset), body.length, offset);
        return offset > 0 ? result : { ...result, ...(await readImages(session, id, blobs)) };
      },
    };
  },
});

/** False where the model was offered other tools when it was last asked. The header of an imported session names none. */
export const canRecall = ({ header }: Pick<Projection, 'header'>): boolean =>
  !header?.tools.length || header.tools.some(({ name }) => name === recall.name);

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
  const blob = blobOf(message);
  if (blob === undefined) return describe(message);
  const bytes = await blobs.get(blob);
  if (bytes) return new TextDecoder().decode(bytes);
  // Full outputs expire; the part that the model saw does not.
  return `${describe(message)}\n(The full output has expired; this is what was shown at the time.)`;
}

/** The blob with the whole of an output of which the model saw only a part. */
const blobOf = (message: Message) =>
  message.role === 'tool' ? (message.offload?.blob ?? message.truncation?.blob) : undefined;

/** The removed images, as far as the budget allows. */
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

interface Place {
  readonly at: number;
  end: number;
  /** Words of the query found here. */
  readonly words: Set<string>;
}

interface Hit {
  readonly slot: SlotState;
  readonly text: string;
  readonly places: readonly Place[];
  /** Number of the query's words in the message. */
  readonly words: number;
}

/** Messages that have all words of the query, in any order, or else most of them, each with its best places. */
async function search(context: Projection, query: string, blobs: BlobStore, signal: AbortSignal): Promise<string> {
  const wanted = [...new Set(query.toLowerCase().split(/\s+/))].filter(Boolean).slice(0, MOST_WORDS);
  if (wanted.length === 0) throw new ToolError('The query is empty.');
  // The longest first, so that a word is found where it begins with another.
  const longest = wanted.toSorted((a, b) => b.length - a.length);
  const pattern = new RegExp(longest.map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')).join('|'), 'giu');
  let hits: Hit[] = [];
  let read = 0;
  for (const slot of context.slots()) {
    signal.throwIfAborted();
    const blob = blobOf(slot.message);
    if (slot.shown === 'whole' && blob === undefined) continue;
    const bytes = blob !== undefined && read < MOST_READ ? await blobs.get(blob) : null;
    read += bytes?.length ?? 0;
    const text = bytes ? new TextDecoder().decode(bytes) : describe(slot.message);
    const seen = slot.shown === 'whole' ? slot.message.text : '';
    const isHidden = ({ at, end }: Place) => !seen.includes(text.slice(Math.max(0, at - BESIDE), end + BESIDE));
    const places = findPlaces(text, pattern).filter(isHidden);
    const found = [...new Set(places.flatMap((place) => [...place.words]))];
    const words = wanted.filter((word) => found.some((each) => each.includes(word))).length;
    // Messages with fewer words than the best are shown only when they are the best.
    const most = hits[0]?.words ?? 1;
    if (words > most) hits = [];
    if (words >= most) hits.push({ slot, text, places, words });
  }
  if (hits.length === 0)
    return `Nothing that was compacted away contains “${query}”. What you still see was not searched.`;
  const missing = wanted.length - (hits[0]?.words ?? 0);
  return [
    missing > 0 ? `Nothing contains all of it; these have ${wanted.length - missing} of ${wanted.length} words:` : '',
    ...hits.slice(0, MOST_HITS).map(showHit),
    hits.length > MOST_HITS ? `${hits.length - MOST_HITS} more messages contain it; search for something longer.` : '',
    read >= MOST_READ ? 'Not all full outputs were searched: they are too large together.' : '',
  ]
    .filter(Boolean)
    .join('\n');
}

/** Occurrences close together are one place. */
function findPlaces(text: string, pattern: RegExp): Place[] {
  const places: Place[] = [];
  let left = MOST_OCCURRENCES;
  for (const { 0: found, index } of text.matchAll(pattern)) {
    const last = places.at(-1);
    const end = index + found.length;
    if (last && index - last.at <= AROUND) {
      last.words.add(found.toLowerCase());
      last.end = end;
    } else places.push({ at: index, end, words: new Set([found.toLowerCase()]) });
    if (--left === 0) break;
  }
  return places;
}

/** The places with most of the words, in text order, each with where to read on. */
function showHit({ slot, text, places }: Hit): string {
  const best = new Set(places.toSorted((a, b) => b.words.size - a.words.size).slice(0, MOST_PLACES));
  const shown = places.filter((place) => best.has(place)).map((place) => `…${around(text, place)}… (at ${place.at})`);
  const more = places.length - shown.length;
  return `${nameOf(slot)}: ${shown.join('\n  ')}${more > 0 ? `\n  and ${more} more places` : ''}`;
}

function around(text: string, { at, end }: Place): string {
  return text
    .slice(Math.max(0, at - AROUND), end + AROUND)
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
