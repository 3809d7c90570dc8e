/**
 * Everything about a session that does not depend on a strategy, computed once: sizes, groups, anchors with all their
 * mentions, pairs, edited files. Scoring then only looks things up.
 */

import { AnchorTable } from './anchors.ts';
import { readAnchors, readEditedFiles, readEdits, readFields } from './readAnchors.ts';
import { RecordedTimes } from './recordedTimes.ts';
import { isRealUser, type RecordedMessage, type RecordedSession, tokensOf } from './session.ts';

/** An anchor counts as long-range when its last mention is at least this many tokens ago. */
const LONG_RANGE = 8000;

/** A path and an identifier of one step that previously shared a group, the last time long ago. */
export interface Pair {
  readonly path: number;
  readonly symbol: number;
  /** Groups that mention both, rising. */
  readonly groups: readonly number[];
}

export interface StepFacts {
  /** Index of the recorded assistant message. */
  readonly step: number;
  /** Anchors of its calls that occur in an earlier message. */
  readonly grounded: readonly number[];
  /** The grounded anchors whose last mention is long ago. */
  readonly longRange: readonly number[];
  /** The long-range anchors that only tool results mention. */
  readonly toolOnly: ReadonlySet<number>;
  readonly pairs: readonly Pair[];
  /** The grounded lines that each edit of this step repeats. */
  readonly edits: readonly (readonly number[])[];
  /** Paths of files edited before this step. */
  readonly edited: readonly number[];
}

export interface PreparedSession {
  readonly session: RecordedSession;
  readonly table: AnchorTable;
  /** The searched text of each message. */
  readonly texts: readonly string[];
  readonly tokens: Int32Array;
  /** `ends[i]` = tokens of messages 0 … i−1. */
  readonly ends: Float64Array;
  /** Group number of each message: an assistant message with its results, or a lone message. */
  readonly groups: Int32Array;
  /** `groupStarts[g]` = index of the group's first message; one more at the end. */
  readonly groupStarts: readonly number[];
  /** Indices of messages by a person. */
  readonly users: readonly number[];
  /** By anchor: indices of the messages that mention it, rising. */
  readonly mentions: readonly (readonly number[])[];
  readonly steps: readonly StepFacts[];
  readonly times: RecordedTimes;
}

/**
 * The searched text of a message: its content, and its calls' names and decoded argument strings, separated by line
 * breaks.
 */
export function searchedText(message: RecordedMessage): string {
  if (!message.tool_calls) return message.content;
  const texts = [message.content];
  for (const { function: made } of message.tool_calls) {
    texts.push(made.name, ...readFields(made.arguments).map((field) => field.text));
  }
  return texts.join('\n');
}

/** Number of system messages at the beginning of the session. */
export function systemLength({ session }: PreparedSession): number {
  const first = session.messages.findIndex((message) => message.role !== 'system');
  return first < 0 ? session.messages.length : first;
}

/** Everything up to and including the first user message. */
export function headLength({ session }: PreparedSession): number {
  return session.messages.findIndex((message) => message.role === 'user') + 1;
}

/** Index where the newest `count` tool groups before `step` begin. */
export function newestToolGroups(prepared: PreparedSession, step: number, count: number): number {
  const { session, groups, groupStarts } = prepared;
  let left = count;
  for (let group = groups[step] ?? 0; group > 0 && left > 0; ) {
    group--;
    const start = groupStarts[group] ?? 0;
    if (session.messages[start]?.tool_calls) left--;
    if (left === 0) return start;
  }
  return 0;
}

export function prepareSession(session: RecordedSession): PreparedSession {
  const work = prepareInPieces(session);
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}

/** The same, awaiting `pause` between pieces, so that other work can run. */
export async function prepareWithPauses(
  session: RecordedSession,
  pause: () => Promise<void>,
): Promise<PreparedSession> {
  const work = prepareInPieces(session);
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    await pause();
  }
}

