/**
 * The deterministic steps below every strategy, mildest first: hide old results, drop the oldest rounds, cut giants.
 * None needs a model, none repeats itself, and each applies only when it makes the draft smaller.
 */

import type { ContextMessage } from '../../../api/index.ts';
import { countTokens, takeTokens, wellFormedEnd } from '../../tokens/estimate.ts';
import { words } from '../../words.ts';
import type { Reads } from '../sections/generalSettings.ts';
import type { CompactorSteps } from '../prepareRun.ts';
import { isPerson, isSummary, previewArguments } from '../strategies/recentPart.ts';
import { type Budget, historyRoom, requestTokens } from '../when/triggers.ts';
import {
  type Change,
  type Decision,
  DROP,
  type Draft,
  imageTokens,
  insertTokens,
  textTokens,
  UNDECIDED,
} from './draft.ts';
import { pathsIn, plainPath, READS, WRITES } from './extractFacts.ts';
import type { History } from './history.ts';
import { holdsImages, makeDropNote, makeStub, readDropNote, type Stamp, takeImages } from './stub.ts';

/** Estimates differ slightly from the provider's counts, so aim below the limit. */
const MARGIN = 0.95;

/** Maximum giants cut in sequence: as many as one answer may bring at once. */
const MOST_CUTS = 32;

/** Parameters of the steps. */
interface Descent {
  readonly budget: Budget;
  readonly stamp: Stamp;
  /** The steps allowed for the soft limit. */
  readonly own: CompactorSteps;
  /** Tools whose results are not hidden for the soft limit. */
  readonly protectedTools: readonly string[];
}

/** Hides results down to the soft limit; drops and cuts only for the hard limit, because that removes more. */
export function climbDown(from: Draft, { budget, stamp, own, protectedTools }: Descent): Draft {
  const { reading, limits } = budget;
  const newest = (from.history.messages.at(-1)?.round ?? 0) - own.wholeRounds;
  let draft = from;
  const step = (limit: number, go: (target: number) => Draft) => {
    if (requestTokens(reading, draft.freed) < limit) return;
    const made = go(historyRoom(limit, reading, from.history.tokens) * MARGIN);
    if (made.tokens < draft.tokens) draft = made;
  };
  const spared = { upTo: newest, but: protectedTools };
  step(limits.soft, (target) => hideResults(draft, Math.min(target, limits.target), stamp, spared));
  // In place of a summary it goes as far as a summary would, so that the prefix is not broken again at each turn.
  const dropTo = (target: number) => (own.drops ? Math.min(target, limits.target) : target);
  if (own.drops) step(limits.soft, (target) => dropOldest(draft, dropTo(target), stamp.nonce, newest));
  step(limits.hard, (target) => hideResults(draft, Math.min(target, limits.target), stamp));
  step(limits.hard, (target) => dropOldest(draft, dropTo(target), stamp.nonce));
  step(limits.hard, (target) => hideResults(draft, target, stamp, { inOpenLoop: true }));
  for (let cuts = 0; cuts < MOST_CUTS; cuts++) step(limits.hard, (target) => cutGiant(draft, target, stamp));
  return draft;
}

/** A cut message keeps at least this many tokens. */
const SMALLEST_CUT = 200;

const NOTE = 40;

/**
 * Cuts the largest cuttable message down to what fits; if that is not enough, the next call cuts the next largest. A
 * result in an open loop of reasoning may be cut too: providers verify the reasoning, not the result. Returns the draft
 * itself when there is nothing to cut.
 */
function cutGiant(draft: Draft, target: number, stamp: Stamp): Draft {
  const over = draft.tokens - target;
  if (over <= 0) return draft;
  for (const index of listGiants(draft)) {
    const message = draft.history.messages[index] as ContextMessage;
    const tokens = draft.tokensAt(index);
    const room = Math.max(SMALLEST_CUT, tokens - over - NOTE);
    if (tokens <= room + NOTE) return draft;
    const cut = cutMessage(draft, message, index, room, stamp);
    if (!cut) continue;
    const from = message.role === 'tool' ? message.toolName : message.role;
    const done =
      cut.kind === 'hide'
        ? words('The largest message ({0}, {1} tokens) was hidden.', from, tokens)
        : words('The largest message ({0}, {1} tokens) was cut to fit.', from, tokens);
    return draft.decide([[index, cut]]).repaired(done);
  }
  return draft;
}

/** Indices, the largest first. */
function listGiants(draft: Draft): readonly number[] {
  const giants: number[] = [];
  draft.visit((message, index) => {
    if (draft.at(index).kind === 'hide' || message.hidden || draft.tokensAt(index) <= SMALLEST_CUT + NOTE) return;
    if (message.protected && (message.role !== 'tool' || draft.history.items[index]?.pinned)) return;
    giants.push(index);
  });
  return giants.sort((a, b) => draft.tokensAt(b) - draft.tokensAt(a));
}

