/** The lab as a page: the selected sessions and settings, the progress, and the results. Pure. */

import { inLanguage, type Translate } from '../../core/words.ts';
import { type LabReport, readDifferences } from '../../lab/makeReport.ts';
import type { LabField } from '../../node/lab/labFields.ts';
import { folded, formatCount, list, section, text } from '../../node/pages/blocks.ts';
import type { Page, PageBlock, PageField } from '../../protocol/pages.ts';
import { type Contender, describeChanges, type NamedContender, readContender } from './contenders.ts';
import { ACT, describeFigures, describeLooked, type LabFacts } from './describeReport.ts';

export function describeLab(facts: LabFacts, t: Translate): Page {
  const { sessions, contenders, window, report, unread, progress } = facts;
  return {
    title: t('Strategy lab'),
    subtitle: t(
      'Sessions: {0} · strategies: {1} · window: {2} tokens',
      sessions.length,
      contenders.length,
      formatCount(window),
    ),
    blocks: [
      ...(report ? [text(describeWinner(report, facts, t))] : []),
      text(
        t(
          'Each session is replayed under each strategy: before every recorded answer the strategy says what would have been sent, and the recording says what the agent needed next. No model is asked and nothing is changed: a strategy that asks for a summary gets a text made by rules, as long as it may be.',
        ),
        'quiet',
      ),
      ...controls(facts, t),
      ...(unread.length ? [section(t('Left out'), [list(unread)])] : []),
      ...(report ? [describeFigures(report, facts, t)] : []),
      ...(progress ? [] : describeChosen(facts, t)),
      ...(report ? describeLooked(facts, t) : []),
      folded('reading', t('How to read the figures'), [list(readings(t))]),
    ],
  };
}

function controls({ sessions, contenders, progress, report }: LabFacts, t: Translate): PageBlock[] {
  if (progress) {
    const { done, all, secondsLeft } = progress;
    const left = secondsLeft === null ? '' : ` · ${t('about {0} s left', formatCount(Math.max(1, secondsLeft)))}`;
    return [
      text(`${t('{0} of {1} replays are done', done, all)}${left}`),
      { kind: 'actions', actions: [{ id: ACT.cancel, label: t('Cancel') }] },
    ];
  }
  const faulty = contenders.some(({ contender }) => isFaulty(contender));
  const ready = sessions.length > 0 && contenders.length > 0 && !faulty;
  return [
    {
      kind: 'actions',
      actions: [
        { id: ACT.sessions, label: t('Sessions…') },
        { id: ACT.strategies, label: t('Strategies…') },
        { id: ACT.window, label: t('Window…') },
        ...(ready ? [{ id: ACT.replay, label: t('Replay'), primary: true }] : []),
        ...(report && report.strategies.length > 0
          ? [
              { id: ACT.csv, label: t('Save as CSV…') },
              { id: ACT.markdown, label: t('Save as Markdown…') },
              { id: ACT.svg, label: t('Save chart as SVG…') },
            ]
          : []),
      ],
    },
    ...(faulty ? [text(t('A value below cannot be used. Correct it to replay.'), 'warning')] : []),
    ...(sessions.length
      ? []
      : [text(t('Choose the sessions to replay, imported ones included. “Import Session…” adds more.'))]),
  ];
}

function describeChosen({ sessions, contenders }: LabFacts, t: Translate): PageBlock[] {
  const titles = sessions.map(({ title }) => title);
  const chosen = sessions.length
    ? [folded('sessions', t('Sessions'), [list(titles)], t('{0} chosen', sessions.length))]
    : [];
  const settings = contenders.map((each, at) => {
    const first = contenders.findIndex(({ contender }) => contender.strategy.id === each.contender.strategy.id);
    return describeSettings(each, at > first, t);
  });
  return [
    ...chosen,
    ...(settings.length
      ? [folded('strategies', t('Strategies and their settings'), settings, t('{0} chosen', contenders.length))]
      : []),
  ];
}

/** One strategy with its fields. It may appear with several settings side by side; an `added` one can be edited. */
function describeSettings({ contender }: NamedContender, added: boolean, t: Translate): PageBlock {
  const { key, strategy } = contender;
  const { label, kind, fields } = strategy;
  const note = isFaulty(contender) ? t('a value cannot be used') : describeChanges(contender);
  return {
    kind: 'section',
    id: `contender ${key}`,
    title: label,
    note,
    fold: added ? 'open' : 'closed',
    blocks: [
      ...(kind === 'contributed'
        ? [
            text(
              t(
                'It comes from another extension, so it is replayed in the extension host beside your work, in short slices. You are asked about its publisher first.',
              ),
              'quiet',
            ),
          ]
        : []),
      ...(fields.length
        ? [{ kind: 'fields' as const, label: t('Settings of {0}', label), fields: toFields(contender, t) }]
        : [text(t('A baseline for comparison; it has no settings.'), 'quiet')]),
      {
        kind: 'actions',
        actions: [
          ...(fields.length ? [{ id: ACT.another(key), label: t('Add Alongside') }] : []),
          { id: ACT.remove(key), label: t('Remove') },
        ],
      },
    ],
  };
}

const isFaulty = (contender: Contender) => Object.keys(readContender(contender).problems).length > 0;

/** Of one strategy, with what a person typed and what is wrong with it. */
export function toFields(contender: Contender, t: Translate): PageField[] {
  const { key, strategy, typed } = contender;
  const { problems } = readContender(contender);
  return strategy.fields.map((field) => {
    const { description } = field;
    const problem = problems[field.name];
    return {
      id: ACT.set(key, field.name),
      label: field.key,
      description: withoutLinks(t(description)),
      value: typed[field.name] ?? shown(strategy.inForce[field.name]),
      input: field.input,
      choices: choicesOf(field, t),
      ...(problem ? { problem: inLanguage(problem, t) } : {}),
    };
  });
}

const choicesOf = ({ choices }: LabField, t: Translate) =>
  Object.entries(choices).map(([value, [label]]) => ({ value, label: t(label) }));

const shown = (value: unknown) => (value === undefined || value === null ? '' : String(value));

/** The Settings editor turns names of settings into links; a page shows the names. */
const withoutLinks = (description: string) => description.replace(/`#?([^`#]+)#?`/g, '$1');

const readings = (t: Translate): string[] => [
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

/** Points of a percentage that a reader cannot see in the table. */
const NOTHING = 0.05;

/**
 * The result of a replay in a sentence or two: the best strategy, and whether its lead means anything. Cheapest first,
 * with what the agent would have had to read again; yardsticks cannot win.
 */
export function describeWinner(report: LabReport, facts: LabFacts, t: Translate): string {
  const { contenders, results, window } = facts;
  const able = contenders.flatMap(({ name, label, contender }) => {
    const row = report.strategies.find(({ id }) => id === name);
    return row && contender.strategy.kind !== 'yardstick' ? [{ name, label, row }] : [];
  });
  if (able.length === 0 && report.idle.length > 0) return t('No strategy has figures; the reasons are below.');
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
  const [best, next] = able.toSorted((a, b) => a.row.costWithRereadsPercent - b.row.costWithRereadsPercent);
  if (!best) return '';
  const percent = (value: number) => value.toFixed(1);
  const cost = percent(best.row.costWithRereadsPercent);
  if (able.every(({ row }) => Math.abs(row.costWithRereadsPercent - 100) < NOTHING)) {
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
  const ahead = next.row.costWithRereadsPercent - best.row.costWithRereadsPercent;
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
  const [, low = 0, high = 0] = readDifferences(own(next), own(best)).costWithRereadsPercent ?? [];
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
