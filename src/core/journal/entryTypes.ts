/**
 * Every type of entry, once: its place in the tree and in the on-disk index, its use by the fold, and its validation.
 * The compiler requires a row for each type.
 */

import type { Attachment, TextPart } from '../context/message.ts';
import { isObject, objectOf } from '../json.ts';
import { isMode } from '../mode.ts';
import type { Entry } from './entry.ts';

type Fields = Readonly<Record<string, unknown>>;

interface EntryType {
  /** Code in the on-disk index, where 0 is a lost entry: never changed, and never given to another type. */
  readonly code: number;
  /** It has no parent. */
  readonly ofFile?: true;
  /** After such an entry, an earlier request is not always a prefix of a later one (the epoch rule). */
  readonly shape?: true;
  /**
   * How much of a stored entry the fold of a path reads. `head`: only its existence. `lazy`: its body, on access.
   * Omitted: all of it.
   */
  readonly folds?: 'head' | 'lazy';
  /** Validates the fields that the fold relies on. Omitted: there are none. */
  readonly isSound?: (entry: Fields) => boolean;
}

const hasIds = ({ ids }: Fields): boolean => isTexts(ids);
const hasUsage = ({ usage }: Fields): boolean => hasNumbers(usage, 'input', 'cached', 'output');

const ROWS: Readonly<Record<Entry['type'], EntryType>> = {
  session: { code: 1, ofFile: true, isSound: ({ format, id }) => typeof format === 'number' && typeof id === 'string' },
  opened: { code: 2, ofFile: true },
  title: { code: 3, ofFile: true, isSound: (entry) => hasTexts(entry, 'title') },
  revert: { code: 4, ofFile: true, shape: true, isSound: ({ target }) => target === null || isSeq(target) },
  header: { code: 5, shape: true, isSound: isHeader },
  configured: { code: 6, shape: true, isSound: (entry) => hasTexts(entry, 'model') },
  message: { code: 7, folds: 'lazy', isSound: ({ message, tokens }) => isMessage(message) && Number.isFinite(tokens) },
  request: { code: 8, folds: 'head' },
  usage: { code: 9, folds: 'lazy', isSound: hasUsage },
  checkpoint: { code: 10, folds: 'head', isSound: ({ id }) => isSeq(id) },
  files: { code: 11, folds: 'head', isSound: ({ files }) => isListOf(files, (image) => hasTexts(image, 'path')) },
  compaction: { code: 12, shape: true, isSound: ({ plan }) => isListOf(plan, isPlanOp) },
  compactionFailed: { code: 13, folds: 'head' },
  compactionUndone: { code: 14, shape: true },
  compactionRedone: { code: 15, shape: true },
  expanded: { code: 16, shape: true, isSound: hasIds },
  collapsed: { code: 17, shape: true, isSound: hasIds },
  pinned: { code: 18, shape: true, isSound: hasIds },
  unpinned: { code: 19, isSound: hasIds },
  note: { code: 20, folds: 'head' },
  summaryUsage: { code: 21, folds: 'head', isSound: hasUsage },
  standingOrder: {
    code: 22,
    isSound: (entry) => hasTexts(entry, 'id') && (entry.text === null || typeof entry.text === 'string'),
  },
  agent: { code: 23, isSound: ({ agent }) => agent === null || hasTexts(agent, 'id', 'name', 'strategy') },
  subagent: {
    code: 24,
    folds: 'head',
    isSound: (entry) => hasTexts(entry, 'toolCallId', 'session', 'agent', 'title'),
  },
  subagentUsage: { code: 25, folds: 'head', isSound: hasUsage },
  mode: { code: 26, folds: 'head', isSound: ({ mode }) => isMode(mode) },
  withdrawn: { code: 27, isSound: hasIds },
  samplingUsage: { code: 28, folds: 'head', isSound: hasUsage },
  importedOrders: {
    code: 29,
    isSound: ({ orders }) => isListOf(orders, (each) => isSeq(objectOf(each).seq) && hasTexts(each, 'text')),
  },
  strategy: {
    code: 30,
    folds: 'head',
    isSound: ({ strategy }) => strategy === null || (typeof strategy === 'string' && strategy !== ''),
  },
};

