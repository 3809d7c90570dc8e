/** What the documentation says of strategies, settings and commands, compared with their tables. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTING_GROUPS, settingsOf } from '../../../scripts/manifest/describeSettings.ts';
import { ROOT } from '../../../scripts/paths.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import { COMMANDS, type CommandFacts } from '../../../src/protocol/commands.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const STRATEGIES = read('docs/strategies.md');
/** Without the tables of settings, which are generated. */
const PROSE = STRATEGIES.slice(0, STRATEGIES.indexOf('## All settings'));
const README = read('README.md');

const SETTINGS = new Map(SETTING_GROUPS.flatMap(settingsOf));
const defaultOf = (key: string): unknown => {
  const setting = SETTINGS.get(`compaction.${key}`);
  if (!setting) throw new Error(`There is no setting ${key}`);
  return setting.default;
};
const figure = (key: string) => Number(defaultOf(key)).toLocaleString('en-US');

/** Names in backticks, as `name.name`. */
const dotted = (text: string) =>
  [...text.matchAll(/`((?:[a-z]\w*\.)+[a-zA-Z]\w*)`/g)].map(([, name = '']) => name.replace(/^palimpsest\./, ''));
const commands: readonly CommandFacts[] = Object.values(COMMANDS);

describe('docs/strategies.md', () => {
  it('lists the built-in strategies in their order, and which of them need a model', () => {
    const rows = [...PROSE.matchAll(/^\| `([\w-]+)`(?: \(default\))? \| (yes|no|sometimes) \|/gm)];
    expect(rows.map(([, id]) => id)).toEqual(BUILT_IN_STRATEGIES.map(({ id }) => id));
    const without = rows.filter(([, , needs]) => needs === 'no').map(([, id]) => id);
    expect(without).toEqual(
      BUILT_IN_STRATEGIES.filter(({ factory }) => !factory.needs.includes('llm')).map(({ id }) => id),
    );
    expect(/`([\w-]+)` \(default\)/.exec(PROSE)?.[1]).toBe(defaultOf('strategy'));
  });

  it('names settings that there are', () => {
    const known = new Set([...SETTINGS.keys()].flatMap((key) => [key, key.replace(/^compaction\./, '')]));
    const parts = new Set([...known].map((key) => key.slice(0, key.lastIndexOf('.'))));
    const files = /\.(md|json|ts|js)$/;
    const unknown = dotted(PROSE).filter((name) => !known.has(name) && !parts.has(name) && !files.test(name));
    expect(unknown).toEqual([]);
    for (const name of ['minimumReclaim', 'remeasure']) defaultOf(`hidingThenSummary.${name}`);
    for (const name of ['maxRecoveries', 'coolDown.failures', 'coolDown.minutes']) defaultOf(name);
  });

  it.each([
    ['the newest messages', `everything but the newest ${figure('llmSummary.preserveRecentMessages')} messages`],
    ['the newest groups', `all but the newest ${figure('toolResultHiding.preserveRecentGroups')} groups`],
    ['a reclaim', `with \`minimumReclaim\` ${figure('hidingThenSummary.minimumReclaim')} the summary comes late`],
    ['the newest output', `beyond the newest ${figure('pruneThenSummary.protectThreshold')} tokens`],
    ['the least that is pruned', `frees more than ${figure('pruneThenSummary.minimumPrune')}`],
    ['the newest turns', `the newest ${figure('pruneThenSummary.protectTurns')} turns are left alone`],
    ['the last rounds', `everything before the last ${figure('roundSummary.keepRecentRounds')} rounds`],
    ['the last rounds again', `leaves the last ${figure('roundSummary.keepRecentRounds')} rounds whole`],
    ['the longest account', `at most ${figure('roundSummary.summaryMaxLength')} characters`],
    ['what is compared', `compares characters / 2 with ${figure('roundSummary.maxContextTokens')}`],
    [
      'both triggers',
      `strictly above ${figure('pruneThenSummary.triggerRatio')} of the reported input; ${figure('roundSummary.triggerRatio')} of ${figure('roundSummary.maxContextTokens')} by characters / 2`,
    ],
  ])('says of %s what the default is', (_what, sentence) => {
    expect(PROSE).toContain(sentence);
  });

  it('says of other defaults what they are', () => {
    expect([defaultOf('coolDown.failures'), defaultOf('coolDown.minutes')]).toEqual([2, 5]);
    expect(PROSE).toContain('fails twice in a row, no model is asked for five minutes (`coolDown`)');
    expect(defaultOf('selective.rules')).toMatchObject({ toolResult: '10 truncate 5' });
    expect(PROSE).toContain('`truncate 5` keeps the newest five');
    expect([defaultOf('pruneThenSummary.triggerBasis'), defaultOf('roundSummary.triggerBasis')]).toEqual([
      'input',
      'halfCharacters',
    ]);
    expect([defaultOf('trigger.ratio'), defaultOf('trigger.reserve'), defaultOf('trigger.messages')]).toEqual([
      expect.toSatisfy((ratio: number) => ratio > 0),
      expect.toSatisfy((reserve: number) => reserve > 0),
      0,
    ]);
    expect(PROSE).toContain('Two clauses are on by default');
  });
});

describe.each([
  ['docs/strategies.md', PROSE],
  ['README.md', README],
])('%s', (_path, text) => {
  it('names commands that there are', () => {
    const titles = new Set(commands.flatMap(({ title, palette }) => (title && palette !== false ? [title] : [])));
    const named = [...text.matchAll(/\*Palimpsest: ([^*]+)\*/g)].map(([, title = '']) => title);
    const views = ['Focus on Palimpsest View'];
    expect(named.filter((title) => !titles.has(title) && !views.includes(title))).toEqual([]);
    expect(named.length).toBeGreaterThan(0);
  });
});

describe('README.md', () => {
  const wordsOf = (text: string) => [...text.matchAll(/`\/(\w+)(?: \[[^\]]*\])?`/g)].map(([, word = '']) => word);
  const known = commands.flatMap(({ slash }) => (slash ? [slash.word] : []));

  it('names words of the composer that there are', () => {
    expect(wordsOf(README).filter((word) => !known.includes(word))).toEqual([]);
  });

  it('lists words of the composer that are in the palette too', () => {
    const inPalette = commands.filter(({ title, palette }) => title !== undefined && palette !== false);
    const titled = (word: string) => inPalette.some(({ slash }) => slash?.word === word);
    const words = wordsOf(/Type `\/` for commands:[\s\S]*?All are/.exec(README)?.[0] ?? '');
    expect(words.length).toBeGreaterThan(5);
    expect(words.filter((word) => !titled(word))).toEqual([]);
  });
});
