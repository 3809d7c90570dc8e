/**
 * The figures of a replay as blocks: what they come to in a sentence or two, the chart, the tables and how to read them. The
 * lab's page in the editor and the program's page are made of them. Pure.
 */

import { BUILT_IN_STRATEGIES } from '../../core/compaction/strategies/builtIn.ts';
import { formatCount, formatPercent } from '../../core/figures.ts';
import { inLanguage, joinSentences, type Translate } from '../../core/words.ts';
import { type Figures, HEADLINE, isCount, type LabReport } from '../../lab/makeReport.ts';
import type { BrokenReplay, LabScore } from '../../lab/replay.ts';
import { hasRun, type OtherRuns, type RunCounts } from '../../lab/runAccount.ts';
import type { PageBlock, PageCell } from '../../protocol/pages.ts';
import { column, folded, list, minor, right, section, table, text } from '../pages/blocks.ts';

export interface ReportFacts {
  readonly report: LabReport;
  readonly scores: readonly LabScore[];
  readonly broken: readonly BrokenReplay[];
  /** The name of a strategy of the report for a person. */
  readonly labelOf: (id: string) => string;
  /** It cannot be chosen, and stands beside the others to compare. */
  readonly isYardstick: (id: string) => boolean;
  /** A button that looks at it; omitted where nothing can be pressed. */
  readonly look?: (id: string) => string;
  /** A button that puts it to use; null for one that is not offered. */
  readonly use?: (id: string) => string | null;
}

type NamedFigure = readonly [string, keyof Figures];

/** Those that decide between strategies. */
const FIRST = (t: Translate): readonly NamedFigure[] => [
  [t('Cost with rereads %'), HEADLINE],
  [t('Cost %'), 'costPercent'],
  [t('Recall %'), 'longRangeRecall'],
  [t('Compactions'), 'compactions'],
  [t('Paid %'), 'paidPercent'],
  [t('Gap'), 'gap'],
];

/** The first to go in a narrow page. */
const MINOR: ReadonlySet<keyof Figures> = new Set<keyof Figures>(['costPercent', 'paidPercent', 'gap']);

const OTHERS = (t: Translate): readonly NamedFigure[] => [
  [t('Word for word %'), 'longRangeVerbatim'],
  [t('Whole lines %'), 'wholeLine'],
  [t('Pairs %'), 'pair'],
  [t('Yours %'), 'userPercent'],
  [t('Files %'), 'filesPercent'],
  [t('Rereads'), 'rereadsPer100'],
  [t('First rereads'), 'firstRereadsPer100'],
  [t('Missing lines'), 'missingLinesPer100'],
  [t('Edits %'), 'editPercent'],
  [t('Rewrites'), 'rewritesPer100'],
  [t('Peak'), 'peak'],
  [t('Invalid'), 'invalid'],
];

/** Every strategy over all sessions. */
export function describeFigures(facts: ReportFacts, t: Translate): PageBlock {
  const { report, labelOf, look, use } = facts;
  const name = (id: string): PageCell => (look ? { text: labelOf(id), act: look(id) } : labelOf(id));
  const useOf = (id: string): PageCell => {
    const act = use?.(id) ?? null;
    return act === null ? '' : { text: t('Use'), act };
  };
  const tableOf = (title: string, figures: readonly NamedFigure[], withUse: boolean) =>
    table(
      title,
      [
        column(t('Strategy')),
        ...figures.map(([of, key]) => (MINOR.has(key) ? minor(right(of)) : right(of))),
        ...(withUse ? [column('')] : []),
      ],
      report.strategies.map((row): PageCell[] => [
        name(row.id),
        ...figures.map(([, key]) => withInterval(row[key], row.interval[key], key)),
        ...(withUse ? [useOf(row.id)] : []),
      ]),
    );
  return section(t('Cost against recall'), [
    {
      kind: 'chart',
      label: t('Cost against recall'),
      x: t('Cost, % of no compaction'),
      y: t('Recall, %'),
      series: report.strategies.flatMap(({ id, costPercent: cost, longRangeRecall: recall, interval }) =>
        recall === null
          ? []
          : [
              {
                label: labelOf(id),
                shape: 'dots' as const,
                points: [[cost, recall] as [number, number]],
                spans: [
                  [...(interval.costPercent ?? [cost, cost]), ...(interval.longRangeRecall ?? [recall, recall])] as [
                    number,
                    number,
                    number,
                    number,
                  ],
                ],
              },
            ],
      ),
      levels: [],
      marks: [],
    },
    tableOf(t('Figures of each strategy'), FIRST(t), use !== undefined),
    text(describeTimes(report, t), 'quiet'),
    folded('more', t('More figures'), [tableOf(t('More figures'), OTHERS(t), false)]),
    ...describeRuns(facts, t),
  ]);
}

