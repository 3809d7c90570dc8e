/**
 * Eviction by episodes, after "Beyond Compaction" (arXiv 2606.11213): work is a row of episodes that explore or act.
 * What acted goes first, because its effect is in the files; what explored stays while something kept was built on it.
 * A person's messages never go. There the agent declares its episodes; here they are read from its calls.
 */

import { type Baseline, TRIGGER } from '../contender.ts';
import { headLength, newestToolGroups, type PreparedSession } from '../prepareSession.ts';
import { readEditedFiles, readFields, readShownFiles } from '../readAnchors.ts';
import { type Literal, messageTokens, type Part, range } from '../request.ts';
import type { RecordedCall } from '../session.ts';
import { Stubs } from './hiding.ts';

const KEEP_GROUPS = 5;
/** Over 0.8 W episodes go until 0.5 W, so that not every step breaks the cache. */
const EVICT_TO = 0.5;
/** An agent would close its episodes; these end after so many answers at the latest. */
const MOST_ANSWERS = 10;

interface Episode {
  readonly acts: boolean;
  readonly from: number;
  to: number;
  answers: number;
  /** Files that it read or changed. */
  readonly files: Set<string>;
  /** Earlier episodes that explored files it changed. */
  readonly builtOn: Set<Episode>;
}

/** How much of an episode is left: everything, no lists, no results, nothing but a line on what was explored. */
const LEVELS = ['lists', 'results', 'removed'] as const;
type Level = (typeof LEVELS)[number];

export const episodes: Baseline = (prepared, window) => {
  const state = new EpisodeState(prepared);
  return {
    request: (step) => {
      if (messageTokens(prepared, state.parts(step)) > TRIGGER * window) state.evict(step, EVICT_TO * window);
      return { parts: state.parts(step) };
    },
  };
};

class EpisodeState {
  readonly #prepared: PreparedSession;
  readonly #stubs: Stubs;
  readonly #head: number;
  readonly #levels = new Map<Episode, Level>();
  readonly #lines = new Map<Episode, Literal>();
  readonly #lists: ReadonlySet<number>;
  readonly #episodes: Episode[] = [];
  #read: number;

  constructor(prepared: PreparedSession) {
    this.#prepared = prepared;
    this.#stubs = new Stubs(prepared);
    this.#head = headLength(prepared);
    this.#read = prepared.groups[this.#head] ?? prepared.groupStarts.length;
    this.#lists = findLists(prepared);
  }

