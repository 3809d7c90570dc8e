/** A page as Markdown whose tables line up as text: to copy, to save, to read in an editor or a terminal. Pure. */

import type { Page, PageBlock, PageCell } from '../../protocol/pages.ts';
import { alignTable, fenced } from './blocks.ts';

export function pageText({ title, subtitle, blocks }: Page): string {
  const lines = [
    `# ${title}`,
    ...(subtitle ? ['', subtitle] : []),
    ...blocks.flatMap((block) => ['', ...linesOf(block, 2)]),
  ];
  return `${lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`;
}

function linesOf(block: PageBlock, level: number): string[] {
  switch (block.kind) {
    case 'text':
      return [block.text];
    case 'facts':
      return block.facts.map(({ name, value }) => `- ${name}: ${value}`);
    case 'list':
      return block.items.map((item) => `- ${item}`);
    case 'code':
      return fenced(block.text);
    case 'meter':
      return [block.label];
    case 'choices': {
      const labels = new Map(block.options.map(({ id, label }) => [id, label]));
      return block.rows
        .filter(({ head }) => !head)
        .map(({ title, note, text, chosen }) => {
          const said = [labels.get(chosen) ?? '', title, note, text].filter(Boolean).join(' · ');
          return `- ${said}`;
        });
    }
    case 'input':
      return [block.label, '', ...fenced(block.text)];
    // Buttons are not text.
    case 'actions':
      return [];
    case 'fields':
      return block.fields.map(
        ({ label, value, problem }) => `- ${label}: ${[value, problem].filter(Boolean).join(' · ')}`,
      );
    case 'table':
      return alignTable(
        block.columns.map(({ title, align }) => ({ title, ...(align ? { align } : {}) })),
        block.rows.map((row) => row.map(textOf)),
      );
    // A table next to it has the same figures.
    case 'chart':
      return [];
    case 'section':
      return [
        `${'#'.repeat(level)} ${[block.title, block.note].filter(Boolean).join(' · ')}`,
        ...block.blocks.flatMap((inner) => ['', ...linesOf(inner, level + 1)]),
      ];
    case 'beside':
    case 'pinned':
      return block.blocks.flatMap((inner) => ['', ...linesOf(inner, level)]);
  }
}

const textOf = (cell: PageCell) => (typeof cell === 'string' ? cell : cell.text);
