/** Describes faults of the table: rows without tests or a valid path, and defaults that differ from the settings. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Setting } from '../../src/core/setting.ts';
import { toolOf } from '../../src/core/tools/toolList.ts';
import { COMMANDS, type CommandFacts } from '../../src/protocol/commands.ts';
import { SETTING_GROUPS, settingsOf } from '../manifest/describeSettings.ts';
import { ROOT } from '../paths.ts';
import type { TaggedTest } from './findTests.ts';
import { type Break, isFeature, type Row, type Sentence, type Table } from './table.ts';

export const SETTINGS: ReadonlyMap<string, Setting> = new Map(SETTING_GROUPS.flatMap(settingsOf));

/** Where those who write extensions and programs find their names. */
const PUBLISHED = ['src/api/index.ts', 'src/core/agent/createAgent.ts', 'src/core/tools/tool.ts'].map(read).join('\n');
const COMMAND_LIST: readonly (readonly [string, CommandFacts])[] = Object.entries(COMMANDS);
const NAMES: ReadonlySet<string> = new Set([
  ...[...SETTINGS.keys()].map((key) => `palimpsest.${key}`),
  ...COMMAND_LIST.flatMap(([name, { title }]) => (title === undefined ? [] : [`palimpsest.${name}`])),
  ...COMMAND_LIST.flatMap(([, { slash }]) => (slash ? [`/${slash.word}`] : [])),
  ...Object.keys(JSON.parse(read('package.json')).scripts).map((name) => `npm run ${name}`),
]);

export function checkTable({ rows, breaks, sentences }: Table, tests: readonly TaggedTest[]): readonly string[] {
  const known = new Set(['everyday', 'long', ...rows.map(({ row }) => row)]);
  const tags = tests.flatMap(({ file, tags }) => tags.map((tag) => ({ file, tag })));
  return [
    ...tags.flatMap(({ file, tag }) => (known.has(tag) ? [] : [`${file}: there is no row ${tag}`])),
    ...rows.flatMap((row) => checkTests(row, testsOf(row, tests))),
    ...rows.flatMap(checkPath),
    ...rows.flatMap(compareDefaults),
    ...breaks.flatMap((broken) => checkBreak(broken, known)),
    ...sentences.flatMap(checkSentence),
  ];
}

export function testsOf({ row }: Pick<Row, 'row'>, tests: readonly TaggedTest[]): readonly TaggedTest[] {
  return tests.filter(({ tags }) => tags.includes(row));
}

/** Those that drive the product as people do: in a real VS Code, in its extension host, or in a program of their own. */
export const isJourney = ({ file }: TaggedTest): boolean => /^test\/(?:e2e|vscode)\//.test(file);

function checkTests(row: Row, tests: readonly TaggedTest[]): readonly string[] {
  if (!isFeature(row))
    return tests.some(({ tags }) => tags.includes('everyday')) ? [] : [`${row.row} is shown by no @everyday scenario`];
  const journeys = tests.filter(isJourney);
  return [
    ...(journeys.length === tests.length ? [`${row.row} is a tag of no unit or property test`] : []),
    ...(journeys.length === 0 ? [`${row.row} has a path that no end-to-end test takes`] : []),
  ];
}

function checkPath(row: Row): readonly string[] {
  if (!isFeature(row)) return [];
  if (row.user === undefined) return [`${row.row} has no path by which a person reaches it`];
  // Text after a slash word is its argument.
  const names = [...row.user.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name.replace(/^(\/\w+) .*/, '$1'));
  return names
    .filter((name) => !exists(name))
    .map((name) => `${row.row}: there is no setting, command, tool or published name ${name}`);
}

function exists(name: string): boolean {
  if (NAMES.has(name) || toolOf(name) !== null) return true;
  return /^\w+$/.test(name) && new RegExp(`\\b${name}\\b`).test(PUBLISHED);
}

function compareDefaults({ row, defaults = {} }: Row): readonly string[] {
  return Object.entries(defaults).flatMap(([key, documented]) => {
    const setting = SETTINGS.get(key);
    if (!setting) return [`${row}: there is no setting ${key}`];
    if (isDeepStrictEqual(setting.default, documented)) return [];
    return [`${row}: the default of ${key} is ${JSON.stringify(setting.default)}, not ${JSON.stringify(documented)}`];
  });
}

function checkBreak({ breaks, file, replace }: Break, known: ReadonlySet<string>): readonly string[] {
  if (!known.has(breaks)) return [`there is no row ${breaks} to break in ${file}`];
  const found = read(file).split(replace).length - 1;
  return found === 1 ? [] : [`${breaks}: ${JSON.stringify(replace)} stands ${found} times in ${file}, not once`];
}

function checkSentence({ says, in: path }: Sentence): readonly string[] {
  const unknown = [...says.matchAll(/\{(.+?)\}/g)].filter(([, key = '']) => !SETTINGS.has(key));
  if (unknown.length > 0) return unknown.map(([, key]) => `${path}: there is no setting ${key}`);
  const sentence = says.replace(/\{(.+?)\}/g, (_, key) => Number(SETTINGS.get(key)?.default).toLocaleString('en-US'));
  return read(path).includes(sentence) ? [] : [`${path} does not say “${sentence}”`];
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
