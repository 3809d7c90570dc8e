/**
 * One running product: the packaged VSIX in a code-server without anything of another scenario, and a page that shows a
 * fresh folder and the panel. The test-driver flag is not set, so toasts and dialogs behave as they do for a person.
 */

import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { type BrowserContext, expect, type FrameLocator, type Page } from '@playwright/test';
import { type CodeServer, startCodeServer, workbenchUrl } from '../../../scripts/host/codeServer.ts';
import { ROOT, VSIX } from '../../../scripts/paths.ts';
import type { SharedServer } from './sharedServer.ts';
import type { SharedWindow } from './sharedWindow.ts';
import { runCommand } from './workbench.ts';

/**
 * `vsix`, `linked`, `env`, `workspaceTrust` and `userDataDir` take a server of their own, which starts some seconds later.
 */
export interface HostOptions {
  /** Packages to install; ours when absent. */
  readonly vsix?: readonly string[];
  /** Folders of further extensions to link, for instance from test/extensions. */
  readonly linked?: readonly string[];
  /** User settings by full name. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** The folder to open a copy of; by default that of the Mocha suite. Null opens no folder. */
  readonly folder?: string | null;
  /** Environment of the extension host. */
  readonly env?: Readonly<Record<string, string>>;
  /** False (default): every folder is trusted. True: a fresh folder opens in Restricted Mode. */
  readonly workspaceTrust?: boolean;
  /** Kept by `stop` when given. */
  readonly userDataDir?: string;
  /** True: may begin in the window of the scenario before, with nothing but a folder and settings; see `sharedWindow.ts`. */
  readonly share?: boolean;
}

/**
 * Their servers take seconds to start, and an edit waits for what they say of it. Scenarios about that leave this out with
 * `LANGUAGES`.
 */
const NO_LANGUAGES = { 'files.associations': { '*.ts': 'plaintext', '*.js': 'plaintext', '*.mjs': 'plaintext' } };
export const NOTHING_BEFORE: Host['before'] = { journals: new Set(), log: 0 };
export const LANGUAGES = { 'files.associations': {} };

/** A window of the workbench and the document of the panel in it. */
export interface Window {
  readonly page: Page;
  readonly panel: FrameLocator;
}

export interface Host extends Window {
  readonly server: CodeServer;
  /** The copy that is open; empty without a folder. */
  readonly folder: string;
  /** What scenarios before this one left in the window: their journals, and how much of the log is theirs. */
  readonly before: { readonly journals: ReadonlySet<string>; readonly log: number };
  stop(): Promise<void>;
}

/** Removes a folder, also one into which processes that have just ended were writing. */
export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}

/** Opens a window of the product: a new one in a server of its own or in the shared one, or one that was open before. */
export async function startHost(
  context: BrowserContext,
  shared: { readonly server: SharedServer; readonly window: SharedWindow },
  { folder = join(ROOT, 'test/vscode/workspace'), settings: given, share = false, ...special }: HostOptions = {},
): Promise<Host> {
  const settings = { ...NO_LANGUAGES, ...given };
  const isSpecial = Object.keys(special).length > 0;
  if (share) {
    if (folder === null || isSpecial) throw new Error('A shared window has the default server, and a folder.');
    return await shared.window.begin(folder, settings);
  }
  const scratch = mkdtempSync(join(tmpdir(), 'pal-e2e-'));
  const copy = folder === null ? '' : join(scratch, 'workspace');
  if (folder !== null) cpSync(folder, copy, { recursive: true });
  const server = isSpecial
    ? await startCodeServer({ vsix: [VSIX], ...special, settings })
    : await shared.server.lend(settings);
  const page = await context.newPage();
  const stop = async (): Promise<void> => {
    // A window that is still open would ask the server for another extension host.
    for (const window of context.pages()) await window.close();
    await server.stop();
    removeFolder(scratch);
  };
  return { server, page, panel: panelFrame(page), folder: copy, before: NOTHING_BEFORE, stop };
}

/** Opens the folder or the workspace file in the host's window; an empty name opens none. */
export async function openFolder({ server, page }: Host, folder: string): Promise<void> {
  await page.goto(workbenchUrl(server, folder === '' ? {} : { folder }));
  await openPanel(page);
  if (folder.endsWith('.code-workspace')) await showFolders(page, folder);
}

/**
 * The workbench loses what it reads of a workspace file when it is still connecting, and shows no folder until the file
 * changes.
 */
