/** The lab as a page: the selected sessions and settings, the progress, and the results. Pure. */

import { type Translate, tell } from '../../core/words.ts';
import type { Page, PageBlock, PageField } from '../../protocol/pages.ts';
import { folded, formatCount, list, section, text } from '../pages/blocks.ts';
import { type Contender, describeChanges, readContender } from './contenders.ts';
import { describeFigures, describeLooked } from './describeReport.ts';
import { describeWinner } from './describeWinner.ts';
import type { LabField } from './labFields.ts';
import { ACT, type LabFacts, type NamedContender } from './labFields.ts';

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
          'Each session is replayed under each strategy: before every recorded answer the strategy says what would have been sent, and the recording says what the agent needed next. No model is asked and nothing is changed.',
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
        ...(report
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
  const chosen = sessions.length ? [folded('sessions', t('Sessions'), [list(titles)], String(sessions.length))] : [];
  const settings = contenders.map((each, at) => {
    const first = contenders.findIndex(({ contender }) => contender.strategy.id === each.contender.strategy.id);
    return describeSettings(each, at > first, t);
  });
  return [
    ...chosen,
    ...(settings.length
      ? [folded('strategies', t('Strategies and their settings'), settings, String(contenders.length))]
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
        : [text(t('A yardstick of the lab; it has no settings.'), 'quiet')]),
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
      ...(problem ? { problem: tell(problem, t) } : {}),
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
