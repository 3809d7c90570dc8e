/** One compaction in layers: the parts that stay, the selection from the rest, and the new history. */

import type { CompactionContext, ContextMessage, NewSummary } from '../../../../api/index.ts';
import { plainPath } from '../../../calls/filesInCalls.ts';
import { sumTokens } from '../../../tokens/meter.ts';
import { isLedger } from '../../draft/ledgerLines.ts';
import { isPerson, isSummary } from '../../draft/messageKinds.ts';
import { WRITTEN_TOKENS } from '../../draft/summaryLength.ts';
import { findRecent } from '../recentPart.ts';
import type { HistorySummary } from '../summariseHistory.ts';
import { type Course, isMergeable, isWritten } from './course.ts';
import { CHARACTERS, Cover, type Group } from './cover.ts';
import { outdatedIn, readNotes, writeNotes } from './notes.ts';
import { Pace } from './pace.ts';
import { type ChangedFile, type SessionIndex, type Source, sizeOf } from './sessionIndex.ts';
import { reasonFor } from './worth.ts';

interface Rooms {
  /** Tokens of the window, or of a typical one. */
  readonly window: number;
  readonly recentTokens: number;
  readonly keepRecent: string;
  readonly protectedTools: readonly string[];
  readonly prefer: 'lines' | 'messages';
  /** Tokens of notes when all are selected again, and of notes that continue others. */
  readonly notes: number;
  readonly continued: number;
  /** Tokens of a person's messages that stay verbatim. */
  readonly users: number;
}

const MOST_CONTINUED = 2;

/** Parts with fewer tokens are not sent to a model: its text would take as much room. */
const LEAST_TOLD = 1_000;

/** Minimum worth per token: notes that will soon be selected again must be worth more. */
const LEAST_WORTH = { notes: 0.000_3, continued: 0.000_5 };

const STUB_TOKENS = 24;

/** Worth of a name's second occurrence, in an original message. */
const AS_IT_WAS = { lines: 0.3, messages: 1 };

/** Notes may restore earlier content, and must be smaller than what leaves now. */
const MOST_OF_LEAVING = 0.7;

/** Maximum share of the window for a request, so that it is not compacted again at once. */
const FULL = 0.7;

/** Minimum share of their room that notes get in any case. */
const LEAST_BESIDE = 0.1;

/**
 * One compaction: the parts that stay, the selection from the rest, and the new history. From the beginning: kept
 * earlier notes, a person's messages and selected ones in their places, new notes, the newest part.
 */
export async function compactInLayers(
  context: CompactionContext,
  index: SessionIndex,
  rooms: Rooms,
  course: Course | null,
): Promise<readonly (ContextMessage | NewSummary)[]> {
  const { history } = context;
  const pace = new Pace(context.pause);
  // In a small session the newest part must not be the whole session.
  const newest = Math.min(rooms.recentTokens, Math.floor(context.targetTokens / 2));
  const recent = findRecent(context, rooms.keepRecent || `${newest} tokens`) ?? 0;
  const found = findFrozen(context, recent);
  const outdated = outdatedIn(
    history.slice(0, found).flatMap((each) => (readNotes(each) ? [each.text] : [])),
    index,
  );
  const frozen = outdated ? found : 0;
  const stays = findStaying(history, frozen, recent, rooms);
  const cover = new Cover(index, AS_IT_WAS[rooms.prefer]);
  for (const i of stays) {
    const message = history[i] as ContextMessage;
    // Text that is rewritten each time may mention other things next time.
    if (course && isMergeable(message)) continue;
    const source = wholeSource(message, index);
    if (source) cover.keep(source);
    else for (const line of index.knownIn(textOf(message))) cover.keepLine(line);
    const pause = pace.spend(message.tokens);
    if (pause) await pause;
  }
  const least = LEAST_WORTH[frozen > 0 ? 'continued' : 'notes'];
  const leaving = sumTokens(history.filter((_, i) => !stays.has(i)));
  const most = (frozen > 0 ? rooms.continued : rooms.notes) / context.attempt;
  const all = sumTokens(history);
  const others = Math.max(0, context.tokenCount - all) + (all - leaving) + (course ? WRITTEN_TOKENS : 0);
  const beside = Math.min(context.targetTokens, FULL * rooms.window - others);
  const room = Math.min(most, MOST_OF_LEAVING * leaving, Math.max(LEAST_BESIDE * most, beside));
  const chosen = await cover.choose(
    sourcesBetween(history, frozen, recent, index),
    groupsIn(history, frozen, recent, stays, index),
    {
      least,
      room,
    },
    pace,
  );
  const headed = new Set(chosen.lines.map(({ source }) => source.file));
  const isNamed = (name: string) => headed.has(name) || cover.isKept(name);
  const unnamed = [...index.changed].flatMap(([name, file]) => (isNamed(name) ? [] : [file]));
  const changed = unnamed.length === 0 ? [] : standing(unnamed, context.files.changed);
  const named = newestWithin(changed, CHANGED_SHARE * room);
  const notes =
    chosen.lines.length + named.length + (outdated?.length ?? 0) > 0
      ? writeNotes(frozen > 0, chosen.lines, named, (line) => reasonFor(line, index), outdated ?? [])
      : null;
  const answers = new Set<number>();
  const isChosen = ({ id }: ContextMessage) => chosen.messages.has(index.get(id) as Source);
  for (const message of history) if (isChosen(message)) answers.add(message.block);
  const arrange = (written: HistorySummary | null) => {
    const result: (ContextMessage | NewSummary)[] = [];
    for (const [i, message] of history.entries()) {
      if (i === recent) result.push(...(notes ? [notes] : []), ...(written ? [written.summary] : []));
      const isMerged = written && i < recent && isMergeable(message) && !written.frozen.includes(message);
      if (isMerged) continue;
      if (stays.has(i) || isChosen(message) || written?.frozen.includes(message)) result.push(message);
      else if (answers.has(message.block)) result.push(context.hide(message));
    }
    return result;
  };
  const kept = arrange(null);
  if (!course || leaving < LEAST_TOLD) return kept;
  // The fallback when the summary fails.
  context.soFar(kept);
  const written = await course(recent);
  return written ? arrange(written) : kept;
}