/** Yields after each message that was read, searched, or turned into a step. */
function* prepareInPieces(session: RecordedSession): Generator<undefined, PreparedSession> {
  const { messages } = session;
  const table = new AnchorTable();
  const wanted: number[][] = [];
  const repeated: number[][][] = [];
  const changes: number[][] = [];
  const texts: string[] = [];
  for (const message of messages) {
    const calls = message.tool_calls ?? [];
    wanted.push(readAnchors(calls).map((anchor) => table.add(anchor)));
    repeated.push(calls.flatMap(readEdits).map((lines) => lines.map((text) => table.add({ kind: 'line', text }))));
    changes.push(calls.flatMap(readEditedFiles).map((text) => table.add({ kind: 'path', text })));
    texts.push(searchedText(message));
    yield;
  }
  const mentions: number[][] = table.names.map(() => []);
  for (const [i, text] of texts.entries()) {
    for (const id of table.find(text)) mentions[id]?.push(i);
    yield;
  }
  const tokens = Int32Array.from(messages, tokensOf);
  const ends = new Float64Array(messages.length + 1);
  for (const [i, size] of tokens.entries()) ends[i + 1] = (ends[i] ?? 0) + size;
  const { groups, groupStarts } = groupMessages(messages);
  const facts = { table, mentions, ends, groups, groupStarts, messages };
  const steps: StepFacts[] = [];
  const edited = new Set<number>();
  for (const [step, message] of messages.entries()) {
    if (message.role === 'assistant') {
      const needs = { wanted: wanted[step] ?? [], repeated: repeated[step] ?? [] };
      steps.push(readStep(facts, step, needs, [...edited]));
    }
    for (const id of changes[step] ?? []) edited.add(id);
    yield;
  }
  const users = messages.flatMap((message, i) => (isRealUser(message) ? [i] : []));
  return {
    session,
    table,
    texts,
    tokens,
    ends,
    groups,
    groupStarts,
    users,
    mentions,
    steps,
    times: new RecordedTimes(messages),
  };
}

function groupMessages(messages: readonly RecordedMessage[]): { groups: Int32Array; groupStarts: number[] } {
  const groups = new Int32Array(messages.length);
  const groupStarts: number[] = [];
  for (const [i, { role }] of messages.entries()) {
    if (role !== 'tool' || i === 0) groupStarts.push(i);
    groups[i] = groupStarts.length - 1;
  }
  groupStarts.push(messages.length);
  return { groups, groupStarts };
}

interface Facts {
  readonly table: AnchorTable;
  readonly mentions: readonly (readonly number[])[];
  readonly ends: Float64Array;
  readonly groups: Int32Array;
  readonly groupStarts: readonly number[];
  readonly messages: readonly RecordedMessage[];
}

interface Needs {
  readonly wanted: readonly number[];
  readonly repeated: readonly (readonly number[])[];
}

function readStep(facts: Facts, step: number, { wanted, repeated }: Needs, edited: readonly number[]): StepFacts {
  const { mentions, messages, table } = facts;
  const isGrounded = (id: number) => (mentions[id]?.[0] ?? step) < step;
  const grounded = wanted.filter(isGrounded);
  const longRange = grounded.filter((id) => {
    const last = lastBefore(mentions[id] ?? [], step);
    return tokensSince(facts.ends, last, step) >= LONG_RANGE;
  });
  const toolOnly = longRange.filter((id) => {
    for (const at of mentions[id] ?? []) {
      if (at >= step) break;
      if (messages[at]?.role !== 'tool') return false;
    }
    return true;
  });
  const paths = grounded.filter((id) => table.kind(id) === 'path');
  const symbols = grounded.filter((id) => table.kind(id) === 'identifier');
  return {
    step,
    grounded,
    longRange,
    toolOnly: new Set(toolOnly),
    pairs: readPairs(facts, step, paths, symbols),
    edits: repeated.map((lines) => lines.filter(isGrounded)).filter((lines) => lines.length > 0),
    edited,
  };
}

function readPairs(facts: Facts, step: number, paths: readonly number[], symbols: readonly number[]): Pair[] {
  if (paths.length === 0 || symbols.length === 0) return [];
  const symbolGroups = symbols.map((id) => groupsBefore(facts, id, step));
  return paths.flatMap((path) => {
    const near = new Set(groupsBefore(facts, path, step));
    return symbols.flatMap((symbol, i) => {
      const groups = symbolGroups[i]?.filter((group) => near.has(group)) ?? [];
      const last = groups.at(-1);
      if (last === undefined) return [];
      return tokensSince(facts.ends, (facts.groupStarts[last + 1] ?? step) - 1, step) >= LONG_RANGE
        ? [{ path, symbol, groups }]
        : [];
    });
  });
}

function groupsBefore({ mentions, groups }: Facts, id: number, step: number): number[] {
  const found: number[] = [];
  for (const at of mentions[id] ?? []) {
    if (at >= step) break;
    const group = groups[at] ?? 0;
    if (found.at(-1) !== group) found.push(group);
  }
  return found;
}

/** The last mention before the step; −1 when there is none. */
export function lastBefore(mentions: readonly number[], step: number): number {
  let low = 0;
  let high = mentions.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((mentions[middle] ?? step) < step) low = middle + 1;
    else high = middle;
  }
  return mentions[low - 1] ?? -1;
}

/** Tokens of the messages between message `from` and the step, both excluded. */
function tokensSince(ends: Float64Array, from: number, step: number): number {
  return (ends[step] ?? 0) - (ends[from + 1] ?? 0);
}
