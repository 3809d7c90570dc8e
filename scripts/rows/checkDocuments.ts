/** Describes names in the documentation that the product does not have: commands, slash words, settings, strategies. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { BUILT_IN_STRATEGIES } from '../../src/core/compaction/strategies/builtIn.ts';
import { COMMANDS, type CommandFacts } from '../../src/protocol/commands.ts';
import { ROOT } from '../paths.ts';
import { SETTINGS } from './checkTable.ts';

const COMMAND_LIST: readonly CommandFacts[] = Object.values(COMMANDS);
/** The last is made by VS Code itself. */
const TITLES = [
  ...COMMAND_LIST.flatMap(({ title, palette }) => (title && palette !== false ? [title] : [])),
  'Focus on Palimpsest View',
];
const WORDS = COMMAND_LIST.flatMap(({ slash }) => (slash ? [slash.word] : []));

export function checkDocuments(): readonly string[] {
  const readme = read('README.md');
  const strategies = read('docs/strategies.md');
  // The tables of settings that follow are generated.
  const prose = strategies.slice(0, strategies.indexOf('## All settings'));
  return [
    ...checkNames('README.md', readme, /\*Palimpsest: ([^*]+)\*/g, TITLES),
    ...checkNames('README.md', readme, /`\/(\w+)(?: \[[^\]]*\])?`/g, WORDS),
    ...checkNames('docs/strategies.md', prose, /\*Palimpsest: ([^*]+)\*/g, TITLES),
    ...checkNames('docs/strategies.md', prose, /`(?:palimpsest\.)?((?:[a-z]\w*\.)+[a-zA-Z]\w*)`/g, settingNames()),
    ...checkStrategies(prose),
  ];
}

function checkNames(path: string, text: string, pattern: RegExp, known: readonly string[]): readonly string[] {
  const named = [...text.matchAll(pattern)].map(([, name = '']) => name);
  return named
    .filter((name) => !known.includes(name) && !/\.(md|json|ts|js)$/.test(name))
    .map((name) => `${path}: there is no ${name}`);
}

/** Also by their place below `compaction`, and the groups that they are in. */
function settingNames(): string[] {
  const names = [...SETTINGS.keys()].flatMap((key) => [key, `palimpsest.${key}`, key.replace(/^compaction\./, '')]);
  return [...names, ...names.map((name) => name.slice(0, name.lastIndexOf('.')))];
}

/** Its table has the built-in strategies in their order, and says which of them need no model. */
function checkStrategies(prose: string): readonly string[] {
  const rows = [...prose.matchAll(/^\| `([\w-]+)`( \(default\))? \| (yes|no|sometimes) \|/gm)];
  const told = rows.map(([, id, byDefault, needs]) => [id, byDefault !== undefined, needs === 'no']);
  const built = BUILT_IN_STRATEGIES.map(({ id, factory }) => [
    id,
    id === SETTINGS.get('compaction.strategy')?.default,
    !factory.needs.includes('llm'),
  ]);
  return isDeepStrictEqual(told, built) ? [] : ['docs/strategies.md does not list the strategies as they are built in'];
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
