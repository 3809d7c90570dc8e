/** The lab as a page: what is to be replayed, how far it is, and what came out. Pure. */

import type { Translate } from '../../core/words.ts';
import { type LabReport, makeReport } from '../../lab/makeReport.ts';
import type { Figures } from '../../lab/readFigures.ts';
import type { Page, PageBlock, PageCell } from '../../protocol/pages.ts';
import { column, folded, list, right, section, table, text } from '../pages/blocks.ts';
import { formatCount, toCell } from '../pages/textTable.ts';
import type { LabResult, LabSession } from './labWorker.ts';

export interface LabStrategy {
  readonly id: string;
  readonly label: string;
  /** Whether it can be used, or is a yardstick of the lab. */
  readonly usable: boolean;
}

export interface LabFacts {
  readonly sessions: readonly LabSession[];
  readonly strategies: readonly LabStrategy[];
  readonly window: number;
  /** Null when nothing runs. */
  readonly progress: { readonly done: number; readonly all: number; readonly secondsLeft: number | null } | null;
  readonly results: readonly LabResult[];
  /** Of the results, once nothing runs: its intervals take a while. */
  readonly report: LabReport | null;
  readonly unread: readonly string[];
  /** Whose sizes and misses are shown, by index of session and strategy in what was replayed. */
  readonly looked: { readonly session: string; readonly strategy: string } | null;
}

/** Ids of what the page's buttons do. */
export const ACT = {
  sessions: 'sessions',
  strategies: 'strategies',
  window: 'window',
  replay: 'replay',
  cancel: 'cancel',
  csv: 'csv',
  markdown: 'markdown',
  svg: 'svg',
  look: (session: string, strategy: string) => `look ${session}\n${strategy}`,
  session: (session: string) => `session ${session}`,
  strategy: (strategy: string) => `strategy ${strategy}`,
  use: (strategy: string) => `use ${strategy}`,
} as const;

export function describeLab(facts: LabFacts, t: Translate): Page {
  const { sessions, strategies, window, report, unread } = facts;
  return {
    title: t('Strategy lab'),
    subtitle: t(
      'Sessions: {0} · strategies: {1} · window: {2} tokens',
      sessions.length,
      strategies.length,
      formatCount(window),
    ),
    blocks: [
      text(
        t(
          'Each session is replayed under each strategy: before every recorded answer the strategy says what would have been sent, and the recording says what the agent needed next. No model is asked and nothing is changed.',
        ),
        'quiet',
      ),
      ...controls(facts, t),
      ...(unread.length ? [section(t('Left out'), [list(unread)])] : []),
      ...(report ? describeReport(report, facts, t) : []),
      folded('reading', t('How to read the figures'), [list(readings(t))]),
    ],
  };
}

export function reportOf({
  window,
  strategies,
  results,
}: Pick<LabFacts, 'window' | 'strategies' | 'results'>): LabReport {
  const setting = { window, beforeFirstCompaction: false, strategies: strategies.map(({ id }) => id) };
  return makeReport(
    setting,
    results.map(({ score }) => score),
  );
}

function controls({ sessions, strategies, progress, report }: LabFacts, t: Translate): PageBlock[] {
  if (progress) {
    const { done, all, secondsLeft } = progress;
    const left = secondsLeft === null ? '' : ` · ${t('about {0} s left', formatCount(Math.max(1, secondsLeft)))}`;
    return [
      text(`${t('{0} of {1} replays are done', done, all)}${left}`),
      { kind: 'actions', actions: [{ id: ACT.cancel, label: t('Cancel') }] },
    ];
  }
  const ready = sessions.length > 0 && strategies.length > 0;
  return [
    {
      kind: 'actions',
      actions: [
        { id: ACT.sessions, label: t('Sessions…') },
        { id: ACT.strategies, label: t('Strategies…') },
        { id: ACT.window, label: t('Window…') },
        ...(ready ? [{ id: ACT.replay, label: t('Replay'), primary: true }] : []),
        ...(report
          ? [
              { id: ACT.csv, label: t('Save as CSV…') },
              { id: ACT.markdown, label: t('Save as Markdown…') },
              { id: ACT.svg, label: t('Save chart as SVG…') },
            ]
          : []),
      ],
    },
    ...(sessions.length
      ? [folded('sessions', t('Sessions'), [list(sessions.map(({ title }) => title))], String(sessions.length))]
      : [text(t('Choose the sessions to replay, imported ones included. “Import Session…” adds more.'))]),
  ];
}

const FIGURES = (t: Translate): readonly (readonly [string, keyof Figures])[] => [
  [t('Cost %'), 'costPercent'],
  [t('Recall %'), 'longRangeRecall'],
  [t('Word for word %'), 'longRangeVerbatim'],
  [t('Whole lines %'), 'wholeLine'],
  [t('Pairs %'), 'pair'],
  [t('Yours %'), 'userPercent'],
  [t('Files %'), 'filesPercent'],
  [t('Rewrites'), 'rewritesPer100'],
  [t('Peak'), 'peak'],
  [t('Invalid'), 'invalid'],
];

