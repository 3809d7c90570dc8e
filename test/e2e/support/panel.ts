/** What a person does in the panel, each step waiting until it has taken effect. */

import type { FrameLocator, Page } from 'playwright-core';
import { runCommand, typeInto } from './actions.ts';
import { panelFrame } from './host.ts';

/** Types a message and sends it; does not wait for the answer. */
export async function send(panel: FrameLocator, text: string): Promise<void> {
  const composer = panel.getByRole('combobox', { name: 'Message' });
  await typeInto(composer, text);
  await composer.press('Enter');
}

/** Waits until no turn runs. */
export async function waitUntilIdle(panel: FrameLocator): Promise<void> {
  await panel.getByRole('button', { name: 'Send (Enter)' }).waitFor();
}

/** Sends a message and waits until its turn has ended: it has begun once the message is in the conversation. */
export async function ask(panel: FrameLocator, text: string): Promise<void> {
  const asked = panel.locator('.row.user');
  const before = await asked.count();
  await send(panel, text);
  await asked.nth(before).waitFor();
  await waitUntilIdle(panel);
}

/** Opens the list of sessions, and waits until it has one. */
export async function openHistory(page: Page): Promise<FrameLocator> {
  await runCommand(page, 'Palimpsest: Show History');
  const panel = panelFrame(page);
  await panel.locator('.overlay .session').first().waitFor();
  return panel;
}
