/**
 * A context before and after a compaction, by kind: two bars of one scale, and the one table with their figures, which
 * add up to what the meter shows.
 */

import type { Preview } from '../../core/compaction/consent/preview.ts';
import { insertTokens } from '../../core/compaction/draft/draft.ts';
import { formatCount, formatShare } from '../../core/figures.ts';
import { type MeterPart, type PartName, partOf, scaleTokens, sumParts, sumTokens } from '../../core/tokens/meter.ts';
import { PART_NAMES } from '../../core/tokens/partNames.ts';
import { inLanguage, type Translate } from '../../core/words.ts';
import type { PageBlock, PageCell } from '../../protocol/pages.ts';
import { column, right, table } from '../pages/blocks.ts';
import { summarisePreview } from './summarisePreview.ts';

/** The room that the bars are drawn in. */
export interface Room {
  /** Uncalibrated tokens of what precedes the conversation. */
  readonly header: readonly MeterPart[];
  /** In tokens; 0 when unknown. */
  readonly window: number;
  /** Tokens at which an automatic compaction starts; null where tokens do not decide. */
  readonly trigger: number | null;
}

interface KindChange {
  readonly name: PartName;
  readonly before: number;
  readonly after: number;
}

/** A context that fills less of its window is drawn as wide as the page. */
const LEAST_SHARE = 0.25;

export function barsOf(preview: Preview, room: Room, t: Translate): PageBlock {
  const { tokensBefore, tokensAfter } = preview;
  const { window, trigger } = room;
  const kinds = kindsOf(preview, room.header);
  const inWindow = window > 0 && tokensBefore >= window * LEAST_SHARE;
  const bar = (name: string, of: 'before' | 'after') => ({
    name: `${name} ${formatCount(of === 'before' ? tokensBefore : tokensAfter)}`,
    parts: kinds.map((kind) => ({ tone: kind.name, value: kind[of], label: '' })),
  });
  const done = summarisePreview(preview, t);
  const freed = tokensBefore - tokensAfter;
  return {
    kind: 'meter',
    label: [
      t(
        '{0} of {1} tokens freed ({2})',
        formatCount(freed),
        formatCount(tokensBefore),
        formatShare(freed, tokensBefore),
      ),
      ...(done ? [done] : []),
    ].join(' · '),
    of: Math.max(1, tokensBefore, tokensAfter, inWindow ? window : 0),
    bars: [bar(t('Before'), 'before'), bar(t('After'), 'after')],
    marks: inWindow
      ? [
          ...(trigger === null ? [] : [{ at: trigger, label: t('Compaction starts at {0}', formatCount(trigger)) }]),
          { at: window, label: t('Window: {0}', formatCount(window)), limit: true },
        ]
      : [],
  };
}

export function tableOfKinds(preview: Preview, room: Pick<Room, 'header'>, t: Translate): PageBlock {
  const row = (name: PageCell, before: number, after: number): PageCell[] => [
    name,
    formatCount(before),
    formatCount(after),
    before === after ? '–' : formatCount(before - after).replace('-', '−'),
  ];
  return table(
    t('Tokens before and after'),
    [column(t('Tokens')), right(t('Before')), right(t('After')), right(t('Freed'))],
    [
      ...kindsOf(preview, room.header).map(({ name, before, after }) =>
        row({ text: inLanguage(PART_NAMES[name], t), tone: name }, before, after),
      ),
      row(t('Total'), preview.tokensBefore, preview.tokensAfter),
    ],
  );
}

/** A kind that does not change has the same figure twice; both columns add up to the totals of the preview. */
function kindsOf(preview: Preview, header: readonly MeterPart[]): KindChange[] {
  const { tokensBefore, tokensAfter, start, proposal } = preview;
  const { draft } = proposal;
  const { items, messages } = start.history;
  const nameAt = (index: number): PartName => partOf(items[index]?.kind ?? 'reminder');
  const parts = messages.map(({ tokens }, index) => ({ name: nameAt(index), tokens }));
  const freed = sumParts([
    ...messages.map(({ tokens }, index) => ({ name: nameAt(index), tokens: tokens - draft.tokensAt(index) })),
    ...draft.inserts.map(({ text }) => ({ name: 'summaries' as const, tokens: -insertTokens(text) })),
  ]);
  const estimates = sumParts([...header, ...parts, ...freed.map(({ name }) => ({ name, tokens: 0 }))]);
  const before = scaleTokens(estimates, tokensBefore);
  const difference = sumTokens(freed);
  const scale = difference === 0 ? 1 : (tokensBefore - tokensAfter) / difference;
  const left = before.map(({ name, tokens }) => {
    const own = freed.find((each) => each.name === name)?.tokens ?? 0;
    return { name, tokens: Math.max(0, tokens - Math.round(own * scale)) };
  });
  const after = addRest(left, tokensAfter, (name) => freed.some((each) => each.name === name && each.tokens !== 0));
  return before
    .map(({ name, tokens }, at) => ({ name, before: tokens, after: after[at]?.tokens ?? 0 }))
    .filter((kind) => kind.before + kind.after > 0);
}

/** The biggest kind that changes takes the rest that rounding leaves. */
function addRest(parts: readonly MeterPart[], tokens: number, changes: (name: PartName) => boolean): MeterPart[] {
  const rest = tokens - sumTokens(parts);
  const fitting = parts.filter((part) => changes(part.name) && part.tokens + rest >= 0);
  const biggest = (fitting.length > 0 ? fitting : parts).reduce<MeterPart | null>(
    (a, b) => (a && a.tokens >= b.tokens ? a : b),
    null,
  );
  return parts.map((part) => (part === biggest ? { ...part, tokens: part.tokens + rest } : part));
}
