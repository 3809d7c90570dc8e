/** Skills of a folder: offered after a slash, used by the person and by the model, seen in the model's view, and listed. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, send } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';
import { editorText, quickPick } from '../support/workbench.ts';

const REVIEW =
  '---\nname: review-races\ndescription: Reviews a change for races.\n---\n\nLook for races before anything else.\n';

test('a skill is completed after a slash, used, and listed', { tag: ['@everyday', '@C2', '@item:14'] }, async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const host = await startHost({
    share: true,
    folder: makeFolder({ 'notes.md': 'remember the milk\n' }),
    settings: model.settings,
  });
  const { page, panel, folder } = host;
  mkdirSync(join(folder, '.agents/skills/review-races'), { recursive: true });
  writeFileSync(join(folder, '.agents/skills/review-races/SKILL.md'), REVIEW);
  const composer = panel.getByRole('combobox', { name: 'Message' });
  const told = () => lastTurn(model.server).text;

  await composer.pressSequentially('/review-');
  await panel.getByRole('option', { name: /review-races/ }).waitFor();
  await capture('skills-1-completion');
  await composer.press('Tab');
  expect(await composer.inputValue()).toBe('/review-races ');
  model.plan('notes.md', 1, 'No races.');
  await ask(panel, '/review-races of the notes');
  expect(told()).toContain('- review-races: Reviews a change for races.');
  expect(told()).toContain('Look for races before anything else.');
  await capture('skills-2-used');

  await send(panel, '/memory');
  await quickPick(page, 'review-races').waitFor();
  await capture('skills-3-listed');
  await quickPick(page, 'review-races').click();
  await expect.poll(() => editorText(page)).toContain('Look for races');
});