/** Cuts to about `room` tokens; null when there is nothing to cut. */
function cutMessage(draft: Draft, message: ContextMessage, index: number, room: number, stamp: Stamp): Change | null {
  // A cut result is not cut again, but may be hidden whole.
  if (message.role === 'tool' && message.truncated) return { kind: 'hide', stub: makeStub(message, 'hidden', stamp) };
  const decision = draft.at(index);
  const before = decision.kind === 'replace' ? decision : { kind: 'replace' as const };
  const text = draft.textAt(index);
  if (holdsImages(draft, index) && imageTokens(message) > countTokens(text)) return takeImages(draft, index, stamp);
  const json = draft.argumentsAt(index);
  const inCalls = json.reduce((sum, each) => sum + countTokens(each), 0);
  const inText = Math.max(0, draft.tokensAt(index) - inCalls);
  if (inCalls > inText) {
    const share = Math.floor(Math.max(0, room - inText) / json.length);
    const short = json.map((each) =>
      countTokens(each) > share + NOTE ? previewArguments(each, share, countTokens) : each,
    );
    return short.every((each, i) => each === json[i]) ? null : { ...before, arguments: short };
  }
  const short = cutMiddle(text, Math.max(0, room - inCalls));
  return short.length < text.length ? { ...before, text: short } : null;
}

function cutMiddle(text: string, tokens: number): string {
  const head = takeTokens(text, Math.floor(tokens * 0.6));
  let length = Math.min(text.length - head.length, head.length);
  while (length > 0 && countTokens(text.slice(-length)) > tokens * 0.35) length = Math.floor(length * 0.8);
  const tail = length > 0 ? wellFormedEnd(text, length) : '';
  return `${head}\n[… ${text.length - head.length - tail.length} characters cut to fit the context …]\n${tail}`;
}

/**
 * Drops whole blocks of rounds up to `upTo`, until the draft has `target` tokens; summaries and protected messages
 * stay.
 */
export function dropOldest(draft: Draft, target: number, nonce: string, upTo = Number.POSITIVE_INFINITY): Draft {
  const { messages } = draft.history;
  const stays = new Set<number | undefined>([messages.at(-1)?.block]);
  for (const index of draft.history.protectedAt) stays.add(messages[index]?.block);
  const cost = new Map<number, number>();
  // Earlier drop notes are merged into the new one, so that they do not pile up; other notes stay.
  const merged = new Map<number, { readonly messages: number; readonly tokens: number }>();
  draft.visit((message, index) => {
    const note = isSummary(message) ? readDropNote(message.text, nonce) : null;
    if (note && !message.protected) merged.set(message.block, note);
    if (message.round > upTo || stays.has(message.block) || (isSummary(message) && !note)) return;
    cost.set(message.block, (cost.get(message.block) ?? 0) + draft.tokensAt(index));
  });
  // The drop note itself costs tokens.
  let tokens = draft.tokens + insertTokens(makeDropNote(nonce, 1_000, draft.tokens));
  const gone = new Set<number>();
  for (const [block, own] of cost) {
    if (tokens <= target) break;
    gone.add(block);
    tokens -= own;
  }
  if (tokens >= draft.tokens) return draft;
  const dropped: number[] = [];
  draft.visit(({ block }, index) => gone.has(block) && dropped.push(index));
  const fresh = dropped.filter((index) => !merged.has(messages[index]?.block ?? -1)).length;
  if (fresh === 0) return draft;
  let [count, worth] = [fresh, draft.tokens - tokens];
  for (const [block, note] of merged) {
    if (!gone.has(block)) continue;
    count += note.messages;
    worth += note.tokens;
  }
  const left = draft.decide(dropped.map((index) => [index, DROP] as const));
  return left
    .insert(afterNotes(left), makeDropNote(nonce, count, worth))
    .repaired(words('Oldest messages dropped: {0}.', fresh));
}

/** Index of the first message other than a note of an earlier compaction. */
function afterNotes(draft: Draft): number {
  const { messages } = draft.history;
  const found = messages.findIndex((message, index) => !draft.isDropped(index) && !isSummary(message));
  return found < 0 ? messages.length : found;
}

/** Number of newest tool groups whose results stay: the agent is working with them. */
const RECENT_GROUPS = 2;

interface Which {
  /** Only results of rounds up to this one. */
  readonly upTo?: number;
  readonly only?: ReadonlySet<number>;
  readonly but?: readonly string[];
  /** Includes results protected only by an open loop of reasoning: providers verify the reasoning, not the results. */
  readonly inOpenLoop?: boolean;
}

