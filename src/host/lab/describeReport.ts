/** The facts of the lab's page, and the results of a replay as blocks of it. Pure. */

import { nice, ticks } from 'd3-array';
import { BUILT_IN_STRATEGIES } from '../../core/compaction/strategies/builtIn.ts';
import { inLanguage, type Translate } from '../../core/words.ts';
import { type Figures, HEADLINE, isCount, type LabReport, makeReport } from '../../lab/makeReport.ts';
import type { BrokenReplay } from '../../lab/replay.ts';
import { hasRun, type OtherRuns, type RunCounts } from '../../lab/runAccount.ts';
import { kindOf } from '../../node/lab/describeStep.ts';
import type { LabResult } from '../../node/lab/replayStored.ts';
import type { LabSession } from '../../node/lab/storedSession.ts';
import { column, folded, formatCount, list, right, section, table, text, toCell } from '../../node/pages/blocks.ts';
import type { PageBlock, PageCell } from '../../protocol/pages.ts';
import type { NamedContender } from './contenders.ts';

/** The facts that the lab's page shows. */
export interface LabFacts {
  readonly sessions: readonly LabSession[];
  readonly contenders: readonly NamedContender[];
  readonly window: number;
  /** Null when nothing runs. */
  readonly progress: { readonly done: number; readonly all: number; readonly secondsLeft: number | null } | null;
  readonly results: readonly LabResult[];
  /** Set with the results, once nothing runs: its intervals take a while. */
  readonly report: LabReport | null;
  readonly broken: readonly BrokenReplay[];
  readonly unread: readonly string[];
  /** The session and contender whose sizes and misses are shown. */
  readonly opened: { readonly session: string; readonly name: string } | null;
}

/** Ids of the page's buttons and fields. Numbers are indices in the lists of sessions, contenders and misses. */
export const ACT = {
  sessions: 'sessions',
  strategies: 'strategies',
  window: 'window',
  replay: 'replay',
  cancel: 'cancel',
  csv: 'csv',
  markdown: 'markdown',
  svg: 'svg',
  session: (at: number) => `session ${at}`,
  strategy: (at: number) => `strategy ${at}`,
  use: (at: number) => `use ${at}`,
  miss: (at: number) => `miss ${at}`,
  set: (contender: string, field: string) => `set ${contender} ${field}`,
  another: (contender: string) => `another ${contender}`,
  remove: (contender: string) => `remove ${contender}`,
} as const;

export function reportOf(
  window: number,
  names: readonly string[],
  results: readonly LabResult[],
  broken: readonly BrokenReplay[],
): LabReport {
  return makeReport(
    { window, beforeFirstCompaction: false, strategies: names },
    results.map(({ score }) => score),
    broken,
  );
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
export function describeFigures(report: LabReport, facts: LabFacts, t: Translate): PageBlock {
  const shown = facts.contenders.map(({ name }) => name);
  const use = (at: number): PageCell =>
    facts.contenders[at]?.contender.strategy.kind === 'yardstick' ? '' : { text: t('Use'), act: ACT.use(at) };
  const tableOf = (title: string, figures: readonly NamedFigure[], withUse: boolean) =>
    table(
      title,
      [column(t('Strategy')), ...figures.map(([name]) => right(name)), ...(withUse ? [column('')] : [])],
      report.strategies.map((row): PageCell[] => {
        const at = shown.indexOf(row.id);
        return [
          { text: labelOf(facts, row.id), act: ACT.strategy(at) },
          ...figures.map(([, key]) => withInterval(row[key], row.interval[key], key)),
          ...(withUse ? [use(at)] : []),
        ];
      }),
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
                label: labelOf(facts, id),
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
    tableOf(t('Figures of each strategy'), FIRST(t), true),
    text(describeTimes(report, t), 'quiet'),
    folded('more', t('More figures'), [tableOf(t('More figures'), OTHERS(t), false)]),
    ...describeRuns(report, facts, t),
  ]);
}

/** By which clock the sessions went, and how often it let a cache go cold. */
function describeTimes({ timed, sessions }: LabReport, t: Translate): string {
  if (timed.sessions === 0)
    return t('No session says when its messages were said: all follow an even clock, and no cache goes cold.');
  const share = ((100 * timed.cold) / Math.max(1, timed.steps)).toFixed(1);
  const cold = t(
    '{0} of {1} sessions say when their messages were said: {2} % of their requests came more than five minutes after the one before, and found a cold cache.',
    timed.sessions,
    sessions.length,
    share,
  );
  return timed.sessions === sessions.length
    ? cold
    : `${cold} ${t('The others follow an even clock, and their caches never go cold.')}`;
}

