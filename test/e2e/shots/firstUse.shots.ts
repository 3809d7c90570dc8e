/** Pictures of what somebody meets before the first answer, and of the settings. */

import { openSettings, runCommand } from '../support/workbench.ts';
import { EVERY_LOOK, test } from './shooting.ts';
import { PLAIN, SAMPLE } from './story.ts';

test('first use', async ({ startHost, shots }) => {
  const host = await startHost({ folder: SAMPLE, settings: PLAIN });
  const { page, panel } = host;
  await shots.state('welcome', async () => {
    await panel.locator('.offers').waitFor();
    await shots.panel(host, '01-welcome', EVERY_LOOK);
  });
  await shots.state('endpoint wizard', async () => {
    await runCommand(page, 'Palimpsest: Set Up Model Endpoint…');
    await page.locator('.quick-input-widget', { hasText: '(1 of 3)' }).waitFor();
    await shots.window(host, '02-endpoint', ['dark']);
    await page.keyboard.press('Escape');
  });
  await shots.state('walkthrough', async () => {
    await runCommand(page, 'Palimpsest: Get Started');
    await page.locator('.gettingStartedContainer').getByText('Look first, without a key').first().waitFor();
    await shots.window(host, '05-walkthrough');
    await runCommand(page, 'View: Close All Editors');
  });
  await shots.state('the demo', async () => {
    await panel.getByText('Take the tour').click();
    await panel.locator('.question-card').first().waitFor();
    await shots.panel(host, '03-demo', EVERY_LOOK);
  });
  await shots.state('settings', async () => {
    const editor = await openSettings(page, '@ext:palimpsest.palimpsest');
    await editor.locator('.settings-toc-wrapper').waitFor();
    await shots.window(host, '04-settings', ['dark', 'light']);
  });
});
