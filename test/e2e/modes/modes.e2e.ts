/** What the agent intends and what it may do: the todo list, the modes, a plan to approve, a question to answer. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask, CARD_KEY, send, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';

test('todo list, modes, a plan and a question, by keyboard', { tag: ['@item:7', '@item:23'] }, async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const { page, panel, folder } = await startHost({
    share: true,
    folder: makeFolder({ 'a.txt': 'a\n' }),
    settings: model.settings,
  });
  const mode = panel.getByRole('button', { name: /^Mode:/ });
  const composer = panel.getByRole('combobox', { name: 'Message' });

  const todos = [
    { text: 'Read the retry test', state: 'done' },
    { text: 'Mend the clock', state: 'doing' },
    { text: 'Run the tests', state: 'open' },
  ];
  model.planCall('write_todos', { todos }, 'I made a list.');
  await ask(panel, 'Mend the clock');
  const line = panel.locator('.todo-line');
  await expect.poll(() => line.innerText()).toContain('1 of 3 done');
  await capture('modes-1-todo-closed');
  await line.press('Enter');
  await panel.locator('#todo-list li[aria-current=step]', { hasText: 'Mend the clock' }).waitFor();
  await capture('modes-2-todo-open');

  // From act on to ask by key: writing is refused without a question.
  await composer.press('Control+.');
  await expect.poll(() => mode.getAttribute('aria-label')).toBe('Mode: Ask');
  model.planCall('write_file', { path: 'a.txt', content: 'b\n' }, 'I may not.');
  await ask(panel, 'Write b');
  await panel.locator('.row.tool.status-failed', { hasText: 'Write' }).waitFor();
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('a\n');
  await capture('modes-3-ask');

  // A plan, approved by key, lets the agent act in the same turn; its write asks as ever.
  await send(panel, '/mode plan');
  await expect.poll(() => mode.getAttribute('aria-label')).toBe('Mode: Plan');
  model.planReplies(
    { kind: 'answer', text: '', calls: [{ name: 'present_plan', arguments: { plan: '# Write b\n\n- into `a.txt`' } }] },
    { kind: 'answer', text: '', calls: [{ name: 'write_file', arguments: { path: 'a.txt', content: 'b\n' } }] },
    { kind: 'answer', text: 'Written.' },
  );
  await send(panel, 'Write b');
  const card = panel.getByRole('group', { name: 'Approve this plan?' });
  await card.waitFor();
  await capture('modes-4-plan');
  await card.getByRole('button', { name: 'Approve' }).click();
  await panel.getByRole('button', { name: 'Allow', exact: true }).click();
  await waitUntilIdle(panel);
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('b\n');
  expect(await mode.getAttribute('aria-label')).toBe('Mode: Act');

  model.planCall(
    'ask_user',
    { question: 'Which clock?', choices: [{ label: 'The wall clock' }, { label: 'The monotonic one' }] },
    'As you say.',
  );
  await send(panel, 'Which one do you take?');
  const question = panel.getByRole('group', { name: 'Which clock?' });
  await question.getByRole('button', { name: 'The monotonic one' }).waitFor();
  await capture('modes-5-question');
  await page.keyboard.press(CARD_KEY);
  await page.keyboard.press('2');
  await question.waitFor({ state: 'detached' });
  await waitUntilIdle(panel);
  await panel.locator('.row.tool', { hasText: 'Ask' }).getByRole('button').first().click();
  await panel.getByText('The person answered: The monotonic one').waitFor();
});
