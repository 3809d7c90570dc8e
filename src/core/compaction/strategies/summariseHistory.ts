/**
 * Turns a stretch of history into one summary text with the `llm` port, as a continuation of the session's last request
 * if possible. Otherwise it is sent as text: a history too long for the model in chunks, each merged into the notes so
 * far, which remain when a later chunk fails, and in smaller ones when a chunk is refused. Earlier summaries are merged
 * too, up to a number of generations. Strategies that summarise replace the older part of a history by one such text.
 */

import { isModelError } from '../../../api/errors.ts';
import type { ContextMessage, NewSummary, SummaryModel } from '../../../api/index.ts';
import { isLedger } from '../draft/ledgerLines.ts';
import { isSummary } from '../draft/messageKinds.ts';
import { type Chunk, chunkMessages } from './chunkMessages.ts';
import { renderStructured, STRUCTURED_TASK } from './structuredSummary.ts';
import type { Place, StylePrompt } from './summaryPrompts.ts';

export interface SummaryRequest {
  readonly style: StylePrompt;
  /** Replaces the style's task when not empty. */
  readonly customPrompt?: string;
  readonly instructions?: string;
  readonly structured?: boolean;
  readonly outputTokenMax: number;
  /**
   * How often a summary may be merged into a newer one; afterwards it stays unchanged and a new one begins next to it.
   */
  readonly maxGenerations: number;
  readonly maxCharacters?: number;
  readonly signal: AbortSignal;
  readonly count: (text: string) => number;
  readonly report: (text: string, fraction?: number) => void;
  /**
   * Called before each chunk but the first: the summary of the previous chunks, and the messages that it does not
   * cover.
   */
  readonly soFar?: (made: HistorySummary, left: readonly ContextMessage[]) => void;
}

export interface HistorySummary {
  readonly summary: NewSummary;
  /** Earlier summaries that reached the merge limit and must be kept. */
  readonly frozen: readonly ContextMessage[];
}

const MERGE =
  'Notes of what came before stand first. Write one text that replaces them: keep every fact of the notes that still holds, add what is new, drop what was overtaken.';

const MERGE_ABOVE =
  'Notes of what came before stand above, between context-notes marks. Your text replaces them: keep every fact of the notes that still holds, add what is new, drop what was overtaken.';

/** Headings and tags stay in English: the answer is parsed by them. */
const LANGUAGE =
  'Write in the language of the conversation: the one that the user writes in. Keep tags, headings and the names of fields as they are given.';

const SMALLEST_CHUNK = 256;

/** Tokens for tags and rounding errors. */
const FRAMING = 100;

/** On a line of its own; in older journals a ledger follows it. */
const MERGED = /\n\(These notes were merged (\d+) times?\.\)$/gm;

/** Rejects with `ModelError`. Null when `messages` contain only earlier summaries. */
export async function summariseHistory(
  llm: SummaryModel,
  messages: readonly ContextMessage[],
  request: SummaryRequest,
): Promise<HistorySummary | null> {
  const rest = messages.filter((message) => !isSummary(message));
  if (rest.length === 0) return null;
  const earlier = messages.filter(isSummary);
  const frozen = earlier.filter((message) => mergesOf(message.text) >= request.maxGenerations);
  const merged = earlier.filter((message) => !frozen.includes(message));
  const notes = merged.map((message) => message.text.replace(MERGED, '')).join('\n\n');
  const written = merged.filter((message) => !isLedger(message.text));
  const merges = Math.max(0, ...written.map((message) => mergesOf(message.text) + 1));
  const mark = merges > 0 ? `\n(These notes were merged ${merges} time${merges > 1 ? 's' : ''}.)` : '';
  // The mark counts towards the limit: at the end it would be cut off.
  const room = (request.maxCharacters ?? Number.POSITIVE_INFINITY) - mark.length;
  const toSummary = (made: string): HistorySummary => {
    const text = made.replace(MERGED, '');
    const short = text.length > room ? text.slice(0, room).toWellFormed() : text;
    const cut = text.length - short.length;
    return { summary: { role: 'user', kind: 'summary', text: short + mark, ...(cut > 0 ? { cut } : {}) }, frozen };
  };
  const soFar = (made: string, until: number) =>
    request.soFar?.(toSummary(made), rest.slice(startOfBlock(rest, until)));
  const made = await continueLast(llm, [...merged, ...rest], merged.length > 0, request);
  return toSummary(made ?? (await mergeChunks(llm, rest, notes, request, soFar)));
}

