/** What a person does in the panel, each step waiting until it has taken effect. */

import { expect, type FrameLocator, type Locator } from '@playwright/test';
import type { Window } from './host.ts';
import { runCommand, typeInto } from './workbench.ts';

/** Leads from anywhere in the panel to what is asked. */
export const CARD_KEY = process.platform === 'darwin' ? 'Alt+Meta+KeyJ' : 'Alt+j';

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
  const before = await countEntries(panel);
  await send(panel, text);
  await expect.poll(() => countEntries(panel)).toBeGreaterThan(before);
  await waitUntilIdle(panel);
}

/** Sends a message, allows the one thing that its turn asks for, and waits until the turn has ended. */
export async function askAndAllow(panel: FrameLocator, text: string): Promise<void> {
  await send(panel, text);
  await panel.getByRole('button', { name: 'Allow', exact: true }).click();
  await waitUntilIdle(panel);
}

/** For a command that deletes: a second step is asked for. */
export async function askAndAllowDeleting(panel: FrameLocator, text: string): Promise<void> {
  await send(panel, text);
  await panel.getByRole('button', { name: 'Allow…', exact: true }).click();
  await panel.getByRole('button', { name: 'Run', exact: true }).click();
  await waitUntilIdle(panel);
}

/** Goes to the oldest rows that are loaded: what is far from the reader is not on the page. */
export async function scrollToStart(panel: FrameLocator): Promise<void> {
  await panel.locator('.conversation').evaluate((element) => element.scrollTo(0, 0));
  await panel.locator('.slot[aria-posinset="1"]').waitFor();
}

/** Scrolls up until a row is on the page. */
export async function scrollUpTo(panel: FrameLocator, row: Locator): Promise<void> {
  await expect(async () => {
    if ((await row.count()) > 0) return;
    await panel.locator('.conversation').evaluate((element) => element.scrollBy(0, -element.clientHeight));
    await row.first().waitFor({ timeout: 500 });
  }).toPass();
}

/** Opens every line that stands for many calls. */
export async function openGroups(panel: FrameLocator): Promise<void> {
  const closed = panel.locator('.row.group [aria-expanded=false]');
  while ((await closed.count()) > 0) await closed.first().click();
}

/** Entries of the conversation; few of a long one are on the page. */
export async function countEntries(panel: FrameLocator): Promise<number> {
  const last = panel.locator('.slot').last();
  if ((await last.count()) === 0) return 0;
  const all = Number(await last.getAttribute('aria-setsize'));
  return all > 0 ? all : Number(await last.getAttribute('aria-posinset'));
}

/** Goes on at each place where the demo stops for what there is to see, until `until` is there. */
export async function passStops(panel: FrameLocator, until: Locator, goOn = 'Continue'): Promise<void> {
  const stop = panel.locator('.question-card').getByRole('button', { name: goOn });
  for (;;) {
    await stop.or(until).first().waitFor();
    if (!(await stop.isVisible())) return;
    await stop.click();
    await stop.waitFor({ state: 'detached' });
  }
}

/** Undoes the compaction that can be undone. */
export async function undoCompaction(panel: FrameLocator): Promise<void> {
  await panel.getByRole('button', { name: /^Undo this compaction/ }).click();
  await panel.getByRole('button', { name: /^Redo this compaction/ }).waitFor();
}

export async function chooseStrategy(panel: FrameLocator, label: string): Promise<void> {
  await panel.locator('button[title^="Compaction strategy"]').first().click();
  await panel.locator('.popover').getByRole('button', { name: 'More…', exact: true }).click();
  // They take the place of others, which move under the pointer.
  await panel.locator('.choice', { hasText: 'Round summary' }).first().waitFor();
  await panel.locator('.choice', { hasText: label }).first().click();
  await panel.getByRole('button', { name: new RegExp(`Compaction strategy.*${label}`) }).waitFor();
}

/** Makes the session's own strategy the one of all sessions. */
export async function useForAll(panel: FrameLocator): Promise<void> {
  await panel.locator('button[title^="Compaction strategy"]').first().click();
  await panel.getByRole('button', { name: /^Use for all sessions/ }).click();
}

/** Starts an empty session. */
export async function newSession({ page, panel }: Window): Promise<void> {
  await runCommand(page, 'Palimpsest: New Session');
  await panel.locator('.row').first().waitFor({ state: 'detached' });
}

/** Opens the list of sessions, and waits until it has one. */
export async function openHistory({ page, panel }: Window): Promise<FrameLocator> {
  await runCommand(page, 'Palimpsest: Show History');
  await panel.locator('.overlay .session').first().waitFor();
  return panel;
}

/** Opens the session whose line in the list holds `text`. */
export async function openSession(window: Window, text: string): Promise<void> {
  await (await openHistory(window)).locator('.session-open', { hasText: text }).click();
}
