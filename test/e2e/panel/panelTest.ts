/**
 * What a test of the panel alone is given: the panel in a page of its own. The test shows it a state and rows, and reads
 * what it posts and requests. Invariant: a script error or a violation of the content policy fails the test.
 */

import { test as base, expect, type Page } from '@playwright/test';
import type { Kept } from '../../../src/protocol/kept.ts';
import type { PanelState, ToHost, ToPanel } from '../../../src/protocol/messages.ts';
import type { Row } from '../../../src/protocol/rows.ts';
import { show } from '../../support/panelScenes.ts';
import { type ServedPanel, servePanel } from './servePanel.ts';
import type { ThemeName } from './themes.ts';

export interface OpenPanel {
  readonly page: Page;
  /** Addresses requested since the page was opened. */
  readonly requests: readonly string[];
  /** With what the page has kept of that session since it was loaded. */
  show(state: PanelState, rows: readonly Row[], more?: boolean): Promise<void>;
  deliver(...frame: ToPanel[]): Promise<void>;
  /** What the panel posted since the last look, without what it only has kept. */
  posted(): Promise<ToHost[]>;
  /** What the host would give back to the page now, by session. */
  kept(sessionId: string): Promise<Kept | undefined>;
  /** Moves the panel's clock, which stands still by itself. */
  pass(ms: number): Promise<void>;
  /** Loads the page again, and waits until the panel has asked for its state. */
  reload(): Promise<void>;
}

/** What the stand-in for the editor puts on the page's window. */
interface Bridge {
  posted: ToHost[];
  kept: Record<string, Kept>;
  violations: string[];
  now: number;
  deliver(frame: readonly ToPanel[]): void;
}

/** A page of the product's scripts, served once for all tests of a worker. */
export const servedTest = base.extend<{ theme: ThemeName; language: string }, { served: ServedPanel }>({
  served: [
    async ({}, use) => {
      const served = await servePanel();
      await use(served);
      await served.close();
    },
    { scope: 'worker' },
  ],
  theme: ['dark', { option: true }],
  language: ['en', { option: true }],
});

/** After a message: the frame that draws it, and the frame in which sizes settle. */
export const settled = (page: Page) =>
  page.evaluate(
    () => new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)))),
  );

export const test = servedTest.extend<{ panel: OpenPanel }>({
  viewport: { width: 340, height: 720 },
  panel: async ({ page, served, theme, language }, use) => {
    const requests: string[] = [];
    const errors: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    const isReady = () => page.waitForFunction(() => (window as unknown as Bridge).posted.length > 0);
    const deliver = async (...frame: ToPanel[]) => {
      await page.evaluate((sent) => (window as unknown as Bridge).deliver(sent), frame);
      await settled(page);
    };
    const keptOf = (sessionId: string) => page.evaluate((id) => (window as unknown as Bridge).kept[id], sessionId);
    await page.goto(served.url({ theme, language }));
    await isReady();
    await use({
      page,
      requests,
      deliver,
      show: async (state, rows, more) => {
        const kept = await keptOf(state.sessionId);
        await deliver({ ...show(state, rows, more), ...(kept ? { kept } : {}) } as ToPanel);
      },
      posted: () => page.evaluate(() => (window as unknown as Bridge).posted.splice(0)),
      kept: keptOf,
      pass: (ms) =>
        page.evaluate((by) => {
          (window as unknown as Bridge).now += by;
        }, ms),
      reload: async () => {
        await page.reload();
        await isReady();
      },
    });
    expect(errors).toEqual([]);
    expect(await page.evaluate(() => (window as unknown as Bridge).violations)).toEqual([]);
  },
});

export function ofType(messages: readonly ToHost[], type: ToHost['type']): ToHost[] {
  return messages.filter((message) => message.type === type);
}

/** Clicks everything that `selector` finds. */
export async function openAll({ page, deliver }: OpenPanel, selector: string): Promise<void> {
  await page.evaluate((wanted) => {
    for (const button of document.querySelectorAll<HTMLElement>(wanted)) button.click();
  }, selector);
  await deliver();
}

/** Goes through the whole conversation, screen by screen, because only what is near the reader is on the page. */
export async function onEachScreen({ page, deliver }: OpenPanel, look: () => Promise<void>): Promise<void> {
  const conversation = page.locator('.conversation');
  await conversation.evaluate((element) => element.scrollTo(0, 0));
  for (;;) {
    await deliver();
    await look();
    await deliver();
    const atEnd = await conversation.evaluate((element) => {
      const before = element.scrollTop;
      element.scrollBy(0, element.clientHeight);
      return element.scrollTop === before;
    });
    if (atEnd) return;
  }
}
