/** One compaction in layers: the parts that stay, the selection from the rest, and the new history. */

import type { CompactionContext, ContextMessage, NewSummary } from '../../../../api/index.ts';
import { plainPath } from '../../../calls/filesInCalls.ts';
import { sumTokens } from '../../../tokens/meter.ts';
import { findRecent } from '../recentPart.ts';
import type { HistorySummary } from '../summariseHistory.ts';
import { type Course, isMergeable } from './course.ts';
import { CHARACTERS, Cover, type Group } from './cover.ts';
import { HEADING_TOKENS, outdatedIn, readNotes, writeNotes } from './notes.ts';
import { Pace } from './pace.ts';
import { choosePlan, isTimeToAsk, type Rooms } from './plan.ts';
import { type ChangedFile, type Line, type SessionIndex, type Source, sizeOf } from './sessionIndex.ts';
import { reasonFor, returnsToLines } from './worth.ts';

interface Settings extends Rooms {
  readonly recentTokens: number;
  readonly keepRecent: string;
  readonly prefer: 'lines' | 'messages';
  readonly count: (text: string) => number;
}

/** Parts with fewer tokens are not sent to a model: its text would take as much room. */
const LEAST_TOLD = 1_000;

/** Minimum worth per token: notes that will soon be selected again must be worth more. */
const LEAST_WORTH = { notes: 0.000_4, continued: 0.000_65 };

const STUB_TOKENS = 24;

/** Worth of a name's second occurrence, in an original message. */
const AS_IT_WAS = { lines: 0.3, messages: 1 };

/**
 * One compaction: the parts that stay, the selection from the rest, and the new history. From the beginning: kept
 * earlier notes, a person's messages and selected ones in their places, new notes, the newest part.
 */
export async function compactInLayers(
  context: CompactionContext,
  index: SessionIndex,
  rooms: Settings,
  course: Course | null,
): Promise<readonly (ContextMessage | NewSummary)[]> {
  const { history } = context;
  const pace = new Pace(context.pause);
  // In a small session the newest part must not be the whole session.
  const newest = Math.min(rooms.recentTokens, Math.floor(context.targetTokens / 2));
  const recent = findRecent(context, rooms.keepRecent) ?? findRecent(context, `${newest} tokens`) ?? 0;
  const asks = course && isTimeToAsk(context) ? course : null;
  const plan = choosePlan(context, rooms, recent, {
    asks: asks !== null,
    returns: returnsToLines(index),
    hasReturned: index.uses.farEdits > 0,
    outdatedBefore: (end) =>
      outdatedIn(
        history.slice(0, end).flatMap((each) => (readNotes(each) ? [each.text] : [])),
        index,
      ),
  });
  if (plan === null) return history;
  const { frozen, stays, leaving, room, outdated } = plan;
  const cover = new Cover(index, AS_IT_WAS[rooms.prefer]);
  for (const i of stays) {
    const message = history[i] as ContextMessage;
    // Text that is rewritten each time may mention other things next time.
    if (asks && isMergeable(message)) continue;
    const source = wholeSource(message, index);
    if (source) cover.keep(source);
    else for (const line of index.knownIn(textOf(message))) cover.keepLine(line);
    const pause = pace.spend(message.tokens);
    if (pause) await pause;
  }
  const least = LEAST_WORTH[frozen > 0 ? 'continued' : 'notes'];
  const names = Math.min(CHANGED_SHARE * room, tokensToName(index.changed.values()));
  const chosen = await cover.choose(
    sourcesBetween(history, frozen, recent, index),
    groupsIn(history, frozen, recent, stays, index),
    { least, room: room - names - HEADING_TOKENS },
    pace,
  );
  const isChosen = ({ id }: ContextMessage) => chosen.messages.has(index.get(id) as Source);
  const write = (lines: readonly Line[]): NewSummary | null => {
    const headed = new Set(lines.map(({ source }) => source.file));
    const isNamed = (name: string) => headed.has(name) || cover.isKept(name);
    const unnamed = [...index.changed].flatMap(([name, file]) => (isNamed(name) ? [] : [file]));
    const changed = unnamed.length === 0 ? [] : standing(unnamed, context.files.changed);
    const named = newestWithin(changed, names);
    if (lines.length + named.length + outdated.length === 0) return null;
    return writeNotes(frozen > 0, lines, named, (line) => reasonFor(line, index), outdated);
  };
  const notes = fitNotes(chosen.lines, room - sumTokens(history.filter(isChosen)), rooms.count, write);
  const answers = new Set<number>();
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
  if (!asks || leaving < LEAST_TOLD) return kept;
  // The fallback when the summary fails.
  context.soFar(kept);
  const written = await asks(recent);
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

const SEPARATOR = 2;

function tokensToName(files: Iterable<ChangedFile>): number {
  return [...files].reduce((sum, { path }) => sum + path.length + SEPARATOR, 0) / CHARACTERS;
}

/** The notes on the most of the lines, most valuable first, with which they hold at most `room` tokens. */
function fitNotes(
  lines: readonly Line[],
  room: number,
  count: (text: string) => number,
  write: (lines: readonly Line[]) => NewSummary | null,
): NewSummary | null {
  let notes = write(lines);
  for (let most = lines.length; notes && most > 0; notes = write(lines.slice(0, most))) {
    const tokens = count(notes.text);
    if (tokens <= room) break;
    most = Math.floor(most * Math.min(LESS, room / tokens));
  }
  return notes;
}

/** Lines differ in length, so that a step by their mean may not be enough. */
const LESS = 0.98;

/** The newest paths that fit, newest first; `paths` are in the order of their last change. */
function newestWithin(paths: readonly string[], tokens: number): readonly string[] {
  let left = tokens * CHARACTERS;
  const fitting = paths.toReversed();
  const end = fitting.findIndex((path) => {
    left -= path.length + SEPARATOR;
    return left < 0;
  });
  return end < 0 ? fitting : fitting.slice(0, end);
}

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