/** How to read the figures, a paragraph each. */
export const readings = (t: Translate): string[] => [
  t(
    'Cost with rereads: the cost, with reading again each message of which a step needed lines that its request lacked, once for each such step. The table is in its order, the cheapest first.',
  ),
  t(
    'Cost: what the requests would have cost, with cached tokens counted at a tenth, as a share of the cost without compaction.',
  ),
  t(
    'Recall: how many of the paths, names and lines that the agent used, and that had last come up long before, were still in the request. In brackets: the range that 95 of 100 other samples of sessions would give.',
  ),
  t(
    'Word for word: in a message that was left as it was. Whole lines: at least the whole original line. Pairs: a file and a name in it still together.',
  ),
  t(
    'Yours: how much of what you wrote stays as you wrote it. Files: changed files that are still named. Rewrites: how often in 100 steps the beginning changed, which makes the provider read it again.',
  ),
  t(
    'Paid: of the compactions, those that saved more than they cost before the next one, or before the session ended. Gap: requests from a compaction to the next one, on average.',
  ),
  t(
    'Rereads: messages to be read again in 100 steps. First rereads: the same, if what was read again stays until the next rewrite. Missing lines: lines in them that a step lacked.',
  ),
  t(
    'Having something in the context does not mean that it gets used: whether a task is solved cannot be measured this way.',
  ),
];

/** By which clock the sessions went, and how often it let a cache go cold. */
function describeTimes({ timed, sessions }: LabReport, t: Translate): string {
  if (timed.sessions === 0)
    return t('No session says when its messages were said: all follow an even clock, and no cache goes cold.');
  const share = formatPercent((100 * timed.cold) / Math.max(1, timed.steps), 1);
  const cold = t(
    '{0} of {1} sessions say when their messages were said: {2} of their requests came more than five minutes after the one before, and found a cold cache.',
    formatCount(timed.sessions),
    formatCount(sessions.length),
    share,
  );
  return timed.sessions === sessions.length
    ? cold
    : `${cold} ${t('The others follow an even clock, and their caches never go cold.')}`;
}

/** The runs that were not each strategy's own work, and the strategies without figures. */
export function describeRuns(
  { report: { strategies, idle }, scores, broken: all, labelOf }: ReportFacts,
  t: Translate,
): PageBlock[] {
  const lines = strategies.flatMap(({ id, runs }) => {
    const label = labelOf(id);
    const own = scores.filter(({ strategy }) => strategy === id);
    const vain = own.filter(({ runs: made }) => made && !hasRun(made)).length;
    const broken = all.filter(({ strategy }) => strategy === id);
    return [
      ...(runs && runs.others.length > 0
        ? [
            joinSentences([
              t('{0}: {1} of {2} runs were its own.', label, formatCount(runs.own), formatCount(runs.due)),
              describeOthers(runs.others, t),
            ]),
          ]
        : []),
      ...(runs?.warnings ?? []).map(({ text: said, count }) =>
        t('{0} ({1}): {2}', label, formatCount(count), inLanguage(said, t)),
      ),
      ...(vain > 0
        ? [
            t(
              '{0}: in {1} of {2} sessions no run was its own, so they are not in its figures.',
              label,
              formatCount(vain),
              formatCount(own.length),
            ),
          ]
        : []),
      ...broken.map(({ session, reason }) => t('{0} could not be replayed on {1}: {2}', label, session, reason)),
    ];
  });
  const without = idle.map(({ id, runs, broken }) =>
    joinSentences([
      t('{0} never compacted, so it has no figures.', labelOf(id)),
      describeOthers(runs.others, t),
      ...broken,
    ]),
  );
  return [
    ...(without.length > 0 ? [section(t('Without figures'), [list(without)])] : []),
    ...(lines.length > 0 ? [section(t('Runs that were not their own'), [list(lines)])] : []),
  ];
}

function describeOthers(others: RunCounts['others'], t: Translate): string {
  const lines = others.map(({ fate, by, reason, count }) =>
    t('{0} ({1}): {2}', describeFate(fate, labelOfStrategy(by), t), formatCount(count), inLanguage(reason, t)),
  );
  const said = lines.join(' · ');
  // It stands behind a sentence.
  return `${said.slice(0, 1).toUpperCase()}${said.slice(1)}`;
}

const labelOfStrategy = (by: string) => BUILT_IN_STRATEGIES.find(({ id }) => id === by)?.label ?? by;

/** `by`: the name of what replaced it; empty for the compactor's own steps. */
function describeFate(fate: OtherRuns['fate'], by: string, t: Translate): string {
  switch (fate) {
    case 'failed':
      return t('failed, and nothing was compacted');
    case 'replaced':
      return by ? t('made by {0} in its place', by) : t('made by the compactor’s own steps in its place');
    case 'partial':
      return t('made in part');
  }
}

function withInterval(value: number | null, bounds: readonly [number, number] | null, key: keyof Figures): string {
  if (value === null) return '–';
  if (isCount(key)) return formatCount(value);
  const [low, high] = bounds ?? [value, value];
  const own = value.toFixed(1);
  return low.toFixed(1) === high.toFixed(1) ? own : `${own} (${low.toFixed(1)}–${high.toFixed(1)})`;
}
