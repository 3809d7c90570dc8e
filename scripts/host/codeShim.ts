#!/usr/bin/env node
/**
 * Stands in for the desktop `code` command where desktop VS Code cannot run: takes the arguments that `runTests` of
 * @vscode/test-electron passes, runs the suite in a real extension host with a headless browser, and exits with its
 * result. With `--install-extension` it installs that package and exits.
 */

import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { format, parseArgs } from 'node:util';
import { chromium } from '@playwright/test';
import { chromiumOptions } from './browser.ts';
import { startCodeServer, workbenchUrl } from './codeServer.ts';

/** Only a suite that hangs needs so long. */
const LIMIT_MS = 600_000;
/** Lines that the workbench writes about itself and that say nothing about the suite. */
const NOISE =
  /open-vsx|authentication provider|^(Canceled|Creating a socket|Resolv|\[reconn|Updating add|\[Service W|\[AgentHost|\[AccountP|Creation of work|ChatSessionStore)|marketplace|gallery/i;

const { values, positionals } = parseArgs({
  args: process.argv.slice(2),
  strict: false,
  allowPositionals: true,
  options: {
    extensionDevelopmentPath: { type: 'string', multiple: true },
    extensionTestsPath: { type: 'string' },
    'extensions-dir': { type: 'string' },
    'install-extension': { type: 'string' },
    'user-data-dir': { type: 'string' },
  },
});

process.exit(
  await (typeof values['install-extension'] === 'string' ? install(values['install-extension']) : runSuite()),
);

async function install(file: string): Promise<number> {
  const server = await startCodeServer({ vsix: [resolve(file)], ...givenFolders() });
  await server.stop();
  return 0;
}

async function runSuite(): Promise<number> {
  const [main, ...others] = (values.extensionDevelopmentPath ?? []).map((path) => resolve(String(path)));
  const tests = values.extensionTestsPath;
  if (main === undefined || typeof tests !== 'string') throw new Error('name an extension folder and a suite');
  const folder = positionals.map((path) => resolve(path)).find((path) => existsSync(path));
  // Only one development folder counts; the other extensions are linked as if installed.
  const server = await startCodeServer({ testDriver: true, linked: others, ...givenFolders() });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
  const browser = await chromium.launch(chromiumOptions());
  try {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    const { promise: exited, resolve: exit } = Promise.withResolvers<number>();
    await page.exposeFunction('codeAutomationLog', printLog);
    await page.exposeFunction('codeAutomationExit', exit);
    page.on('crash', () => exit(97));
    const remote = (path: string): string => `vscode-remote://${server.authority}${path}`;
    const payload = [
      ['extensionDevelopmentPath', remote(main)],
      ['extensionTestsPath', remote(resolve(tests))],
      ['skipWelcome', 'true'],
    ] as const;
    await page.goto(workbenchUrl(server, { ...(folder === undefined ? {} : { folder }), payload }));
    return await Promise.race([exited, giveUp()]);
  } finally {
    await browser.close();
    await server.stop();
  }
}

function givenFolders(): { userDataDir?: string; extensionsDir?: string } {
  const userDataDir = values['user-data-dir'];
  const extensionsDir = values['extensions-dir'];
  return {
    ...(typeof userDataDir === 'string' ? { userDataDir: resolve(userDataDir) } : {}),
    ...(typeof extensionsDir === 'string' ? { extensionsDir: resolve(extensionsDir) } : {}),
  };
}

function printLog(type: string, args: readonly unknown[]): void {
  const text = format(...args);
  if (NOISE.test(text)) return;
  (type === 'error' || type === 'warn' ? process.stderr : process.stdout).write(`${text}\n`);
}

async function giveUp(): Promise<number> {
  await sleep(LIMIT_MS, undefined, { ref: false });
  console.error(`the suite gave no result within ${LIMIT_MS / 1000} s`);
  return 99;
}
