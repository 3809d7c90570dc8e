/**
 * Turns a stretch of history into one summary text with the `llm` port, as a continuation of the session's last request
 * if possible. Otherwise it is sent as text: a history too long for the model in chunks, each merged into the notes so
 * far, which remain when a later chunk fails, and in smaller ones when a chunk is refused. Earlier summaries are merged
 * too, up to a number of generations. Strategies that summarise replace the older part of a history by one such text.
 */

import * as z from 'zod';
import { isModelError } from '../../../api/errors.ts';
import type { CompactionContext, ContextMessage, NewSummary, SummaryModel } from '../../../api/index.ts';
import { parseJson } from '../../json.ts';
import { sumTokens } from '../../tokens/meter.ts';
import { isLedger } from '../draft/ledgerLines.ts';
import { isPerson, isSummary } from '../draft/messageKinds.ts';
import { shortenMiddle, startOf } from '../draft/shortTexts.ts';
import type { GeneralParameters } from './defineStrategy.ts';
import { beginsMessage } from './recentPart.ts';
import { type Place, type StylePrompt, SUMMARY_STYLES, type SummaryStyle } from './summaryPrompts.ts';

interface SummaryRequest {
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

/**
 * Writes a history as text for a summariser, message by message, in chunks that each fit a number of tokens. Only the
 * middle of results and answers too long for a whole chunk is left out.
 */
function serialiseMessage(message: ContextMessage): string {
  switch (message.role) {
    case 'user':
      return `[${isPerson(message) ? 'user' : `${message.kind}, not written by the user`}]\n${message.text}`;
    case 'assistant': {
      const calls = message.toolCalls.map((call) => `[calls ${call.name} ${call.arguments}]`);
      return ['[assistant]', message.text, ...calls].filter(Boolean).join('\n');
    }
    case 'tool':
      return `[${message.isError ? 'error' : 'result'} of ${message.toolName}]\n${message.text}`;
  }
}

interface Chunk {
  readonly text: string;
  /** Number of messages in this chunk and the previous ones. */
  readonly until: number;
}

const LABEL = 10;
const LONG = 4_000;

/** A long text was counted when it was appended. A message shortened since then has a higher count than possible. */
function costOf({ tokens }: ContextMessage, text: string, count: (text: string) => number): number {
  return text.length > LONG && tokens <= text.length ? tokens + LABEL : count(text) + 2;
}

/**
 * Texts in order, each of at most `maxTokens` as counted by `count`. A text too long for a chunk keeps head and tail; a
 * person's text is included in full, in as many chunks as needed.
 */
function chunkMessages(
  messages: readonly ContextMessage[],
  maxTokens: number,
  count: (text: string) => number,
): Chunk[] {
  const chunks: Chunk[] = [];
  let chunk: string[] = [];
  let tokens = 0;
  const end = (until: number) => {
    if (chunk.length > 0) chunks.push({ text: chunk.join('\n\n'), until });
    chunk = [];
    tokens = 0;
  };
  for (const [i, message] of messages.entries()) {
    const text = serialiseMessage(message);
    const cost = costOf(message, text, count);
    const parts = cost <= maxTokens ? [text] : fitMessage(message, text, maxTokens - 2, count);
    for (const [nth, part] of parts.entries()) {
      const partCost = parts.length === 1 && part === text ? cost : count(part) + 2;
      // A message of several parts is complete only in the chunk with its last part.
      if (tokens + partCost > maxTokens || nth > 0) end(i);
      chunk.push(part);
      tokens += partCost;
    }
  }
  end(messages.length);
  return chunks;
}

const LONGEST_LABEL = 20;

function fitMessage(
  message: ContextMessage,
  text: string,
  maxTokens: number,
  count: (text: string) => number,
): readonly string[] {
  if (!isPerson(message)) return [shortenMiddle(text, maxTokens, count)];
  const pieces: string[] = [];
  for (let rest = message.text; rest !== ''; ) {
    const most = startOf(rest, Math.max(1, maxTokens - LONGEST_LABEL), count) || rest.slice(0, 2);
    const space = most.length < rest.length ? most.search(/\s\S*$/) : -1;
    const piece = space > 0 ? most.slice(0, space + 1) : most;
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return pieces.map((piece, i) => `[user, part ${i + 1} of ${pieces.length}]\n${piece}`);
}

/**
 * The structured form of a summary: the model is asked for JSON of a fixed shape, which is validated and rendered as
 * text. An answer of another shape is not lost: its text is used unchanged.
 */
const list = z.array(z.string()).default([]);

const schema = z.object({
  focus: z.string().default(''),
  completed: list,
  issues: list,
  decisions: list,
  todo: list,
  environment: list,
  code: list,
  /** Paths, identifiers, error texts and codes, verbatim. */
  keyFacts: list,
});

type StructuredSummary = z.infer<typeof schema>;

const STRUCTURED_TASK = `Answer with one JSON object and nothing else:
{"focus": "what is being worked on now", "completed": ["…"], "issues": ["open problems, and errors with their solutions"], "decisions": ["…"], "todo": ["what is not finished, as it was asked for"], "environment": ["…"], "code": ["file: its state"], "keyFacts": ["paths, identifiers, error codes, exactly as written"]}`;

const HEADINGS: readonly (readonly [keyof StructuredSummary, string])[] = [
  ['focus', 'Current focus'],
  ['completed', 'Completed'],
  ['issues', 'Issues'],
  ['decisions', 'Decisions'],
  ['todo', 'Not finished'],
  ['environment', 'Environment'],
  ['code', 'Code'],
  ['keyFacts', 'Key facts'],
];

/** Null when the answer contains no JSON object of the shape, or an empty one. */
function renderStructured(answer: string): string | null {
  const start = answer.indexOf('{');
  const end = answer.lastIndexOf('}');
  if (start < 0 || end <= start) return null;
  const parsed = schema.safeParse(parseJson(answer.slice(start, end + 1)));
  if (!parsed.success) return null;
  const parts = HEADINGS.flatMap(([key, heading]) => {
    const content = parsed.data[key];
    const lines = typeof content === 'string' ? [content] : content.map((line) => `- ${line}`);
    return lines.some((line) => line.trim() !== '') ? [`${heading}:\n${lines.join('\n')}`] : [];
  });
  return parts.length ? parts.join('\n\n') : null;
}

/** Index of the first of the newest `keep` user and assistant messages. */
export function findNewest(history: readonly ContextMessage[], keep: number): number {
  let at = history.length;
  for (let left = keep; left > 0 && at > 0; ) {
    at--;
    if (beginsMessage(history[at] as ContextMessage, history[at - 1])) left--;
  }
  return at;
}

/**
 * One summary of the messages before `at`, then the protected ones among them, then the rest. Null when nothing would
 * go. `own` is the style of the strategy's source, used unless another is chosen.
 */
export async function summariseBefore(
  context: CompactionContext,
  at: number,
  values: GeneralParameters,
  count: (text: string) => number,
  own: SummaryStyle,
  more: Pick<SummaryRequest, 'maxCharacters'> = {},
): Promise<readonly (ContextMessage | NewSummary)[] | null> {
  const { history } = context;
  const stays = findStaying(history);
  const older = history.filter((message, i) => i < at && !stays.has(message.block));
  if (older.every((message) => isSummary(message) || message.protected)) return null;
  /** With `left`: messages not yet in the summary. */
  const assemble = ({ summary, frozen }: HistorySummary, left: readonly ContextMessage[] = []) => {
    const kept = new Set<ContextMessage>([...frozen, ...left]);
    const rest = history.filter((message, i) => i >= at || stays.has(message.block) || kept.has(message));
    const front = rest.findLastIndex((message) => frozen.includes(message)) + 1;
    return [...rest.slice(0, front), summary, ...rest.slice(front)];
  };
  const soFar: NonNullable<SummaryRequest['soFar']> = (made, left) => context.soFar(assemble(made, left));
  const made = await summariseHistory(context.llm, older, {
    ...makeRequest(context, values, SUMMARY_STYLES[own], count),
    ...more,
    soFar,
  });
  return made && assemble(made);
}

/** Blocks that stay wherever they are. The latest user message is summarised with the rest, and restored after it. */
function findStaying(history: readonly ContextMessage[]): ReadonlySet<number> {
  const latest = history.findLast(isPerson);
  return new Set(history.flatMap((message) => (message.protected && message !== latest ? [message.block] : [])));
}

/** Tokens that remain next to a summary of the messages before `at`, the latest user message included. */
export function tokensBeside(history: readonly ContextMessage[], at: number): number {
  const stays = findStaying(history);
  const latest = history.findLast(isPerson);
  return sumTokens(history.filter((message, i) => i >= at || message === latest || stays.has(message.block)));
}

/** The person's settings for a summary. `own` is the style used unless another is chosen. */
export function makeRequest(
  context: CompactionContext,
  values: GeneralParameters,
  own: StylePrompt,
  count: (text: string) => number,
): SummaryRequest {
  return {
    style: values.summaryStyle === 'strategy' ? own : SUMMARY_STYLES[values.summaryStyle],
    customPrompt: values.summaryPrompt,
    structured: values.summaryStructured,
    ...(context.instructions !== undefined ? { instructions: context.instructions } : {}),
    outputTokenMax: values.outputTokenMax,
    // A second attempt must be smaller: frozen summaries are merged after all.
    maxGenerations: context.attempt > 1 ? Number.POSITIVE_INFINITY : values.maxSummaryGenerations,
    signal: context.signal,
    count,
    report: context.report,
  };
}
