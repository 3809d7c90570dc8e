/**
 * Describes a preview of a compaction: as a page to read, with the numbers and then the fate of every item, and its parts
 * that other pages show. Pure.
 */

import { insertTokens } from '../../core/compaction/draft/draft.ts';
import { isDropNote } from '../../core/compaction/draft/dropNote.ts';
import { factWords } from '../../core/compaction/draft/ledgerLines.ts';
import type { Preview, PreviewItem } from '../../core/compaction/preview.ts';
import type { ContextItem } from '../../core/context/item.ts';
import { formatCosts, formatMoney } from '../../core/cost/formatMoney.ts';
import type { RequestCosts } from '../../core/cost/spending.ts';
import { type MeterPart, type PartName, partOf, scaleTokens, sumParts, sumTokens } from '../../core/tokens/meter.ts';
import { PART_NAMES } from '../../core/tokens/partNames.ts';
import { inLanguage, type Translate } from '../../core/words.ts';
import type { Page, PageBlock, PageCell } from '../../protocol/pages.ts';
import {
  column,
  folded,
  formatCount,
  formatShare,
  list,
  right,
  section,
  table,
  text,
  toCell,
} from '../pages/blocks.ts';

type Kind = PreviewItem['decision'];

/** In the order of a reader's interest. */
const KINDS: readonly Kind[] = ['drop', 'hide', 'replace', 'undecided'];
const LONGEST_CELL = 160;

/** Facts besides the preview. */
interface PreviewFacts {
  /** The name of the strategy. */
  readonly label: string;
  /** The preview's input items. */
  readonly conversation: readonly ContextItem[];
  readonly room: Room;
}

export function describePreviewPage(preview: Preview, facts: PreviewFacts, t: Translate): Page {
  const { tokensBefore, tokensAfter, items, inserted, repairs } = preview;
  const { label, conversation, room } = facts;
  const byId = new Map(conversation.map((item) => [item.id, item]));
  const freed = tokensBefore - tokensAfter;
  const headings = headingsOf(t);
  const count = (found: readonly unknown[]) => formatCount(found.length);
  const asked = describeAsked(preview, t);
  return {
    title: t('Preview of {0}', label),
    subtitle: t(
      '{0} → {1} tokens: {2} freed ({3})',
      formatCount(tokensBefore),
      formatCount(tokensAfter),
      formatCount(freed),
      formatShare(freed, tokensBefore),
    ),
    blocks: [
      ...(asked ? [text(asked, 'quiet')] : []),
      barsOf(preview, room, t),
      tableOfKinds(preview, room, t),
      {
        kind: 'beside',
        blocks: [
          section(
            t('What is removed'),
            KINDS.filter((kind) => kind !== 'undecided').flatMap((kind) => foldItems(kind)),
          ),
          section(t('What stays'), [
            ...foldItems('undecided'),
            ...inserted.map((added, at) =>
              folded(`added${at}`, t('Added'), [{ kind: 'code', text: added }], toCell(added, LONGEST_CELL)),
            ),
            ...foldLedger(preview, t),
          ]),
        ],
      },
      ...(repairs.length > 0 ? [section(t('Corrections'), [list(repairs.map((each) => inLanguage(each, t)))])] : []),
    ],
  };

  function foldItems(kind: Kind): PageBlock[] {
    const found = decided(items, kind);
    if (found.length === 0) return [];
    const described = found.map(({ id, tokens }) => describeItem(byId.get(id), id, tokens, t));
    return [folded(kind, headings[kind], [table(headings[kind], itemColumns(t), described)], count(found))];
  }
}

/** Nothing where no fact is kept. */
export function foldLedger({ ledger }: Preview, t: Translate): PageBlock[] {
  if (ledger.length === 0) return [];
  const lines = ledger.map((line) => inLanguage(factWords(line), t));
  return [folded('ledger', t('Key facts kept'), [list(lines)], formatCount(ledger.length))];
}

