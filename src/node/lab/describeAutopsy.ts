/**
 * The autopsy of a session as a page: in an editor tab, in a terminal, and as a file to share. The first lines say what
 * was lost and what it would have cost to keep it. Pure.
 */

import { formatCount, formatShare } from '../../core/figures.ts';
import { RECORDED } from '../../core/journal/entry.ts';
import { nameTool } from '../../core/tools/toolNames.ts';
import { joinSentences, type Translate } from '../../core/words.ts';
import type { Autopsy, CompactionAutopsy, Need } from '../../lab/autopsy.ts';
import type { Page, PageAction, PageBlock, PageCell } from '../../protocol/pages.ts';
import { column, facts, folded, list, right, table, text, toCell } from '../pages/blocks.ts';
import { kindOf } from './describeStep.ts';

/** Strategies beside the real compaction unless others are asked for. */
export const RIVALS: readonly string[] = ['layered', 'selective'];

/** Ids of the page's actions. */
export const AUTOPSY_ACT = {
  need: (compaction: number, need: number) => `need ${compaction} ${need}`,
  restore: (compaction: number) => `restore ${compaction}`,
  save: 'save',
  strategies: 'strategies',
} as const;

export interface AutopsyFacts {
  readonly autopsy: Autopsy;
  /** Names of the strategies for the reader, by id. */
  readonly labels: ReadonlyMap<string, string>;
  /** Buttons at the top of the page; none in a file. */
  readonly actions: readonly PageAction[];
}

const MOST_ROWS = 100;
const MOST_FILES = 20;
const MOST_UNKNOWN = 20;
const LONGEST = 120;

export function describeAutopsy({ autopsy, labels, actions }: AutopsyFacts, t: Translate): Page {
  const { session, compactions, unknown } = autopsy;
  const labelOf = (id: string) => labels.get(id) ?? id;
  return {
    title: t('Autopsy of compactions'),
    subtitle: session,
    blocks: [
      ...(compactions.length > 0
        ? describeAll(autopsy, labelOf, t)
        : [text(t('This session has no compaction that can be analysed.'))]),
      ...(unknown.length > 0
        ? [
            text(
              t(
                'Not analysed, because what replaced the history is encrypted or missing in the recording: {0}',
                unknown
                  .slice(0, MOST_UNKNOWN)
                  .map(({ nth, after }) => t('compaction {0} after message {1}', formatCount(nth), formatCount(after)))
                  .join('; ') + (unknown.length > MOST_UNKNOWN ? ' …' : ''),
              ),
              'warning' as const,
            ),
          ]
        : []),
      ...(actions.length > 0 ? [{ kind: 'actions' as const, actions: [...actions] }] : []),
      ...compactions.map((each, at) => describeOne(each, at, labelOf, t)),
      folded('reading', t('How to read this'), [list(readings(t))]),
    ],
  };
}

