/** Subagents: a task's own session, its question in the parent's card, its report, and what it said and did. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { send, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { editorText } from '../support/workbench.ts';

test('C15: a task is done by a subagent, whose question and report stand in its card', async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const host = await startHost({ folder: makeFolder({ 'a.txt': 'one\n' }), settings: model.settings });
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
  await card.getByRole('button', { name: 'Allow', exact: true }).click();
  await panel.getByText('The subagent wrote it.', { exact: true }).waitFor();
  await waitUntilIdle(panel);
  expect(readdirSync(folder)).toContain('b.txt');
  expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('two\n');
  await card.locator('.tool-toggle').click();
  await expect(card.locator('.result')).toContainText('b.txt is written.');
  await capture('subagents-2-report');
  await card.getByRole('button', { name: 'Open what the subagent said and did' }).click();
  await expect.poll(() => editorText(page)).toContain('Writing.');
  await capture('subagents-3-transcript');
});
