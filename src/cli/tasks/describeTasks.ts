/** The figures of runs over tasks as a page: to print, and to write as HTML and Markdown. Pure. */

import { formatMoney } from '../../core/cost/formatMoney.ts';
import { formatCount, formatPercent } from '../../core/figures.ts';
import { noteRuns } from '../../lab/describeRuns.ts';
import type { TaskDifference, TaskFigures, TaskReport, TaskRow } from '../../lab/tasks/taskReport.ts';
import { FAILED_BY, type FailedBy } from '../../lab/tasks/taskRun.ts';
import { column, list, right, section, table, text } from '../../node/pages/blocks.ts';
import type { Page, PageBlock } from '../../protocol/pages.ts';

interface Shown {
  readonly key: keyof TaskFigures;
  readonly title: string;
  readonly meaning: string;
  readonly write: (value: number, report: TaskReport) => string;
}

const count = (value: number) => formatCount(value);
const tenths = (value: number) => value.toFixed(1);

const SHOWN: readonly Shown[] = [
  { key: 'solvedPercent', title: 'solved %', meaning: 'runs whose check passed', write: tenths },
  {
    key: 'cost',
    title: 'cost',
    meaning: 'of a run on average, with the summaries that the strategy asked for',
    write: (amount, { currency }) => formatMoney({ amount, currency: currency ?? 'USD' }),
  },
  { key: 'inputTokens', title: 'tokens in', meaning: 'sent in all requests of a run, on average', write: count },
  { key: 'outputTokens', title: 'tokens out', meaning: 'answered in a run, on average', write: count },
  { key: 'requests', title: 'requests', meaning: 'of a run on average, those for summaries too', write: tenths },
  { key: 'compactions', title: 'compactions', meaning: 'of a run on average', write: tenths },
];

const FATES: Readonly<Record<FailedBy, string>> = {
  check: 'the check did not pass',
  hungCheck: 'the check hung',
  steps: 'out of steps',
  money: 'out of money',
  time: 'out of time',
  context: 'the context could not be made to fit',
};

/** Of 100 comparisons of equal strategies, so many come out as clear. */
const CHANCE = 0.05;
const ENOUGH_TASKS = 8;
const MOST_NAMED = 100;

/** `leftOut`: folders that are no task, each with the reason. */
export function describeTasks(report: TaskReport, leftOut: readonly string[]): Page {
  const { strategies, tasks, rounds, model, window, seed } = report;
  const waiting = report.missing > 0 ? [`${plural(report.missing, 'run')} without a result yet`] : [];
  const out = [...leftOut, ...waiting, ...report.leftOut];
  const unnamed = out.length - MOST_NAMED;
  return {
    title: 'Tasks solved under compaction strategies',
    subtitle: `${plural(tasks, 'task')}, ${plural(rounds, 'round')} of all strategies, ${model}, window ${formatCount(window)} tokens, seed ${seed}`,
    blocks: [
      ...warnings(report),
      table(
        'Figures of each strategy',
        [column('strategy'), ...SHOWN.map(({ title }) => right(title))],
        strategies.map((row) => [row.id, ...SHOWN.map((shown) => cellOf(row, shown, report))]),
      ),
      ...fates(strategies, rounds),
      ...strategies.flatMap((row) => compareTo(row, report)),
      section('How to read it', [
        list([
          ...SHOWN.map(({ title, meaning }) => `${title}: ${meaning}.`),
          'In brackets: the range that 95 of 100 other samples of tasks would give (bootstrap over tasks, drawn in pairs for differences).',
          'p: how often chance alone would make so uneven a split of the tasks that two strategies solve unequally often (exact McNemar test; with several tries of a task, an exact sign test over tasks).',
          'All rows are of the same rounds; a round in which a strategy ended by an error is in none.',
        ]),
      ]),
      ...(out.length > 0
        ? [
            section(`Left out: ${out.length}`, [
              list([...out.slice(0, MOST_NAMED), ...(unnamed > 0 ? [`and ${formatCount(unnamed)} more`] : [])]),
            ]),
          ]
        : []),
    ],
  };
}