function describeAll({ compactions }: Autopsy, labelOf: (id: string) => string, t: Translate): PageBlock[] {
  const sum = (of: (each: CompactionAutopsy) => number) => compactions.reduce((total, each) => total + of(each), 0);
  const [needs, lost] = [sum((each) => each.needs), sum((each) => each.lost.length)];
  const undone = compactions.filter(({ then }) => then === 'undone').length;
  const repeats = compactions.flatMap((each) => each.repeats);
  const strategies = [...new Set(compactions.flatMap(({ rivals }) => rivals.map(({ strategy }) => strategy)))];
  const kept = (strategy: string) =>
    sum(({ rivals }) => rivals.find((rival) => rival.strategy === strategy)?.kept ?? 0);
  return [
    text(
      t(
        'Compactions: {0}. Paths, names and lines that the agent needed again: {1}, of these gone: {2}. Read or run again at once: {3}, {4} tokens.',
        formatCount(compactions.length),
        formatCount(needs),
        formatCount(lost),
        formatCount(repeats.length),
        formatCount(repeats.reduce((total, { tokens }) => total + tokens, 0)),
      ),
    ),
    text(
      joinSentences([
        t(
          'Paid for themselves before the next one, their undoing or the end: {0} of {1}.',
          formatCount(compactions.filter(isPaid).length),
          formatCount(compactions.length),
        ),
        ...(undone > 0 ? [t('Undone: {0}.', formatCount(undone))] : []),
      ]),
    ),
    ...(needs > 0
      ? [
          {
            kind: 'meter' as const,
            label: t('Needed again: {0} still there, {1} gone', formatCount(needs - lost), formatCount(lost)),
            of: needs,
            bars: [
              {
                name: '',
                parts: [
                  { label: t('still there'), value: needs - lost, tone: 'same' as const },
                  { label: t('gone'), value: lost, tone: 'gone' as const },
                ],
              },
            ],
            marks: [],
          },
          table(
            t('At the same cost'),
            [column(t('At the same cost')), right(t('Still there')), right(t('Gone'))],
            [
              [t('As it happened'), shareOf(needs - lost, needs), formatCount(lost)],
              ...strategies.map((id): PageCell[] => [
                labelOf(id),
                shareOf(kept(id), needs),
                formatCount(needs - kept(id)),
              ]),
            ],
          ),
        ]
      : []),
  ];
}

function describeOne(one: CompactionAutopsy, at: number, labelOf: (id: string) => string, t: Translate): PageBlock {
  const { nth, after, by, tokensBefore, tokensAfter, left, lost, needs, steps, repeats, then } = one;
  const files = left.files.slice(0, MOST_FILES);
  const more = left.files.length - files.length;
  return {
    kind: 'section',
    id: `compaction ${nth}`,
    title:
      then === 'undone'
        ? t('Compaction {0}, after message {1}, undone', formatCount(nth), formatCount(after))
        : t('Compaction {0}, after message {1}', formatCount(nth), formatCount(after)),
    note: t('{0} of {1} gone', formatCount(lost.length), formatCount(needs)),
    fold: at === 0 ? 'open' : 'closed',
    blocks: [
      facts(
        // An imported session does not name its strategy.
        ...(by && by !== RECORDED ? [[t('By'), labelOf(by)] as const] : []),
        [t('Tokens of the messages'), `${formatCount(tokensBefore)} → ${formatCount(tokensAfter)}`],
        [
          t('What left'),
          t(
            'Messages: {0}, of these results: {1}, {2} tokens',
            formatCount(left.messages),
            formatCount(left.results),
            formatCount(left.tokens),
          ),
        ],
        ...(files.length > 0
          ? [[t('Files read before'), `${files.join(', ')}${more > 0 ? ` … (+${more})` : ''}`] as const]
          : []),
        [t('Answers looked at'), formatCount(steps)],
        [t('Cost'), costOf(one, t)],
      ),
      {
        kind: 'actions',
        actions: [{ id: AUTOPSY_ACT.restore(nth), label: t('Continue from Here, Restored'), primary: at === 0 }],
      },
      table(
        t('At the same cost'),
        [column(t('At the same cost')), right(t('Tokens')), right(t('Still there')), right(t('Gone'))],
        [
          [
            t('As it happened'),
            formatCount(tokensAfter),
            shareOf(needs - lost.length, needs),
            formatCount(lost.length),
          ],
          ...one.rivals.map((rival): PageCell[] => [
            labelOf(rival.strategy),
            formatCount(rival.tokensAfter),
            shareOf(rival.kept, needs),
            formatCount(rival.lost.length),
          ]),
        ],
      ),
      folded(`lost ${nth}`, t('Needed later and gone'), describeLost(one, labelOf, t), formatCount(lost.length)),
      folded(
        `repeats ${nth}`,
        t('Read or run again in the next 24 calls'),
        [describeRepeats(one, t)],
        formatCount(repeats.length),
      ),
    ],
  };
}