/** The runs that were not each strategy's own work, and the strategies without figures. */
function describeRuns({ strategies, idle }: LabReport, facts: LabFacts, t: Translate): PageBlock[] {
  const lines = strategies.flatMap(({ id, runs }) => {
    const label = labelOf(facts, id);
    const own = facts.results.filter(({ score }) => score.strategy === id);
    const vain = own.filter(({ score }) => score.runs && !hasRun(score.runs)).length;
    const broken = facts.broken.filter(({ strategy }) => strategy === id);
    return [
      ...(runs && runs.others.length > 0
        ? [`${t('{0}: {1} of {2} runs were its own.', label, runs.own, runs.due)} ${describeOthers(runs.others, t)}`]
        : []),
      ...(runs?.warnings ?? []).map(({ text: said, count }) => t('{0} ({1}): {2}', label, count, inLanguage(said, t))),
      ...(vain > 0
        ? [
            t(
              '{0}: in {1} of {2} sessions no run was its own, so they are not in its figures.',
              label,
              vain,
              own.length,
            ),
          ]
        : []),
      ...broken.map(({ session, reason }) => t('{0} could not be replayed on {1}: {2}', label, session, reason)),
    ];
  });
  const without = idle.map(({ id, runs, broken }) =>
    [t('{0} never compacted, so it has no figures.', labelOf(facts, id)), describeOthers(runs.others, t), ...broken]
      .filter(Boolean)
      .join(' '),
  );
  return [
    ...(without.length > 0 ? [section(t('Without figures'), [list(without)])] : []),
    ...(lines.length > 0 ? [section(t('Runs that were not their own'), [list(lines)])] : []),
  ];
}

