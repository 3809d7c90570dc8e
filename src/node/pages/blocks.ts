/** Short ways to write the blocks of a page, and the texts in them. Pure. */

import type { ContextItem } from '../../core/context/item.ts';
import { formatCount } from '../../core/figures.ts';
import { nameTool } from '../../core/tools/toolNames.ts';
import type { Translate } from '../../core/words.ts';
import type { PageBlock, PageCell, PageTable } from '../../protocol/pages.ts';

export const text = (content: string, tone?: 'quiet' | 'warning'): PageBlock => ({ kind: 'text', text: content, tone });

export const facts = (...pairs: readonly (readonly [name: string, value: string])[]): PageBlock => ({
  kind: 'facts',
  facts: pairs.map(([name, value]) => ({ name, value })),
});

export const list = (items: readonly string[]): PageBlock => ({ kind: 'list', items: [...items] });

export const table = (
  label: string,
  columns: PageTable['columns'],
  rows: readonly (readonly PageCell[])[],
): PageBlock => ({ kind: 'table', label, columns, rows: rows.map((row) => [...row]) });

/** Always open; the title distinguishes it from its neighbours. */
export const section = (title: string, blocks: readonly PageBlock[]): PageBlock => ({
  kind: 'section',
  id: title,
  title,
  fold: 'none',
  blocks: [...blocks],
});

/** Opened and closed by the person. Omitted when empty. */
export const folded = (id: string, title: string, blocks: readonly PageBlock[], note?: string): PageBlock => ({
  kind: 'section',
  id,
  title,
  note,
  fold: 'closed',
  blocks: [...blocks],
});

export const column = (title: string) => ({ title });

/** For numbers. */
export const right = (title: string) => ({ title, align: 'right' as const });

/** The first to go where there is little room. */
export const minor = (given: PageTable['columns'][number]) => ({ ...given, minor: true });

/** Aligned tables and lines for read-only documents. Pure. */
interface Column {
  readonly title: string;
  readonly align?: 'right';
}

/** A Markdown table whose columns also line up as text. */
export function alignTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const widths = columns.map(({ title }, at) =>
    Math.max(widthOf(title), 3, ...rows.map((row) => widthOf(row[at] ?? ''))),
  );
  const pad = (text: string, at: number) => {
    const room = ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(text)));
    return columns[at]?.align === 'right' ? room + text : text + room;
  };
  const line = (cells: readonly string[]) => `| ${cells.map(pad).join(' | ')} |`;
  const rule = columns.map(({ align }, at) => {
    const dashes = '-'.repeat((widths[at] ?? 3) - (align ? 1 : 0));
    return align ? `${dashes}:` : dashes;
  });
  return [line(columns.map(({ title }) => title)), `| ${rule.join(' | ')} |`, ...rows.map(line)];
}

/** Width in a fixed-width font: Chinese, Japanese and Korean characters take two columns. */
function widthOf(text: string): number {
  const wide = text.match(/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\u3000-\u303F\uFF01-\uFF60]/gu)?.length ?? 0;
  return [...text].length + wide;
}

/** A text of a session for a cell of a table: one line, no pipes, at most `most` characters. */
export function toCell(text: string, most: number): string {
  const line = text.replace(/\s+/g, ' ').replaceAll('|', '¦').trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
}

/** Of a request or a context, where each call's result is one of its own. */
export const countParts = ({ length }: readonly unknown[], t: Translate): string =>
  length === 1 ? t('1 part') : t('{0} parts', formatCount(length));

/** A code fence that the text itself cannot close. */
export function fenced(text: string): string[] {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return [`${fence}text`, text, fence];
}

export const EXCERPT = 160;

/** A message of the context in a person's words. */
export function nameItem({ kind, message }: Pick<ContextItem, 'kind' | 'message'>, t: Translate): string {
  if (message.role === 'tool') return t('Result of “{0}”', nameTool(message.toolName, t));
  switch (kind) {
    case 'user':
      return t('You');
    case 'assistant':
      return t('Answer');
    case 'summary':
      return t('Summary');
    case 'mention':
      return t('Mentioned by you');
    default:
      return t('Told to the model');
  }
}

/** Its beginning, in one line: what it says, and what it calls. */
export function excerptOf({ message }: Pick<ContextItem, 'message'>, t: Translate): string {
  const calls =
    message.role === 'assistant'
      ? (message.toolCalls ?? []).map(({ name, arguments: given }) =>
          t('calls {0}', `${nameTool(name, t)} ${given.slice(0, EXCERPT)}`),
        )
      : [];
  return toCell([message.text.slice(0, 4 * EXCERPT), ...calls].filter(Boolean).join(' · '), EXCERPT);
}
