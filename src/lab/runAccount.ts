/**
 * The outcome of the compactions for which a strategy was to run, counted from the compactor's signals: those that it made,
 * those that failed, and those that something else made in its place.
 */

import type { CompactionSignal } from '../core/compaction/signals/compactionSignal.ts';
import { inEnglish, type Words, words } from '../core/words.ts';

export interface RunCounts {
  /** Compactions for which the strategy was to run. */
  readonly due: number;
  /** Of them: those that it made, at least in part, or of which it said that nothing had to go. */
  readonly own: number;
  /** The rest, and those that it made in part, by reason; the most frequent first. */
  readonly others: readonly OtherRuns[];
  /** Warnings that a person would have read in the session, those about a reason above left out; the most frequent first. */
  readonly warnings: readonly Warning[];
}

export interface Warning {
  readonly text: Words;
  readonly count: number;
}

/** The runs that share a reason for not going as they should. */
export interface OtherRuns {
  /** `failed`: nothing was compacted. `replaced`: by something else. `partial`: a part of its own work was used. */
  readonly fate: 'failed' | 'replaced' | 'partial';
  /** The strategy that compacted in its place; empty for the compactor's own steps, and where nothing did. */
  readonly by: string;
  readonly reason: Words;
  readonly count: number;
}

/** After this many runs without one of its own, a strategy will not run on a session any more. */
const MOST_VAIN = 3;

/** False if all that was compacted under its name was compacted by something else, or nothing was. */
export const hasRun = ({ due, own }: RunCounts): boolean => due === 0 || own > 0;

export const isHopeless = ({ due, own }: RunCounts): boolean => own === 0 && due >= MOST_VAIN;

const NOT_ASKED = words('the compaction before had hardly made room, so that it was not asked');
const NO_ROOM = words('it made no room');
const TOO_LARGE = words('what it left does not fit');

interface Run {
  /** The strategy that runs instead, and why. */
  readonly instead: { readonly by: string; readonly reason: Words } | null;
  asked: boolean;
  failure: Words | null;
  /** How it was compacted: by itself, in part, or by something else; null while it was not. */
  made: 'own' | 'partial' | 'other' | null;
  unchanged: string | null;
}

export class RunAccount {
  readonly #strategy: string;
  #due = 0;
  #own = 0;
  #others: readonly OtherRuns[] = [];
  #warnings: readonly Warning[] = [];
  #run: Run | null = null;
  /** A failure of the model's: for a while the strategy then goes without one, and nothing says so again. */
  #withoutModel: Words | null = null;

  constructor(strategy: string) {
    this.#strategy = strategy;
  }

  get counts(): RunCounts {
    this.#settle();
    const reasons = this.#others.map(({ reason }) => inEnglish(reason));
    const warnings = this.#warnings.filter(({ text }) => !reasons.some((reason) => inEnglish(text).includes(reason)));
    return { due: this.#due, own: this.#own, others: this.#others, warnings };
  }

  /** A warning in the journal. */
  warn(text: Words): void {
    this.#warnings = mergeWarnings([...this.#warnings, { text, count: 1 }]);
  }

  follow(signal: CompactionSignal): void {
    if (signal.type === 'preCompact') {
      this.#settle();
      const { strategy, insteadOf } = signal;
      const instead = strategy === this.#strategy ? null : { by: strategy, reason: insteadOf?.reason ?? [] };
      this.#run = { instead, asked: false, failure: null, made: null, unchanged: null };
      return;
    }
    const run = this.#run;
    if (!run) return;
    switch (signal.type) {
      case 'phase':
        run.asked = true;
        break;
      case 'compactionFailed':
        run.failure = signal.reasonWords;
        if (signal.code === 'model') this.#withoutModel = run.failure;
        break;
      case 'compactionUnchanged':
        run.unchanged = signal.code;
        break;
      case 'contextCompacted':
        // Results that their tools no longer want go without any strategy.
        if (run.made === null && signal.entry.trigger !== 'ephemeral')
          run.made = signal.entry.strategy === this.#strategy ? 'own' : signal.entry.inPart ? 'partial' : 'other';
        break;
      default:
        break;
    }
  }

  #settle(): void {
    const run = this.#run;
    this.#run = null;
    if (!run) return;
    const other = this.#otherOf(run);
    if (other === null) return;
    this.#due++;
    if (other === 'own' || other.fate === 'partial') this.#own++;
    if (other !== 'own') this.#others = mergeRuns([...this.#others, { ...other, count: 1 }]);
  }

  /** Null for one that does not count. */
  #otherOf({ instead, asked, failure, made, unchanged }: Run): Omit<OtherRuns, 'count'> | 'own' | null {
    if (unchanged === 'stopped' || unchanged === 'reshaped') return null;
    if (instead) return { fate: made ? 'replaced' : 'failed', by: made ? instead.by : '', reason: instead.reason };
    if (!asked) return made ? { fate: 'replaced', by: '', reason: NOT_ASKED } : null;
    if (made === 'partial') return { fate: 'partial', by: '', reason: failure ?? this.#withoutModel ?? NO_ROOM };
    if (failure !== null) return { fate: made ? 'replaced' : 'failed', by: '', reason: failure };
    if (made === 'other') return { fate: 'replaced', by: '', reason: this.#withoutModel ?? NO_ROOM };
    if (unchanged === 'model') return { fate: 'failed', by: '', reason: this.#withoutModel ?? NO_ROOM };
    if (unchanged === 'tooLarge') return { fate: 'failed', by: '', reason: TOO_LARGE };
    return made || unchanged ? 'own' : null;
  }
}

/** Counts of several sessions together. */
export function sumRuns(counts: readonly RunCounts[]): RunCounts {
  const sum = (of: (each: RunCounts) => number) => counts.reduce((total, each) => total + of(each), 0);
  return {
    due: sum(({ due }) => due),
    own: sum(({ own }) => own),
    others: mergeRuns(counts.flatMap(({ others }) => others)),
    warnings: mergeWarnings(counts.flatMap(({ warnings }) => warnings)),
  };
}

const mergeRuns = (runs: readonly OtherRuns[]) => merge(runs, ({ fate, by, reason }) => [fate, by, reason]);

const mergeWarnings = (warnings: readonly Warning[]) => merge(warnings, ({ text }) => [text]);

/** Those that differ only in numbers are one; the most frequent first. */
function merge<One extends { readonly count: number }>(
  all: readonly One[],
  of: (one: One) => (string | Words)[],
): One[] {
  const merged = new Map<string, One>();
  for (const one of all) {
    const texts = of(one).map((part) => (typeof part === 'string' ? part : inEnglish(part)));
    const key = JSON.stringify(texts).replaceAll(/\d[\d,.]*/g, '0');
    const before = merged.get(key);
    merged.set(key, before ? { ...before, count: before.count + one.count } : one);
  }
  return [...merged.values()].sort((a, b) => b.count - a.count);
}
