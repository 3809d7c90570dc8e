/** The panel in a headless browser: it is shown a state and rows, and reports what it posts, loads and violates. */

import { type Browser, chromium, type Page } from 'playwright-core';
import { provideChromium } from '../../../scripts/host/browser.ts';
import type { PanelState, ToHost, ToPanel } from '../../../src/protocol/messages.ts';
import type { Row } from '../../../src/protocol/rows.ts';
import { show } from './scenes.ts';
import { type ServedPanel, servePanel } from './servePanel.ts';
import type { ThemeName } from './themes.ts';

export interface PanelBrowser {
  open(options?: PanelOptions): Promise<OpenPanel>;
  close(): Promise<void>;
}

export interface PanelOptions {
  readonly theme?: ThemeName;
  readonly language?: string;
  readonly width?: number;
  readonly height?: number;
}

export interface OpenPanel {
  readonly page: Page;
  /** Addresses requested since the page was opened. */
  readonly requests: readonly string[];
  /** Errors of the page's scripts and its console. */
  readonly errors: readonly string[];
  show(state: PanelState, rows: readonly Row[], more?: boolean): Promise<void>;
  deliver(...frame: ToPanel[]): Promise<void>;
  /** What the panel posted since the last look. */
  posted(): Promise<ToHost[]>;
  /** Directives of the content policy that something violated. */
  violations(): Promise<string[]>;
}

/** What the bridge's stand-in puts on the page's window. */
interface Bridge {
  posted: ToHost[];
  violations: string[];
  deliver(frame: readonly ToPanel[]): void;
}

export async function startPanelBrowser(): Promise<PanelBrowser> {
  const served = await servePanel();
  const browser = await chromium.launch({
    executablePath: provideChromium(),
    chromiumSandbox: false,
    args: ['--disable-gpu', '--disable-background-networking'],
  });
  return {
    open: (options = {}) => openPage(browser, served, options),
    close: async () => {
      await browser.close();
      await served.close();
    },
  };
}

async function openPage(
  browser: Browser,
  served: ServedPanel,
  { width = 340, height = 720, ...look }: PanelOptions,
): Promise<OpenPanel> {
  const page = await browser.newPage({ viewport: { width, height } });
  const requests: string[] = [];
  const errors: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  await page.goto(served.url(look));
  await page.waitForFunction(() => (window as unknown as Bridge).posted.length > 0);
  const deliver = async (...frame: ToPanel[]) => {
    await page.evaluate((sent) => (window as unknown as Bridge).deliver(sent), frame);
    // The message, the frame that draws it, and the frame in which sizes settle.
    await page.evaluate(
      () => new Promise((done) => setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)))),
    );
  };
  return {
    page,
    requests,
    errors,
    deliver,
    show: (state, rows, more) => deliver(show(state, rows, more)),
    posted: () => page.evaluate(() => (window as unknown as Bridge).posted.splice(0)),
    violations: () => page.evaluate(() => (window as unknown as Bridge).violations),
  };
}