/** The paths of those that no restore took back. A call may have named a file by its whole path. */
function standing(files: readonly ChangedFile[], listed: readonly string[]): readonly string[] {
  const bare = (path: string) => path.slice(path.lastIndexOf('/') + 1);
  const names = new Map<string, string[]>();
  for (const path of listed) names.set(bare(path), [...(names.get(bare(path)) ?? []), path]);
  const isListed = (path: string) =>
    names.get(bare(path))?.some((each) => each === path || path.endsWith(`/${each}`) || each.endsWith(`/${path}`));
  return files.flatMap(({ path, isListed: should }) => (should && !isListed(plainPath(path)) ? [] : [path]));
}

/** Maximum share of the room for the names of other changed files. */
const CHANGED_SHARE = 0.2;

/** The newest paths that fit, newest first; `paths` are in the order of their last change. */
function newestWithin(paths: readonly string[], tokens: number): readonly string[] {
  let left = tokens * CHARACTERS;
  const fitting = paths.toReversed();
  const end = fitting.findIndex((path) => {
    left -= path.length + 2;
    return left < 0;
  });
  return end < 0 ? fitting : fitting.slice(0, end);
}

/** Index after the notes that stay unchanged; 0 when all are selected again. */
function findFrozen({ history, attempt, trigger }: CompactionContext, recent: number): number {
  const kinds = history.slice(0, recent).map(readNotes);
  const continued = kinds.filter((kind) => kind === 'continued').length;
  if (attempt > 1 || trigger === 'manual' || !kinds.includes('first') || continued >= MOST_CONTINUED) return 0;
  let end = kinds.findLastIndex((kind) => kind !== null) + 1;
  // Summaries right after the notes were inserted with them.
  while (end < recent && isSummary(history[end] as ContextMessage)) end++;
  return end;
}

/**
 * Indices of messages that stay whatever their worth, in whole blocks. Ledgers go: their content is carried into the
 * next one.
 */
function findStaying(
  history: readonly ContextMessage[],
  frozen: number,
  recent: number,
  { users, protectedTools }: Rooms,
): ReadonlySet<number> {
  const blocks = new Set<number>();
  const first = history.findIndex(isPerson);
  let room = users;
  for (const [i, message] of [...history.entries()].reverse()) {
    const isOwn = isPerson(message) || isWritten(message);
    const fits = isOwn && (message.tokens <= room || i === first);
    if (fits && i >= frozen && i < recent) room -= message.tokens;
    const isLeft = (i < frozen && !isOldLedger(message)) || i >= recent;
    const isKept = message.role === 'tool' && protectedTools.includes(message.toolName);
    if (isLeft || isKept || message.protected || fits) blocks.add(message.block);
  }
  return new Set(history.flatMap(({ block }, i) => (blocks.has(block) ? [i] : [])));
}

const isOldLedger = (message: ContextMessage) => isSummary(message) && isLedger(message.text);

/** The message in the index, where the context shows it in full. */
function wholeSource(message: ContextMessage, index: SessionIndex): Source | null {
  const source = index.get(message.id);
  return source && !message.hidden && source.size === sizeOf(message) ? source : null;
}

function textOf(message: ContextMessage): string {
  const calls = message.role === 'assistant' ? message.toolCalls : [];
  return [message.text, ...calls.map((call) => call.arguments)].join('\n');
}

/** The sources for new notes: messages after the frozen notes, else everything; never the newest part. */
function sourcesBetween(
  history: readonly ContextMessage[],
  frozen: number,
  recent: number,
  index: SessionIndex,
): readonly Source[] {
  const at = (message: ContextMessage | undefined) => (message && index.get(message.id)?.at) ?? -1;
  const after = history.slice(0, frozen).reduce((most, message) => Math.max(most, at(message)), -1);
  const next = history.slice(recent).find((message) => at(message) >= 0);
  const end = next ? at(next) : index.sources.length;
  return index.sources.slice(after + 1, end);
}

/** Answers with their results that may stay in full. */
function groupsIn(
  history: readonly ContextMessage[],
  frozen: number,
  recent: number,
  stays: ReadonlySet<number>,
  index: SessionIndex,
): Group[] {
  const groups: Group[] = [];
  for (let i = frozen; i < recent; i++) {
    const message = history[i] as ContextMessage;
    if (message.role !== 'assistant' || stays.has(i)) continue;
    const messages = [];
    for (let j = i; j < recent && history[j]?.block === message.block; j++) {
      const each = history[j] as ContextMessage;
      const source = wholeSource(each, index);
      messages.push(source && { source, tokens: each.tokens, least: Math.min(STUB_TOKENS, each.tokens) });
    }
    const [answer, ...results] = messages;
    if (answer) groups.push({ answer, results: results.flatMap((each) => each ?? []) });
  }
  return groups;
}
