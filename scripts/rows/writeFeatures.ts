/** `docs/features.md`: every feature with its source, its path, its defaults and the tests that name it. */

import type { NamingTest } from './findNamingTests.ts';
import { type Row, SOURCES } from './readRows.ts';

export function writeFeatures(rows: readonly Row[], tests: ReadonlyMap<string, readonly NamingTest[]>): string {
  const sections = Object.entries(SOURCES).map(([letter, source]) => [
    `## ${source}`,
    '',
    '| row | feature | how you reach it | defaults | tests |',
    '| --- | --- | --- | --- | --- |',
    ...rows.filter(({ row }) => row.startsWith(letter)).map((row) => writeRow(row, tests.get(row.row) ?? [])),
  ]);
  return `${[HEAD, ...sections.map((lines) => lines.join('\n'))].join('\n\n')}\n`;
}

const HEAD = `# Features and where they come from

Each feature has a row: a letter for the document it comes from, and a number. Tests carry the row in their names, so \`npm run rows -- --tests K5\` lists what holds a feature in place; those in \`e2e\` and \`vscode\` reach it as you do. This page is made from \`test/rows.json\` by \`npm run rows -- --write\`.`;

function writeRow({ row, text, user = '', planned, defaults = {} }: Row, tests: readonly NamingTest[]): string {
  const values = Object.entries(defaults).map(([key, value]) => `\`${key}\`: \`${JSON.stringify(value)}\``);
  const files = [...new Set(tests.map(({ file }) => file))].sort().map((file) => `\`${file.slice('test/'.length)}\``);
  const missing = typeof planned === 'string' ? `<br>Planned: ${planned}` : '';
  const feature = text.replaceAll('|', '\\|') + missing;
  const cells = [row, feature, user, values.join('<br>'), planned === true ? 'planned' : files.join('<br>')];
  return `| ${cells.join(' | ')} |`;
}
