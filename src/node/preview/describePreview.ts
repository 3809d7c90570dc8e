/**
 * Describes a preview of a compaction: as a page to read, with the numbers and then the fate of every item, and its parts
 * that other pages show. Pure.
 */

import type { Preview } from '../../core/compaction/consent/preview.ts';
import { factWords } from '../../core/compaction/draft/ledgerLines.ts';
import type { ContextItem } from '../../core/context/item.ts';
import { formatCosts, formatMoney } from '../../core/cost/formatMoney.ts';
import type { RequestCosts } from '../../core/cost/spending.ts';
import { FATE_NAMES, FATES, type Fate } from '../../core/fates.ts';
import { formatCount, formatShare } from '../../core/figures.ts';
import { nameTool } from '../../core/tools/toolNames.ts';
import { inLanguage, type Translate } from '../../core/words.ts';
import type { Page, PageBlock } from '../../protocol/pages.ts';
import { column, folded, list, nameItem, right, section, table, text, toCell } from '../pages/blocks.ts';
import { barsOf, type Room, tableOfKinds } from './contextBars.ts';

/** In the order of a reader's interest. */
const GONE: readonly Fate[] = FATES.toReversed().filter((fate) => fate !== 'kept');
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
  const { factor } = preview.start.budget.reading;
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
            GONE.flatMap((fate) => foldItems(fate)),
          ),
          section(t('What stays'), [
            ...foldItems('kept'),
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

  function foldItems(fate: Fate): PageBlock[] {
    const found = items.filter((item) => item.fate === fate);
    if (found.length === 0) return [];
    const heading = inLanguage(FATE_NAMES[fate], t);
    const described = found.map(({ id, tokens }) => describeItem(byId.get(id), id, tokens * factor, t));
    return [folded(fate, heading, [table(heading, itemColumns(t), described)], count(found))];
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

const itemColumns = (t: Translate) => [column(t('Message')), right(t('Tokens')), column(t('Text'))];

function describeItem(item: ContextItem | undefined, id: string, tokens: number, t: Translate): string[] {
  if (!item) return [id, formatCount(tokens), ''];
  const { message } = item;
  const calls =
    message.role === 'assistant' ? (message.toolCalls ?? []).map(({ name }) => t('calls {0}', nameTool(name, t))) : [];
  const excerpt = toCell([message.text, ...calls].filter(Boolean).join(' '), LONGEST_CELL);
  return [`${id} · ${nameItem(item, t)}${item.pinned ? ` · ${t('pinned')}` : ''}`, formatCount(tokens), excerpt];
}
