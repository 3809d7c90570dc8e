/**
 * How many inputs everyday flows need, counted in the real editor and compared with `docs/flows.md`. An input is a click, a
 * key, or a text with the Enter that ends it.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { ROOT } from '../../../scripts/paths.ts';
import { ask, CARD_KEY, send, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick, runCommand } from '../support/workbench.ts';

/** Acts as a person does, and counts. */
class Person {
  readonly #page: Page;
  inputs = 0;

  constructor(page: Page) {
    this.#page = page;
  }

  async click(what: Locator): Promise<void> {
    this.inputs++;
    await what.click();
  }

  async press(key: string): Promise<void> {
    this.inputs++;
    await this.#page.keyboard.press(key);
  }

  /** Where the caret stands. */
  async write(text: string, end = 'Enter'): Promise<void> {
    this.inputs++;
    await this.#page.keyboard.type(text);
    await this.#page.keyboard.press(end);
  }
}

/** The rows of the table of this section: flow and inputs. */
function readTable(section: string): ReadonlyMap<string, number> {
  const page = readFileSync(join(ROOT, 'docs/flows.md'), 'utf8');
  const text = page.split(/^## /mu).find((part) => part.startsWith(section)) ?? '';
  return new Map(
    [...text.matchAll(/^\| (?<flow>[^|]+?) \| (?<inputs>\d+) \|/gmu)].map(({ groups }) => [
      groups?.flow ?? '',
      Number(groups?.inputs),
    ]),
  );
}

const EVERYTHING = join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');

const FILES = {
  'sum.mjs': 'export const sum = (a, b) => a - b;\n',
  'sum.test.mjs': "import { sum } from './sum.mjs';\nif (sum(1, 2) !== 3) throw new Error('wrong');\n",
  ...Object.fromEntries(['a', 'b', 'c'].map((name) => [`${name}.txt`, 'one\n\n\n\n\n\n\n\n\ntwo\n'])),
};

test('flows need as many inputs as the documentation says', { tag: '@item:3' }, async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const { page, panel, folder } = await startHost({ folder: makeFolder(FILES), settings: model.settings });
  const composer = panel.getByRole('combobox', { name: 'Message' });
  const card = panel.locator('.approval');
  const said = (text: string) => panel.locator('.row.assistant', { hasText: text });
  const onDisk = (name: string) => readFileSync(join(folder, name), 'utf8');
  const counted = new Map<string, number>();
  const flow = async (name: string, act: (person: Person) => Promise<void>) => {
    const person = new Person(page);
    await test.step(name, () => act(person));
    counted.set(name, person.inputs);
  };
  const answer = (text: string) => model.planReplies({ kind: 'answer', text });
  const call = (name: string, input: object) =>
    model.planReplies({ kind: 'answer', calls: [{ name, arguments: input }] });

  await ask(panel, 'hello');
  await runCommand(page, 'Go to File');
  await page.locator('.quick-input-widget input.input').fill('sum.mjs');
  await quickPick(page, 'sum.mjs').click();
  await page.locator('.part.editor .view-lines').first().click();
  await page.keyboard.press('ControlOrMeta+A');
  await expect(panel.locator('.selection')).toContainText('sum.mjs:1');
  await composer.click();
  await flow('Ask about the selected lines', async (person) => {
    answer('It subtracts.');
    await person.write('What does this do?');
    await waitUntilIdle(panel);
    await expect(panel.locator('.row.user').last().locator('.mention')).toContainText('sum.mjs');
  });
  await runCommand(page, 'View: Close All Editors');

  await flow('Fix a failing test: run it, change the code, run it again', async (person) => {
    const run = { command: 'node sum.test.mjs' };
    call('run_command', run);
    call('edit_file', { path: 'sum.mjs', old_string: 'a - b', new_string: 'a + b' });
    call('run_command', run);
    answer('It passes.');
    await composer.click();
    await person.write('The test fails. Fix it.');
    await person.click(card.getByRole('button', { name: 'Always allow exactly this command…' }));
    await person.click(card.getByRole('button', { name: 'Always allow', exact: true }));
    await person.click(card.getByRole('button', { name: 'Allow', exact: true }));
    await said('It passes.').waitFor();
    expect(onDisk('sum.mjs')).toContain('a + b');
  });

  await flow('Take back what a turn changed in files', async (person) => {
    await person.click(panel.locator('.row.changes').last().getByRole('button', { name: /^Undo/ }));
    await page.locator('.quick-input-widget .monaco-list-row', { hasText: 'will be' }).first().waitFor();
    await person.press('Enter');
    await expect.poll(() => onDisk('sum.mjs')).toContain('a - b');
  });

  await flow('Allow an edit, by key', async (person) => {
    call('write_file', { path: 'd.txt', content: 'd\n' });
    answer('Written.');
    await send(panel, 'Write d');
    await card.waitFor();
    await person.press(CARD_KEY);
    await person.press('y');
    await said('Written.').waitFor();
    expect(onDisk('d.txt')).toBe('d\n');
  });

  await flow('Refuse an edit and say why', async (person) => {
    call('edit_file', { path: 'sum.mjs', old_string: 'a - b', new_string: 'b - a' });
    answer('Understood.');
    await send(panel, 'Turn it round');
    await person.click(card.getByRole('textbox', { name: /Say why/ }));
    await person.write('Not like that');
    await said('Understood.').waitFor();
    expect(onDisk('sum.mjs')).toContain('a - b');
  });

  for (const name of ['a', 'b', 'c']) {
    const edits = [
      { old_string: 'one', new_string: 'first' },
      { old_string: 'two', new_string: 'second' },
    ];
    call('edit_file', { path: `${name}.txt`, edits });
  }
  answer('All three.');
  await send(panel, 'Rename them');
  for (const name of ['a', 'b', 'c']) {
    await expect(card).toContainText(`${name}.txt`);
    await card.getByRole('button', { name: 'Allow', exact: true }).click();
  }
  await said('All three.').waitFor();
  await flow('Take back one change in each of three files', async (person) => {
    await person.click(panel.locator('.row.changes').last().getByRole('button', { name: 'Review' }));
    const tab = page.locator('.tab.active');
    for (const name of ['a', 'b', 'c']) {
      await expect(tab).toContainText(`${name}.txt`);
      await page.locator('.part.statusbar', { hasText: 'Ln 1, Col 1' }).waitFor();
      await person.press('ControlOrMeta+Shift+Backspace');
      await expect.poll(() => onDisk(`${name}.txt`)).toMatch(/^one\n+second\n$/u);
      if (name === 'a') await capture('flows-1-hunk');
      if (name !== 'c') await person.press('Alt+F7');
    }
  });
  await runCommand(page, 'View: Close All Editors');

  await flow('Compact, and take it back', async (person) => {
    await composer.click();
    await person.write('/compact');
    await panel.locator('.row.compaction').waitFor();
    await waitUntilIdle(panel);
    await person.click(panel.getByRole('button', { name: /^Undo this compaction/ }));
    await panel.getByRole('button', { name: /^Redo this compaction/ }).waitFor();
  });

  await flow('See what fills the context', async (person) => {
    await person.click(panel.locator('button.meter'));
    await panel.locator('.breakdown').waitFor();
  });
  await page.keyboard.press('Escape');

  await flow('Stop the agent and tell it something else', async (person) => {
    model.planReplies({ kind: 'answer', text: 'A long story. '.repeat(200), pieceDelayMs: 50 });
    answer('Short then.');
    await send(panel, 'Tell me a story');
    await said('A long story.').waitFor();
    await composer.focus();
    await person.write('Shorter', 'ControlOrMeta+Enter');
    await said('Short then.').waitFor();
    await waitUntilIdle(panel);
  });

  await flow('Find what was said before', async (person) => {
    await composer.focus();
    await person.press('ControlOrMeta+F');
    await expect(panel.locator('.find-text')).toBeFocused();
    await person.write('long story');
    await expect(panel.locator('.find-count')).toHaveText(/\d+ of \d+/);
  });
  await page.keyboard.press('Escape');

  await flow('Go back to an earlier message, with its files', async (person) => {
    const asked = panel.locator('.row.user', { hasText: 'Rename them' });
    await asked.scrollIntoViewIfNeeded();
    await asked.hover();
    await person.click(asked.getByRole('button', { name: /^Restore/ }));
    await page.locator('.quick-input-widget .monaco-list-row').first().waitFor();
    await person.press('Enter');
    await expect.poll(() => onDisk('c.txt')).toMatch(/^one\n+two\n$/u);
    // The message is in the field again, to be changed.
    await expect(composer).toHaveValue(/^Rename them/);
    await composer.fill('');
  });

  await flow('Add an MCP server', async (person) => {
    await composer.focus();
    await person.write(`/mcp ${process.execPath} ${EVERYTHING}`);
    await page
      .locator('.quick-input-widget')
      .getByPlaceholder(/^everything: /)
      .waitFor();
    await capture('flows-2-mcp');
    await person.press('Enter');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: /everything.*\d+ tools/ }).waitFor();
  });

  await page.keyboard.press('Escape');

  await flow('Allow every edit of this session', async (person) => {
    call('write_file', { path: 'e.txt', content: 'e\n' });
    call('write_file', { path: 'f.txt', content: 'f\n' });
    answer('Both are written.');
    await send(panel, 'Write e and f');
    await person.click(card.getByRole('button', { name: 'Allow for this session' }));
    await person.click(card.getByRole('button', { name: 'Allow for this session' }));
    await said('Both are written.').waitFor();
    expect(onDisk('f.txt')).toBe('f\n');
  });

  test.info().annotations.push({ type: 'inputs', description: JSON.stringify([...counted]) });
  expect(counted).toEqual(readTable('Every day'));
});
