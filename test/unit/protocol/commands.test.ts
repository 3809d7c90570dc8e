/** The table of commands: each can be reached, and no two share a word or a place. */

import { expect, test } from 'vitest';
import { contributeCommands } from '../../../scripts/manifest/commands.ts';
import { ManifestWords } from '../../../scripts/manifest/manifestWords.ts';
import { contributeWalkthrough } from '../../../scripts/manifest/walkthrough.ts';
import { COMMANDS, type CommandName, factsOf } from '../../../src/protocol/commands.ts';

const names = Object.keys(COMMANDS) as CommandName[];

test('every command can be reached from somewhere', () => {
  const lost = names.filter((name) => {
    const { title, panel, slash } = factsOf(name);
    return !title && !panel && !slash?.opens;
  });
  expect(lost).toEqual([]);
});

test('what the panel does not open itself, the panel may ask for', () => {
  const stuck = names.filter((name) => {
    const { slash, panel } = factsOf(name);
    return slash && !panel && !slash.opens;
  });
  expect(stuck).toEqual([]);
});

test('only commands of the palette are in the menu', () => {
  expect(names.filter((name) => factsOf(name).menu && !factsOf(name).title)).toEqual([]);
});

test.each([
  ['words', names.flatMap((name) => factsOf(name).slash?.word ?? [])],
  ['places in the menu', names.flatMap((name) => factsOf(name).menu ?? [])],
  ['titles', names.flatMap((name) => factsOf(name).title ?? [])],
])('no two commands share %s', (_, all) => {
  expect(all.length).toBeGreaterThan(1);
  expect([...new Set(all)]).toEqual(all);
});

test('the palette stays short enough to be read', () => {
  expect(names.filter((name) => factsOf(name).title && factsOf(name).palette !== false).length).toBeLessThanOrEqual(45);
});

test('the manifest hides from the palette exactly what the table leaves out', () => {
  const { commands, menus } = contributeCommands(new ManifestWords());
  const hidden = names.filter((name) => factsOf(name).palette === false).map((name) => `palimpsest.${name}`);
  expect(menus.commandPalette).toEqual(hidden.map((command) => ({ command, when: 'false' })));
  expect(commands.map(({ command }) => command)).toEqual(expect.arrayContaining(hidden));
});

test('what the palette hides is still needed by the editor: for a key, a menu or a link of the walkthrough', () => {
  const words = new ManifestWords();
  contributeWalkthrough(words);
  const links = Object.values(words.english).join('\n');
  const idle = names.filter((name) => {
    const { palette, keys, menus, menu } = factsOf(name);
    return palette === false && !keys && !menus && !menu && !links.includes(`(command:palimpsest.${name})`);
  });
  expect(idle).toEqual([]);
});
