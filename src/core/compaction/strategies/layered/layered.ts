/**
 * Keeps the person's messages, and of everything else the messages and lines that are worth their tokens. New notes
 * follow earlier ones, which stay identical to the byte until all are selected again from the whole session.
 */

import * as z from 'zod';
import type { CompactionContext, ContextMessage, LineReason, NewSummary } from '../../../../api/index.ts';
import { choice, count, setting, share } from '../../../setting.ts';
import { sumTokens } from '../../../tokens/meter.ts';
import { isLedger } from '../../draft/ledgerLines.ts';
import { isPerson, isSummary } from '../../draft/messageKinds.ts';
import { defineStrategy, type GeneralParameters } from '../defineStrategy.ts';
import { findRecent } from '../recentPart.ts';
import { type HistorySummary, makeRequest, summariseHistory } from '../summariseHistory.ts';
import { WRITTEN_TOKENS } from '../summaryLength.ts';
import { COURSE_STYLE } from '../summaryPrompts.ts';
import { CHARACTERS, Cover, type Group, Pace, placeOf, reasonFor } from './cover.ts';
import { type Line, SessionIndex, type Source, sizeOf } from './sessionIndex.ts';

const SETTINGS = {
  recentTokens: setting(
    count(0, 1_000_000),
    2_500,
    'Tokens of the newest part to keep unchanged, in whole groups of calls and results. `#palimpsest.compaction.keep.recent#` takes precedence.',
  ),
  keptShare: setting(share(0.02, 0.8), 0.3, 'Share of the window that kept lines and messages may take at most.'),
  userShare: setting(
    share(0, 0.8),
    0.15,
    'Share of the window in which your own messages are kept word for word, the newest first. The first one is always kept.',
  ),
  summary: setting(
    z.boolean(),
    true,
    'If a model is available, it writes a short summary of the work in addition to the kept lines: what is finished, what is under way, what failed and why, what comes next, open requests. Each compaction merges the previous summary with the newer messages.',
  ),
  prefer: choice(
    {
      lines: ['Lines', 'More useful content for the same tokens: single lines under the name of their file.'],
      messages: ['Whole messages', 'More whole messages in their original form, but less useful content in total.'],
    },
    'lines',
    'What to prefer: single lines or whole messages.',
  ),
  whenItPays: setting(
    z.boolean(),
    true,
    'Compact before the trigger fires if that costs less than continuing. `#palimpsest.compaction.trigger.whenItPays#` has the numbers.',
  ),
};

const USUAL_WINDOW = 64_000;
/** Room for notes that continue others, as a share of the whole room. */
const CONTINUED_SHARE = 0.3;

export const layered = defineStrategy({
  id: 'layered',
  label: 'Layered',
  description: 'Keeps what you wrote and the most useful lines of the rest, with a short summary if there is a model.',
  title: 'Layered',
  section: 'layered',
  lab: { kept: 95.7, cost: 41.5 },
  settings: SETTINGS,
  needs: ['llm', 'countTokens'],
  leaves: ({ recentTokens, keptShare }, window) => ({
    recent: recentTokens,
    notes: CONTINUED_SHARE * keptShare * window,
  }),
  create: ({ countTokens, settings }) => {
    let index = new SessionIndex();
    /** The model's text from the last attempt; null if none was requested. */
    let made: HistorySummary | null = null;
    /** A second attempt keeps less next to the same summary. */
    const again = async () => made;
    const remember =
      (course: Course): Course =>
      async (recent) => {
        made = await course(recent);
        return made;
      };
    return {
      compact: async (context) => {
        const values = settings();
        const { keptShare, userShare, summary } = values;
        const window = context.maxContextSize || USUAL_WINDOW;
        if (isOfAnother(index, context.past)) index = new SessionIndex();
        const pace = new Pace(context.pause);
        for (const message of context.past) {
          index.add(message);
          const pause = pace.spend(message.tokens);
          if (pause) await pause;
        }
        const notes = keptShare * window;
        const rooms = { ...values, window, notes, continued: CONTINUED_SHARE * notes, users: userShare * window };
        if (context.attempt > 1) return compactInLayers(context, index, rooms, made && again);
        made = null;
        const course = summary ? courseWriter(context, values, window, countTokens) : null;
        return compactInLayers(context, index, rooms, course && remember(course));
      },
    };
  },
});

/**
 * After a move to another branch, messages after the fork are not part of the session. Very old messages may have left
 * it.
 */
