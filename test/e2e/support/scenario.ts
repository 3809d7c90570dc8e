/**
 * One end-to-end test: starts a host, opens the workbench, runs the steps, and stops the host whatever happens. A failed
 * scenario leaves a screenshot of its last moment.
 */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { RESULTS } from '../../../scripts/paths.ts';
import { type Host, type HostOptions, openWorkbench, startHost } from './host.ts';

/** Saves what the page shows as test-results/screenshots/<name>.png. */
export type Screenshot = (name: string) => Promise<void>;

const LIMIT_MS = 120_000;

// Without a handler a signal ends this process past its `exit` event, which ends the host's process group.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

/** `options` may be a function, for what exists only once the test runs, such as a server's address. */
export function scenario(
  name: string,
  options: HostOptions | (() => Promise<HostOptions>),
  steps: (host: Host, screenshot: Screenshot) => Promise<void>,
): void {
  test(name, { timeout: LIMIT_MS }, async () => {
    const host = await startHost(typeof options === 'function' ? await options() : options);
    const screenshot: Screenshot = (title) => saveScreenshot(host, title);
    try {
      await openWorkbench(host);
      await steps(host, screenshot);
    } catch (error) {
      await screenshot(`failed-${name.replaceAll(/[^a-z0-9]+/gi, '-')}`);
      throw error;
    } finally {
      await host.stop();
    }
  });
}

/** A scenario of the full run only, so that the everyday run stays within its minutes. */
export function fullScenario(...definition: Parameters<typeof scenario>): void {
  if (process.env.PALIMPSEST_FULL) scenario(...definition);
}

async function saveScreenshot({ page }: Host, name: string): Promise<void> {
  const folder = join(RESULTS, 'screenshots');
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
