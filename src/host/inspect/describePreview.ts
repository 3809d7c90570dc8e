/** What a compaction would do, as Markdown for an editor: the numbers, then every item with what becomes of it. Pure. */

import type { Preview, PreviewFate } from '../../core/compaction/commit/preview.ts';
import type { ContextItem } from '../../core/context/item.ts';
import type { Translate } from '../../core/words.ts';
import { alignTable, fenced, formatCount, formatShare, toCell } from './textTable.ts';

/** In the order in which a reader asks. */
const FATES: readonly PreviewFate[] = ['dropped', 'hidden', 'shortened', 'kept'];
const LONGEST_CELL = 80;

/** One line for a list, such as `7 hidden · 2 dropped · 1 added`. */
export function summarisePreview({ items, inserted }: Pick<Preview, 'items' | 'inserted'>, t: Translate): string {
  const [dropped, hidden, shortened] = FATES.map((fate) => count(items, fate).length);
  return [
    ...(dropped ? [t('{0} dropped', dropped)] : []),
    ...(hidden ? [t('{0} hidden', hidden)] : []),
    ...(shortened ? [t('{0} shortened', shortened)] : []),
    ...(inserted.length ? [t('{0} added', inserted.length)] : []),
  ].join(' · ');
}

/** `conversation` is the one the preview was made of. */
export function describePreviewText(
  label: string,
  preview: Preview,
  conversation: readonly ContextItem[],
  t: Translate,
): string {
  const { tokensBefore, tokensAfter, items, inserted, repairs, ledger, usage } = preview;
  const byId = new Map(conversation.map((item) => [item.id, item]));
  const freed = tokensBefore - tokensAfter;
  const headings = headingsOf(t);
  const rows = FATES.map((fate) => [fate, count(items, fate)] as const).filter(([, found]) => found.length > 0);
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
    ...alignTable(
      [{ title: t('Messages') }, { title: t('Number'), align: 'right' }, { title: t('Tokens now'), align: 'right' }],
      rows.map(([fate, found]) => [headings[fate], formatCount(found.length), formatCount(sum(found))]),
    ),
    ...(usage
      ? [
          '',
          t(
            'This preview asked the model: {0} tokens read, {1} written.',
            formatCount(usage.input),
            formatCount(usage.output),
          ),
        ]
      : []),
    ...section(
      t('What is added'),
      inserted.flatMap((text) => [...fenced(text), '']),
    ),
    ...section(t('Mended before it was accepted'), list(repairs)),
    ...section(t('Facts added because they were missing'), list(ledger)),
    ...FATES.flatMap((fate) =>
      section(
        headings[fate],
        count(items, fate).map(({ id, tokens }) => describeItem(byId.get(id), id, tokens, t)),
      ),
    ),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

const headingsOf = (t: Translate): Readonly<Record<PreviewFate, string>> => ({
  dropped: t('Dropped'),
  hidden: t('Hidden behind a stub'),
  shortened: t('Shortened'),
  kept: t('Kept as it is'),
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

function count(items: Preview['items'], fate: PreviewFate): Preview['items'] {
  return items.filter((item) => item.fate === fate);
}

function sum(items: Preview['items']): number {
  return items.reduce((total, { tokens }) => total + tokens, 0);
}
