/** The recording at the top of the README: a task is asked for, its edit reviewed, the context compacted, and that undone. */

import { join } from 'node:path';
import { ROOT } from '../../../scripts/paths.ts';
import { ask, undoCompaction, waitUntilIdle } from '../support/panel.ts';
import { quickPick, runCommand } from '../support/workbench.ts';
import { Recording } from './recording.ts';
import { expect, setWidth, test } from './shooting.ts';
import * as story from './story.ts';

test.use({ viewport: { width: 1100, height: 680 } });

test('recording', async ({ startHost, atEnd }) => {
  const { server, host: options } = await story.startStory(16_000, {
    'workbench.colorTheme': 'Dark 2026',
    'workbench.activityBar.location': 'hidden',
  });
  atEnd(() => server.close());
  const host = await startHost(options);
  const { page, panel } = host;
  const composer = panel.getByRole('combobox', { name: 'Message' });
  const allow = panel.getByRole('button', { name: 'Allow', exact: true });
  const jump = panel.getByRole('button', { name: /^Jump to latest/ });
  const type = async (text: string) => {
    for (const part of text.match(/\S+\s*/g) ?? []) {
      await composer.pressSequentially(part);
      await recording.show(140);
    }
  };

  await runCommand(page, 'View: Close Primary Side Bar');
  await runCommand(page, 'Go to File');
  await page.locator('.quick-input-widget input.input').fill('retry.js');
  await quickPick(page, 'retry.js').click();
  await page.locator('.tab', { hasText: 'retry.js' }).waitFor();
  await setWidth(host, 400);
  server.planAgain(...story.MANY_READS, ...story.MANY_READS);
  await ask(panel, 'How is a message settled?');
  await composer.focus();

  const recording = new Recording(page);
  await recording.show(900);
  server.planAgain(...story.READING, story.EDIT, story.ANSWER);
  await type(story.FIRST_MESSAGE);
  await recording.show(500);
  await composer.press('Enter');
  await allow.waitFor();
  await recording.show(1_800);
  await panel
    .getByRole('button', { name: /^Review/ })
    .first()
    .click();
  await page.locator('.tab', { hasText: 'retry.js' }).waitFor();
  await page.locator('.monaco-diff-editor .line-insert').first().waitFor();
  await recording.show(2_600);
  await allow.click();
  await waitUntilIdle(panel);
  await jump.or(composer).first().click();
  await composer.focus();
  await recording.show(2_200);
  server.planAgain(story.SUMMARY);
  await type('/compact keep the open points');
  await recording.show(500);
  await composer.press('Enter');
  await panel.locator('.row.compaction').first().waitFor();
  await waitUntilIdle(panel);
  await recording.show(2_200);
  await panel.locator('.compaction-toggle').first().click();
  await panel.locator('.lost-and-kept').waitFor();
  await recording.show(2_400);
  await undoCompaction(panel);
  await expect(page.locator('.part.statusbar')).toContainText(/4\d%/);
  await recording.show(2_400);

  expect(recording.length).toBeLessThanOrEqual(20_000);
  await recording.save(join(ROOT, 'docs/images/recording.webp'));
});