/** The cost of the preview itself; empty when no model was asked. */
export function describeAsked(preview: Preview, t: Translate): string {
  const { usage } = preview;
  if (!usage) return '';
  const [read, written] = [formatCount(usage.input), formatCount(usage.output)];
  return t('This preview asked the model: {0} tokens read, {1} written.', read, written) + costOfPreview(preview, t);
}

/** Without the answers, which cost the same either way. */
export function describeCosts({ now, next, laterBefore, laterAfter, again }: RequestCosts, t: Translate): string {
  const [first, then] = [now, next].map(formatMoney);
  const [before, after] = [laterBefore, laterAfter].map(formatMoney);
  const figures = [first ?? '', then ?? '', before ?? '', after ?? ''];
  return again > 0
    ? t(
        'Cost per request: {0} → {1} for the next one ({4} tokens must be read again instead of coming from the cache), then about {2} → {3}.',
        ...figures,
        formatCount(again),
      )
    : t('Cost per request: {0} → {1} for the next one, then about {2} → {3}.', ...figures);
}

function costOfPreview({ costs }: Preview, t: Translate): string {
  const cost = formatCosts(costs);
  return cost === '' ? '' : ` (${t('Cost: {0}', cost)})`;
}

/** `$0.03 → $0.01`, once the cache holds the prompt. */
export function summariseCosts({ laterBefore, laterAfter }: RequestCosts): string {
  return `${formatMoney(laterBefore)} → ${formatMoney(laterAfter)}`;
}

const headingsOf = (t: Translate): Readonly<Record<Kind, string>> => ({
  drop: t('Dropped'),
  hide: t('Replaced by a placeholder'),
  replace: t('Shortened'),
  undecided: t('Kept as they are'),
});

const itemColumns = (t: Translate) => [column(t('Message')), right(t('Tokens')), column(t('Text'))];

function describeItem(item: ContextItem | undefined, id: string, tokens: number, t: Translate): string[] {
  if (!item) return [id, formatCount(tokens), ''];
  const { message } = item;
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []).map(({ name }) => t('calls {0}', name)) : [];
  const who = message.role === 'tool' ? t('result of {0}', message.toolName) : item.kind;
  const said = toCell([message.text, ...calls].filter(Boolean).join(' '), LONGEST_CELL);
  return [`${id} · ${who}${item.pinned ? ` · ${t('pinned')}` : ''}`, formatCount(tokens), said];
}

function decided(items: Preview['items'], kind: Kind): Preview['items'] {
  return items.filter(({ decision }) => decision === kind);
}

// A context before and after a compaction, by kind: two bars of one scale, and the one table with their figures, which
// add up to what the meter shows.

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
  const held = messages.map(({ tokens }, index) => ({ name: nameAt(index), tokens }));
  const freed = sumParts([
    ...messages.map(({ tokens }, index) => ({ name: nameAt(index), tokens: tokens - draft.tokensAt(index) })),
    ...draft.inserts.map(({ text }) => ({ name: 'summaries' as const, tokens: -insertTokens(text) })),
  ]);
  const estimates = sumParts([...header, ...held, ...freed.map(({ name }) => ({ name, tokens: 0 }))]);
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

/** One line, such as `7 hidden · 20 summarised`, in the words of the row that a compaction leaves. */
export function summarisePreview({ items, inserted }: Pick<Preview, 'items' | 'inserted'>, t: Translate): string {
  const count = (wanted: Preview['items'][number]['decision']) =>
    items.filter(({ decision }) => decision === wanted).length;
  const [hidden, dropped, shortened] = [count('hide'), count('drop'), count('replace')];
  const added = inserted.filter((each) => !isDropNote(each)).length;
  return [
    ...(hidden ? [t('{0} hidden', hidden)] : []),
    ...(dropped ? [added ? t('{0} summarised', dropped) : t('{0} dropped', dropped)] : []),
    ...(shortened ? [t('{0} shortened', shortened)] : []),
    ...(added && !dropped ? [t('{0} added', added)] : []),
  ].join(' · ');
}
