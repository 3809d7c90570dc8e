/**
 * Reads a session of a known format into entries. Invalid lines are reported by their number. Whatever the recording
 * lacks, the result is a valid history: ids are unique, every call is followed by exactly one result, and text is
 * well-formed. The program's compactions are repeated here, so that the context is the one it would have sent.
 */

import { IMPORTED } from '../agent/parts/header.ts';
import type { ContextItem } from '../context/item.ts';
import type { AssistantMessage, Message, ToolCall } from '../context/message.ts';
import {
  type EntryDraft,
  insertId,
  messageId,
  type NoteEntry,
  type Plan,
  type PlanOp,
  RECORDED,
  type Trigger,
} from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { isWholeObject, type Json, parseObject } from '../json.ts';
import { withThinkingApart } from '../model/thinking.ts';
import { countTokens, estimateMessage } from '../tokens/estimate.ts';
import { sumTokens } from '../tokens/meter.ts';
import { neutralise } from '../tools/text/neutralise.ts';
import { inEnglish, words } from '../words.ts';
import { readAider } from './formats/aider.ts';
import { readClaudeCode } from './formats/claudeCode.ts';
import { readCline } from './formats/cline.ts';
import { readCodex } from './formats/codex.ts';
import { readContinue } from './formats/continueDev.ts';
import { readCopilotChat, readCopilotChatLog, readCopilotCli } from './formats/copilot.ts';
import { readGeminiCli } from './formats/geminiCli.ts';
import { readKimi, readKimiWire } from './formats/kimi.ts';
import { readMessagesApi } from './formats/messagesApi.ts';
import { readNormalForm, readNormalList } from './formats/normalForm.ts';
import { readOpenCode } from './formats/openCode.ts';
import { readOpenHands, readOpenHandsOutput } from './formats/openHands.ts';
import { readPi } from './formats/pi.ts';
import { readQwenCode } from './formats/qwenCode.ts';
import { readList } from './formats/readList.ts';
import { readSweAgent } from './formats/sweAgent.ts';
import { listFieldOf, type RecordedFormat } from './recognise.ts';
import {
  type ImportReport,
  messageOf,
  type Recorded,
  type RecordedCompaction,
  type RecordedMessage,
} from './recorded.ts';

type Foreign = Exclude<RecordedFormat, 'normal' | 'normalList'>;

type Reader = (values: readonly Json[], report: ImportReport) => Recorded[];

const READERS: Readonly<Record<Exclude<Foreign, 'aider' | 'copilotChatLog'>, Reader>> = {
  claudeCode: readClaudeCode,
  codex: readCodex,
  pi: readPi,
  kimi: readKimi,
  kimiWire: readKimiWire,
  cline: readCline,
  geminiCli: readGeminiCli,
  geminiCliList: readGeminiCli,
  qwenCode: readQwenCode,
  openCode: readOpenCode,
  copilotCli: readCopilotCli,
  copilotChat: readCopilotChat,
  continue: readContinue,
  messagesApi: readMessagesApi,
  messagesApiList: readMessagesApi,
  responsesList: readCodex,
  openHands: readOpenHands,
  openHandsList: readOpenHands,
  openHandsOutput: readOpenHandsOutput,
  sweAgent: readSweAgent,
};

/**
 * `lines` are the file's lines without their line breaks. The normal form is read as a stream, the others whole. `open`
 * returns the journal to append to, and is called before each entry.
 */
export function importRecorded(
  format: RecordedFormat,
  lines: AsyncIterable<string>,
  report: ImportReport,
  open: () => Promise<Journal>,
): Promise<void> {
  const messages = format === 'normal' ? readNormalForm(lines, report) : readWhole(format, lines, report);
  return recordEntries(messages, report, open);
}

/** True when the format stores the whole session as one list, which may be one line. */
export function isList(format: RecordedFormat): boolean {
  return listFieldOf(format) !== null;
}

async function* readWhole(
  format: Exclude<RecordedFormat, 'normal'>,
  lines: AsyncIterable<string>,
  report: ImportReport,
): AsyncGenerator<Recorded> {
  const pending: string[] = [];
  for await (const line of lines) pending.push(line);
  yield* format === 'normalList'
    ? readNormalList(readArray(format, pending, report), report)
    : readForeign(format, pending, report);
}

