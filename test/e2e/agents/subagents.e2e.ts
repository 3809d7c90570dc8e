/** Subagents: a task's own session, its question in the parent's card, its report, and what it said and did. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { send, waitUntilIdle } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';
import { editorText } from '../support/workbench.ts';

test('a task is done by a subagent, whose question and report stand in its card', {
  tag: ['@C15', '@item:14'],
}, async ({ startHost, startSteeredModel, makeFolder, capture }) => {
  const model = await startSteeredModel();
  const host = await startHost({ share: true, folder: makeFolder({ 'a.txt': 'one\n' }), settings: model.settings });
  const { page, panel, folder } = host;
  const calls = (name: string, input: object) => [{ name, arguments: input as Record<string, unknown> }];
  model.planReplies(
    {
      kind: 'answer',
      text: 'I hand it over.',
      calls: calls('task', { title: 'Write b.txt', prompt: 'Write two into b.txt.' }),
    },
    { kind: 'answer', text: 'Writing.', calls: calls('write_file', { path: 'b.txt', content: 'two\n' }) },
    { kind: 'answer', text: 'b.txt is written.' },
    { kind: 'answer', text: 'The subagent wrote it.' },
  );
  await send(panel, 'Write b.txt.');
  const card = panel.locator('.row.tool', { hasText: 'Write b.txt' });
  await card.getByText('asked by the subagent Palimpsest').waitFor();
  await capture('subagents-1-question');
  // What is said meanwhile waits, is changed, and is heard as soon as the subagent has reported.
  await send(panel, 'Say it in prose.');
  const waiting = panel.getByRole('region', { name: 'Waiting messages' });
  await waiting.getByText('Say it in prose.').waitFor();
  await capture('queue-1-waiting');
  await waiting.getByRole('button', { name: /^Edit/ }).click();
  const composer = panel.getByRole('combobox', { name: 'Message' });
  await expect.poll(() => composer.inputValue()).toBe('Say it in prose.');
  await send(panel, 'Say it in verse.');
  await waiting.getByRole('button', { name: /^Send at the next step/ }).click();
  await waiting.getByRole('img', { name: 'goes out at the next step' }).waitFor();
  await send(panel, 'Never mind.');
  await waiting.getByRole('button', { name: 'Remove: Never mind.' }).click();
  await capture('queue-2-next');
  await card.getByRole('button', { name: 'Allow', exact: true }).click();
  await panel.getByText('The subagent wrote it.', { exact: true }).waitFor();
  await waitUntilIdle(panel);
  expect(lastTurn(model.server).messages.at(-1)?.text).toBe('Say it in verse.');
  await expect(panel.locator('.row.user')).toHaveCount(2);
  expect(readdirSync(folder)).toContain('b.txt');
  expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('two\n');
  await card.locator('.tool-toggle').click();
  await expect(card.locator('.result')).toContainText('b.txt is written.');
  await capture('subagents-2-report');
  await card.getByRole('button', { name: 'Open what the subagent said and did' }).click();
  await expect.poll(() => editorText(page)).toContain('Writing.');
  await capture('subagents-3-transcript');
});
