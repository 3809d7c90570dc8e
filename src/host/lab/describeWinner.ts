/** The result of a replay in a sentence or two: the best strategy, and whether its lead means anything. Pure. */

import type { Translate } from '../../core/words.ts';
import type { LabReport } from '../../lab/makeReport.ts';
import { readDifferences } from '../../lab/readFigures.ts';
import { formatCount } from '../pages/blocks.ts';
import type { LabFacts } from './labFields.ts';

/** Points of a percentage that a reader cannot see in the table. */
const NOTHING = 0.05;

/** Cheapest first, with what the agent would have had to read again; yardsticks cannot win. */
export function describeWinner(report: LabReport, facts: LabFacts, t: Translate): string {
  const { contenders, results, window } = facts;
  const able = contenders.flatMap(({ name, label, contender }) => {
    const row = report.strategies.find(({ id }) => id === name);
    return row && contender.strategy.kind !== 'yardstick' ? [{ name, label, row }] : [];
  });
  const peak = Math.max(0, ...results.flatMap(({ sizes }) => sizes));
  const compacted = results.some(
    ({ score, compactions }) => compactions.length > 0 && able.some(({ name }) => name === score.strategy),
  );
  if (!compacted) {
    return t(
      'No strategy had to compact: the largest request has {0} tokens, and the window {1}. Choose a smaller window, or longer sessions.',
      formatCount(peak),
      formatCount(window),
    );
  }
  const [best, next] = able.toSorted((a, b) => a.row.costWithRefetchPercent - b.row.costWithRefetchPercent);
  if (!best) return '';
  const percent = (value: number) => value.toFixed(1);
  const cost = percent(best.row.costWithRefetchPercent);
  if (able.every(({ row }) => Math.abs(row.costWithRefetchPercent - 100) < NOTHING)) {
    return t(
      'No compaction pays here: every strategy costs what no compaction costs. These sessions end too soon after it. Choose a smaller window, or longer sessions.',
    );
  }
  const recall = best.row.longRangeRecall;
  const won =
    recall === null
      ? t(
          '{0} is the cheapest: {1} % of the cost without compaction, with what has to be read again.',
          best.label,
          cost,
        )
      : t(
          '{0} is the cheapest: {1} % of the cost without compaction, with what has to be read again, and {2} % of what was needed later was still there.',
          best.label,
          cost,
          percent(recall),
        );
  return next ? `${won} ${describeLead(best, next, facts, t)}` : won;
}

type Placed = { readonly name: string; readonly label: string; readonly row: LabReport['strategies'][number] };

/** Whether the best is better by more than chance. */
function describeLead(best: Placed, next: Placed, { results }: LabFacts, t: Translate): string {
  const ahead = next.row.costWithRefetchPercent - best.row.costWithRefetchPercent;
  if (ahead < NOTHING) return t('{0} costs the same.', next.label);
  const by = ahead.toFixed(1);
  const own = ({ name }: Placed) => results.flatMap(({ score }) => (score.strategy === name ? [score] : []));
  const sessions = own(best).length;
  if (sessions < 2)
    return t(
      '{0} follows, {1} points behind. One session cannot tell whether that is chance: add others.',
      next.label,
      by,
    );
  const [, low = 0, high = 0] = readDifferences(own(next), own(best)).costWithRefetchPercent ?? [];
  const range = [low.toFixed(1), high.toFixed(1), sessions] as const;
  return low > 0
    ? t(
        '{0} follows, {1} points behind; over these sessions that is more than chance ({2} to {3} points, {4} sessions).',
        next.label,
        by,
        ...range,
      )
    : t(
        '{0} follows, {1} points behind, which may be chance ({2} to {3} points, {4} sessions).',
        next.label,
        by,
        ...range,
      );
}
