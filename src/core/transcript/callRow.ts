/**
 * The row of one tool call with its result, as far as it has progressed; and what later entries say of calls: whether a
 * restore took a change back, and which calls are repeated because a compaction took their results.
 */

import type { ApprovalCard, RowOf } from '../../protocol/rows.ts';
import { commandOf } from '../compaction/draft/commandResults.ts';
import { pathsIn, plainPath, READS, WRITES } from '../compaction/draft/filesInCalls.ts';
import type { FileChange, ToolCall, ToolMessage } from '../context/message.ts';
import type { FileImage, FilesEntry, MessageEntry } from '../journal/entry.ts';
import { isTextTooDeep, type Json, parseObject } from '../json.ts';
import { isStopCause, type StopCause } from '../stop.ts';
import { diffTexts } from '../tools/text/diffTexts.ts';
import type { CallDetail } from '../tools/tool.ts';
import { toolOf } from '../tools/toolList.ts';
import { cut, DIFF, EXCERPT, LABEL, resultText } from './cut.ts';
import type { LiveTurn } from './liveTurn.ts';
import { imagesOf } from './messageRow.ts';
import { type ContextView, standing } from './standing.ts';

type ToolRow = RowOf<'tool'>;

export interface CallSource {
  readonly kind: 'call';
  /** Of its row. */
  readonly id: string;
  readonly entry: MessageEntry;
  readonly call: ToolCall;
  /** The answer was interrupted, or the conversation continued without a result: the call will not run any more. */
  abandoned: boolean;
  result: MessageEntry | null;
  /** A restore took its change of a file back. */
  takenBack?: boolean;
  /** It never began, and has no result yet. */
  left?: StopCause;
}

/** How the agent loop begins the result of a call that the person declined. */
const DECLINED = 'The person declined this call.';

export function callRow(id: string, source: CallSource, context: ContextView, live: LiveTurn): ToolRow {
  const { entry, call, abandoned, result } = source;
  const message = result?.message.role === 'tool' ? result.message : null;
  const opens = toolOf(call.name)?.opens;
  const running = message || abandoned ? null : (live.calls.get(call.id) ?? null);
  const itemId = result ? `m${result.seq}` : `m${entry.seq}`;
  const described = describeCall(call, message);
  const approval = running?.approval ?? null;
  const asked = abandoned && !message ? undone(described.detail) : asAsked(described.detail, approval);
  const isUndone = source.takenBack === true && asked.kind === 'edit' && asked.effect !== 'none';
  const detail = isUndone ? { ...asked, takenBack: true } : asked;
  return {
    id,
    type: 'tool',
    time: Date.parse(entry.time),
    itemId,
    toolName: cut(call.name, LABEL),
    ...(opens ? { opens } : {}),
    title: running?.title || described.title,
    status: message
      ? settled(message, detail)
      : (running?.status ?? (live.running && !abandoned ? 'waiting' : 'abandoned')),
    arguments: described.arguments,
    ...resultText(message?.text ?? running?.output ?? ''),
    ...(message ? imagesOf(message) : {}),
    detail,
    approval,
    ...(running ? {} : notRunOf(message, source)),
    durationMs: message?.durationMs ?? null,
    tokens: result?.tokens ?? 0,
    ...standing(itemId, context),
  };
}

function notRunOf(message: ToolMessage | null, { left }: CallSource): Pick<ToolRow, 'notRun'> {
  const by = message ? message.notRun : left;
  return isStopCause(by) ? { notRun: by } : {};
}

/** While approval is pending, the actual change is known. */
function asAsked(detail: ToolRow['detail'], approval: ApprovalCard | null): ToolRow['detail'] {
  if (detail.kind !== 'edit' || approval?.detail.kind !== 'edit') return detail;
  const { added, removed, diff } = approval.detail;
  return { ...detail, added, removed, diff };
}

function undone(detail: ToolRow['detail']): ToolRow['detail'] {
  return detail.kind === 'edit' ? { ...detail, added: 0, removed: 0, effect: 'none' } : detail;
}