  parts(step: number): Part[] {
    const changed = new Map<number, Part | null>();
    for (const [episode, level] of this.#levels) {
      for (const index of range(episode.from, Math.min(episode.to, step))) {
        if (level === 'removed') changed.set(index, null);
        else if (this.#stubs.canHide(index) && (level === 'results' || this.#lists.has(index))) {
          changed.set(index, this.#stubs.hide(index));
        }
      }
      if (level === 'removed' && !episode.acts) changed.set(episode.from, this.#lineOf(episode));
    }
    return range(0, step).flatMap((index) => {
      const part = changed.get(index);
      return part === null ? [] : [part ?? index];
    });
  }

  /** Level by level, what acted before what explored, the oldest first, until the request has so many tokens. */
  evict(step: number, most: number): void {
    const end = newestToolGroups(this.#prepared, step, KEEP_GROUPS);
    this.#readTo(step);
    const closed = this.#episodes.filter(({ to }) => to <= end);
    let size = messageTokens(this.#prepared, this.parts(step));
    for (const level of LEVELS) {
      for (const acts of [true, false]) {
        for (const episode of closed) {
          if (size <= most) return;
          if (episode.acts !== acts || this.#isAt(episode, level)) continue;
          if (!acts && level === 'removed' && this.#isNeeded(episode)) continue;
          this.#levels.set(episode, level);
          size = messageTokens(this.#prepared, this.parts(step));
        }
      }
    }
  }

  #isAt(episode: Episode, level: Level): boolean {
    const now = this.#levels.get(episode);
    return now !== undefined && LEVELS.indexOf(now) >= LEVELS.indexOf(level);
  }

  /** An episode that is still there was built on this one. */
  #isNeeded(episode: Episode): boolean {
    return this.#episodes.some((other) => other.builtOn.has(episode) && this.#levels.get(other) !== 'removed');
  }

  /** Adds the groups before a message to the row of episodes. */
  #readTo(end: number): void {
    const { groupStarts, session } = this.#prepared;
    for (; (groupStarts[this.#read] ?? end) < end; this.#read++) {
      const from = groupStarts[this.#read] ?? end;
      const to = groupStarts[this.#read + 1] ?? end;
      const message = session.messages[from];
      if (message?.role !== 'assistant') continue;
      const calls = message.tool_calls ?? [];
      const newest = this.#episodes.at(-1);
      // A person's message ends an episode, because it lies between two of them.
      const follows = newest?.to === from && newest.answers < MOST_ANSWERS ? newest : null;
      const acts = calls.length === 0 ? (follows?.acts ?? false) : !calls.every(isExploring);
      const episode = follows?.acts === acts ? follows : beginEpisode(acts, from);
      episode.to = to;
      episode.answers++;
      if (episode !== follows) this.#episodes.push(episode);
      for (const file of calls.flatMap((call) => [...readShownFiles(call), ...readEditedFiles(call)])) {
        episode.files.add(file);
        if (!acts) continue;
        for (const other of this.#episodes) if (!other.acts && other.files.has(file)) episode.builtOn.add(other);
      }
    }
  }

  /** Stands for the agent's description of what it explored, which a recording does not have. */
  #lineOf(episode: Episode): Literal {
    const known = this.#lines.get(episode);
    if (known) return known;
    const content = `[Explored before: ${[...episode.files].join(', ') || 'no files'}]`;
    const leadsTo = range(episode.from, episode.to);
    const line: Literal = { index: null, message: { role: 'user', content }, leadsTo };
    this.#lines.set(episode, line);
    return line;
  }
}

const beginEpisode = (acts: boolean, from: number): Episode => ({
  acts,
  from,
  to: from,
  answers: 0,
  files: new Set(),
  builtOn: new Set(),
});

const EXPLORING_TOOL = /read|view|open|show|grep|glob|search|find|list|fetch|ls$/i;
const EXPLORING_COMMAND =
  /^\s*(?:cd\s[^&;|]{1,300}(?:&&|;)\s*)?(?:ls|cat|head|tail|sed -n|nl|less|bat|rg|grep|find|fd|tree|wc|pwd|git (?:log|show|diff|status|blame|grep|ls-files))\b/;

function isExploring(call: RecordedCall): boolean {
  if (readEditedFiles(call).length > 0) return false;
  const texts = readFields(call.function.arguments).flatMap(({ use, text }) => (use === 'other' ? [text] : []));
  return EXPLORING_TOOL.test(call.function.name) || texts.some((text) => EXPLORING_COMMAND.test(text));
}

const LISTING_TOOL = /grep|glob|search|find|list|ls$/i;
const LISTING_COMMAND = /^\s*(?:cd\s[^&;|]{1,300}(?:&&|;)\s*)?(?:ls|rg|grep|find|fd|tree|git (?:grep|ls-files))\b/;

/** Results that list many things: searches and folders. */
function findLists({ session }: PreparedSession): ReadonlySet<number> {
  const calls = new Set<string>();
  const found = new Set<number>();
  for (const [index, { tool_calls, tool_call_id }] of session.messages.entries()) {
    for (const { id, function: made } of tool_calls ?? []) {
      const texts = readFields(made.arguments).map(({ text }) => text);
      if (LISTING_TOOL.test(made.name) || texts.some((text) => LISTING_COMMAND.test(text))) calls.add(id);
    }
    if (tool_call_id !== undefined && calls.has(tool_call_id)) found.add(index);
  }
  return found;
}
