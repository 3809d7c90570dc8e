/**
 * One running product for a scenario: the packaged VSIX installed in a fresh code-server, a fresh folder open in headless
 * Chromium. No test-driver flag, so toasts and dialogs behave as for a person. `stop` leaves nothing behind.
 */

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, FrameLocator, Page } from 'playwright-core';
import { openBrowser } from '../../../scripts/host/browser.ts';
import { type CodeServer, startCodeServer, workbenchUrl } from '../../../scripts/host/codeServer.ts';
import { ROOT, VSIX } from '../../../scripts/paths.ts';

export interface HostOptions {
  /** Packages to install; ours when absent. */
  readonly vsix?: readonly string[];
  /** Folders of further extensions to link, for instance from test/extensions. */
  readonly linked?: readonly string[];
  /** User settings by full name. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Folder whose copy is opened, the fixture of the Mocha suite when absent; null opens no folder. */
  readonly folder?: string | null;
  /** Reaches the extension host. */
  readonly env?: Readonly<Record<string, string>>;
  /** False (default): every folder is trusted. True: a fresh folder opens in Restricted Mode. */
  readonly workspaceTrust?: boolean;
  /** Given together with `userDataDir`, a second host continues where a first one stopped. */
  readonly port?: number;
  /** Kept by `stop` when given. */
  readonly userDataDir?: string;
}

export interface Host {
  readonly server: CodeServer;
  readonly context: BrowserContext;
  readonly page: Page;
  /** The copy that is open; null without a folder. */
  readonly folder: string | null;
  stop(): Promise<void>;
}

const ACTION_LIMIT_MS = 20_000;

export async function startHost(options: HostOptions = {}): Promise<Host> {
  const scratch = mkdtempSync(join(tmpdir(), 'pal-e2e-'));
  const folder =
    options.folder === null ? null : copyFolder(options.folder ?? join(ROOT, 'test/vscode/workspace'), scratch);
  const { vsix = [VSIX], linked = [], settings = {}, env = {}, workspaceTrust = false, port, userDataDir } = options;
  const server = await startCodeServer({
    vsix,
    linked,
    settings,
    env,
    workspaceTrust,
    ...(port === undefined ? {} : { port }),
    ...(userDataDir === undefined ? {} : { userDataDir }),
  });
  const { context, page, close } = await openBrowser(`http://${server.authority}`);
  page.setDefaultTimeout(ACTION_LIMIT_MS);
  const stop = async (): Promise<void> => {
    await close();
    await server.stop();
    rmSync(scratch, { recursive: true, force: true });
  };
  return { server, context, page, folder, stop };
}

/** Opens the workbench in the host's page and waits until its status bar is there. */
export async function openWorkbench({ server, page, folder }: Host): Promise<void> {
  await page.goto(workbenchUrl(server, folder === null ? {} : { folder }));
  await waitForWorkbench(page);
}

/** Reloads the window and waits until it is usable again. */
export async function reloadWindow({ page }: Host): Promise<void> {
  await page.reload();
  await waitForWorkbench(page);
}

/** A second window on the same folder. Closing the host closes it. */
export async function openSecondWindow({ server, context, folder }: Host): Promise<Page> {
  const page = await context.newPage();
  page.setDefaultTimeout(ACTION_LIMIT_MS);
  await page.goto(workbenchUrl(server, folder === null ? {} : { folder }));
  await waitForWorkbench(page);
  return page;
}

/** Process ids of the extension hosts of this host's windows, oldest first. */
export function listExtensionHosts({ server }: Host): number[] {
  const table = execFileSync('ps', ['-eo', 'pid=,pgid=,args='], { encoding: 'utf8' });
  return table.split('\n').flatMap((line) => {
    const [pid, group] = line.trim().split(/\s+/).map(Number);
    const ours = group === server.process.pid && line.includes('--type=extensionHost');
    return ours && pid !== undefined ? [pid] : [];
  });
}

async function waitForWorkbench(page: Page): Promise<void> {
  await page.locator('.part.statusbar').waitFor();
  await page.locator('.monaco-workbench .part.editor').waitFor();
}

/** The document of the panel. With several webviews open the outer frame is narrowed by the extension's id. */
export function panelFrame(page: Page): FrameLocator {
  return page
    .frameLocator('iframe.webview.ready[src*="extensionId=palimpsest.palimpsest"][src*="purpose=webviewView"]')
    .frameLocator('iframe#active-frame');
}

/** User settings as they are on disk now. */
export function readSettings({ server }: Host): Record<string, unknown> {
  return JSON.parse(readFileSync(server.settingsFile, 'utf8'));
}

function copyFolder(source: string, scratch: string): string {
  const copy = join(scratch, 'workspace');
  mkdirSync(copy);
  cpSync(source, copy, { recursive: true });
  return copy;
}
