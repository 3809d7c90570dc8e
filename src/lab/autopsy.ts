/**
 * Every compaction that happened in a recorded session, looked at afterwards: what left the context, what of it the agent
 * then needed and no longer had, what it read or ran again, and what that cost. Other strategies are held against the
 * same needs, each with the same room.
 */

import { hasAnswer } from '../core/calls/outcome.ts';
import { USUAL_SHARES } from '../core/cost/priceShares.ts';
import type { AnchorName } from './anchors.ts';
import { FIXED_TOKENS } from './costMeter.ts';
import { costOfRequest, priceOf } from './payback.ts';
import { lastBefore, type PreparedSession } from './prepareSession.ts';
import { Presence } from './presence.ts';
import { readShownFiles } from './readAnchors.ts';
import { commonPrefix, messageTokens, type Part, range } from './request.ts';
import type { RecordedCall, RecordedCompaction, RecordedMessage } from './session.ts';

/** Something that the agent needed after a compaction and that was last said before it. */
export interface Need extends AnchorName {
  /** Index of the recorded answer that needed it, and its number among the answers, from 1. */
  readonly message: number;
  readonly step: number;
  /** Index of the message that last mentioned it. */
  readonly said: number;
}

/** A call that repeats one whose result had left. */
export interface Repeat {
  /** Index of the recorded answer, and of the result; -1 without one. */
  readonly message: number;
  readonly result: number;
  /** Number of calls between the compaction and it. */
  readonly call: number;
  readonly tool: string;
  /** The file that it shows again, or its arguments. */
  readonly what: string;
  /** Tokens of its result. */
  readonly tokens: number;
}

/** In tokens at the price of input, by the session's own prices where it says them. */
export interface CompactionCost {
  readonly summary: number;
  /** The part that the provider had to read without its cache, beyond the cost of reading it from there. */
  readonly rewritten: number;
  /** Results that came again, each with a request. */
  readonly repeats: number;
  /** Saved by each request after it. */
  readonly savedPerRequest: number;
  /** Requests after which it has saved its price; null if it saves nothing. */
  readonly paysAfter: number | null;
  /** True when the summary's tokens were recorded; else its length is known only. */
  readonly isRecorded: boolean;
  /** Tokens of messages that could have stayed at the same cost if no model had written a summary. */
  readonly room: number;
}

/** The outcome of another strategy in the same place. */
export interface Rival {
  readonly strategy: string;
  /** Tokens of the messages after it. */
  readonly tokensAfter: number;
  /** Of the needs: those it still had. */
  readonly kept: number;
  readonly lost: readonly Need[];
}

export interface CompactionAutopsy {
  /** From 1, in the session. */
  readonly nth: number;
  /** Number of messages before it. */
  readonly after: number;
  readonly by: string;
  /** Of the messages, without system prompt and tools. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Messages of which nothing or only a stub stayed. */
  readonly left: {
    readonly messages: number;
    readonly results: number;
    readonly tokens: number;
    /** Files whose text left, by path name. */
    readonly files: readonly string[];
  };
  /** Number of answers that were looked at, and what came then: another compaction, its undoing, or the session's end. */
  readonly steps: number;
  readonly then: 'compacted' | 'undone' | 'over';
  readonly needs: number;
  readonly lost: readonly Need[];
  readonly repeats: readonly Repeat[];
  readonly cost: CompactionCost;
  readonly rivals: readonly Rival[];
}

export interface Autopsy {
  readonly session: string;
  readonly compactions: readonly CompactionAutopsy[];
  /** Those of which the recording does not say, in a form that can be read, what took the place of the history. */
  readonly unknown: readonly { readonly nth: number; readonly after: number }[];
}

/** A context that a strategy makes of another; null when it cannot, for want of a model or of room. */
export type CompactTo = (before: readonly Part[], room: number) => Promise<readonly Part[] | null>;

/** Calls after a compaction in which a repeated one is put down to it. */
const NEXT_CALLS = 24;
const REQUEST_TOKENS = 150;

export async function performAutopsy(
  prepared: PreparedSession,
  rivals: readonly { readonly strategy: string; readonly compactTo: CompactTo }[],
  signal: AbortSignal,
): Promise<Autopsy> {
  const known = followContexts(prepared);
  const compactions: CompactionAutopsy[] = [];
  for (const moment of known) {
    const about = examine(prepared, moment);
    const held: Rival[] = [];
    for (const { strategy, compactTo } of rivals) {
      signal.throwIfAborted();
      const parts = await compactTo(moment.before, about.cost.room);
      if (!parts) continue;
      const { lost } = splitNeeds(prepared, about.all, parts);
      held.push({
        strategy,
        tokensAfter: messageTokens(prepared, parts),
        kept: about.all.length - lost.length,
        lost,
      });
    }
    const { all: _, ...rest } = about;
    compactions.push({ ...rest, rivals: held });
  }
  const { session } = prepared;
  const unknown = session.compactions.flatMap(({ after }, at) =>
    known.some(({ nth }) => nth === at + 1) ? [] : [{ nth: at + 1, after }],
  );
  return { session: session.name, compactions, unknown };
}

