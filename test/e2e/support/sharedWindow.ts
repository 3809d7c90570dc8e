/**
 * One window for the scenarios of a worker that say they can begin in it (`share`): opening one takes longer than most of
 * them. Invariant: such a scenario begins with an empty session in the usual mode, nothing in the composer, nothing open
 * beside it, its own files, settings and model server, no editor, terminal or notification, and the journals of earlier ones
 * are not among its own. What a window remembers beyond that is not cleaned: always-allowed tools, commands and servers, what
 * was chosen in pickers, the list of sessions, commands in the background, and the panel in an editor tab. A scenario about
 * those takes its own.
 */

import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, expect, type FrameLocator } from '@playwright/test';
import { type CodeServer, QUIET_SETTINGS, startCodeServer } from '../../../scripts/host/codeServer.ts';
import { ROOT, VSIX } from '../../../scripts/paths.ts';
import { type Host, NOTHING_BEFORE, panelFrame, removeFolder } from './host.ts';
import { readLog } from './journals.ts';

const HELPER = join(ROOT, 'test/e2e/support/nextScenario');

export interface SharedWindow {
  /** The window with a copy of that folder and these user settings, as if it had just been opened. */
  begin(folder: string, settings: Readonly<Record<string, unknown>>): Promise<Host>;
  end(): Promise<void>;
}

export function shareWindow(browser: Browser, waitMs: number): SharedWindow {
  const scratch = mkdtempSync(join(tmpdir(), 'pal-e2e-'));
  const copy = join(scratch, 'workspace');
  mkdirSync(copy);
  let opened: { server: CodeServer; context: BrowserContext; host: Host } | undefined;
  let beginnings = 0;

  const note = join(scratch, 'next.json');
  const answer = `${note}.answer`;

  const putFiles = (folder: string): void => {
    for (const name of readdirSync(copy)) removeFolder(join(copy, name));
    cpSync(folder, copy, { recursive: true });
  };
  const folderSettings = () => readObject(join(copy, '.vscode/settings.json'));

  return {
    async begin(folder, given) {
      const earlier = folderSettings();
      putFiles(folder);
      const settings = { ...QUIET_SETTINGS, ...given };
      if (!opened) {
        const server = await startCodeServer({
          vsix: [VSIX],
          linked: [HELPER],
          env: { NEXT_SCENARIO: note },
          settings,
        });
        const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
        context.setDefaultTimeout(waitMs);
        const page = await context.newPage();
        const host = {
          server,
          page,
          panel: panelFrame(page),
          folder: copy,
          before: NOTHING_BEFORE,
          stop: async () => {},
        };
        opened = { server, context, host };
        return host;
      }
      const { server, host } = opened;
      const nth = ++beginnings;
      // A person's own changes of settings are in the file too.
      const ofUser = { ...replaceByNull(readObject(server.settingsFile)), ...settings };
      const ofFolder = { ...replaceByNull(earlier), ...folderSettings() };
      writeFileSync(note, JSON.stringify({ nth, ofUser, ofFolder }));
      await expect
        .poll(() => readObject(answer), { message: 'the window is prepared', intervals: [50] })
        .toEqual({ nth });
      await host.panel.locator('.row').first().waitFor({ state: 'detached' });
      await leaveNothingWritten(host.panel);
      const journals = new Set(globSync('**/journal.jsonl', { cwd: server.userDataDir }));
      return { ...host, before: { journals, log: readLog({ ...host, before: NOTHING_BEFORE }).length } };
    },
    async end() {
      await opened?.context.close();
      await opened?.server.stop();
      removeFolder(scratch);
    },
  };
}

/** What was being written goes along into a new session, and so does a mode that was chosen before there was one. */
async function leaveNothingWritten(panel: FrameLocator): Promise<void> {
  const composer = panel.getByRole('combobox', { name: 'Message' });
  // An open list would take the keys. A click could meet a notification that the new settings brought.
  if ((await panel.locator('.popover').count()) > 0) await composer.press('Escape');
  await composer.focus();
  const attached = panel.locator('.composer').getByRole('button', { name: /^Remove / });
  while ((await attached.count()) > 0) await attached.first().click();
  await composer.fill('');
  await expect(composer).toHaveValue('');
  const mode = panel.getByRole('button', { name: /^Mode: / });
  await expect(async () => {
    if ((await mode.getAttribute('title'))?.startsWith('Mode: Act')) return;
    await composer.press('Control+.');
    throw new Error('another mode is in force');
  }).toPass();
}

/** Empty where there is no file yet, or one that is being written. */
function readObject(file: string): Record<string, unknown> {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text === '' ? {} : JSON.parse(text);
}

/** Null stands for no value, in place of what an earlier scenario set. */
function replaceByNull(settings: Readonly<Record<string, unknown>>): Record<string, null> {
  return Object.fromEntries(Object.keys(settings).map((name) => [name, null]));
}
