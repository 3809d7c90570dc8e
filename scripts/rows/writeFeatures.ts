/** `docs/features.md`: every feature with its source, its defaults and the tests that name it, made from the rows. */

import type { NamingTest } from './findNamingTests.ts';
import { type Row, SOURCES } from './readRows.ts';

export function writeFeatures(rows: readonly Row[], tests: ReadonlyMap<string, readonly NamingTest[]>): string {
  const sections = Object.entries(SOURCES).map(([letter, source]) => [
    `## ${source}`,
    '',
    '| row | feature | defaults | tests |',
    '| --- | --- | --- | --- |',
    ...rows.filter(({ row }) => row.startsWith(letter)).map((row) => writeRow(row, tests.get(row.row) ?? [])),
  ]);
  return `${[HEAD, ...sections.map((lines) => lines.join('\n'))].join('\n\n')}\n`;
}

const HEAD = `# Features and where they come from

Each feature has a row: a letter for the document it comes from, and a number. Tests carry the row in their names, so \`npm run rows -- --tests K5\` lists what holds a feature in place. This page is made from \`test/rows.json\` by \`npm run rows -- --write\`.`;

function writeRow({ row, text, planned, defaults = {} }: Row, tests: readonly NamingTest[]): string {
  const values = Object.entries(defaults).map(([key, value]) => `\`${key}\`: \`${JSON.stringify(value)}\``);
  const files = [...new Set(tests.map(({ file }) => file))].sort().map((file) => `\`${file.slice('test/'.length)}\``);
  const cells = [row, text.replaceAll('|', '\\|'), values.join('<br>'), planned ? 'planned' : files.join('<br>')];
  return `| ${cells.join(' | ')} |`;
}
