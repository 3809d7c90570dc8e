/**
 * `npm start [-- --scripted] [--fresh] [--port N] [--server]`: builds, then opens VS Code with the extension, the
 * sample workspace and the demo model, until Ctrl+C. Everything it writes is in the cache folder, so that the checkout
 * stays clean and sessions are still there at the next start.
 */

import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildProduct } from './build/buildProduct.ts';
import { provideDesktop } from './host/desktop.ts';
import { MissingError } from './host/missing.ts';
import { CACHE, ROOT } from './paths.ts';
import { openDesktop } from './start/openDesktop.ts';
import { openServer } from './start/openServer.ts';
import { type ScriptedModel, startScriptedModel } from './start/scriptedModel.ts';
import { startHome } from './start/startHome.ts';

const DEFAULT_PORT = '8417';

const START_SETTINGS = {
  'chat.disableAIFeatures': true,
  'extensions.ignoreRecommendations': true,
  'telemetry.telemetryLevel': 'off',
  'workbench.secondarySideBar.defaultVisibility': 'visible',
  'workbench.startupEditor': 'none',
};

const { values } = parseArgs({
  options: {
    scripted: { type: 'boolean', default: false },
    fresh: { type: 'boolean', default: false },
    port: { type: 'string', default: process.env.PALIMPSEST_PORT ?? DEFAULT_PORT },
    server: { type: 'boolean', default: false },
  },
});

try {
  await start();
} catch (error) {
  if (!(error instanceof MissingError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function start(): Promise<void> {
  const home = startHome(CACHE, ROOT, values.scripted);
  const folder = join(home, 'sample');
  if (values.fresh) rmSync(home, { recursive: true, force: true });
  if (!existsSync(folder)) cpSync(join(ROOT, 'scripts/sample-workspace'), folder, { recursive: true });

  await buildProduct({ minify: false });
  const model = values.scripted ? await startScriptedModel() : null;
  try {
    await openHost(home, folder, model);
  } finally {
    await model?.stop();
  }
}

async function openHost(home: string, folder: string, model: ScriptedModel | null): Promise<void> {
  const userDataDir = join(home, 'user');
  const session = { folder, userDataDir, env: environmentFor(model), port: Number(values.port) };
  seedSettings(join(userDataDir, 'User/settings.json'), model);
  const desktop = values.server ? null : await provideDesktop();
  if (desktop?.kind === 'found') {
    await openDesktop(desktop.executable, session);
    return;
  }
  if (desktop !== null) console.log(`Desktop VS Code cannot be used: ${desktop.reason}.`);
  await openServer(session);
}

function environmentFor(model: ScriptedModel | null): Record<string, string> {
  return model === null ? {} : { PALIMPSEST_TEST_ENDPOINT: model.baseUrl };
}

/** Written once, so that the person's later choices stay. The scripted model's address is new at each start. */
function seedSettings(file: string, model: ScriptedModel | null): void {
  if (model === null && existsSync(file)) return;
  const chosen =
    model === null
      ? { 'palimpsest.model': 'demo' }
      : {
          'palimpsest.model': model.name,
          'palimpsest.endpoints': [{ id: 'scripted', baseUrl: model.baseUrl, models: [model.name] }],
          'palimpsest.contextWindow': model.window,
        };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ ...START_SETTINGS, ...chosen }, null, 2));
}
