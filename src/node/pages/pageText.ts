/**
 * A page as Markdown whose tables line up as text: to copy, to save, to read in an editor or a terminal, which none of the
 * names on it can control. Pure.
 */

import { showHidden, showInOneLine } from '../../core/tools/text/showHidden.ts';
import type { Page, PageBlock, PageCell } from '../../protocol/pages.ts';
import { alignTable, fenced } from './blocks.ts';

export function pageText({ title, subtitle, blocks }: Page): string {
  const lines = [
    `# ${showInOneLine(title)}`,
    ...(subtitle ? ['', showInOneLine(subtitle)] : []),
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
      return [showHidden(block.text)];
    case 'facts':
      return block.facts.map(({ name, value }) => `- ${showInOneLine(`${name}: ${value}`)}`);
    case 'list':
      return block.items.map((item) => `- ${showInOneLine(item)}`);
    case 'code':
      return fenced(showHidden(block.text));
    case 'meter':
      return [showInOneLine(block.label)];
    case 'choices': {
      const labels = new Map(block.options.map(({ id, label }) => [id, label]));
      return block.rows
        .filter(({ head }) => !head)
        .map(({ title, note, text, chosen }) => {
          const heading = [labels.get(chosen) ?? '', title, note, text].filter(Boolean).join(' · ');
          return `- ${showInOneLine(heading)}`;
        });
    }
    case 'input':
      return [showInOneLine(block.label), '', ...fenced(showHidden(block.text))];
    // Buttons are not text.
    case 'actions':
      return [];
    case 'fields':
      return block.fields.map(
        ({ label, value, problem }) =>
          `- ${showInOneLine(`${label}: ${[value, problem].filter(Boolean).join(' · ')}`)}`,
      );
    case 'table':
      return alignTable(
        block.columns.map(({ title, align }) => ({ title, ...(align ? { align } : {}) })),
        block.rows.map((row) =>
          row.flatMap((cell, at) => (isRest(cell) ? padLeft(cell, block.columns.length - at) : textOf(cell))),
        ),
      );
    // A table next to it has the same figures.
    case 'chart':
      return [];
    case 'section':
      return [
        `${'#'.repeat(level)} ${showInOneLine([block.title, block.note].filter(Boolean).join(' · '))}`,
        ...block.blocks.flatMap((inner) => ['', ...linesOf(inner, level + 1)]),
      ];
    case 'beside':
    case 'pinned':
      return block.blocks.flatMap((inner) => ['', ...linesOf(inner, level)]);
  }
}

const isRest = (cell: PageCell) => typeof cell === 'object' && cell.rest === true;

/** In the last of so many columns, which may be long. */
const padLeft = (cell: PageCell, columns: number) => [...Array<string>(columns - 1).fill(''), textOf(cell)];

const textOf = (cell: PageCell) => showInOneLine(typeof cell === 'string' ? cell : cell.text);
