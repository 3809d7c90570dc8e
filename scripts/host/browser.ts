/** Finds Chromium, and says how it is started here. */

import { existsSync } from 'node:fs';
import { chromium, type LaunchOptions } from '@playwright/test';
import { provideSystemNeeds } from './missing.ts';

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
      advice: 'install Chromium or Chrome, run `npx playwright install chromium`, or set CHROMIUM to its path',
      isPresent: () => findChromium() !== undefined,
    },
  ]);
  const found = findChromium();
  if (found === undefined) throw new Error('Chromium was found and is gone');
  return found;
}

export function chromiumOptions(): LaunchOptions {
  return {
    executablePath: provideChromium(),
    chromiumSandbox: false,
    args: ['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-sync'],
  };
}

function findChromium(): string | undefined {
  return [process.env.CHROMIUM ?? '', ...PLACES, chromium.executablePath()].find(
    (path) => path !== '' && existsSync(path),
  );
}
