/** One session of a replay on the lab's page: the size of its requests under each strategy, and what one of them lacked. Pure. */

import { formatCount } from '../../core/figures.ts';
import type { Translate } from '../../core/words.ts';
import { kindOf } from '../../node/lab/describeStep.ts';
import type { LabResult } from '../../node/lab/replayStored.ts';
import { column, minor, right, section, table, text, toCell } from '../../node/pages/blocks.ts';
import type { PageBlock } from '../../protocol/pages.ts';
import { ACT, type LabFacts, labelOf } from './labFacts.ts';

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
        [
          column(t('Strategy')),
          right(t('Largest')),
          minor(right(t('Mean'))),
          right(t('Compactions')),
          right(t('Rewrites')),
        ],
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
                    { text: t('Step {0}', formatCount(step)), act: ACT.miss(at) },
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