/** Null where the conversation has to be sent as text. */
async function continueLast(
  llm: SummaryModel,
  covers: readonly ContextMessage[],
  merges: boolean,
  request: SummaryRequest,
): Promise<string | null> {
  if (!llm.continue) return null;
  const { style, outputTokenMax, signal, report } = request;
  report('Summarising', 0);
  const answer = await llm.continue({
    covers,
    task: [style.system, merges ? MERGE_ABOVE : '', describeTask(request, 'above')].filter(Boolean).join('\n\n'),
    maxOutputTokens: outputTokenMax,
    ...(style.tag !== undefined ? { tag: style.tag } : {}),
    signal,
  });
  if (!answer) return null;
  report('Summary done', 1);
  return textOf(answer, request);
}

function textOf(
  answer: { readonly text: string; readonly truncated: boolean },
  { structured }: SummaryRequest,
): string {
  const text = (structured && renderStructured(answer.text)) || answer.text.trim();
  return answer.truncated ? `${text}\n(These notes were cut at the output limit.)` : text;
}

/** A block only half covered by a summary stays whole. */
function startOfBlock(messages: readonly ContextMessage[], at: number): number {
  let start = at;
  while (start > 0 && messages[start - 1]?.block === messages[at]?.block) start--;
  return start;
}

/** 0 for a summary of messages alone, plus one for each merge. */
function mergesOf(text: string): number {
  return Number([...text.matchAll(MERGED)].at(-1)?.[1] ?? 0);
}

async function mergeChunks(
  llm: SummaryModel,
  messages: readonly ContextMessage[],
  earlier: string,
  request: SummaryRequest,
  soFar: (notes: string, until: number) => void,
): Promise<string> {
  const { style, count, report, signal } = request;
  const task = describeTask(request, 'below');
  // Without a model the port refuses every request, so the history need not be counted first.
  if (llm.maxInputTokens === 0) await llm.complete({ system: style.system, prompt: task, signal });
  let notes = earlier;
  let done = 0;
  let room = llm.maxInputTokens;
  const split = () => {
    const whole = room - count(style.system) - count(task) - count(MERGE) - FRAMING;
    const rest = messages.slice(done);
    const inOne = chunkMessages(rest, Math.max(SMALLEST_CHUNK, whole - count(notes)), count);
    if (inOne.length === 1) return inOne;
    // The notes so far are read again with every chunk, so they take their share of the room.
    const share = Math.max(count(notes), Math.min(request.outputTokenMax, room >> 2));
    return chunkMessages(rest, Math.max(SMALLEST_CHUNK, whole - share), count);
  };
  let chunks = split();
  let start = 0;
  for (let i = 0; i < chunks.length; ) {
    const chunk = chunks[i] as Chunk;
    if (done > 0) soFar(notes, done);
    report(chunks.length > 1 ? `Summarising part ${i + 1} of ${chunks.length}` : 'Summarising', done / messages.length);
    const parts = [
      task,
      notes && `${MERGE}\n\n<notes>\n${notes}\n</notes>`,
      `<conversation>\n${chunk.text.replaceAll('</conversation', '<\\/conversation')}\n</conversation>`,
    ];
    try {
      const answer = await llm.complete({
        system: style.system,
        prompt: parts.filter(Boolean).join('\n\n'),
        maxOutputTokens: request.outputTokenMax,
        ...(style.tag !== undefined ? { tag: style.tag } : {}),
        whole: true,
        covers: messages,
        signal,
      });
      notes = textOf(answer, request);
    } catch (thrown) {
      if (!isModelError(thrown) || thrown.kind !== 'overflow' || llm.maxInputTokens >= room) throw thrown;
      // It was refused as too long: the rest is sent in smaller parts.
      room = llm.maxInputTokens;
      chunks = split();
      start = done;
      i = 0;
      continue;
    }
    done = start + chunk.until;
    i++;
  }
  report('Summary done', 1);
  return notes;
}

function describeTask({ style, customPrompt, instructions, structured }: SummaryRequest, place: Place): string {
  const ask = instructions?.trim() ? `The user asks for this to be kept in mind: ${instructions.trim()}` : '';
  return [customPrompt?.trim() || `${style.task(place)}\n\n${LANGUAGE}`, structured ? STRUCTURED_TASK : '', ask]
    .filter(Boolean)
    .join('\n\n');
}