/** A line may name any type, even `constructor`. */
const BY_NAME: ReadonlyMap<string, EntryType> = new Map(Object.entries(ROWS));

/** Codes of the on-disk index by type. */
export const TYPE_CODES: ReadonlyMap<string, number> = new Map([...BY_NAME].map(([type, { code }]) => [type, code]));

/** True when entries of a known type name a parent. */
export function isTreeType(type: Entry['type']): boolean {
  return ROWS[type].ofFile !== true;
}

/** A type that this version does not know has no shape. */
export function isShapeEntry({ type }: Entry): boolean {
  return BY_NAME.get(type)?.shape === true;
}

/** See `EntryType.folds`; undefined where the whole entry is needed. */
export function foldsOf(type: Entry['type']): EntryType['folds'] {
  return BY_NAME.get(type)?.folds;
}

/** Validates the fields that the fold relies on. Unknown types are valid entries. */
export function isSound(type: string, entry: Fields): boolean {
  return BY_NAME.get(type)?.isSound?.(entry) ?? true;
}

export function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isHeader({ items, tools, tokens }: Fields): boolean {
  const areItems = isListOf(items, (item) => hasTexts(item, 'text') && hasNumbers(item, 'tokens'));
  return areItems && Array.isArray(tools) && Number.isFinite(tokens);
}

function isListOf(value: unknown, isOne: (each: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isOne);
}

function isMessage(value: unknown): boolean {
  const { role, text, kind, parts, toolCalls, toolCallId, reasoning, attachments } = objectOf(value);
  if (typeof text !== 'string' || !(attachments === undefined || areAttachments(attachments))) return false;
  if (role === 'user') return typeof kind === 'string' && (parts === undefined || areParts(parts));
  if (role === 'tool') return typeof toolCallId === 'string';
  if (role !== 'assistant') return false;
  const areCalls = toolCalls === undefined || isListOf(toolCalls, (call) => hasTexts(call, 'id', 'name', 'arguments'));
  return areCalls && (reasoning === undefined || isReasoning(reasoning));
}

export function areParts(value: unknown): value is readonly TextPart[] {
  return isListOf(value, (each) => hasTexts(each, 'by') && isSeq(objectOf(each).length));
}

export function areAttachments(value: unknown): value is readonly Attachment[] {
  return isListOf(value, (each) => hasTexts(each, 'mime', 'blob') && hasNumbers(each, 'tokens'));
}

function isReasoning(value: unknown): boolean {
  const { items, origin } = objectOf(value);
  return (
    hasTexts(value, 'field', 'text') &&
    (items === undefined || isListOf(items, isObject)) &&
    (origin === undefined || hasTexts(origin, 'endpoint', 'model'))
  );
}

function isPlanOp(value: unknown): boolean {
  const { op, ids, id, by, message, tokens } = objectOf(value);
  if (op === 'keep' || op === 'drop') return isTexts(ids);
  if (op === 'replace') return typeof id === 'string' && isReplacement(by);
  return op === 'insert' && isMessage(message) && Number.isFinite(tokens);
}

function isReplacement(value: unknown): boolean {
  const { text, arguments: args, tokens } = objectOf(value);
  return (
    (text === undefined || typeof text === 'string') && (args === undefined || isTexts(args)) && Number.isFinite(tokens)
  );
}

function hasTexts(value: unknown, ...names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => typeof value[name] === 'string');
}

function hasNumbers(value: unknown, ...names: readonly string[]): boolean {
  return isObject(value) && names.every((name) => Number.isFinite(value[name]));
}

function isTexts(value: unknown): boolean {
  return isListOf(value, (item) => typeof item === 'string');
}