function describeReport(report: LabReport, facts: LabFacts, t: Translate): PageBlock[] {
  const labelOf = labelsOf(facts);
  const figures = FIGURES(t);
  const usable = new Set(facts.strategies.filter((each) => each.usable).map(({ id }) => id));
  const rows = report.strategies.map((row): PageCell[] => [
    { text: labelOf(row.id), act: ACT.strategy(row.id) },
    ...figures.map(([, key]) => withInterval(row[key], row.interval[key], key)),
    usable.has(row.id) ? { text: t('Use'), act: ACT.use(row.id) } : '',
  ]);
  const points = report.strategies.flatMap(({ id, costPercent, longRangeRecall }) =>
    longRangeRecall === null ? [] : [{ label: labelOf(id), at: [costPercent, longRangeRecall] as [number, number] }],
  );
  return [
    section(t('Cost against recall'), [
      {
        kind: 'chart',
        label: t('Cost against recall'),
        x: t('Cost, % of no compaction'),
        y: t('Recall, %'),
        series: points.map(({ label, at }) => ({ label, shape: 'dots' as const, points: [at] })),
        levels: [],
        marks: [],
      },
      table(
        t('Figures of each strategy'),
        [column(t('Strategy')), ...figures.map(([title]) => right(title)), column('')],
        rows,
      ),
    ]),
    ...describeLooked(facts, t),
  ];
}

/** One session under every strategy, and what one of them lacked. */
function describeLooked(facts: LabFacts, t: Translate): PageBlock[] {
  const { results, looked } = facts;
  if (!looked) return [];
  const labelOf = labelsOf(facts);
  const own = results.filter(({ score }) => score.session === looked.session);
  const one = own.find(({ score }) => score.strategy === looked.strategy);
  const names = [...new Set(results.map(({ score }) => score.session))].sort();
  return [
    section(t('Tokens over the steps of {0}', looked.session), [
      ...(names.length > 1
        ? [
            {
              kind: 'actions' as const,
              actions: names.slice(0, MOST_NAMES).map((name) => ({ id: ACT.session(name), label: toCell(name, 40) })),
            },
          ]
        : []),
      {
        kind: 'chart',
        label: t('Tokens over the steps of {0}', looked.session),
        x: t('Step'),
        y: t('Tokens'),
        series: own.map(({ score, sizes }) => ({
          label: labelOf(score.strategy),
          shape: 'line' as const,
          points: sizes.slice(0, MOST_POINTS).map((size, at): [number, number] => [at, size]),
        })),
        levels: [{ y: facts.window, label: t('Window') }],
        marks: [],
      },
      table(
        t('Requests of each strategy'),
        [column(t('Strategy')), right(t('Largest')), right(t('Mean')), right(t('Times rewritten'))],
        own.map(({ score, sizes }) => [
          { text: labelOf(score.strategy), act: ACT.look(looked.session, score.strategy) },
          formatCount(Math.max(0, ...sizes)),
          formatCount(sizes.reduce((sum, size) => sum + size, 0) / Math.max(1, sizes.length)),
          formatCount(score.rewrites),
        ]),
      ),
    ]),
    ...(one
      ? [
          section(t('What {0} no longer had when it was needed', labelOf(looked.strategy)), [
            one.misses.length === 0
              ? text(t('Nothing was missing.'))
              : table(
                  t('Missing at each step'),
                  [right(t('Step')), column(t('Kind')), column(t('What the agent needed'))],
                  one.misses.map(({ step, kind, text: needed }) => [
                    String(step),
                    kindOf(kind, t),
                    toCell(needed, 160),
                  ]),
                ),
          ]),
        ]
      : []),
  ];
}

/** More buttons than that are no choice. */
const MOST_NAMES = 20;
/** As many as a page takes. */
const MOST_POINTS = 20_000;

function kindOf(kind: string, t: Translate): string {
  switch (kind) {
    case 'path':
      return t('path');
    case 'line':
      return t('line');
    default:
      return t('name');
  }
}

function labelsOf({ strategies }: Pick<LabFacts, 'strategies'>): (id: string) => string {
  const labels = new Map(strategies.map(({ id, label }) => [id, label]));
  return (id) => labels.get(id) ?? id;
}

function withInterval(value: number | null, bounds: readonly [number, number] | null, key: keyof Figures): string {
  if (value === null) return '–';
  if (key === 'peak' || key === 'invalid') return formatCount(value);
  const [low, high] = bounds ?? [value, value];
  const own = value.toFixed(1);
  return low.toFixed(1) === high.toFixed(1) ? own : `${own} (${low.toFixed(1)}–${high.toFixed(1)})`;
}

const readings = (t: Translate): string[] => [
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
    'Having something in the context does not mean that it gets used: whether a task is solved cannot be measured this way.',
  ),
];

/** Comma-separated, a line for each strategy. */
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

const SVG = { width: 800, height: 500, edge: 60 } as const;

/** Cost against recall as a picture of its own, in black on white. */
export function labSvg(report: LabReport, t: Translate): string {
  const { width, height, edge } = SVG;
  const points = report.strategies.flatMap(({ id, costPercent, longRangeRecall }) =>
    longRangeRecall === null ? [] : [{ id, cost: costPercent, recall: longRangeRecall }],
  );
  const most = Math.max(100, ...points.map(({ cost }) => cost));
  const x = (cost: number) => edge + (cost / most) * (width - 2 * edge);
  const y = (recall: number) => height - edge - (recall / 100) * (height - 2 * edge);
  const toXml = (said: string) => said.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="white"/>`,
    `<path d="M${edge},${edge}V${height - edge}H${width - edge}" fill="none" stroke="black"/>`,
    `<text x="${width / 2}" y="${height - 16}" text-anchor="middle">${toXml(t('Cost, % of no compaction'))}: 0 – ${most.toFixed(0)}</text>`,
    `<text x="16" y="${edge - 16}">${toXml(t('Recall, %'))}: 0 – 100</text>`,
    ...points.flatMap(({ id, cost, recall }) => [
      `<circle cx="${x(cost).toFixed(1)}" cy="${y(recall).toFixed(1)}" r="4"/>`,
      `<text x="${(x(cost) + 8).toFixed(1)}" y="${(y(recall) + 4).toFixed(1)}">${toXml(id)} ${cost.toFixed(1)} / ${recall.toFixed(1)}</text>`,
    ]),
    '</svg>\n',
  ].join('\n');
}
