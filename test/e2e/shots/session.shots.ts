/** Pictures of one session from its first message to its compactions, and of the pages that show its context. */

import { openContext, pageFrame } from '../support/host.ts';
import { ask, newSession, openHistory, send, waitUntilIdle } from '../support/panel.ts';
import { quickPick, runCommand } from '../support/workbench.ts';
import { EVERY_LOOK, expect, ONE_LOOK, test } from './shooting.ts';
import * as story from './story.ts';

test('a session', async ({ startHost, shots, atEnd }) => {
  const { server, host: options } = await story.startStory();
  atEnd(() => server.close());
  const host = await startHost(options);
  const { page, panel } = host;
  const composer = panel.getByRole('combobox', { name: 'Message' });
  const allow = panel.getByRole('button', { name: 'Allow', exact: true });
  const { state } = shots;

  const openPage = (name: string, command: string, heading: string, choose?: string) =>
    state(command, async () => {
      await runCommand(page, `Palimpsest: ${command}`);
      if (choose !== undefined) await quickPick(page, choose).click();
      await pageFrame(host).getByRole('heading', { name: heading }).first().waitFor();
      await shots.window(host, name, ['dark', 'light', 'contrast']);
      await runCommand(page, 'View: Close All Editors');
    });

  const openTab = (name: string, tab: string, heading: string, choose?: string, readme?: string) =>
    state(`Context, ${tab}`, async () => {
      const frame = await openContext(host, tab);
      if (choose !== undefined) await frame.getByRole('button', { name: choose, exact: true }).click();
      await frame.getByRole('heading', { name: heading }).first().waitFor();
      await shots.window(host, name, ['dark', 'light', 'contrast']);
      if (readme) await shots.readme(host, readme, 'light');
      await runCommand(page, 'View: Close All Editors');
    });

  await state('empty session', async () => {
    await shots.panel(host, '10-new-session', EVERY_LOOK);
    await composer.fill('Why does @src/re');
    await panel.getByRole('option').first().waitFor();
    await shots.panel(host, '11-mentions');
    await composer.fill('/');
    await panel.getByRole('option').first().waitFor();
    await shots.panel(host, '12-commands');
    await composer.fill('');
    await panel.getByRole('button', { name: /^Model:/ }).click();
    await shots.panel(host, '13-models');
    await page.keyboard.press('Escape');
  });

  await state('an edit asks', async () => {
    server.planAgain(...story.READING, story.EDIT, story.COMMAND, story.ANSWER);
    await send(panel, story.FIRST_MESSAGE);
    await allow.waitFor();
    await shots.panel(host, '20-edit-asks', EVERY_LOOK);
    await allow.focus();
    await shots.panel(host, '20-focus', { ...EVERY_LOOK, widths: [400] });
    await panel
      .getByRole('button', { name: /^Review/ })
      .first()
      .click();
    await page.locator('.tab', { hasText: 'retry.js' }).waitFor();
    await shots.window(host, '21-review');
    await runCommand(page, 'View: Close All Editors');
    await allow.click();
  });

  await state('a command asks', async () => {
    await panel.locator('.question', { hasText: 'Run this command?' }).waitFor();
    await shots.panel(host, '22-command-asks');
    await panel.locator('[data-answer=always]').click();
    await shots.panel(host, '23-command-always', ONE_LOOK);
    await panel.locator('vscode-button', { hasText: 'Back' }).click();
    await panel.locator('[data-answer=allowForSession]').click();
    await shots.panel(host, '23-command-session', ONE_LOOK);
    await panel.locator('[data-answer=confirm]').click();
  });

  await state('an answer', async () => {
    await waitUntilIdle(panel);
    await shots.panel(host, '24-answered');
    await panel.locator('.row.group [aria-expanded=false]').first().click();
    await panel.locator('.row.tool .tool-toggle').first().click();
    await shots.panel(host, '25-cards-open');
    await panel.locator('.todo-line').click();
    await shots.panel(host, '26-todo');
    await panel.locator('.todo-line').click();
    await panel.locator('.meter').first().click();
    await shots.panel(host, '27-meter', EVERY_LOOK);
    await page.keyboard.press('Escape');
  });

  await state('streaming, with a message that waits', async () => {
    server.planAgain(story.STREAMED, { text: 'Then the second way.' });
    await send(panel, 'What happens to a message that is given up?');
    await panel.getByText('A message that is given up stays').waitFor();
    await composer.fill('Do not send anything twice.');
    await composer.press('Enter');
    await panel.locator('.queue').waitFor();
    await shots.panel(host, '30-streaming-and-queue', ONE_LOOK);
    await waitUntilIdle(panel);
    await panel.locator('.row.assistant', { hasText: 'Then the second way.' }).waitFor();
    await waitUntilIdle(panel);
  });

  await state('a question and a plan', async () => {
    server.planAgain(story.QUESTION, { text: 'A list of its own, then.' });
    await send(panel, 'Go on with that.');
    await panel.getByRole('button', { name: 'Keep it in a list of its own' }).waitFor();
    await shots.panel(host, '31-question');
    await panel.getByRole('button', { name: 'Keep it in a list of its own' }).click();
    await waitUntilIdle(panel);
    await send(panel, '/mode plan');
    server.planAgain(story.PLAN, { text: 'Waiting.' });
    await send(panel, 'Plan it first.');
    await panel.getByRole('group', { name: 'Approve this plan?' }).waitFor();
    await shots.panel(host, '32-plan');
    await panel.getByRole('button', { name: 'No', exact: true }).click();
    await waitUntilIdle(panel);
    await send(panel, '/mode act');
  });

  await state('a long session', async () => {
    server.planAgain(...story.MANY_READS);
    await ask(panel, 'Check that the queue and the tests agree on this.');
    await shots.panel(host, '40-before-compaction', ONE_LOOK);
  });
  server.planAgain(story.SUMMARY);
  await openTab('54-preview', 'Preview', 'Preview of Layered', 'Layered');

  await state('a compaction', async () => {
    server.planAgain(story.SUMMARY);
    await send(panel, '/compact keep the open points');
    await panel.locator('.row.compaction').first().waitFor();
    await waitUntilIdle(panel);
    await shots.panel(host, '41-compacted');
    await panel.locator('.compaction-toggle').first().click();
    await panel.locator('.lost-and-kept').waitFor();
    await shots.panel(host, '42-compaction-details', EVERY_LOOK);
  });

  await openTab('50-timeline', 'Timeline', 'Timeline', undefined, 'panel-light');
  await openTab('52-totals', 'Totals', 'Totals');
  await openTab('53-now', 'Now', 'Next request');
  await openPage('56-storage', 'Care of Sessions', 'Storage used', 'Storage used');
  await openPage('55-lab', 'Open Strategy Lab', 'Strategy lab');

  await state('find, history, branches, help', async () => {
    const find = panel.getByRole('textbox', { name: 'Find in the conversation' });
    // The editor hears a moment later that the focus is in the panel now, and until then takes the key itself.
    await expect(async () => {
      await composer.press('ControlOrMeta+f');
      await find.waitFor({ timeout: 1_000 });
    }).toPass();
    await find.fill('wait');
    await shots.panel(host, '60-find');
    await page.keyboard.press('Escape');
    await send(panel, '/help');
    await panel.getByRole('dialog').waitFor();
    await shots.panel(host, '61-help');
    await page.keyboard.press('Escape');
    await newSession(host);
    server.planAgain({ text: 'Three modules: a queue, its delivery, and the retry of a single message.' });
    await ask(panel, 'What does this project do?');
    await openHistory(host);
    await shots.panel(host, '62-history');
    await page.keyboard.press('Escape');
    await send(panel, '/clear');
    await panel.locator('.row.user').first().waitFor({ state: 'detached' });
    for (const [name, command] of [
      ['63-memory', 'Show Memory…'],
      ['64-approvals', 'Approvals…'],
      ['65-branches', 'Show Branches…'],
    ] as const) {
      await runCommand(page, `Palimpsest: ${command}`);
      await shots.window(host, name, ['dark']);
      await page.keyboard.press('Escape');
    }
  });

  await state('an error', async () => {
    await server.close();
    await send(panel, 'And what is missing?');
    await panel.locator('.row.notice', { hasText: 'Try again' }).waitFor({ timeout: 60_000 });
    await shots.panel(host, '70-error', { ...EVERY_LOOK, widths: [400] });
  });
});