function settled({ isError, text, notRun }: ToolMessage, detail: ToolRow['detail']): ToolRow['status'] {
  if (isStopCause(notRun)) return 'abandoned';
  // To the agent that is a result like any other; to a person the command has failed.
  if (!isError && detail.kind === 'command' && (detail.exitCode ?? 0) !== 0) return 'failed';
  if (!isError) return 'done';
  return text.startsWith(DECLINED) ? 'denied' : 'failed';
}

/** Arguments nested deeper are shown as written: parsing or indenting them takes a stack as deep as they are. */
const MAX_NESTING = 64;

/** Arguments that name the subject of a call, the most telling one first. */
const TITLE_KEYS = ['command', 'pattern', 'query', 'path', 'file_path', 'url', 'name', 'title'];

/**
 * Describes a tool call: in one line, and in detail for a person. Arguments are read as the model wrote them, so
 * malformed JSON is shown as it is. `result` is the call's result, if there is one.
 */
export function describeCall(
  call: ToolCall,
  result: ToolMessage | null,
): Pick<ToolRow, 'title' | 'arguments' | 'detail'> {
  const input = isTextTooDeep(call.arguments, MAX_NESTING) ? null : parseObject(call.arguments || '{}');
  if (!input)
    return {
      title: oneLine(call.arguments),
      arguments: cut(call.arguments, EXCERPT),
      detail: { kind: 'none' },
    };
  const pretty = JSON.stringify(input, null, 2);
  return {
    title: oneLine(ownTitle(call.name, input) ?? titleOf(input)),
    arguments: cut(pretty, EXCERPT),
    detail: detailOf(call.name, input, result),
  };
}

function ownTitle(name: string, input: unknown): string | null {
  const tool = toolOf(name);
  const checked = tool?.title && tool.input.safeParse(input);
  return checked?.success ? (tool?.title?.(checked.data) ?? null) : null;
}

function titleOf(input: Json): string {
  if (typeof input.path === 'string' && typeof input.new_path === 'string') {
    return oneLine(`${input.path} → ${input.new_path}`);
  }
  const named = TITLE_KEYS.map((key) => textOf(input[key])).find((text) => text !== '');
  return (
    named ??
    Object.values(input)
      .map(textOf)
      .find((text) => text !== '') ??
    ''
  );
}

/** A command may also be given as a list of words. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return Array.isArray(value) && value.every((word) => typeof word === 'string') ? value.join(' ') : '';
}

const oneLine = (text: string) => cut(text.replace(/\s+/g, ' ').trim(), LABEL);

function detailOf(name: string, input: Json, result: ToolMessage | null): ToolRow['detail'] {
  const detail = describeOwn(name, input) ?? describeForeign(input);
  if (result?.change) return madeChange(result.change, detail?.kind === 'edit' && detail.whole === true);
  switch (detail?.kind) {
    case 'edit':
      return editDetail(detail, result);
    case 'command':
      return {
        kind: 'command',
        command: cut(detail.command, EXCERPT),
        exitCode: exitCodeOf(result?.text ?? null),
        ...(detail.background ? { background: backgroundIdOf(result?.text ?? null) } : {}),
      };
    case undefined:
      return { kind: 'none' };
  }
}

function describeOwn(name: string, input: unknown): CallDetail | null {
  const tool = toolOf(name);
  const checked = tool?.describe && tool.input.safeParse(input);
  return checked?.success ? (tool?.describe?.(checked.data) ?? null) : null;
}

/**
 * Imported sessions have other tools, and a model may write unexpected arguments: such calls are described by the names
 * of their arguments.
 */
function describeForeign(input: Json): CallDetail | null {
  const { old_string: before, new_string: after, command } = input;
  const path = [input.path, input.file_path].find((value) => typeof value === 'string') ?? '';
  if (typeof before === 'string' && typeof after === 'string')
    return { kind: 'edit', path, pieces: [{ before, after }] };
  return typeof command === 'string' ? { kind: 'command', command } : null;
}

/** The recorded effect of the call. */
function madeChange({ path, added, removed, creates, diff }: FileChange, whole: boolean): ToolRow['detail'] {
  const made = creates ? 'created' : whole ? 'overwritten' : 'changed';
  const effect = added + removed === 0 && !creates ? 'none' : made;
  return { kind: 'edit', path: cut(path, LABEL), added, removed, diff: cut(diff, DIFF), effect };
}

