/** The row of one tool call with its result, as far as it has progressed. */

import type { ApprovalCard, RowOf } from '../../protocol/rows.ts';
import { isMade, readOutcome } from '../calls/outcome.ts';
import type { FileChange, ToolCall, ToolMessage } from '../context/message.ts';
import type { MessageEntry } from '../journal/entry.ts';
import { isTextTooDeep, type Json, parseObject } from '../json.ts';
import { isStopCause, type StopCause } from '../stop.ts';
import { diffPieces, diffTexts } from '../tools/text/diffTexts.ts';
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
    status: message ? settled(message) : (running?.status ?? (live.running && !abandoned ? 'waiting' : 'abandoned')),
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

function settled(message: ToolMessage): ToolRow['status'] {
  if (isStopCause(message.notRun)) return 'abandoned';
  switch (readOutcome(message).kind) {
    case 'made':
    case 'running':
      return 'done';
    case 'declined':
      return 'denied';
    default:
      return 'failed';
  }
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
  const outcome = result && readOutcome(result);
  switch (detail?.kind) {
    case 'edit':
      return editDetail(detail, result);
    case 'command':
      return {
        kind: 'command',
        command: cut(detail.command, EXCERPT),
        exitCode: outcome?.exitCode ?? null,
        // Empty before there is a result.
        ...(detail.background ? { background: outcome?.kind === 'running' ? (outcome.background?.id ?? '') : '' } : {}),
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
 * no counts. The texts are parts of a file, so they tell neither its lines' numbers nor whether it ends with a line end.
 */
function editDetail(
  { path, pieces, whole = false }: Extract<CallDetail, { kind: 'edit' }>,
  result: ToolMessage | null,
): ToolRow['detail'] {
  const ended = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`);
  const differ = whole ? diffTexts : diffPieces;
  const diffs = pieces.map(({ before, after }) => differ(ended(before), ended(after)));
  const diff = cut(
    diffs
      .map((each) => each.diff)
      .join('')
      .replace(/^@@\n/, ''),
    DIFF,
  );
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
  if (!isMade(result)) return 'none';
  if (!whole) return 'changed';
  return result.text.startsWith('Replaced ') ? 'overwritten' : 'created';
}