async function showFolders(page: Page, file: string): Promise<void> {
  const [first] = JSON.parse(readFileSync(file, 'utf8')).folders;
  const row = page.locator('.explorer-folders-view .monaco-list-row', { hasText: basename(first.path) }).first();
  await expect(async () => {
    appendFileSync(file, '\n');
    await row.waitFor({ timeout: 5_000 });
  }).toPass();
}

/** A further folder beside the open one. */
export function makeSiblingFolder({ folder }: Host, name: string): string {
  const path = join(dirname(folder), name);
  mkdirSync(path);
  return path;
}

/** A workspace file beside the open folder that names these folders, in their order. */
export function makeWorkspaceFile({ folder }: Host, name: string, folders: readonly string[]): string {
  const path = join(dirname(folder), `${name}.code-workspace`);
  writeFileSync(path, JSON.stringify({ folders: folders.map((each) => ({ path: each })) }));
  return path;
}

/** Reloads the window and waits until it is usable again. */
export async function reloadWindow({ page }: Window): Promise<void> {
  await page.reload();
  await openPanel(page);
}

/** A second window, by default on the same folder. */
export async function openSecondWindow(host: Host, folder = host.folder): Promise<Window> {
  const { server, page: first } = host;
  const page = await first.context().newPage();
  await page.goto(workbenchUrl(server, { folder }));
  await page.bringToFront();
  // The browser's own focus stays in the first window.
  await drawPanel(page);
  return { page, panel: panelFrame(page) };
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

/** Opens the panel once the workbench is drawn. */
export async function openPanel(page: Page): Promise<void> {
  await drawPanel(page);
  // The workbench gives a view the focus some time after drawing it, which closes any list that opened in between. It
  // forgets a focus that it was asked for before the view had its page.
  const focused = panelFrame(page).locator(':focus').first();
  await expect(async () => {
    await focused.waitFor({ state: 'attached', timeout: 5_000 }).catch(async (error) => {
      await runCommand(page, 'Focus on Palimpsest View');
      throw error;
    });
  }).toPass({ timeout: 30_000 });
}

async function drawPanel(page: Page): Promise<void> {
  await page.locator('.part.statusbar').waitFor();
  await page.locator('.monaco-workbench .part.editor').waitFor();
  await runCommand(page, 'Focus on Palimpsest View');
  await panelFrame(page).locator('.composer').waitFor();
}

/** The extension's id tells the panel from other webviews. */
export function panelFrame(page: Page): FrameLocator {
  return page
    .frameLocator('iframe.webview.ready[src*="extensionId=palimpsest.palimpsest"][src*="purpose=webviewView"]')
    .frameLocator('iframe#active-frame');
}

/** The page in the editor in front: a preview, what the model sees, statistics. */
export function pageFrame({ page }: Pick<Window, 'page'>): FrameLocator {
  return page
    .frameLocator('iframe.webview.ready[src*="extensionId=palimpsest.palimpsest"]:not([src*="purpose=webviewView"])')
    .frameLocator('iframe#active-frame');
}

/** Opens the page about the context by its command, on that tab. */
export async function openContext({ page }: Pick<Window, 'page'>, tab: string): Promise<FrameLocator> {
  await runCommand(page, 'Palimpsest: Show Context');
  const frame = pageFrame({ page });
  await frame.getByRole('tab', { name: tab }).click();
  await frame.getByRole('tab', { name: tab, selected: true }).waitFor();
  return frame;
}

/** The newest of several pages that are shown side by side. */
export function lastPageFrame({ page }: Pick<Window, 'page'>): FrameLocator {
  return page
    .frameLocator('iframe.webview.ready[src*="extensionId=palimpsest.palimpsest"]:not([src*="purpose=webviewView"])')
    .last()
    .frameLocator('iframe#active-frame');
}

/** Waits until the user settings on disk hold that value. The editor may be writing the file, so half a file says nothing. */
export async function expectSetting({ server }: Host, name: string, value: unknown): Promise<void> {
  await expect.poll(() => readSettings(server)?.[name], { message: `the user setting ${name}` }).toEqual(value);
}

/** Changes the settings of the open folder in its `.vscode/settings.json`, which the editor follows; undefined takes one away. */
export function editFolderSettings({ folder }: Host, changes: Readonly<Record<string, unknown>>): void {
  const path = join(folder, '.vscode/settings.json');
  mkdirSync(dirname(path), { recursive: true });
  const settings = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
  writeFileSync(path, JSON.stringify({ ...settings, ...changes }, null, 2));
}

function readSettings({ settingsFile }: CodeServer): Record<string, unknown> | undefined {
  try {
    return JSON.parse(readFileSync(settingsFile, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
