/**
 * The verdict of a replay: which strategy is the best choice, by cost and by what was still there when it was needed. A
 * strategy that keeps less than another cannot win by being cheaper; what it would save is said beside. Yardsticks cannot
 * win. Pure.
 */

import { formatCount, formatPercent } from '../../core/figures.ts';
import { joinSentences, type Translate } from '../../core/words.ts';
import { FIXED_TOKENS } from '../../lab/costMeter.ts';
import { HEADLINE, type LabReport, readDifferences } from '../../lab/makeReport.ts';
import type { LabScore } from '../../lab/replay.ts';
import type { ReportFacts } from './describeReport.ts';

type Row = LabReport['strategies'][number];

type Verdict =
  /** No strategy has figures. */
  | { readonly kind: 'noFigures' }
  /** The window was never filled. `peak`: tokens of the messages of the largest request, which are what the window holds. */
  | { readonly kind: 'small'; readonly peak: number }
  /** No strategy costs less than no compaction. */
  | { readonly kind: 'late' }
  | {
      readonly kind: 'best';
      /** The cheapest of those that keep as much as any. */
      readonly best: Row;
      /** The next one of these; null where it is the only one. */
      readonly next: Row | null;
      /** The cheapest of all, where it keeps less; else null. */
      readonly cheapest: Row | null;
    };

/** Points of a percentage that a reader cannot see in the table. */
const NOTHING = 0.05;

/** Points of recall that another moment of a trigger gives or takes. */
const SAME_RECALL = 2;

export function readVerdict({ report, scores, isYardstick }: ReportFacts): Verdict {
  const able = report.strategies.filter(({ id }) => !isYardstick(id));
  if (able.length === 0) return { kind: 'noFigures' };
  if (able.every(({ compactions }) => compactions === 0))
    return { kind: 'small', peak: scores.reduce((most, { peak }) => Math.max(most, peak - FIXED_TOKENS), 0) };
  if (able.every((row) => row[HEADLINE] > 100 - NOTHING)) return { kind: 'late' };
  const most = Math.max(...able.map(({ longRangeRecall }) => longRangeRecall ?? 0));
  const byCost = able.toSorted((a, b) => a[HEADLINE] - b[HEADLINE]);
  const [best, next = null] = byCost.filter(({ longRangeRecall: recall }) => (recall ?? most) >= most - SAME_RECALL);
  const [cheapest] = byCost;
  if (!best || !cheapest) return { kind: 'noFigures' };
  return { kind: 'best', best, next, cheapest: best[HEADLINE] - cheapest[HEADLINE] < NOTHING ? null : cheapest };
}

/** Whether the figures say more than the verdict: rows of strategies that all cost what no compaction costs do not. */
export function isTelling(facts: ReportFacts): boolean {
  const { kind } = readVerdict(facts);
  const isAlike = ({ id, [HEADLINE]: cost }: Row) => facts.isYardstick(id) || Math.abs(cost - 100) < NOTHING;
  return kind !== 'small' && !(kind === 'late' && facts.report.strategies.every(isAlike));
}

/** A sentence or a few. Empty where nothing was replayed. */
export function describeVerdict(facts: ReportFacts, t: Translate): string {
  const verdict = readVerdict(facts);
  const { report, labelOf } = facts;
  switch (verdict.kind) {
    case 'noFigures':
      return report.idle.length > 0 ? t('No strategy has figures; the reasons are below.') : '';
    case 'small':
      return t(
        'Too small to compare anything: the messages of the largest request have {0} tokens, and in a window of {1} no strategy had to compact.',
        formatCount(verdict.peak),
        formatCount(report.window),
      );
    case 'late':
      return t(
        'No compaction pays here: with what has to be read again, every strategy costs at least what no compaction costs.',
      );
    case 'best': {
      const { best, next, cheapest } = verdict;
      const [name, cost] = [labelOf(best.id), percent(best[HEADLINE])];
      const won =
        best.longRangeRecall === null
          ? t('{0} is the cheapest: {1} of the cost without compaction, with what has to be read again.', name, cost)
          : cheapest
            ? t(
                '{0} is the cheapest of those that keep the most: {1} of the cost without compaction, with what has to be read again, and {2} of what was needed later was still there.',
                name,
                cost,
                percent(best.longRangeRecall),
              )
            : t(
                '{0} is the cheapest: {1} of the cost without compaction, with what has to be read again, and {2} of what was needed later was still there.',
                name,
                cost,
                percent(best.longRangeRecall),
              );
      return joinSentences([
        won,
        cheapest?.longRangeRecall != null
          ? t(
              '{0} costs less, {1}, but only {2} was still there.',
              labelOf(cheapest.id),
              percent(cheapest[HEADLINE]),
              percent(cheapest.longRangeRecall),
            )
          : '',
        next ? describeLead(best, next, facts, t) : '',
      ]);
    }
  }
}

const points = (value: number) => value.toFixed(1);

const percent = (value: number) => formatPercent(value, 1);

/** Whether the best is better by more than chance. */
function describeLead(best: Row, next: Row, { scores, labelOf }: ReportFacts, t: Translate): string {
  const name = labelOf(next.id);
  const ahead = next[HEADLINE] - best[HEADLINE];
  if (ahead < NOTHING) return t('{0} costs the same.', name);
  const by = points(ahead);
  const own = ({ id }: Row): LabScore[] => scores.filter(({ strategy }) => strategy === id);
  const sessions = own(best).length;
  if (sessions < 2)
    return t('{0} follows, {1} points behind. One session cannot tell whether that is chance: add others.', name, by);
  const [, low = 0, high = 0] = readDifferences(own(next), own(best))[HEADLINE] ?? [];
  const range = [points(low), points(high), formatCount(sessions)] as const;
  return low > 0
    ? t(
        '{0} follows, {1} points behind; over these sessions that is more than chance ({2} to {3} points, {4} sessions).',
        name,
        by,
        ...range,
      )
    : t('{0} follows, {1} points behind, which may be chance ({2} to {3} points, {4} sessions).', name, by, ...range);
}
