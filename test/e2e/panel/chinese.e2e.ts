/** The panel of a Chinese editor, apart from the editor: no control and no state of it speaks English. */

import { expect } from '@playwright/test';
import { CONVERSATION, EDIT_APPROVAL, READY } from '../../support/panelScenes.ts';
import { test } from './panelTest.ts';

const CHINESE = /\p{Script=Han}/u;
/** What the scene brings: names of models, of files, and texts that a person or a model wrote. */
const GIVEN = JSON.stringify([READY, CONVERSATION, EDIT_APPROVAL]);

test.use({ language: 'zh-cn' });

test('every control of a Chinese panel has a Chinese name', { tag: ['@everyday', '@item:18'] }, async ({ panel }) => {
  await panel.show({ ...READY, status: 'waiting' }, [...CONVERSATION, EDIT_APPROVAL]);
  const names = await panel.page
    .locator('button, textarea, [role=img], [role=log], [role=region]')
    .evaluateAll((all) =>
      all.map((each) => each.getAttribute('aria-label') ?? each.getAttribute('title') ?? each.textContent ?? ''),
    );
  expect(names.length).toBeGreaterThan(20);
  const english = names.map((name) => name.trim()).filter((name) => /[a-z]{2}/i.test(name) && !CHINESE.test(name));
  const isGiven = (name: string) => name.split(' ').every((part) => GIVEN.includes(`"${part}"`));
  expect(english.filter((name) => !isGiven(name))).toEqual([]);
  await expect(panel.page.getByRole('combobox')).toHaveAttribute('placeholder', CHINESE);
});
