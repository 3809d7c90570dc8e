/**
 * What a compaction would do, as Markdown for an editor: the numbers, then every item with what becomes of it. Pure.
 */

import type { Preview, PreviewItem } from '../../core/compaction/commit/preview.ts';
import { factWords } from '../../core/compaction/draft/facts.ts';
import type { ContextItem } from '../../core/context/item.ts';
import { formatCosts, formatMoney } from '../../core/cost/formatMoney.ts';
import type { RequestCosts } from '../../core/cost/requestCosts.ts';
import { type Translate, tell } from '../../core/words.ts';
import { alignTable, fenced, formatCount, formatShare, toCell } from './textTable.ts';

type Kind = PreviewItem['decision'];

/** In the order in which a reader asks. */
const KINDS: readonly Kind[] = ['drop', 'hide', 'replace', 'undecided'];
const LONGEST_CELL = 80;

/** One line for a list, such as `7 hidden · 2 dropped · 1 added`. */
export function summarisePreview({ items, inserted }: Pick<Preview, 'items' | 'inserted'>, t: Translate): string {
  const [dropped, hidden, shortened] = KINDS.map((kind) => decided(items, kind).length);
  return [
    ...(dropped ? [t('{0} dropped', dropped)] : []),
    ...(hidden ? [t('{0} hidden', hidden)] : []),
    ...(shortened ? [t('{0} shortened', shortened)] : []),
    ...(inserted.length ? [t('{0} added', inserted.length)] : []),
  ].join(' · ');
}

/** `conversation` is what the preview was made from. */
export function describePreviewText(
  label: string,
  preview: Preview,
  conversation: readonly ContextItem[],
  t: Translate,
  costs: RequestCosts | null = null,
): string {
  const { tokensBefore, tokensAfter, items, inserted, repairs, ledger, usage } = preview;
  const byId = new Map(conversation.map((item) => [item.id, item]));
  const freed = tokensBefore - tokensAfter;
  const headings = headingsOf(t);
  const rows = KINDS.map((kind) => [kind, decided(items, kind)] as const).filter(([, found]) => found.length > 0);
  const lines = [
    `# ${t('Preview of {0}', label)}`,
    '',
    t(
      '{0} → {1} tokens: {2} freed ({3}). Nothing is changed until it is applied, and applying can be undone.',
      formatCount(tokensBefore),
      formatCount(tokensAfter),
      formatCount(freed),
      formatShare(freed, tokensBefore),
    ),
    '',
    ...(costs ? [describeCosts(costs, t), ''] : []),
    ...alignTable(
      [{ title: t('Messages') }, { title: t('Number'), align: 'right' }, { title: t('Tokens now'), align: 'right' }],
      rows.map(([kind, found]) => [headings[kind], formatCount(found.length), formatCount(sum(found))]),
    ),
    ...(usage
      ? [
          '',
          t(
            'This preview asked the model: {0} tokens read, {1} written.',
            formatCount(usage.input),
            formatCount(usage.output),
          ) + costOfPreview(preview, t),
        ]
      : []),
    ...section(
      t('What is added'),
      inserted.flatMap((text) => [...fenced(text), '']),
    ),
    ...section(t('Mended before it was accepted'), list(repairs.map((each) => tell(each, t)))),
    ...section(
      t('Ledger beside it: facts added because they were missing'),
      list(ledger.map((line) => tell(factWords(line), t))),
    ),
    ...KINDS.flatMap((kind) =>
      section(
        headings[kind],
        decided(items, kind).map(({ id, tokens }) => describeItem(byId.get(id), id, tokens, t)),
      ),
    ),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

/** Without the answers, which cost the same either way. */
function describeCosts({ now, next, laterBefore, laterAfter, again }: RequestCosts, t: Translate): string {
  const [first, then] = [now, next].map(formatMoney);
  const [before, after] = [laterBefore, laterAfter].map(formatMoney);
  const figures = [first ?? '', then ?? '', before ?? '', after ?? ''];
  return again > 0
    ? t(
        'Cost of what is sent: {0} → {1} for the next request, in which {4} tokens are read again instead of from the cache; then about {2} → {3} for each.',
        ...figures,
        formatCount(again),
      )
    : t('Cost of what is sent: {0} → {1} for the next request, then about {2} → {3} for each.', ...figures);
}

function costOfPreview({ costs }: Preview, t: Translate): string {
  const cost = formatCosts(costs);
  return cost === '' ? '' : ` (${t('Cost: {0}', cost)})`;
}

/** `$0.03 → $0.01 a request`, once the cache holds what is sent. */
export function summariseCosts({ laterBefore, laterAfter }: RequestCosts, t: Translate): string {
  return t('{0} → {1} a request', formatMoney(laterBefore), formatMoney(laterAfter));
}

const headingsOf = (t: Translate): Readonly<Record<Kind, string>> => ({
  drop: t('Dropped'),
  hide: t('Hidden behind a stub'),
  replace: t('Shortened'),
  undecided: t('Kept as it is'),
});

function describeItem(item: ContextItem | undefined, id: string, tokens: number, t: Translate): string {
  const size = t('{0} tokens', formatCount(tokens));
  if (!item) return `- \`${id}\` · ${size}`;
  const { message } = item;
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []).map(({ name }) => t('calls {0}', name)) : [];
  const who = message.role === 'tool' ? t('result of {0}', message.toolName) : item.kind;
  const text = toCell([message.text, ...calls].filter(Boolean).join(' '), LONGEST_CELL);
  return `- \`${id}\` · ${who}${item.pinned ? ` · ${t('pinned')}` : ''} · ${size} · ${text}`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines];
}

const list = (texts: readonly string[]) => texts.map((text) => `- ${text}`);

function decided(items: Preview['items'], kind: Kind): Preview['items'] {
  return items.filter(({ decision }) => decision === kind);
}

function sum(items: Preview['items']): number {
  return items.reduce((total, { tokens }) => total + tokens, 0);
}