/** A compaction with the context before and after it. */
interface Moment {
  readonly nth: number;
  readonly compaction: RecordedCompaction;
  readonly before: readonly Part[];
  readonly now: readonly Part[];
  /** Index of the message at which another context was in force, and why. */
  readonly end: number;
  readonly then: CompactionAutopsy['then'];
}

/** Of the compactions whose result is known, in order. */
function followContexts({ session }: PreparedSession): Moment[] {
  const { compactions, messages } = session;
  const moments: Moment[] = [];
  let current: readonly Part[] = [];
  let from = 0;
  for (const [at, compaction] of compactions.entries()) {
    const before = [...current, ...range(from, compaction.after)];
    const now = contextAfter(
      compaction,
      before,
      session.messages.findIndex(({ role }) => role !== 'system'),
    );
    const next = compactions[at + 1]?.after ?? Number.POSITIVE_INFINITY;
    const undone = compaction.until ?? Number.POSITIVE_INFINITY;
    const end = Math.min(next, undone, messages.length);
    const then =
      undone <= next && undone !== Number.POSITIVE_INFINITY ? 'undone' : next <= messages.length ? 'compacted' : 'over';
    if (now) moments.push({ nth: at + 1, compaction, before, now, end, then });
    // An undone one leaves the context as it was.
    current = compaction.until === undefined && now ? now : before;
    from = compaction.after;
  }
  return moments;
}

function contextAfter(
  { context, summary }: RecordedCompaction,
  before: readonly Part[],
  systemLength: number,
): readonly Part[] | null {
  if (context) return context.map((part) => (typeof part === 'number' ? part : { ...part, leadsTo: [] }));
  if (summary === '') return null;
  const system = before.filter((part) => typeof part === 'number' && part < systemLength);
  return [...system, { index: null, message: { role: 'user', content: summary }, leadsTo: [] }];
}

type Examined = Omit<CompactionAutopsy, 'rivals'> & { readonly all: readonly Need[] };

function examine(prepared: PreparedSession, moment: Moment): Examined {
  const { nth, compaction, before, now, end, then } = moment;
  const { after, by = '' } = compaction;
  const stayed = new Set(now.filter((part) => typeof part === 'number'));
  const gone = before.filter((part): part is number => typeof part === 'number' && !stayed.has(part));
  const repeated = findRepeats(prepared, new Set(gone), after, end);
  const all = needsAfter(prepared, moment, new Set(repeated.map(({ result }) => result)));
  const { lost } = splitNeeds(prepared, all, now);
  const repeats = repeated.filter(({ call }) => call < NEXT_CALLS);
  const [tokensBefore, tokensAfter] = [messageTokens(prepared, before), messageTokens(prepared, now)];
  const { messages } = prepared.session;
  const steps = prepared.steps.filter(({ step }) => step >= after && step < end).length;
  return {
    nth,
    after,
    by,
    tokensBefore,
    tokensAfter,
    left: {
      messages: gone.length,
      results: gone.filter((at) => messages[at]?.role === 'tool').length,
      tokens: messageTokens(prepared, gone),
      files: filesShownBy(prepared, gone),
    },
    steps,
    then,
    needs: all.length,
    all,
    lost,
    repeats,
    cost: costOf(compaction, { before, now, repeats, steps }, prepared),
  };
}

/** The files that these messages' calls showed. */
function filesShownBy({ session: { messages } }: PreparedSession, gone: readonly number[]): string[] {
  const calls = gone.flatMap((at) => messages[at]?.tool_calls ?? []);
  const results = new Map(
    messages.flatMap((message) => (message.tool_call_id ? [[message.tool_call_id, message]] : [])),
  );
  return [...new Set(calls.filter((call) => hasAnswerIn(results.get(call.id), call)).flatMap(readShownFiles))];
}

/**
 * Each is needed once: the answer that needs it says it again. A result that only repeats one that had left does not
 * count as saying it: the agent had to get it again.
 */
