/**
 * Published ways to make room without choosing lines, restated in the lab's terms. What a model does in them is left
 * out, or stands as text made by rules, where it says so.
 */

import { parseJson } from '../../core/json.ts';
import type { Baseline } from '../contender.ts';
import type { PreparedSession } from '../prepareSession.ts';
import { readEditedFiles, readFields, readShownFiles } from '../readAnchors.ts';
import { messageTokens, type Part, range } from '../request.ts';
import type { RecordedCall } from '../session.ts';
import { DigestState, tailStart } from './digest.ts';
import { hideWhenFull, Stubs } from './hiding.ts';

const TAIL = 0.25;

/**
 * After arXiv 2610.20116: what people and agent said stays word for word, each result before a tail of 0.25 W is a
 * marker that leads to it. Over 0.8 W the tail begins anew.
 */
export const transparent: Baseline = hideWhenFull((prepared, step, window) => tailStart(prepared, step, TAIL * window));

/** How many answers later the input of a failed call is left out. */
const FAILED_FOR = 4;

/**
 * The rules of OpenCode's dynamic context pruning, at every step: of the same call only the newest result stays, a file
 * written and read since is left out of the call that wrote it, and the input of a call that failed four answers ago.
 */
export const pruneByRules: Baseline = (prepared) => {
  const stubs = new Stubs(prepared);
  const calls = new Calls(prepared);
  return {
    request: (step) => {
      calls.readTo(step);
      const hidden = calls.repeated();
      const left = calls.spentInputs(step);
      return {
        parts: range(0, step).map<Part>((index) => {
          if (hidden.has(index) && stubs.canHide(index)) return stubs.hide(index);
          const ids = left.get(index);
          return ids ? stubs.shorten(index, ids) : index;
        }),
      };
    },
  };
};

/** From the published settings: share of the window at which the queue runs, tags that stay, age that ends a result. */
const EXECUTE = 0.65;
const PROTECTED_TAGS = 20;
const DROP_AGE = 100;
const HISTORY = 0.15;

/**
 * A queue like that of Magic Context: what is to go waits until 0.65 W, because each change costs the cache. Then results
 * older than 100 tags and those that the same call returned again go, but none of the newest 20 tags. What is still over
 * becomes a history of 0.15 W before these tags; a model writes it there, rules write it here.
 */
export const dropQueue: Baseline = (prepared, window) => {
  const { session, groups, groupStarts } = prepared;
  const stubs = new Stubs(prepared);
  const calls = new Calls(prepared);
  const history = new DigestState(prepared, window, HISTORY);
  const dropped = new Set<number>();
  /** Messages with a tag: those with words or a result. */
  const tags = session.messages.flatMap(({ content }, i) => (content === '' ? [] : [i]));
  return {
    request: (step) => {
      const parts = () =>
        history.parts(step, (from) => range(from, step).map((i) => (dropped.has(i) ? stubs.hide(i) : i)));
      if (messageTokens(prepared, parts()) <= EXECUTE * window) return { parts: parts() };
      calls.readTo(step);
      const seen = tags.filter((index) => index < step);
      const isOld = new Set(seen.slice(0, -DROP_AGE));
      const repeated = calls.repeated();
      for (const index of seen.slice(0, -PROTECTED_TAGS)) {
        if ((isOld.has(index) || repeated.has(index)) && stubs.canHide(index)) dropped.add(index);
      }
      if (messageTokens(prepared, parts()) > EXECUTE * window) {
        const first = seen.at(-PROTECTED_TAGS) ?? 0;
        history.renew(step, groupStarts[groups[first] ?? 0] ?? 0);
      }
      return { parts: parts() };
    },
  };
};

interface MadeCall {
  /** Indices of the answer that made it, and of its result once there. */
  readonly at: number;
  result: number | null;
  readonly call: RecordedCall;
  /** Files that it wrote whole. */
  readonly writes: readonly string[];
}

/** The calls of a session and what later ones make of them. */
class Calls {
  readonly #session: PreparedSession['session'];
  #read = 0;
  #answers = 0;
  readonly #byId = new Map<string, MadeCall>();
  readonly #newest = new Map<string, MadeCall>();
  readonly #repeated = new Set<number>();
  readonly #written = new Map<string, MadeCall[]>();
  /** Answers made when the input of a call was of no more use. */
  readonly #spent = new Map<MadeCall, number>();

  constructor({ session }: PreparedSession) {
    this.#session = session;
  }

  /** Reads the messages before the step. */
  readTo(step: number): void {
    for (; this.#read < step; this.#read++) {
      const message = this.#session.messages[this.#read];
      if (message?.role === 'assistant') this.#answers++;
      for (const call of message?.tool_calls ?? []) {
        this.#byId.set(call.id, { at: this.#read, result: null, call, writes: writtenFiles(call) });
      }
      const made = message?.role === 'tool' ? this.#byId.get(message.tool_call_id ?? '') : undefined;
      if (made) this.#addResult(made, this.#read, message?.is_error === true);
    }
  }

  /** Indices of results that a later call with the same arguments returned again. */
  repeated(): ReadonlySet<number> {
    return this.#repeated;
  }

  /** By index of an answer: the calls whose input is of no more use. */
  spentInputs(step: number): ReadonlyMap<number, ReadonlySet<string>> {
    const spent = new Map<number, Set<string>>();
    for (const [{ at, call }, answers] of this.#spent) {
      if (at >= step || this.#answers < answers) continue;
      const ids = spent.get(at) ?? new Set();
      spent.set(at, ids.add(call.id));
    }
    return spent;
  }

  #addResult(made: MadeCall, at: number, failed: boolean): void {
    made.result = at;
    if (failed) this.#spent.set(made, this.#answers + FAILED_FOR);
    const signature = signatureOf(made.call);
    const before = this.#newest.get(signature)?.result ?? null;
    if (before !== null) this.#repeated.add(before);
    this.#newest.set(signature, made);
    if (failed) return;
    for (const file of readShownFiles(made.call)) {
      for (const write of this.#written.get(file) ?? []) this.#spent.set(write, 0);
      this.#written.delete(file);
    }
    for (const file of made.writes) this.#written.set(file, [...(this.#written.get(file) ?? []), made]);
  }
}

/** Same tool and same arguments, in whatever order they stand. */
function signatureOf({ function: { name, arguments: json } }: RecordedCall): string {
  const given = parseJson(json);
  const sorted = typeof given === 'object' && given !== null ? Object.entries(given).sort() : json;
  return `${name} ${JSON.stringify(sorted)}`;
}

/** Files that a call wrote without repeating any of their text. */
function writtenFiles(call: RecordedCall): string[] {
  return readFields(call.function.arguments).some(({ use }) => use === 'old') ? [] : readEditedFiles(call);
}
