/**
 * What an end-to-end test of the whole product is given. Invariant: everything started here ends with the test, and a model
 * server that met an invalid request fails it.
 */

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test as base, expect, type Page } from '@playwright/test';
import { RESULTS } from '../../../scripts/paths.ts';
import {
  LOCAL_MODEL,
  type LocalDialect,
  type LocalServer,
  type LocalServerOptions,
  startLocalServer,
} from '../../support/localServers/localServer.ts';
import type { ModelServer } from '../../support/modelServer/modelServer.ts';
import {
  SCRIPTED_MODEL,
  type ScriptedModelOptions,
  startScriptedModel,
} from '../../support/modelServer/modelServerScript.ts';
import { type Host, type HostOptions, openFolder, removeFolder, startHost } from './host.ts';
import { type SharedServer, shareServer } from './sharedServer.ts';
import { type SharedWindow, shareWindow } from './sharedWindow.ts';
import { type SteeredModel, serveModel, startSteeredModel } from './steeredModel.ts';

export { expect };

export interface ScriptedModel {
  readonly server: ModelServer;
  /** User settings that make it the model of every session. */
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface Given {
  /** Opens a window of the product. */
  readonly startHost: (options?: HostOptions) => Promise<Host>;
  readonly startScriptedModel: (options?: ScriptedModelOptions) => Promise<ScriptedModel>;
  /** `window` as in `startSteeredModel`. */
  readonly startSteeredModel: (window?: number) => Promise<SteeredModel>;
  /** A server as people run it on their own machine. */
  readonly startLocalServer: (
    dialect: LocalDialect,
    options: LocalServerOptions,
  ) => Promise<LocalServer & Pick<ScriptedModel, 'settings'>>;
  /** Makes a folder with these files. */
  readonly makeFolder: (files?: Readonly<Record<string, string>>) => string;
  /** Saves what the window shows as test-results/screenshots/<name>.png. */
  readonly capture: (name: string) => Promise<void>;
}

interface Ends {
  /** What is started last ends first. */
  readonly atEnd: (end: () => unknown) => void;
  /** The window that was opened last. */
  readonly inFront: { page?: Page };
}

/** Kept for all tests of a worker. Playwright ends a worker with a test that fails. */
interface Shared {
  readonly sharedServer: SharedServer;
  readonly sharedWindow: SharedWindow;
}

export const test = base.extend<Given & Ends, Shared>({
  sharedServer: [
    async ({}, use) => {
      const server = shareServer();
      await use(server);
      await server.end();
    },
    { scope: 'worker' },
  ],
  sharedWindow: [
    async ({ browser }, use, { project }) => {
      const window = shareWindow(browser, project.use.actionTimeout ?? 0);
      await use(window);
      await window.end();
    },
    { scope: 'worker' },
  ],
  atEnd: async ({}, use) => {
    const ends: (() => unknown)[] = [];
    await use((end) => ends.push(end));
    for (const end of ends.reverse()) await end();
  },
  inFront: async ({}, use) => {
    await use({});
  },
  startHost: async ({ context, sharedServer, sharedWindow, inFront, atEnd }, use) => {
    await use(async (options) => {
      const host = await startHost(context, { server: sharedServer, window: sharedWindow }, options);
      atEnd(() => host.stop());
      inFront.page = host.page;
      if (host.page.url() === 'about:blank') await openFolder(host, host.folder);
      return host;
    });
  },
  startScriptedModel: async ({ atEnd }, use) => {
    await use(async (options) => {
      const server = await startScriptedModel(options);
      atEnd(() => endModel(server));
      return {
        server,
        settings: serveModel(server, SCRIPTED_MODEL),
      };
    });
  },
  startSteeredModel: async ({ atEnd }, use) => {
    await use(async (window) => {
      const model = await startSteeredModel(window);
      atEnd(() => endModel(model.server));
      return model;
    });
  },
  startLocalServer: async ({ atEnd }, use) => {
    await use(async (dialect, options) => {
      const local = await startLocalServer(dialect, options);
      atEnd(() => endModel(local.server));
      return { ...local, settings: serveModel(local.server, LOCAL_MODEL) };
    });
  },
  makeFolder: async ({ atEnd }, use) => {
    await use((files = {}) => {
      const folder = mkdtempSync(join(tmpdir(), 'pal-folder-'));
      atEnd(() => removeFolder(folder));
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
      return folder;
    });
  },
  capture: async ({ inFront }, use) => {
    await use(async (name) => {
      await inFront.page?.screenshot({ path: join(RESULTS, 'screenshots', `${name}.png`) });
    });
  },
});

async function endModel(server: ModelServer): Promise<void> {
  await server.close();
  expect(server.failures).toEqual([]);
}
