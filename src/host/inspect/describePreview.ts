/** What a compaction would do, as Markdown for an editor: the numbers, then every item with what becomes of it. Pure. */

import type { Preview, PreviewFate } from '../../core/compaction/preview.ts';
import type { ContextItem } from '../../core/context/item.ts';
import { alignTable, fenced, formatCount, formatShare, toCell } from './textTable.ts';

/** In the order in which a reader asks. */
const FATES: readonly PreviewFate[] = ['dropped', 'hidden', 'shortened', 'kept'];
const LONGEST_CELL = 80;

/** One line for a list, such as `7 hidden · 2 dropped · 1 added`. */
export function summarisePreview({ items, inserted }: Pick<Preview, 'items' | 'inserted'>): string {
  const counts = FATES.filter((fate) => fate !== 'kept').map((fate) => [count(items, fate).length, fate] as const);
  return [...counts, [inserted.length, 'added'] as const]
    .filter(([number]) => number > 0)
    .map(([number, what]) => `${number} ${what}`)
    .join(' · ');
}

/** `conversation` is the one the preview was made of. */
export function describePreviewText(label: string, preview: Preview, conversation: readonly ContextItem[]): string {
  const { tokensBefore, tokensAfter, items, inserted, repairs, ledger, usage } = preview;
  const byId = new Map(conversation.map((item) => [item.id, item]));
  const freed = tokensBefore - tokensAfter;
  const rows = FATES.map((fate) => [fate, count(items, fate)] as const).filter(([, found]) => found.length > 0);
  const lines = [
    `# Preview: ${label}`,
    '',
    `${formatCount(tokensBefore)} → ${formatCount(tokensAfter)} tokens: ${formatCount(freed)} freed (${formatShare(freed, tokensBefore)}). Nothing is changed until it is applied, and applying can be undone.`,
    '',
    ...alignTable(
      [{ title: 'Messages' }, { title: 'Number', align: 'right' }, { title: 'Tokens now', align: 'right' }],
      rows.map(([fate, found]) => [fate, formatCount(found.length), formatCount(sum(found))]),
    ),
    ...(usage
      ? [
          '',
          `This preview asked the model: ${formatCount(usage.input)} tokens read, ${formatCount(usage.output)} written.`,
        ]
      : []),
    ...section(
      'What is added',
      inserted.flatMap((text) => [...fenced(text), '']),
    ),
    ...section('Mended before it was accepted', list(repairs)),
    ...section('Facts added because they were missing', list(ledger)),
    ...FATES.flatMap((fate) =>
      section(
        HEADINGS[fate],
        count(items, fate).map(({ id, tokens }) => describeItem(byId.get(id), id, tokens)),
      ),
    ),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}

const HEADINGS: Readonly<Record<PreviewFate, string>> = {
  dropped: 'Dropped',
  hidden: 'Hidden behind a stub',
  shortened: 'Shortened',
  kept: 'Kept as it is',
};

function describeItem(item: ContextItem | undefined, id: string, tokens: number): string {
  const size = `${formatCount(tokens)} tokens`;
  if (!item) return `- \`${id}\` · ${size}`;
  const { message } = item;
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []).map(({ name }) => `calls ${name}`) : [];
  const who = message.role === 'tool' ? `result of ${message.toolName}` : item.kind;
  const text = toCell([message.text, ...calls].filter(Boolean).join(' '), LONGEST_CELL);
  return `- \`${id}\` · ${who}${item.pinned ? ', pinned' : ''} · ${size} · ${text}`;
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
