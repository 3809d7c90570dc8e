/**
 * All strategies in one table: what each would leave of the context, and what going on costs then. Every figure is of a run
 * that changed nothing; one with ≈ is of a run without its model. Pure.
 */

import type { EstimateOutcome } from '../../core/compaction/consent/preview.ts';
import { WRITTEN_TOKENS } from '../../core/compaction/draft/summaryLength.ts';
import { formatCosts, formatMoney } from '../../core/cost/formatMoney.ts';
import { formatCount, formatShare } from '../../core/figures.ts';
import { inLanguage, type Translate } from '../../core/words.ts';
import type { PageBlock, PageCell } from '../../protocol/pages.ts';
import { column, minor, right, table, text } from '../pages/blocks.ts';
import { type GoingOn, goingOn, type Prospects, type TriedStrategy } from './previewCosts.ts';
import { summarisePreview } from './summarisePreview.ts';

export interface ComparedStrategy {
  readonly label: string;
  /** Of the button that shows what becomes of each message. */
  readonly act: string;
  /** Null before it was tried. */
  readonly outcome: EstimateOutcome | null;
  /** Shown in place of an outcome. */
  readonly untried: string;
}

export function comparePreviews(
  label: string,
  strategies: readonly ComparedStrategy[],
  prospects: Prospects,
  t: Translate,
): PageBlock[] {
  const { tokens: now, price, growth, full } = prospects;
  const tried = strategies.map(({ outcome }) => triedIn(outcome));
  const whole = Math.max(1, now, ...tried.map((each) => each?.tokensAfter ?? 0));
  const hasCosts = price !== null;
  const hasEnd = growth !== null && full !== null;
  const row = (name: PageCell, of: TriedStrategy | null, goes: string, tokens: number, going: GoingOn): PageCell[] => [
    name,
    { text: about(of, formatCount(tokens)), share: tokens / whole, tone: 'same' },
    of ? formatShare(of.tokensBefore - of.tokensAfter, of.tokensBefore) : '',
    of ? describeRequests(of.requests, t) : '',
    ...(hasCosts ? [about(of, going.now ? formatCosts(going.now) : '–')] : []),
    ...(hasEnd ? [about(of, describeUntilFull(going.untilFull, t))] : []),
    ...(hasCosts && hasEnd ? [about(of, formatCount(going.untilFull?.requests ?? 0))] : []),
    goes,
  ];
  return [
    table(
      label,
      [
        column(t('Strategy')),
        right(t('Tokens after')),
        minor(right(t('Freed'))),
        column(t('Summary')),
        ...(hasCosts ? [right(t('Cost now'))] : []),
        ...(hasEnd ? [right(hasCosts ? t('Cost until full') : t('Until full'))] : []),
        ...(hasCosts && hasEnd ? [minor(right(t('Requests')))] : []),
        column(t('What goes')),
      ],
      [
        row(t('As it is now'), null, '', now, goingOn(null, prospects)),
        ...strategies.map(({ label: name, act, outcome, untried }, at) => {
          const of = tried[at] ?? null;
          const button = { text: name, act };
          return of
            ? row(button, of, summarisePreview(of, t) || t('nothing'), of.tokensAfter, goingOn(of, prospects))
            : [button, { text: describeUntried(outcome, untried, t), rest: true as const }];
        }),
      ],
    ),
    ...(tried.some((each) => each?.kind === 'estimate') ? [text(aboutEstimates(t), 'quiet')] : []),
    ...(hasEnd ? [text(aboutCosts(hasCosts, growth, full, t), 'quiet')] : []),
  ];
}

function triedIn(outcome: EstimateOutcome | null): TriedStrategy | null {
  return outcome?.kind === 'preview' || outcome?.kind === 'estimate' ? outcome : null;
}

const about = (of: TriedStrategy | null, figure: string): string => (of?.kind === 'estimate' ? `≈ ${figure}` : figure);

function describeRequests(requests: number, t: Translate): string {
  if (requests === 0) return t('none');
  return requests === 1 ? t('1 request') : t('{0} requests', formatCount(requests));
}

function describeUntilFull(until: GoingOn['untilFull'], t: Translate): string {
  if (!until || until.requests === 0) return t('full');
  return until.cost ? formatMoney(until.cost) : describeRequests(until.requests, t);
}

function describeUntried(outcome: EstimateOutcome | null, untried: string, t: Translate): string {
  switch (outcome?.kind) {
    case 'none':
      return inLanguage(outcome.reason, t);
    case 'failed':
      return t('failed: {0}', inLanguage(outcome.reason, t));
    case 'unknown':
      return t('asks the model, and only its answer tells: choose it to try it');
    default:
      return untried;
  }
}

const aboutEstimates = (t: Translate): string =>
  t(
    '≈ is an estimate of a strategy that asks the model: it was run without it, with a text of about {0} tokens for each answer. Nothing was sent. Choosing it asks the model.',
    formatCount(WRITTEN_TOKENS),
  );

function aboutCosts(hasCosts: boolean, growth: number, full: number, t: Translate): string {
  const figures = [formatCount(full), formatCount(growth)] as const;
  return hasCosts
    ? t(
        'Cost now: the summary and the next request. Cost until full: all requests until the context has {0} tokens, where each adds {1} as they lately did here. Answers are not counted.',
        ...figures,
      )
    : t(
        'Until full: requests until the context has {0} tokens, where each adds {1} as they lately did here.',
        ...figures,
      );
}