/** Oldest results first, until the draft has `target` tokens. */
export function hideResults(draft: Draft, target: number, stamp: Stamp, which: Which = {}): Draft {
  const { upTo = Number.POSITIVE_INFINITY, but = [], only, inOpenLoop = false } = which;
  const groups = new Set<number>();
  draft.visit(({ role, block }) => role === 'tool' && groups.add(block));
  const recent = new Set([...groups].slice(-RECENT_GROUPS));
  const hidden: [number, Decision][] = [];
  let { tokens } = draft;
  draft.visit((message, index) => {
    if (tokens <= target || message.role !== 'tool' || message.hidden || recent.has(message.block)) return;
    if (only?.has(index) === false) return;
    if (message.round > upTo || but.includes(message.toolName) || draft.at(index).kind !== 'undecided') return;
    if (message.protected && !(inOpenLoop && !draft.history.items[index]?.pinned)) return;
    const stub = makeStub(message, 'hidden', stamp);
    const saved = textTokens(message) + imageTokens(message) - countTokens(stub.text);
    if (saved <= 0) return;
    tokens -= saved;
    hidden.push([index, { kind: 'hide', stub }]);
  });
  if (hidden.length === 0) return draft;
  const done = only
    ? words('File reads hidden because later reads replace them: {0}.', hidden.length)
    : words('Older tool results hidden: {0}.', hidden.length);
  return draft.decide(hidden).repaired(done);
}

/** Hides results that their tools no longer want, except protected ones. */
export function expireResults(draft: Draft, expired: readonly number[], stamp: Stamp): Draft {
  const hidden = expired.flatMap((index): [number, Decision][] => {
    const message = draft.history.messages[index] as ContextMessage;
    return message.protected ? [] : [[index, { kind: 'hide', stub: makeStub(message, 'hidden', stamp) }]];
  });
  return draft.decide(hidden).repaired(words('Short-lived tool results expired: {0}.', expired.length));
}

/** Restores dropped user messages to the draft, up to `budget` uncalibrated tokens in total. */
export function keepUsers(draft: Draft, budget: number): Draft {
  if (budget <= 0) return draft;
  const back: number[] = [];
  let left = budget;
  for (const index of draft.dropped().reverse()) {
    const message = draft.history.messages[index] as ContextMessage;
    if (!isPerson(message) || message.tokens > left) continue;
    left -= message.tokens;
    back.push(index);
  }
  return back.length ? draft.decide(back.map((index) => [index, UNDECIDED] as const)) : draft;
}

/** The heading of `read_file` above the text. */
const LINES = /^[^\n]*: lines (\d+)-(\d+) of (\d+)/;
const PART_OF_A_LINE = /^[^\n]*, line \d+ is (?:\d+ characters long|shown from character)/;

interface Read {
  readonly index: number;
  readonly arguments: string;
  /** Null where the tool does not report the lines it returned. */
  readonly lines: { readonly first: number; readonly last: number; readonly all: boolean } | null;
}

/** Indices of the results. */
export function findSupersededReads(history: History, which: Reads): ReadonlySet<number> {
  const superseded = new Set<number>();
  if (which === 'all') return superseded;
  const shown = new Map<string, Read[]>();
  /** `gone` decides whether the newer read replaces an older one. */
  const supersede = (path: string, gone: (read: Read) => boolean) => {
    const left: Read[] = [];
    for (const read of shown.get(path) ?? []) {
      if (gone(read)) superseded.add(read.index);
      else left.push(read);
    }
    shown.set(path, left);
    return left;
  };
  let calls: Extract<ContextMessage, { role: 'assistant' }>['toolCalls'] = [];
  for (const [index, message] of history.messages.entries()) {
    if (message.role === 'assistant') calls = message.toolCalls;
    if (message.role !== 'tool' || message.isError) continue;
    const call = calls.find(({ id }) => id === message.toolCallId);
    const path = call && pathsIn(call.arguments).map(plainPath)[0];
    if (!call || path === undefined) continue;
    if (which === 'current' && WRITES.test(call.name)) supersede(path, () => true);
    if (!READS.test(call.name) || !isWhole(history, index)) continue;
    const read = { index, arguments: call.arguments, lines: readLines(message.text) };
    supersede(path, (older) => covers(read, older)).push(read);
  }
  return superseded;
}

/** True when it is as the tool returned it: no stub, no preview. */
function isWhole({ items, original }: History, index: number): boolean {
  const item = items[index];
  if (item?.message.role !== 'tool' || item.hidden || item.message.offload) return false;
  const first = original(item.id);
  return first.role === 'tool' && !first.offload && first.text === item.message.text;
}

function readLines(text: string): Read['lines'] {
  const [found, first, last, of] = LINES.exec(text) ?? [];
  if (found === undefined || PART_OF_A_LINE.test(text)) return null;
  return { first: Number(first), last: Number(last), all: Number(first) === 1 && last === of };
}

function covers(newer: Read, older: Read): boolean {
  if (newer.arguments === older.arguments || newer.lines?.all) return true;
  if (!newer.lines || !older.lines) return false;
  return newer.lines.first <= older.lines.first && newer.lines.last >= older.lines.last;
}
