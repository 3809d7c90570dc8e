/**
 * Turns a stretch of history into one summary text with the `llm` port, as a continuation of the session's last request
 * if possible. Otherwise it is sent as text: a history too long for the model in chunks, each merged into the notes so
 * far, which remain when a later chunk fails, and in smaller ones when a chunk is refused. Earlier summaries are merged
 * too, up to a number of generations. Strategies that summarise replace the older part of a history by one such text.
 */

import { isModelError } from '../../../api/errors.ts';
import type { ContextMessage, NewSummary, SummaryModel } from '../../../api/index.ts';
import { ModelError } from '../../errors.ts';
import { words } from '../../words.ts';
import { isLedger } from '../draft/ledgerLines.ts';
import { isSummary } from '../draft/messageKinds.ts';
import { type Chunk, chunkMessages } from './chunkMessages.ts';
import { readStructured, STRUCTURED_TASK } from './structuredSummary.ts';
import { cutAtSentence, fitSummary, type SummaryLimits, withoutCutMarks } from './summaryLimits.ts';
import { dataNote, LANGUAGE, type Place, type StylePrompt } from './summaryPrompts.ts';

export interface SummaryRequest {
  readonly style: StylePrompt;
  /** Replaces the style's task and its form when not empty. */
  readonly customPrompt?: string;
  readonly instructions?: string;
  readonly structured?: boolean;
  /** Maximum length, whatever else limits it. */
  readonly outputTokenMax: number;
  /**
   * How often a summary may be merged into a newer one; afterwards it stays unchanged and a new one begins next to it.
   */
  readonly maxGenerations: number;
  /** In place of the style's own maximum. */
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

const SMALLEST_CHUNK = 256;

/** Tokens for tags and rounding errors. */
const FRAMING = 100;

/** On a line of its own; in older journals a ledger follows it. */
const MERGED = /(?:\n|^)\(These notes were merged (\d+) times?\.\)$/gm;

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
  const notes = merged.map((message) => withoutMarks(message.text)).join('\n\n');
  const written = merged.filter((message) => !isLedger(message.text));
  const merges = Math.max(0, ...written.map((message) => mergesOf(message.text) + 1));
  const mark = merges > 0 ? `\n(These notes were merged ${merges} time${merges > 1 ? 's' : ''}.)` : '';
  const limits = limitsOf(request);
  const toSummary = ({ text: made, truncated }: Written): HistorySummary => {
    // The marks count towards the limit: at the end they would be cut off.
    const { text, cut } = fitSummary(made, limits, mark, truncated);
    const left = cut > 0 ? { cut } : truncated ? ({ cut: true } as const) : {};
    return { summary: { role: 'user', kind: 'summary', text, ...left }, frozen };
  };
  const soFar = (made: Written, until: number) =>
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
): Promise<Written | null> {
  if (!llm.continue) return null;
  const { style, outputTokenMax, signal, report } = request;
  const tag = tagOf(request);
  report('Summarising', 0);
  const answer = await llm.continue({
    covers,
    task: [style.system, merges ? MERGE_ABOVE : '', describeTask(request, 'above')].filter(Boolean).join('\n\n'),
    maxOutputTokens: outputTokenMax,
    ...(tag !== undefined ? { tag } : {}),
    signal,
  });
  const written = answer && readWritten(answer, request);
  if (!written) return null;
  report('Summary done', 1);
  return written;
}

/** The model's text, without marks. */
interface Written {
  readonly text: string;
  /** The answer reached its limit, so its end is missing. */
  readonly truncated: boolean;
}

/** Null when nothing of the answer is left to keep. */
function readWritten({ text: answer, truncated }: Written, { structured }: SummaryRequest): Written | null {
  const text = withoutMarks(structured ? readStructured(answer) : answer).trim();
  if (text === '') return null;
  return { text: truncated ? cutAtSentence(`${text} `, text.length) : text, truncated };
}

const withoutMarks = (text: string): string => withoutCutMarks(text.replace(MERGED, ''));

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
  soFar: (notes: Written, until: number) => void,
): Promise<Written> {
  const { style, count, report, signal } = request;
  const tag = tagOf(request);
  const task = describeTask(request, 'below');
  // Without a model the port refuses every request, so the history need not be counted first.
  if (llm.maxInputTokens === 0) await llm.complete({ system: style.system, prompt: task, signal });
  let { text: notes, truncated } = { text: earlier, truncated: false };
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
    if (done > 0) soFar({ text: notes, truncated }, done);
    report(chunks.length > 1 ? `Summarising part ${i + 1} of ${chunks.length}` : 'Summarising', done / messages.length);
    const parts = [
      task,
      notes && `${MERGE}\n\n<notes>\n${notes.replaceAll('</notes', '<\\/notes')}\n</notes>`,
      `<conversation>\n${chunk.text.replaceAll('</conversation', '<\\/conversation')}\n</conversation>`,
    ];
    try {
      const answer = await llm.complete({
        system: style.system,
        prompt: parts.filter(Boolean).join('\n\n'),
        maxOutputTokens: request.outputTokenMax,
        ...(tag !== undefined ? { tag } : {}),
        whole: true,
        covers: messages,
        signal,
      });
      const written = readWritten(answer, request);
      if (!written) throw new ModelError('interrupted', words('The summary model gave an empty answer.'));
      ({ text: notes, truncated } = written);
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
  return { text: notes, truncated };
}

/** The length in the unit that is enforced, the task, the rules that hold for every task, and one form. */
function describeTask(request: SummaryRequest, place: Place): string {
  const { style, instructions, structured } = request;
  const own = ownPrompt(request);
  const { headings, closing } = structured || own !== '' ? { headings: '', closing: '' } : style;
  return [
    describeLength(limitsOf(request)),
    own || style.task(place),
    headings,
    dataNote(place),
    structured ? STRUCTURED_TASK : closing,
    LANGUAGE,
    instructions?.trim() ? `The user asks for this to be kept in mind: ${instructions.trim()}` : '',
  ]
    .filter(Boolean)
    .join('\n\n');
}

const ownPrompt = ({ customPrompt = '' }: SummaryRequest): string => customPrompt.trim();

/** The tag that the model is asked to write. A person's own prompt may ask for the usual one. */
function tagOf(request: SummaryRequest): string | undefined {
  if (request.structured) return undefined;
  const own = ownPrompt(request);
  if (own === '') return request.style.tag;
  return own.includes('<summary>') ? 'summary' : undefined;
}

function limitsOf(request: SummaryRequest): SummaryLimits {
  const { style, outputTokenMax: tokens, maxCharacters: characters } = request;
  if (characters !== undefined) return { tokens, characters };
  return style.words !== undefined && ownPrompt(request) === '' ? { tokens, words: style.words } : { tokens };
}

/** Tokens are asked for by the request itself: no model counts them while it writes. */
function describeLength({ characters, words: number }: SummaryLimits): string {
  const [most, unit] = characters === undefined ? [number, 'words'] : [characters, 'characters'];
  return most === undefined
    ? ''
    : `Write at most ${most.toLocaleString('en-US')} ${unit}: what is longer is cut off at the end.`;
}
