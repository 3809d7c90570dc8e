/**
 * The end-to-end tests. One worker has the scenarios in VS Code, because a product under test fills a core and a half by
 * itself; beside it another one has the tests of the panel alone, in a page. A test runs once: one that passes
 * only when it is tried again is wrong. A failure leaves its screenshot in test-results/e2e. Tracing every test takes a third
 * more time; `--trace on` traces one that is looked into.
 */

import { defineConfig, type PlaywrightTestConfig } from '@playwright/test';
import { chromiumOptions } from './scripts/host/browser.ts';

/** Upper bounds of waiting for one thing and for a whole test: reached only when something is wrong. */
const THING_MS = 30_000;
const TEST_MS = 300_000;

/** Those in that folder but the lab, which is a page of the editor. */
const PANEL_ALONE = /e2e\/panel\/(?!strategyLab)\w+\.e2e\.ts$/;

/** `npm test` runs those that show an item of the panel, a complaint or the first use, once each. */
const EVERYDAY = /@everyday\b/;
const SCENARIOS: Readonly<Record<string, Pick<PlaywrightTestConfig, 'grep' | 'grepInvert'>>> = {
  everyday: { grep: EVERYDAY },
  rest: { grepInvert: EVERYDAY },
  all: {},
};

/** Scenarios that only take pictures run with `npm run shots`. */
const TAKES_PICTURES = process.env.PALIMPSEST_SHOTS === '1';

export default defineConfig({
  testDir: 'test/e2e',
  testMatch: TAKES_PICTURES ? '**/*.shots.ts' : '**/*.e2e.ts',
  outputDir: 'test-results/e2e',
  ...SCENARIOS[process.env.PALIMPSEST_SCENARIOS ?? 'all'],
  workers: 2,
  projects: [
    { name: '', testIgnore: PANEL_ALONE, workers: 1 },
    ...(TAKES_PICTURES ? [] : [{ name: 'alone', testMatch: PANEL_ALONE, workers: 1 }]),
  ],
  retries: 0,
  timeout: TEST_MS,
  expect: { timeout: THING_MS, toPass: { timeout: THING_MS, intervals: [100, 250, 500] } },
  reporter: [['list'], ['json', { outputFile: 'test-results/e2e.json' }]],
  use: {
    actionTimeout: THING_MS,
    navigationTimeout: THING_MS,
    viewport: { width: 1400, height: 900 },
    launchOptions: chromiumOptions(),
    screenshot: 'only-on-failure',
  },
});