/**
 * A change described by the arguments alone. They do not hold the file's earlier content, so replacing a whole file has
 * no counts. The texts are parts of a file, so a missing newline at their end is no information about the file.
 */
function editDetail(
  { path, pieces, whole = false }: Extract<CallDetail, { kind: 'edit' }>,
  result: ToolMessage | null,
): ToolRow['detail'] {
  const ended = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
  const diffs = pieces.map(({ before, after }) => diffTexts(ended(before), ended(after)));
  const diff = cut(diffs.map((each) => each.diff).join(''), DIFF);
  const effect = effectOf(whole, result);
  const known = effect === 'created' || effect === 'changed';
  const sum = (count: 'added' | 'removed') => diffs.reduce((total, each) => total + each[count], 0);
  const counts = known ? { added: sum('added'), removed: sum('removed') } : { added: 0, removed: 0 };
  return { kind: 'edit', path: cut(path, LABEL), ...counts, diff, effect };
}

type Effect = Extract<ToolRow['detail'], { kind: 'edit' }>['effect'];

/** For sessions that do not record the change itself. */
function effectOf(whole: boolean, result: ToolMessage | null): Effect {
  if (!result) return 'open';
  if (result.isError) return 'none';
  if (!whole) return 'changed';
  return result.text.startsWith('Replaced ') ? 'overwritten' : 'created';
}

/** Parses the exit code that begins a command's result. */
function exitCodeOf(result: string | null): number | null {
  const code = /^exit code (-?\d+)/.exec(result ?? '')?.[1];
  return code === undefined ? null : Number(code);
}

/** Parses the id that begins the result of a background command; empty before there is a result. */
function backgroundIdOf(result: string | null): string {
  return /^running in the background as (bg-[0-9a-f]+)/.exec(result ?? '')?.[1] ?? '';
}

/** One change of a file. Commands change files too, and have no mark. */
interface Link {
  readonly toolCallId: string | undefined;
  readonly maker: CallSource | null;
  readonly before: string | null;
  after: string | null;
}

interface Chain {
  readonly links: Link[];
  /** How many of them stand; the others were taken back. */
  standing: number;
}

/**
 * Which calls' changes of files stand, and which a restore took back. Contents are compared by their hashes, in the order
 * of the path. Where a restore leaves a content that no call made, as after lines were taken back, nothing is said.
 */
export class MadeChanges {
  readonly #files = new Map<string, Chain>();

  /** Returns the calls whose mark changed. `maker`: the call that the entry names, if it has a row. */
  take({ cause, toolCallId, files }: FilesEntry, maker: CallSource | null): CallSource[] {
    switch (cause) {
      case 'restore':
        return files.flatMap((image) => this.#restore(image));
      case 'tool':
      case 'command':
        for (const image of files) this.#add(image, toolCallId, maker);
        return [];
      case 'reviewed':
        return [];
    }
  }

  /** A call is recorded before it runs, and again with what it left. */
  #add({ path, before, after = before }: FileImage, toolCallId: string | undefined, maker: CallSource | null): void {
    const chain = this.#files.get(path) ?? { links: [], standing: 0 };
    this.#files.set(path, chain);
    const last = chain.links[chain.standing - 1];
    if (last && toolCallId !== undefined && last.toolCallId === toolCallId && last.maker === maker) {
      last.after = after;
      return;
    }
    // No restore gives back a change once another is built in its place.
    chain.links.splice(chain.standing, Infinity, { toolCallId, maker, before, after });
    chain.standing = chain.links.length;
  }

  #restore({ path, after }: FileImage): CallSource[] {
    const chain = this.#files.get(path);
    const standing = chain ? countStanding(chain.links, after) : null;
    if (!chain || standing === null) return [];
    chain.standing = standing;
    return chain.links.flatMap(({ maker }, at) => {
      if (!maker || (maker.takenBack ?? false) === at >= standing) return [];
      maker.takenBack = at >= standing;
      return [maker];
    });
  }
}

/** The number of changes after which the file held this content, the largest if there are several; null if none. */
function countStanding(links: readonly Link[], held: string | null | undefined): number | null {
  const last = links.findLastIndex(({ after }) => after === held);
  return last >= 0 ? last + 1 : links[0]?.before === held ? 0 : null;
}