export function readForeign(format: Foreign, lines: readonly string[], report: ImportReport): Recorded[] {
  if (format === 'aider') return readAider(lines);
  if (format === 'copilotChatLog') return readCopilotChatLog(lines, report).map(withCallsKept);
  const values = isList(format) ? readArray(format, lines, report) : readObjects(lines, report);
  return READERS[format](values, report).map(withCallsKept);
}

/**
 * An answer that was stopped after its calls were whole: their results may be recorded, and what was asked for is not lost.
 * Calls that were cut off half-way stay with the interrupted answer.
 */
function withCallsKept(recorded: Recorded): Recorded {
  if (recorded.role !== 'assistant' || !recorded.interrupted || !recorded.toolCalls?.length) return recorded;
  if (!recorded.toolCalls.every((call) => isWholeObject(call.arguments))) return recorded;
  const { interrupted: _, ...whole } = recorded;
  return whole;
}

function readObjects(lines: readonly string[], report: ImportReport): Json[] {
  return lines.flatMap((line, i): Json[] => {
    if (line.trim() === '') return [];
    const value = parseObject(line);
    if (value) return [value];
    report.badLines.push({ line: i + 1, reason: 'not JSON' });
    const next = readAfterTear(line);
    return next ? [next] : [];
  });
}

/** Most places of a torn line where the next record may begin. */
const MOST_BEGINNINGS = 64;
const LONGEST_TORN = 4_000_000;

