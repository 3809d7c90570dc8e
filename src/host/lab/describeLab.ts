/** The lab as a page: the selected sessions and settings, the progress, and the results. Pure. */

import { formatCount } from '../../core/figures.ts';
import { inLanguage, type Translate } from '../../core/words.ts';
import { describeFigures, describeRuns, type ReportFacts, readings } from '../../node/lab/describeReport.ts';
import type { LabField } from '../../node/lab/labFields.ts';
import { describeVerdict, isTelling } from '../../node/lab/verdict.ts';
import { folded, list, section, text } from '../../node/pages/blocks.ts';
import type { Page, PageBlock, PageField } from '../../protocol/pages.ts';
import { type Contender, describeChanges, type NamedContender, readContender } from './contenders.ts';
import { describeLooked } from './describeLooked.ts';
import { ACT, type LabFacts, labelOf } from './labFacts.ts';

export function describeLab(facts: LabFacts, t: Translate): Page {
  const { sessions, contenders, window, unread, progress } = facts;
  const report = reportFacts(facts);
  const hasFigures = report === null || isTelling(report);
  return {
    title: t('Strategy lab'),
    subtitle: t(
      'Sessions: {0} · strategies: {1} · window: {2} tokens',
      formatCount(sessions.length),
      formatCount(contenders.length),
      formatCount(window),
    ),
    blocks: [
      ...(report ? [text(describeVerdict(report, t))] : []),
      text(
        t(
          'Each session is replayed under each strategy: before every recorded answer the strategy says what would have been sent, and the recording says what the agent needed next. No model is asked and nothing is changed: a strategy that asks for a summary gets a text made by rules, as long as it may be.',
        ),
        'quiet',
      ),
      ...controls(facts, sessions.length > 0 && hasFigures, t),
      ...(unread.length ? [section(t('Left out'), [list(unread)])] : []),
      ...(report ? (hasFigures ? [describeFigures(report, t)] : describeRuns(report, t)) : []),
      ...(progress ? [] : describeChosen(facts, t)),
      ...(report && hasFigures ? describeLooked(facts, t) : []),
      folded('reading', t('How to read the figures'), [list(readings(t))]),
    ],
  };
}

/** Null before a replay is over. */
function reportFacts({ report, results, broken, contenders }: LabFacts): ReportFacts | null {
  if (!report) return null;
  const at = (id: string) => contenders.findIndex(({ name }) => name === id);
  const isYardstick = (id: string) => contenders[at(id)]?.contender.strategy.kind === 'yardstick';
  return {
    report,
    scores: results.map(({ score }) => score),
    broken,
    labelOf: (id) => labelOf({ contenders }, id),
    isYardstick,
    look: (id) => ACT.strategy(at(id)),
    use: (id) => (isYardstick(id) ? null : ACT.use(at(id))),
  };
}

/** `isTelling`: what is chosen can be compared; else longer sessions are offered. */
function controls(facts: LabFacts, isTelling: boolean, t: Translate): PageBlock[] {
  const { sessions, contenders, progress, report } = facts;
  if (progress) {
    const { done, all, secondsLeft } = progress;
    const left = secondsLeft === null ? '' : ` · ${t('about {0} s left', formatCount(Math.max(1, secondsLeft)))}`;
    return [
      text(`${t('{0} of {1} replays are done', formatCount(done), formatCount(all))}${left}`),
      { kind: 'actions', actions: [{ id: ACT.cancel, label: t('Cancel') }] },
    ];
  }
  const faulty = contenders.some(({ contender }) => isFaulty(contender));
  const ready = sessions.length > 0 && contenders.length > 0 && !faulty;
  return [
    {
      kind: 'actions',
      actions: [
        ...(isTelling
          ? [{ id: ACT.sessions, label: t('Sessions…') }]
          : [
              { id: ACT.sample, label: t('Replay the Sample'), primary: true },
              { id: ACT.longer, label: t('Longer Sessions…') },
            ]),
        { id: ACT.strategies, label: t('Strategies…') },
        { id: ACT.window, label: t('Window…') },
        ...(ready ? [{ id: ACT.replay, label: t('Replay'), primary: isTelling }] : []),
        ...(isTelling && report && report.strategies.length > 0
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
    ...(isTelling
      ? []
      : [
          text(
            t('The sample is a made-up session of a coding agent: long enough to show how the strategies differ.'),
            'quiet',
          ),
        ]),
  ];
}

function describeChosen({ sessions, contenders }: LabFacts, t: Translate): PageBlock[] {
  const titles = sessions.map(({ title }) => title);
  const chosen = sessions.length
    ? [folded('sessions', t('Sessions'), [list(titles)], t('{0} chosen', formatCount(sessions.length)))]
    : [];
  const settings = contenders.map((each, at) => {
    const first = contenders.findIndex(({ contender }) => contender.strategy.id === each.contender.strategy.id);
    return describeSettings(each, at > first, t);
  });
  return [
    ...chosen,
    ...(settings.length
      ? [
          folded(
            'strategies',
            t('Strategies and their settings'),
            settings,
            t('{0} chosen', formatCount(contenders.length)),
          ),
        ]
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
