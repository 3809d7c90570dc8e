/** Short ways to write the blocks of a page. Pure. */

import type { PageBlock, PageCell, PageTable } from '../../protocol/pages.ts';

export const text = (said: string, tone?: 'quiet' | 'warning'): PageBlock => ({ kind: 'text', text: said, tone });

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

/** Always open; the title tells it from its neighbours. */
export const section = (title: string, blocks: readonly PageBlock[]): PageBlock => ({
  kind: 'section',
  id: title,
  title,
  fold: 'none',
  blocks: [...blocks],
});

/** Opened and closed by the person. Nothing when there is nothing in it. */
export const folded = (id: string, title: string, blocks: readonly PageBlock[], note?: string): PageBlock => ({
  kind: 'section',
  id,
  title,
  note,
  fold: 'closed',
  blocks: [...blocks],
});

export const column = (title: string) => ({ title });

/** Of numbers. */
export const right = (title: string) => ({ title, align: 'right' as const });