function needsAfter(
  prepared: PreparedSession,
  { compaction, before, end }: Moment,
  repeated: ReadonlySet<number>,
): Need[] {
  const { after } = compaction;
  const presence = new Presence(prepared);
  presence.load(before);
  return prepared.steps.flatMap(({ step, grounded }, at) => {
    if (step < after || step >= end) return [];
    return grounded.flatMap((id): Need[] => {
      const mentions = prepared.mentions[id] ?? [];
      const since = mentions.filter((index) => index >= after && index < step);
      if (since.some((index) => !repeated.has(index)) || !presence.has(id)) return [];
      return [{ ...prepared.table.name(id), message: step, step: at + 1, said: lastBefore(mentions, after) }];
    });
  });
}

function splitNeeds(prepared: PreparedSession, needs: readonly Need[], parts: readonly Part[]) {
  const presence = new Presence(prepared);
  presence.load(parts);
  return { lost: needs.filter(({ kind, text }) => !presence.has(prepared.table.add({ kind, text }))) };
}

function findRepeats(prepared: PreparedSession, gone: ReadonlySet<number>, after: number, end: number): Repeat[] {
  const { messages } = prepared.session;
  const results = new Map(
    messages.flatMap(({ tool_call_id: id }, at) => (id === undefined ? [] : [[id, at] as const])),
  );
  const resultOf = (call: RecordedCall) => results.get(call.id);
  const isAnswered = (call: RecordedCall) => hasAnswerIn(messages[resultOf(call) ?? -1], call);
  const lostCalls = messages
    .slice(0, after)
    .flatMap(({ tool_calls: calls = [] }) =>
      calls.filter((call) => gone.has(resultOf(call) ?? -1) && isAnswered(call)),
    );
  const same = new Set(lostCalls.map(identity));
  const shown = new Set(lostCalls.flatMap(readShownFiles));
  const next = messages
    .slice(after, end)
    .flatMap(({ tool_calls: calls = [] }, at) => calls.map((call) => ({ call, message: after + at })));
  return next.flatMap(({ call, message }, nth): Repeat[] => {
    const file = readShownFiles(call).find((name) => shown.has(name));
    if ((file === undefined && !same.has(identity(call))) || !isAnswered(call)) return [];
    const { name, arguments: given } = call.function;
    const result = resultOf(call) ?? -1;
    return [{ message, call: nth, result, tool: name, what: file ?? given, tokens: prepared.tokens[result] ?? 0 }];
  });
}

/** A call that was refused, declined or stopped has shown nothing. */
function hasAnswerIn(result: RecordedMessage | undefined, call: RecordedCall): boolean {
  if (!result) return false;
  const { content: text, is_error: isError = false, outcome } = result;
  return hasAnswer({ toolName: call.function.name, text, isError, ...(outcome ? { outcome } : {}) });
}

const identity = ({ function: { name, arguments: given } }: RecordedCall) => `${name} ${given}`;

function costOf(
  { usage, shares = USUAL_SHARES }: RecordedCompaction,
  { before, now, repeats, steps }: Pick<Moment, 'before' | 'now'> & Pick<CompactionAutopsy, 'repeats' | 'steps'>,
  prepared: PreparedSession,
): CompactionCost {
  const written = now.filter((part) => typeof part !== 'number' && part.index === null);
  const tokensAfter = messageTokens(prepared, now);
  const sizeWithout = FIXED_TOKENS + messageTokens(prepared, before);
  const size = FIXED_TOKENS + tokensAfter;
  const held = FIXED_TOKENS + messageTokens(prepared, now.slice(0, commonPrefix(before, now)));
  const again = repeats.reduce((sum, { tokens }) => sum + tokens + REQUEST_TOKENS, 0);
  const summary = usage
    ? costOfRequest(usage.input, usage.cached, shares) + shares.output * usage.output
    : shares.cached * sizeWithout + shares.output * messageTokens(prepared, written);
  // A token that stays is read once without the cache, and then from it by every later request.
  const perToken = shares.uncached - shares.cached + shares.cached * steps;
  const byRule = usage === undefined && written.length === 0;
  const asking = byRule ? 0 : summary;
  const repeating = costOfRequest(again, 0, shares) + shares.cached * size * repeats.length;
  const savedPerRequest = shares.cached * Math.max(0, sizeWithout - size);
  // Its own request is the first that saves.
  const price = priceOf({ size, held, sizeWithout, heldWithout: sizeWithout, asking }, shares) + savedPerRequest;
  return {
    summary: asking,
    rewritten: price - asking,
    repeats: repeating,
    savedPerRequest,
    paysAfter: savedPerRequest > 0 ? Math.ceil((price + repeating) / savedPerRequest) : null,
    isRecorded: usage !== undefined,
    room: Math.round(tokensAfter + asking / perToken),
  };
}