function isOfAnother(index: SessionIndex, past: readonly { readonly id: string }[]): boolean {
  const first = past[0] && index.get(past[0].id);
  return index.sources.slice(first?.at).some(({ id }, i) => id !== past[i]?.id);
}

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
async function compactInLayers(
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
  const frozen = findFrozen(context, recent);
  const stays = findStaying(history, frozen, recent, rooms);
  const cover = new Cover(index, AS_IT_WAS[rooms.prefer]);
  for (const i of stays) {
    const message = history[i] as ContextMessage;
    // Text that is rewritten each time may mention other things next time.
    if (course && isMergeable(message)) continue;
    const source = wholeSource(message, index);
    if (source) cover.hold(source);
    else for (const line of index.knownIn(textOf(message))) cover.holdLine(line);
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
  const isNamed = (name: string) => headed.has(name) || cover.holds(name);
  const changed = [...index.changed].flatMap(([name, path]) => (isNamed(name) ? [] : [path]));
  const named = newestWithin(changed, CHANGED_SHARE * room);
  const notes =
    chosen.lines.length + named.length > 0
      ? writeNotes(frozen > 0, chosen.lines, named, (line) => reasonFor(line, index))
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

const HEADING = 'Kept lines of earlier work, word for word.';
const REST = ' Others were left out; recall gives a source by its id.';
const CONTINUED = ' Continued.';
const CHANGED = '# Other files changed:';

/** Whether these are the first notes of this strategy or continue earlier ones; null for other texts. */
function readNotes({ role, text }: ContextMessage): 'first' | 'continued' | null {
  if (role !== 'user' || !text.startsWith(HEADING)) return null;
  return text.startsWith(HEADING + CONTINUED) ? 'continued' : 'first';
}

/**
 * Writes the kept lines as text: in chronological order, under their file or message and its handle. `changed`: files not
 * named elsewhere.
 */
function writeNotes(
  continued: boolean,
  lines: readonly Line[],
  changed: readonly string[],
  why: (line: Line) => LineReason,
): NewSummary {
  const text = [HEADING + (continued ? CONTINUED : '') + REST];
  const reasons: (LineReason | null)[] = [null];
  if (changed.length > 0) {
    text.push(`${CHANGED} ${changed.join(', ')}`);
    reasons.push(null);
  }
  for (const under of inPlaces(lines)) {
    text.push(headerOf((under.at(-1) as Line).source));
    reasons.push(null);
    for (const line of under) {
      text.push(line.text);
      reasons.push(why(line));
    }
  }
  return { role: 'user', kind: 'summary', text: text.join('\n').toWellFormed(), reasons };
}

/** Lines by their header, in order. */
function inPlaces(lines: readonly Line[]): Line[][] {
  const sorted = lines.toSorted((a, b) => a.source.at - b.source.at || a.at - b.at);
  const places = new Map<string, Line[]>();
  for (const line of sorted) {
    const place = placeOf(line.source);
    const there = places.get(place);
    if (there) there.push(line);
    else places.set(place, [line]);
  }
  return [...places.values()];
}

function headerOf({ id, path, request, tool }: Source): string {
  return `# ${path || request || tool || 'said'} [id ${id}]`;
}

/** True for a prose summary: of this strategy, of another one, or of an abandoned branch. */
const isWritten = (message: ContextMessage): boolean =>
  isSummary(message) && readNotes(message) === null && !isLedger(message.text);

/** Pinned ones stay unchanged. */
const isMergeable = (message: ContextMessage): boolean => isWritten(message) && !message.protected;

/**
 * Writes the summary. `recent` is the index of the newest part; null if no message came before it since the last time.
 */
type Course = (recent: number) => Promise<HistorySummary | null>;

/** Maximum share of the window for summaries that are no longer merged; above it they are merged once more. */
const MOST_FROZEN = 0.1;

/** Null where no model can be asked. The returned function rejects with `ModelError`. */
function courseWriter(
  context: CompactionContext,
  values: GeneralParameters,
  window: number,
  count: (text: string) => number,
): Course | null {
  const { history, llm } = context;
  if (llm.maxInputTokens === 0) return null;
  return async (recent) => {
    const last = history.findLastIndex(isWritten);
    if (last >= recent) return null;
    const earlier = history.slice(0, recent).filter(isMergeable);
    const since = history.slice(last + 1, recent).filter((message) => !isSummary(message));
    const request = makeRequest(context, values, COURSE_STYLE, count);
    const isFull = sumTokens(earlier) > MOST_FROZEN * window;
    const maxGenerations = isFull ? Number.POSITIVE_INFINITY : request.maxGenerations;
    return summariseHistory(llm, [...earlier, ...since], { ...request, maxGenerations });
  };
}