/** The record that was written on the same line after one that was cut off: all of a program's records begin alike. */
function readAfterTear(line: string): Json | null {
  const beginning = /^\s*(\{"[^"\\]{1,40}")/.exec(line)?.[1];
  if (beginning === undefined || line.length > LONGEST_TORN) return null;
  let at = line.lastIndexOf(beginning);
  for (let left = MOST_BEGINNINGS; at > 0 && left > 0; left--) {
    const value = parseObject(line.slice(at));
    if (value) return value;
    at = line.lastIndexOf(beginning, at - 1);
  }
  return null;
}

function readArray(format: RecordedFormat, lines: readonly string[], report: ImportReport): Json[] {
  const text = lines.join('\n');
  const read = readList(text, listFieldOf(format) ?? '');
  const { items, whole } = read.items.length === 0 && format === 'sweAgent' ? readList(text, 'trajectory') : read;
  if (!whole)
    report.badLines.push({ line: lines.length, reason: 'the list of messages does not end: the file is cut off' });
  return items;
}

export const MISSING_RESULT = '[The result of this tool call was not recorded.]';

const UNREADABLE = words(
  'The recorded session was compacted here. What took the place of the history is not in the file in a form that can be read, so the whole history stays in the context.',
);

/** True for the note in place of a compaction whose outcome cannot be read. */
export function isUnreadableCompaction({ words: said }: Pick<NoteEntry, 'words'>): boolean {
  return said?.[0]?.text === UNREADABLE[0]?.text;
}

/**
 * Turns messages recorded by any program into entries. `open` returns the journal to append to, and is called before each
 * entry: a recording without messages needs none.
 */
export async function recordEntries(
  messages: AsyncIterable<Recorded>,
  report: ImportReport,
  open: () => Promise<Journal>,
): Promise<void> {
  const ids = new CallIds('-');
  const system: string[] = [];
  /** The item made from each message; null for one in the header. */
  const items = new WeakMap<RecordedMessage, string | null>();
  let calls = new OpenCalls([]);
  let started = false;
  /** Applied once every call has its result. */
  let compactions: RecordedCompaction[] = [];
  /** False while the context here differs from the one that the program counted. */
  let counts = true;
  const append = async (draft: EntryDraft) => (await open()).append(draft);
  const add = async (message: Message, recorded?: RecordedMessage, time = recorded?.time) => {
    report.messages++;
    const said = time === undefined ? {} : { saidAt: time };
    const { seq } = await append({ type: 'message', message, tokens: estimateMessage(message), ...said });
    if (recorded) items.set(recorded, messageId(seq));
  };
  const close = async () => {
    for (const { id, name } of calls.left) {
      report.missingResults++;
      await add({ role: 'tool', toolCallId: id, toolName: name, text: MISSING_RESULT, isError: true });
    }
    calls = new OpenCalls([]);
    const due = compactions;
    compactions = [];
    for (const compaction of due) await compact(compaction);
  };
  const compact = async ({ context, trigger = 'recorded' }: RecordedCompaction) => {
    counts = context !== null;
    if (!context) {
      await append({ type: 'note', level: 'warning', text: inEnglish(UNREADABLE), words: UNREADABLE });
      return;
    }
    const journal = await open();
    if (journal.context.conversation.length > 0) {
      await appendRecordedCompaction(journal, { context, trigger, items });
      return;
    }
    // The recording begins with the summary: nothing in it was replaced.
    for (const each of context) {
      const message = items.has(each) ? null : messageOf(each);
      if (message) await add(message, each);
    }
  };
  for await (const recorded of messages) {
    if (recorded.role === 'system' && !started) {
      system.push(recorded.text.toWellFormed());
      items.set(recorded, null);
      continue;
    }
    if (!started && system.length > 0) await append(headerOf(system));
    started = true;
    if (recorded.role === 'compaction') {
      compactions.push(recorded);
      continue;
    }
    if (recorded.role !== 'tool') await close();
    switch (recorded.role) {
      case 'system':
      case 'user':
        await add(messageOf(recorded), recorded);
        break;
      case 'assistant': {
        const made = (recorded.toolCalls ?? []).map((call) => {
          const id = ids.take(call.id.toWellFormed() || 'call');
          if (id !== call.id) report.renamedCalls++;
          const args = call.arguments.toWellFormed();
          return { recordedId: call.id, call: { id, name: call.name.toWellFormed() || 'unknown', arguments: args } };
        });
        const { text, reasoning, usage, model = 'imported' } = recorded;
        const message = withThinkingApart<AssistantMessage>({
          role: 'assistant',
          text: text.toWellFormed(),
          ...(reasoning ? { reasoning: { field: 'reasoning', text: reasoning.toWellFormed() } } : {}),
          ...(made.length > 0 ? { toolCalls: made.map(({ call }) => call) } : {}),
          ...(recorded.interrupted ? { interrupted: true } : {}),
        });
        await add(message, recorded);
        if (usage && counts) await append({ type: 'usage', model, usage });
        // Calls of an interrupted answer never ran: lowering omits them, so none needs a result.
        calls = new OpenCalls(recorded.interrupted ? [] : made);
        break;
      }
      case 'tool': {
        const answered = calls.answer(recorded.toolCallId);
        if (!answered) {
          report.strayResults++;
          break;
        }
        const message: Message = {
          role: 'tool',
          toolCallId: answered.id,
          toolName: answered.name,
          text: neutralise(recorded.text).toWellFormed(),
          ...(recorded.isError ? { isError: true } : {}),
          ...(recorded.outcome ? { outcome: recorded.outcome } : {}),
        };
        await add(message, undefined, recorded.time);
        break;
      }
    }
  }
  if (!started && system.length > 0) await append(headerOf(system));
  await close();
}

function headerOf(system: readonly string[]): EntryDraft {
  const items = system.map((text) => ({
    kind: 'systemPrompt' as const,
    origin: IMPORTED,
    text,
    tokens: countTokens(text),
    cacheHint: true,
  }));
  return { type: 'header', items, tools: [], tokens: items.reduce((sum, item) => sum + item.tokens, 0) };
}

interface RecordedContext {
  readonly context: readonly RecordedMessage[];
  readonly trigger: Trigger;
  /** The item made from each message, null for one in the header. New inserts are added to it. */
  readonly items: WeakMap<RecordedMessage, string | null>;
}

/**
 * Makes an entry for a compaction that another program recorded. The history stays in the journal and is shown; the
 * context becomes what the program sent from then on, and undoing the entry restores the history. Call when every call
 * has its result. Appends nothing when nothing changes.
 */
async function appendRecordedCompaction(journal: Journal, { context, trigger, items }: RecordedContext) {
  const visible = journal.context.conversation;
  const inserted: RecordedMessage[] = [];
  const parts = context.flatMap((each): (string | Message)[] => {
    const item = items.get(each);
    if (item !== undefined) return item === null ? [] : [item];
    const message = messageOf(each);
    if (message) inserted.push(each);
    return message ? [message] : [];
  });
  const { plan, tokens } = planFor(visible, parts);
  if (plan.length === 0) return;
  const header = journal.context.header?.tokens ?? 0;
  const { seq } = await journal.append({
    type: 'compaction',
    base: journal.context.head ?? 0,
    plan,
    strategy: RECORDED,
    trigger,
    tokensBefore: header + sumTokens(visible),
    tokensAfter: header + tokens,
    durationMs: 0,
    attempt: 1,
  });
  for (const [nth, each] of inserted.entries()) items.set(each, insertId(seq, nth));
}

/** A plan that makes `parts` visible, ids and new messages in order. A block is named by its first item. */
function planFor(visible: readonly ContextItem[], parts: readonly (string | Message)[]) {
  const plan: PlanOp[] = [];
  const index = new Map(visible.map(({ id }, at) => [id, at]));
  let tokens = 0;
  let next = 0;
  let added: Message[] = [];
  /** The newest kept item that is not yet named. */
  let anchor: string | null = null;
  const dropUpTo = (end: number) => {
    const ids = visible.slice(next, end).map(({ id }) => id);
    next = end;
    if (ids.length > 0) plan.push({ op: 'drop', ids });
    else if (anchor !== null && added.length > 0) plan.push({ op: 'keep', ids: [anchor] });
    for (const message of added) {
      const cost = estimateMessage(message);
      plan.push({ op: 'insert', message, tokens: cost });
      tokens += cost;
    }
    added = [];
  };
  for (const part of parts) {
    if (typeof part !== 'string') {
      added.push(part);
      continue;
    }
    const at = index.get(part) ?? -1;
    // Items that have left the context, or would change their order, are skipped.
    if (at < next) continue;
    dropUpTo(at);
    for (const { block } = visible[at] as ContextItem; visible[next]?.block === block; next++) {
      anchor = visible[next]?.id ?? null;
      tokens += visible[next]?.tokens ?? 0;
    }
  }
  dropUpTo(visible.length);
  return { plan: plan as Plan, tokens };
}

/** Some programs count the calls of each answer from 0. */
export class CallIds {
  readonly #used = new Set<string>();
  /** The next number to try for an id that was requested before. */
  readonly #next = new Map<string, number>();
  readonly #separator: string;

  constructor(separator: string) {
    this.#separator = separator;
  }

  /** The requested id if it is free, else the same with a numeric suffix. */
  take(wanted: string): string {
    let id = wanted;
    let number = this.#next.get(wanted) ?? 2;
    while (this.#used.has(id)) id = `${wanted}${this.#separator}${number++}`;
    this.#next.set(wanted, number);
    this.#used.add(id);
    return id;
  }
}

interface Open {
  readonly recordedId: string;
  readonly call: ToolCall;
}

/** The calls of one answer. */
export class OpenCalls {
  readonly #open: Set<Open>;
  readonly #byId = new Map<string, Open[]>();

  constructor(calls: readonly Open[]) {
    this.#open = new Set(calls);
    for (const each of calls.toReversed()) {
      const same = this.#byId.get(each.recordedId);
      if (same) same.push(each);
      else this.#byId.set(each.recordedId, [each]);
    }
  }

  /** The call that this result answers, the first of those with the same id; null when none is waiting for it. */
  answer(recordedId: unknown): ToolCall | null {
    const found = typeof recordedId === 'string' ? this.#byId.get(recordedId)?.pop() : undefined;
    if (!found) return null;
    this.#open.delete(found);
    return found.call;
  }

  /** Those without a result, in the order of the answer. */
  get left(): ToolCall[] {
    return [...this.#open].map(({ call }) => call);
  }
}
