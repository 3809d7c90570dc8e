/** The settings of compaction as tables in Markdown, for the generated part of `docs/strategies.md`. */

import * as z from 'zod';
import type { Setting } from '../../src/core/setting.ts';
import { SETTING_GROUPS, settingsOf } from './describeSettings.ts';

const PREFIX = 'compaction.';
const BEGIN = '<!-- What follows is made from the tables of settings: npm run manifest -->';
const END = '<!-- End of what is made from the tables of settings -->';

/** The page with the tables of today between its two marks. */
export function fillSettingTables(page: string): string {
  const [before, rest] = splitAt(page, BEGIN);
  const [, after] = splitAt(rest, END);
  const groups = SETTING_GROUPS.filter(({ sections }) => sections.every(({ name }) => name.startsWith('compaction')));
  const tables = groups.map((group) =>
    [
      `### ${group.title}`,
      '',
      '| setting | default | range | meaning |',
      '| --- | --- | --- | --- |',
      ...settingsOf(group).map(([key, setting]) => describeRow(key.slice(PREFIX.length), setting)),
    ].join('\n'),
  );
  return [before, BEGIN, '\n\n', tables.join('\n\n'), '\n\n', END, after].join('');
}

function splitAt(text: string, mark: string): readonly [before: string, after: string] {
  const [before, after, ...more] = text.split(mark);
  if (before === undefined || after === undefined || more.length) throw new Error(`The page must hold once: ${mark}`);
  return [before, after];
}

function describeRow(name: string, setting: Setting): string {
  const { minimum, maximum } = z.toJSONSchema(setting.schema, { io: 'input' });
  const range = minimum === undefined ? '' : `${writeValue(minimum)} to ${writeValue(maximum)}`;
  const choices = Object.entries(setting.choices ?? {}).map(([value, [label]]) => `\`${value}\`: ${label}`);
  const links = (setting.links ?? []).map(([label]) => `*${label}*`);
  // The Settings editor makes links of names between `#`.
  const text = setting.description
    .replaceAll(/`#palimpsest\.(?:compaction\.)?([\w.]+)#`/g, '`$1`')
    .replace('{0}', links.join(' · '));
  const meaning = [text, ...choices].join('<br>').replaceAll('|', '\\|');
  return `| \`${name}\` | ${writeValue(setting.default)} | ${range} | ${meaning} |`;
}

function writeValue(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number') return value.toLocaleString('en');
  if (typeof value === 'string') return value === '' ? 'empty' : `\`${value}\``;
  if (Array.isArray(value)) return value.map(writeValue).join(', ');
  const lines = Object.entries(value ?? {}).map(([name, own]) => `\`${name}\`: ${writeValue(own)}`);
  return lines.length ? lines.join('<br>') : 'empty';
}
