/** Plain strategies that hide old tool results behind stubs and change nothing else. */

import { isObject, parseJson } from '../../core/json.ts';
import { type Baseline, TRIGGER } from '../contender.ts';
import { lastBefore, newestToolGroups, type PreparedSession } from '../prepareSession.ts';
import { type Literal, messageTokens, type Part, range } from '../request.ts';
import type { RecordedMessage } from '../session.ts';

const KEEP_GROUPS = 5;

/**
 * From the published pruner: size of the newest tool output that is kept, and the minimum gain that is worth a broken
 * prefix.
 */
const PRUNE_PROTECT = 40_000;
const PRUNE_LEAST = 20_000;

/** Every result outside of the newest 5 tool groups is a stub, at every step. */
export const hideEachStep: Baseline = (prepared) => {
  const stubs = new Stubs(prepared);
  return { request: (step) => ({ parts: hideBefore(stubs, newestToolGroups(prepared, step, KEEP_GROUPS), step) }) };
};

/** Stubs before a border, which moves to `borderAt` only when the request exceeds 0.8 W. */
export const hideWhenFull =
  (borderAt: (prepared: PreparedSession, step: number, window: number) => number): Baseline =>
  (prepared, window) => {
    const stubs = new Stubs(prepared);
    let border = 0;
    return {
      request: (step) => {
        const parts = hideBefore(stubs, border, step);
        if (messageTokens(prepared, parts) <= TRIGGER * window) return { parts };
        border = Math.max(border, borderAt(prepared, step, window));
        return { parts: hideBefore(stubs, border, step) };
      },
    };
  };

/** The same as `hideEachStep`, but the boundary moves only when the request exceeds 0.8 W. */
export const hideBatched: Baseline = hideWhenFull((prepared, step) => newestToolGroups(prepared, step, KEEP_GROUPS));

/** Results beyond 40,000 tokens of newer tool output become stubs, when that frees more than 20,000. */
export const pruneEachStep: Baseline = (prepared) => {
  const stubs = new Stubs(prepared);
  const hidden = new Set<number>();
  return {
    request: (step) => {
      const found = findPrunable(prepared, stubs, hidden, step);
      for (const index of found) hidden.add(index);
      return { parts: range(0, step).map((index) => (hidden.has(index) ? stubs.hide(index) : index)) };
    },
  };
};

/** Over 0.8 W, hides every result that no later step needs from there; it knows the future, so it is a bound. */
export const oracle: Baseline = (prepared, window) => {
  const stubs = new Stubs(prepared);
  const hidden = new Set<number>();
  return {
    request: (step) => {
      const parts = () => range(0, step).map<Part>((index) => (hidden.has(index) ? stubs.hide(index) : index));
      if (messageTokens(prepared, parts()) > TRIGGER * window) {
        const needed = latestProviders(prepared, step);
        for (const index of range(0, newestToolGroups(prepared, step, KEEP_GROUPS))) {
          if (stubs.canHide(index) && !needed.has(index)) hidden.add(index);
        }
      }
      return { parts: parts() };
    },
  };
};

export function hideBefore(stubs: Stubs, border: number, step: number): Part[] {
  return range(0, step).map((index) => (index < border && stubs.canHide(index) ? stubs.hide(index) : index));
}

function findPrunable(prepared: PreparedSession, stubs: Stubs, hidden: ReadonlySet<number>, step: number): number[] {
  const { session, tokens } = prepared;
  const found: number[] = [];
  let seen = 0;
  let freed = 0;
  for (let index = step - 1; index >= 0; index--) {
    if (session.messages[index]?.role !== 'tool') continue;
    if (hidden.has(index)) break;
    const size = tokens[index] ?? 0;
    seen += size;
    if (seen <= PRUNE_PROTECT || !stubs.canHide(index)) continue;
    found.push(index);
    freed += size;
  }
  return freed > PRUNE_LEAST ? found : [];
}

/** Messages before `step` that last mention an anchor needed at this or a later step. */
function latestProviders({ steps, mentions }: PreparedSession, step: number): Set<number> {
  const needed = new Set<number>();
  for (const later of steps) {
    if (later.step < step) continue;
    for (const anchor of later.grounded) needed.add(lastBefore(mentions[anchor] ?? [], later.step));
  }
  return needed;
}

/** Shorter results cost less than their placeholder. */
const MIN_HIDDEN = 200;

/** Stubs of one session: the same object for the same message, so that a request's prefix stays the same. */
export class Stubs {
  readonly #messages: readonly RecordedMessage[];
  readonly #stubs = new Map<number, Literal>();
  readonly #shortened = new Map<string, Literal>();

  constructor({ session }: PreparedSession) {
    this.#messages = session.messages;
  }

  canHide(index: number): boolean {
    const message = this.#messages[index];
    return message?.role === 'tool' && message.content.length >= MIN_HIDDEN;
  }

  hide(index: number): Part {
    const known = this.#stubs.get(index);
    if (known) return known;
    const message = this.#messages[index];
    if (!message) throw new Error(`No message ${index}`);
    const content = `[Old tool result hidden: ${message.content.length} chars; recall with id m${index}]`;
    const stub: Literal = { index, message: { ...message, content }, leadsTo: [index] };
    this.#stubs.set(index, stub);
    return stub;
  }

  /** The message with the long texts in the arguments of these calls left out; itself where there is none. */
  shorten(index: number, callIds: ReadonlySet<string>): Part {
    const message = this.#messages[index];
    if (!message) throw new Error(`No message ${index}`);
    const key = `${index} ${[...callIds].join(' ')}`;
    const known = this.#shortened.get(key);
    if (known) return known;
    const calls = message.tool_calls?.map((call) => {
      const { name, arguments: json } = call.function;
      return callIds.has(call.id) ? { ...call, function: { name, arguments: leaveOut(json, index) } } : call;
    });
    if (!calls?.some((call, i) => call.function.arguments !== message.tool_calls?.[i]?.function.arguments)) {
      return index;
    }
    const part: Literal = { index, message: { ...message, tool_calls: calls }, leadsTo: [index] };
    this.#shortened.set(key, part);
    return part;
  }
}

/** Arguments without their long texts; paths and commands stay. */
function leaveOut(json: string, index: number): string {
  const note = (text: string) =>
    text.length < MIN_HIDDEN ? text : `[input hidden: ${text.length} chars; recall with id m${index}]`;
  const given = parseJson(json);
  return isObject(given)
    ? JSON.stringify(given, (_, value) => (typeof value === 'string' ? note(value) : value))
    : note(json);
}