function describeLost(
  { nth, lost, rivals }: CompactionAutopsy,
  labelOf: (id: string) => string,
  t: Translate,
): PageBlock[] {
  if (lost.length === 0) return [text(t('Nothing was missing.'))];
  const keyOf = ({ kind, text, message }: Need) => `${message} ${kind} ${text}`;
  const gone = rivals.map((rival) => new Set(rival.lost.map(keyOf)));
  const rows = table(
    t('Needed later and gone'),
    [
      right(t('Step')),
      column(t('Kind')),
      column(t('What the agent needed')),
      ...rivals.map(({ strategy }) => column(labelOf(strategy))),
    ],
    lost
      .slice(0, MOST_ROWS)
      .map((need, at): PageCell[] => [
        formatCount(need.step),
        kindOf(need.kind, t),
        { text: toCell(need.text, LONGEST), act: AUTOPSY_ACT.need(nth, at) },
        ...gone.map((set) => (set.has(keyOf(need)) ? t('gone') : t('still there'))),
      ]),
  );
  const more = lost.length - MOST_ROWS;
  return more > 0 ? [rows, text(t('… and {0} more', formatCount(more)), 'quiet')] : [rows];
}

function describeRepeats({ repeats }: CompactionAutopsy, t: Translate): PageBlock {
  if (repeats.length === 0) return text(t('Nothing was read or run again.'));
  return table(
    t('Read or run again in the next 24 calls'),
    [right(t('Call')), column(t('Tool')), column(t('Read or run again')), right(t('Tokens'))],
    repeats.map(({ call, tool, what, tokens }) => [
      formatCount(call + 1),
      toCell(nameTool(tool, t), LONGEST),
      toCell(what, LONGEST),
      formatCount(tokens),
    ]),
  );
}

function costOf({ cost, steps, then }: CompactionAutopsy, t: Translate): string {
  const { summary, rewritten, repeats, paysAfter } = cost;
  const breakdown = t(
    '{0} tokens at the input price: {1} for the summary, {2} for the new beginning, {3} for what was read again.',
    formatCount(summary + rewritten + repeats),
    formatCount(summary),
    formatCount(rewritten),
    formatCount(repeats),
  );
  if (paysAfter === null) return `${breakdown} ${t('It freed nothing, so it did not pay for itself.')}`;
  const pays =
    paysAfter <= steps
      ? t('Requests until it had paid for itself: {0}.', formatCount(paysAfter))
      : t('It did not pay for itself. Requests that it would have needed: {0}.', formatCount(paysAfter));
  return `${breakdown} ${pays} ${describeEnd(then, steps, t)}`;
}

function describeEnd(then: CompactionAutopsy['then'], steps: number, t: Translate): string {
  switch (then) {
    case 'compacted':
      return t('Requests until the next compaction: {0}.', formatCount(steps));
    case 'undone':
      return t('Requests until it was undone: {0}.', formatCount(steps));
    case 'over':
      return t('Requests until the session ended: {0}.', formatCount(steps));
  }
}

const isPaid = ({ cost: { paysAfter }, steps }: CompactionAutopsy) => paysAfter !== null && paysAfter <= steps;

const shareOf = (part: number, whole: number) => (whole === 0 ? '–' : formatShare(part, whole));

const readings = (t: Translate): string[] => [
  t(
    'Needed: a path, a name or a line in a call of the agent that it could only know from before the compaction. Results that merely repeat an earlier one do not count as a new source.',
  ),
  t(
    'Gone: it was no longer anywhere in the context right after the compaction. Nothing says that it made the answer worse.',
  ),
  t(
    'Cost: at the prices of the session’s model and the cache that it reported. Where a recording has no price, a cached token counts as a tenth of an input token, one that is read and written to the cache as 1.25, an output token as five. If it lacks the usage of the summary, its length is counted, and the history before it as cached.',
  ),
  t(
    'Paid: each request after it cost less by what had left, read from the cache. The prices are those by which Palimpsest decides to compact early.',
  ),
  t(
    'At the same cost: each strategy compacts the same context without asking a model, and may keep as many tokens as the real compaction kept and its summary cost over the requests that followed.',
  ),
];