function warnings({ tasks, rounds, strategies }: TaskReport): PageBlock[] {
  const compacted = strategies.reduce((sum, row) => sum + row.compacted, 0);
  const runs = rounds * strategies.length;
  return [
    ...(tasks < ENOUGH_TASKS
      ? [text(`With only ${plural(tasks, 'task')} the figures say little about other work.`, 'warning' as const)]
      : []),
    ...(2 * compacted < runs
      ? [
          text(
            `The context was compacted in ${compacted} of ${plural(runs, 'run')}. In the others strategies cannot differ: longer tasks or a smaller --window would say more.`,
            'warning' as const,
          ),
        ]
      : []),
  ];
}

function fates(rows: readonly TaskRow[], rounds: number): PageBlock[] {
  const lines = rows.map(({ id, solved, failed, errors, compacted, runs }) => {
    const lost = FAILED_BY.flatMap((by) => (failed[by] > 0 ? [`${failed[by]} ${FATES[by]}`] : []));
    const others = runs.others.length > 0 ? ` Of its compactions ${noteRuns(runs).join('; ')}.` : '';
    const faults = errors > 0 ? ` Ended by an error, and not counted: ${errors}.` : '';
    return `${id}: ${[`solved ${solved} of ${rounds}`, ...lost, `compacted in ${plural(compacted, 'run')}`].join(', ')}.${others}${faults}`;
  });
  return [list(lines)];
}

function compareTo(row: TaskRow, report: TaskReport): PageBlock[] {
  const { difference } = row;
  const [first] = report.strategies;
  if (!difference || !first || report.rounds === 0) return [];
  return [
    section(`${row.id} against ${first.id}`, [
      table(
        `${row.id} against ${first.id}`,
        [column('figure'), right('difference'), right('95%')],
        SHOWN.map((shown) => [shown.title, ...describeDifference(difference[shown.key], shown, report)]),
      ),
      text(judge(row.id, difference)),
    ]),
  ];
}

function judge(id: string, { better, worse, p, discordantPercent, neededForFive }: TaskDifference): string {
  const share = `In ${formatPercent(discordantPercent, 1)} of the rounds only one of the two solved the task.`;
  const split = `${id} solves ${plural(better, 'task')} more often and ${plural(worse, 'task')} less often (p = ${p.toFixed(3)}).`;
  const verdict = p < CHANCE ? 'That is hardly chance.' : 'That can be chance.';
  const needed =
    neededForFive === null
      ? 'With less than five, there are no five points between them.'
      : `To find a difference of five points four times in five, about ${plural(neededForFive, 'task')} are needed.`;
  return [...(better + worse === 0 ? ['Both solve each task equally often.'] : [split, verdict]), share, needed].join(
    ' ',
  );
}

function describeDifference(
  given: TaskDifference[keyof TaskFigures],
  { write }: Shown,
  report: TaskReport,
): [string, string] {
  if (!given) return ['–', '–'];
  const [difference, low, high] = given.map(
    (value) => `${SIGNS[Math.sign(value) + 1]}${write(Math.abs(value), report)}`,
  );
  return [difference ?? '', low === high ? '' : `${low} to ${high}`];
}

function cellOf(row: TaskRow, { key, write }: Shown, report: TaskReport): string {
  const value = row[key];
  if (value === null || report.rounds === 0) return '–';
  const [low, high] = row.interval[key] ?? [value, value];
  return low === high ? write(value, report) : `${write(value, report)} (${write(low, report)}–${write(high, report)})`;
}

const SIGNS = ['−', '', '+'] as const;

const plural = (number: number, noun: string) => `${formatCount(number)} ${noun}${number === 1 ? '' : 's'}`;