/** Calls after a compaction that count: later ones have reasons of their own. */
const MOST_CALLS = 24;

/** From so many on, the results that are still gone are offered. */
const PILED_UP = 3;
const MOST_OFFERED = 5;

interface Taken {
  readonly key: string;
  readonly kind: 'read' | 'run';
  readonly itemId: string;
  /** Of the result, and of the answer that comes back with it. */
  readonly tokens: number;
}

/**
 * Counts the reads and commands that the agent repeats because a compaction took their results: among the calls that
 * follow it, and only while nothing was changed that would be a reason of its own.
 */
export class RepeatedCalls {
  #left = MOST_CALLS;
  /** Results that it took and that were not repeated, by their calls; of the same call the newest, in order. */
  readonly #taken = new Map<string, Taken>();
  /** Repeated calls without a result, by their ids. */
  readonly #open = new Map<string, Taken>();
  #reads = 0;
  #runs = 0;
  #tokens = 0;

  /** `calls`: those whose results the compaction took, in order. */
  constructor(calls: readonly Pick<CallSource, 'call' | 'entry' | 'result'>[]) {
    for (const { call, entry, result } of calls) {
      const about = describe(call);
      if (!about || !result || (result.message.role === 'tool' && result.message.isError)) continue;
      this.#taken.delete(about.key);
      this.#taken.set(about.key, { ...about, itemId: `m${result.seq}`, tokens: result.tokens + entry.tokens });
    }
  }

  get isOver(): boolean {
    return this.#left <= 0 && this.#open.size === 0;
  }

  /** The next call after the compaction. True when it repeats one whose result is gone. `elsewhere`: another counts it. */
  called(call: ToolCall, elsewhere = false): boolean {
    if (this.#left <= 0) return false;
    this.#left--;
    if (WRITES.test(call.name)) this.#forget(call);
    const about = describe(call);
    const taken = about && this.#taken.get(about.key);
    if (!taken) return false;
    this.#taken.delete(taken.key);
    if (!elsewhere) this.#open.set(call.id, taken);
    return true;
  }

  /** True when the result was counted. */
  answered(entry: MessageEntry): boolean {
    const { message, tokens } = entry;
    if (message.role !== 'tool') return false;
    const taken = this.#open.get(message.toolCallId);
    this.#open.delete(message.toolCallId);
    if (!taken || message.isError) return false;
    if (taken.kind === 'read') this.#reads++;
    else this.#runs++;
    this.#tokens += tokens;
    return true;
  }

  /** Null while nothing was repeated. */
  shown(context: ContextView): RowOf<'compaction'>['repeated'] {
    const [reads, runs] = [this.#reads, this.#runs];
    if (reads + runs === 0) return null;
    const gone =
      reads + runs < PILED_UP
        ? []
        : [...this.#taken.values()].reverse().flatMap(({ itemId, tokens }) => {
            const shown = context.slot(itemId)?.shown ?? 'absent';
            return shown === 'whole' || shown === 'absent' ? [] : [{ itemId, tokens }];
          });
    return { reads, runs, tokens: this.#tokens, gone: gone.slice(0, MOST_OFFERED) };
  }

  /** After a change, reading the file and running commands again has another reason. */
  #forget(call: ToolCall): void {
    for (const path of pathsIn(call.arguments)) this.#taken.delete(readKey(path));
    for (const { key, kind } of [...this.#taken.values()]) if (kind === 'run') this.#taken.delete(key);
  }
}

const readKey = (path: string): string => `read ${plainPath(path)}`;

/** Null for calls that are not repeated for their result. */
function describe(call: ToolCall): Pick<Taken, 'key' | 'kind'> | null {
  const command = commandOf(call);
  if (command !== null) return { key: `run ${command}`, kind: 'run' };
  const [path] = pathsIn(call.arguments);
  if (READS.test(call.name) && path !== undefined) return { key: readKey(path), kind: 'read' };
  if (toolOf(call.name)?.toolClass !== 'read') return null;
  return { key: `${call.name} ${call.arguments}`, kind: 'read' };
}