function describeOthers(others: RunCounts['others'], t: Translate): string {
  const lines = others.map(({ fate, by, reason, count }) =>
    t('{0} ({1}): {2}', describeFate(fate, labelOfStrategy(by), t), count, inLanguage(reason, t)),
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

/** One session under every strategy, and the facts that one of them lacked. */
export function describeLooked(facts: LabFacts, t: Translate): PageBlock[] {
  const { results, opened, window } = facts;
  if (!opened) return [];
  const own = results.filter(({ score }) => score.session === opened.session);
  const one = own.find(({ score }) => score.strategy === opened.name);
  const label = labelOf(facts, opened.name);
  return [
    section(t('Tokens over the steps of {0}', opened.session), [
      ...chooseSession(facts),
      {
        kind: 'chart',
        label: t('Tokens over the steps of {0}', opened.session),
        x: t('Step'),
        y: t('Tokens'),
        series: own.map(({ score, sizes }) => ({
          label: labelOf(facts, score.strategy),
          shape: 'line' as const,
          points: sizes.slice(0, MOST_POINTS).map((size, at): [number, number] => [at + 1, size]),
        })),
        levels: [{ y: window, label: t('Window') }],
        marks: (one?.compactions ?? []).slice(0, MOST_MARKS).map((x) => ({ x, label: t('{0} compacts', label) })),
      },
      ...(one ? [text(compactionsOf(one, label, t), 'quiet')] : []),
      table(
        t('Requests of each strategy'),
        [column(t('Strategy')), right(t('Largest')), right(t('Mean')), right(t('Compactions')), right(t('Rewrites'))],
        own.map(({ score, sizes, compactions }) => [
          {
            text: labelOf(facts, score.strategy),
            act: ACT.strategy(facts.contenders.findIndex(({ name }) => name === score.strategy)),
          },
          formatCount(sizes.reduce((most, size) => Math.max(most, size), 0)),
          formatCount(sizes.reduce((sum, size) => sum + size, 0) / Math.max(1, sizes.length)),
          formatCount(compactions.length),
          formatCount(score.rewrites),
        ]),
      ),
    ]),
    ...(one
      ? [
          section(t('What {0} no longer had when it was needed', label), [
            one.misses.length === 0
              ? text(t('Nothing was missing.'))
              : table(
                  t('Missing at each step'),
                  [column(t('Step')), column(t('Kind')), column(t('What the agent needed'))],
                  one.misses.map(({ step, kind, text: needed }, at) => [
                    { text: t('Step {0}', step), act: ACT.miss(at) },
                    kindOf(kind, t),
                    toCell(needed, 160),
                  ]),
                ),
          ]),
        ]
      : []),
  ];
}

/** The vertical lines of the chart, for people who cannot see them. */
function compactionsOf({ compactions }: LabResult, label: string, t: Translate): string {
  if (compactions.length === 0) return t('{0} did not compact this session.', label);
  const steps = compactions.slice(0, MOST_NAMED).join(', ');
  return t('{0} compacts at step {1}.', label, compactions.length > MOST_NAMED ? `${steps}, …` : steps);
}

function chooseSession({ results, sessions }: LabFacts): PageBlock[] {
  const replayed = new Set(results.map(({ score }) => score.session));
  const actions = sessions.flatMap(({ title }, at) =>
    replayed.has(title) ? [{ id: ACT.session(at), label: toCell(title, 40) }] : [],
  );
  return actions.length > 1 ? [{ kind: 'actions', actions: actions.slice(0, MOST_NAMES) }] : [];
}

/** More buttons than that are unusable. */
const MOST_NAMES = 20;

/** Maximum for one page. */
const MOST_POINTS = 20_000;
const MOST_MARKS = 2_000;

/** Steps named in a sentence. */
const MOST_NAMED = 40;

const labelOf = ({ contenders }: LabFacts, name: string) =>
  contenders.find((each) => each.name === name)?.label ?? name;

function withInterval(value: number | null, bounds: readonly [number, number] | null, key: keyof Figures): string {
  if (value === null) return '–';
  if (isCount(key)) return formatCount(value);
  const [low, high] = bounds ?? [value, value];
  const own = value.toFixed(1);
  return low.toFixed(1) === high.toFixed(1) ? own : `${own} (${low.toFixed(1)}–${high.toFixed(1)})`;
}

/** A line for each strategy. */
export function labCsv(report: LabReport): string {
  const keys = Object.keys(report.strategies[0]?.interval ?? {}) as (keyof Figures)[];
  const quote = (value: string) => (/[",\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value);
  const lines = [
    ['strategy', ...keys.flatMap((key) => [key, `${key}Low`, `${key}High`])],
    ...report.strategies.map((row) => [
      row.id,
      ...keys.flatMap((key) => [row[key], ...(row.interval[key] ?? [null, null])].map((value) => String(value ?? ''))),
    ]),
  ];
  return `${lines.map((cells) => cells.map(quote).join(',')).join('\n')}\n`;
}

const WIDTH = 800;
const HEIGHT = 500;
const EDGE = 60;
const TICKS = 6;

/** Cost against recall with its intervals, in black on white. */
export function labSvg(report: LabReport, t: Translate): string {
  const points = report.strategies.flatMap(({ id, costPercent: cost, longRangeRecall: recall, interval }) =>
    recall === null
      ? []
      : [
          {
            id,
            cost: [cost, ...(interval.costPercent ?? [cost, cost])] as const,
            recall: [recall, ...(interval.longRangeRecall ?? [recall, recall])] as const,
          },
        ],
  );
  const [left, right] = around(points.flatMap(({ cost }) => cost));
  const [low, high] = around(points.flatMap(({ recall }) => recall));
  const x = (cost: number) => (EDGE + ((cost - left) / (right - left)) * (WIDTH - 2 * EDGE)).toFixed(1);
  const y = (recall: number) => (HEIGHT - EDGE - ((recall - low) / (high - low)) * (HEIGHT - 2 * EDGE)).toFixed(1);
  const line = (x1: string, x2: string, y1: string, y2: string, colour: string) =>
    `<line x1="${x1}" x2="${x2}" y1="${y1}" y2="${y2}" stroke="${colour}"/>`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="white"/>`,
    ...ticks(low, high, TICKS).flatMap((value) => [
      line(x(left), x(right), y(value), y(value), '#ddd'),
      `<text x="${EDGE - 8}" y="${y(value)}" text-anchor="end" dominant-baseline="middle">${value}</text>`,
    ]),
    ...ticks(left, right, TICKS).map(
      (value) => `<text x="${x(value)}" y="${HEIGHT - EDGE + 18}" text-anchor="middle">${value}</text>`,
    ),
    `<path d="M${EDGE},${EDGE}V${HEIGHT - EDGE}H${WIDTH - EDGE}" fill="none" stroke="black"/>`,
    `<text x="${WIDTH / 2}" y="${HEIGHT - 16}" text-anchor="middle">${toXml(t('Cost, % of no compaction'))}</text>`,
    `<text x="16" y="${EDGE - 16}">${toXml(t('Recall, %'))}</text>`,
    ...points.flatMap(({ id, cost, recall }) => [
      line(x(cost[1]), x(cost[2]), y(recall[0]), y(recall[0]), '#888'),
      line(x(cost[0]), x(cost[0]), y(recall[1]), y(recall[2]), '#888'),
      `<circle cx="${x(cost[0])}" cy="${y(recall[0])}" r="4"/>`,
      `<text x="${x(cost[0])}" y="${y(recall[0])}" dx="8" dy="-6">${toXml(id)} ${cost[0].toFixed(1)} / ${recall[0].toFixed(1)}</text>`,
    ]),
    '</svg>\n',
  ].join('\n');
}

/** Round bounds that include all of them. */
function around(values: readonly number[]): [number, number] {
  const [from, to] = [Math.min(...values), Math.max(...values)];
  return from < to ? nice(from, to, TICKS) : [from - 1, to + 1];
}

const toXml = (source: string) =>
  source.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
