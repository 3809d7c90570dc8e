/**
 * The path by which a person reaches each row: every name in it exists in the product, and an end-to-end test that names
 * the row takes it.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toolOf } from '../../src/core/tools/toolList.ts';
import { COMMANDS, type CommandFacts } from '../../src/protocol/commands.ts';
import { SETTING_GROUPS, settingsOf } from '../manifest/describeSettings.ts';
import { ROOT } from '../paths.ts';
import type { NamingTest } from './findNamingTests.ts';
import type { Row } from './readRows.ts';

/** What drives the product as its users do: a real VS Code, its extension host, or a program of one's own. */
const JOURNEYS = ['test/e2e/', 'test/vscode/'];
/** Where those who write extensions and programs find their names. */
const PUBLISHED = ['src/api/index.ts', 'src/core/agent/createAgent.ts', 'src/core/tools/tool.ts'];

const commands: readonly (readonly [string, CommandFacts])[] = Object.entries(COMMANDS);
const scripts = Object.keys(JSON.parse(read('package.json')).scripts);
const published = PUBLISHED.map(read).join('\n');
const NAMES: ReadonlySet<string> = new Set([
  ...SETTING_GROUPS.flatMap(settingsOf).map(([key]) => `palimpsest.${key}`),
  ...commands.flatMap(([name, { title }]) => (title === undefined ? [] : [`palimpsest.${name}`])),
  ...commands.flatMap(([, { slash }]) => (slash ? [`/${slash.word}`] : [])),
  ...scripts.map((name) => `npm run ${name}`),
]);

/** In words: names in a row's path that nothing has, and rows that are planned and built at once. */
export function checkPath({ row, user, planned }: Row, tests: readonly NamingTest[]): readonly string[] {
  if (planned === true) {
    if (user !== undefined) return [`${row} is planned and has a path`];
    return tests.length > 0 ? [`${row} is planned, and named by a test`] : [];
  }
  if (user === undefined) return [`${row} has no path by which a person reaches it`];
  return namesIn(user)
    .filter((name) => !exists(name))
    .map((name) => `${row}: there is no setting, command, tool or published name ${name}`);
}

/** Those of a row's tests that take its path. */
export function findJourneys(tests: readonly NamingTest[]): readonly NamingTest[] {
  return tests.filter(({ file }) => JOURNEYS.some((folder) => file.startsWith(folder)));
}

/** They stand between backticks; what follows a word for the composer is its argument. */
function namesIn(user: string): string[] {
  return [...user.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name.replace(/^(\/\w+) .*/, '$1'));
}

function exists(name: string): boolean {
  if (NAMES.has(name) || toolOf(name) !== null) return true;
  return /^\w+$/.test(name) && new RegExp(`\\b${name}\\b`).test(published);
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
