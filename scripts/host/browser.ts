/** Finds Chromium and opens one page in a profile of its own, which `close` removes. */

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { provideSystemNeeds } from './missing.ts';

export interface Browser {
  readonly context: BrowserContext;
  readonly page: Page;
  close(): Promise<void>;
}

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/**
 * Path of a Chromium: the one `CHROMIUM` names, a system one, or Playwright's own. Where there is none, apt-get
 * installs it.
 */
export function provideChromium(): string {
  provideSystemNeeds([
    {
      name: 'Chromium',
      debianPackages: ['chromium'],
      advice: 'install Chromium or Chrome, run `npx playwright-core install chromium`, or set CHROMIUM to its path',
      isPresent: () => findChromium() !== undefined,
    },
  ]);
  const found = findChromium();
  if (found === undefined) throw new Error('Chromium was found and is gone');
  return found;
}

function findChromium(): string | undefined {
  return [process.env.CHROMIUM ?? '', ...PLACES, chromium.executablePath()].find(
    (path) => path !== '' && existsSync(path),
  );
}

export async function openBrowser(origin: string): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'pal-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: provideChromium(),
    headless: true,
    chromiumSandbox: false,
    viewport: { width: 1400, height: 900 },
    args: ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-sync'],
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
  const page = context.pages()[0] ?? (await context.newPage());
  const close = async (): Promise<void> => {
    await context.close();
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  return { context, page, close };
}
