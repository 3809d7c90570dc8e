/**
 * From counts per session to the figures of a report: ratios of tokens and steps are pooled over all sessions; shares
 * are the mean over sessions with enough data. Percentages run from 0 to 100.
 */

import { seededRandom } from '../core/seededRandom.ts';
import type { SessionScore, Share } from './sessionScore.ts';

/** A session with fewer anchors of a kind is excluded from their recall. */
const ENOUGH = 5;
const RESAMPLES = 1000;
const SEED = 20_260_101;

export interface Figures {
  readonly inputPercent: number;
  readonly hitPercent: number;
  readonly costPercent: number;
  /** Tokens of the largest request. */
  readonly peak: number;
  readonly rewritesPer100: number;
  /** Null where no session has enough anchors of the kind. */
  readonly longRangeRecall: number | null;
  readonly longRangeVerbatim: number | null;
  readonly wholeLine: number | null;
  readonly pair: number | null;
  readonly toolOnly: number | null;
  readonly allRecall: number | null;
  readonly pathRecall: number | null;
  readonly identifierRecall: number | null;
  readonly lineRecall: number | null;
  readonly userPercent: number | null;
  readonly filesPercent: number | null;
  readonly reachablePercent: number | null;
  readonly refetchPer100: number;
  /** Cost including reading every missing line again, as % of no compaction. */
  readonly costWithRefetchPercent: number;
  /** Edits of text from before the newest rewrite for which all lines are still there. */
  readonly editPercent: number | null;
  /** The same three where a missing text makes the agent's edit fail, and the refusal says what the hidden message said. */
  readonly unrepairedPer100: number;
  readonly costWithRepairPercent: number;
  readonly repairedEditPercent: number | null;
  /** Cost of the first steps after each rewrite, as % of those steps without compaction, and their recall. */
  readonly tailCostPercent: number | null;
  readonly tailRecall: number | null;
  readonly invalid: number;
}

/** Lower and upper bound, 95 %, from resampled sessions. */
export type Intervals = { readonly [K in keyof Figures]: readonly [number, number] | null };

/** Difference with its lower and upper bound, 95 %, from sessions resampled in pairs. */
export type Differences = { readonly [K in keyof Figures]: readonly [number, number, number] | null };

export function readFigures(scores: readonly SessionScore[]): Figures {
  const sum = (of: (score: SessionScore) => number) => scores.reduce((total, score) => total + of(score), 0);
  const steps = sum((score) => score.steps);
  const fullCost = sum((score) => score.fullCost);
  const cost = sum((score) => score.cost);
  const mean = (of: (score: SessionScore) => Share, least = ENOUGH) => meanShare(scores.map(of), least);
  return {
    inputPercent:
      percent(
        sum((score) => score.input),
        sum((score) => score.fullInput),
      ) ?? 0,
    hitPercent:
      percent(
        sum((score) => score.cached),
        sum((score) => score.input),
      ) ?? 0,
    costPercent: percent(cost, fullCost) ?? 0,
    peak: Math.max(0, ...scores.map((score) => score.peak)),
    rewritesPer100:
      percent(
        sum((score) => score.rewrites),
        steps,
      ) ?? 0,
    longRangeRecall: mean((score) => score.longRange),
    longRangeVerbatim: mean((score) => score.verbatim),
    wholeLine: mean((score) => score.wholeLine),
    pair: mean((score) => score.pair),
    toolOnly: mean((score) => score.toolOnly),
    allRecall: mean((score) => score.all),
    pathRecall: mean((score) => score.path),
    identifierRecall: mean((score) => score.identifier),
    lineRecall: mean((score) => score.line),
    userPercent: mean((score) => score.user, 1),
    filesPercent: mean((score) => score.files, 1),
    reachablePercent: mean((score) => score.reachable),
    refetchPer100:
      percent(
        sum((score) => score.refetches),
        steps,
      ) ?? 0,
    costWithRefetchPercent: percent(cost + sum((score) => score.refetchCost), fullCost) ?? 0,
    editPercent: mean((score) => score.edits),
    unrepairedPer100:
      percent(
        sum((score) => score.unrepaired),
        steps,
      ) ?? 0,
    costWithRepairPercent: percent(cost + sum((score) => score.repairCost), fullCost) ?? 0,
    repairedEditPercent: mean((score) => score.repairedEdits),
    tailCostPercent: percent(
      sum((score) => score.tailCost),
      sum((score) => score.tailFullCost),
    ),
    tailRecall: mean((score) => score.tail),
    invalid: sum((score) => score.invalid),
  };
}

/** Bootstrap over sessions with a fixed seed: the same scores give the same bounds. */
export function readIntervals(scores: readonly SessionScore[]): Intervals {
  const random = seededRandom(SEED);
  const draws = Array.from({ length: RESAMPLES }, () =>
    readFigures(scores.flatMap(() => scores[Math.floor(random() * scores.length)] ?? [])),
  );
  const entries = figureKeys(readFigures(scores)).map((key) => [
    key,
    boundsOf(draws.flatMap((draw) => draw[key] ?? [])),
  ]);
  return Object.fromEntries(entries) as Intervals;
}

/**
 * The differences of one strategy to another, figure by figure, over the sessions that both replayed. Both are drawn
 * with the same sessions, so that hard and easy ones cancel out. Null where one has no figure.
 */
export function readDifferences(one: readonly SessionScore[], other: readonly SessionScore[]): Differences {
  const others = new Map(other.map((score) => [score.session, score]));
  const pairs = one.flatMap((score) => {
    const twin = others.get(score.session);
    return twin ? [{ score, twin }] : [];
  });
  const random = seededRandom(SEED);
  const drawn = Array.from({ length: RESAMPLES }, () =>
    subtract(pairs.flatMap(() => pairs[Math.floor(random() * pairs.length)] ?? [])),
  );
  const differences = subtract(pairs);
  const entries = figureKeys(differences).map((key) => {
    const difference = differences[key];
    const bounds = boundsOf(drawn.flatMap((draw) => draw[key] ?? []));
    return [key, difference === null || bounds === null ? null : [difference, ...bounds]];
  });
  return Object.fromEntries(entries) as Differences;
}

function subtract(
  pairs: readonly { readonly score: SessionScore; readonly twin: SessionScore }[],
): Record<keyof Figures, number | null> {
  const mine = readFigures(pairs.map(({ score }) => score));
  const theirs = readFigures(pairs.map(({ twin }) => twin));
  const entries = figureKeys(mine).map((key) => {
    const [a, b] = [mine[key], theirs[key]];
    return [key, a === null || b === null ? null : a - b];
  });
  return Object.fromEntries(entries) as Record<keyof Figures, number | null>;
}

const figureKeys = (figures: Record<keyof Figures, number | null>) => Object.keys(figures) as (keyof Figures)[];

/** The bounds between which 95 % of the values lie; null without values. */
function boundsOf(given: readonly number[]): readonly [number, number] | null {
  const values = given.toSorted((a, b) => a - b);
  const low = values[Math.floor(0.025 * values.length)];
  const high = values[Math.ceil(0.975 * values.length) - 1];
  return low === undefined || high === undefined ? null : [low, high];
}

function percent(part: number, whole: number): number | null {
  return whole === 0 ? null : (100 * part) / whole;
}

function meanShare(shares: readonly Share[], least: number): number | null {
  const enough = shares.filter((share) => share.total >= least);
  const sum = enough.reduce((total, share) => total + share.kept / share.total, 0);
  return percent(sum, enough.length);
}
