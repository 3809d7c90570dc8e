/** Runs the Mocha suite inside a real VS Code: desktop VS Code if there is a screen, else one served to a browser. */

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTests } from '@vscode/test-electron';
import { buildProduct } from '../build/buildProduct.ts';
import { buildTests, listSampleExtensions, SUITE } from '../build/buildTests.ts';
import { provideChromium } from '../host/browser.ts';
import { provideDesktop } from '../host/desktop.ts';
import { provideCodeServer } from '../host/installCodeServer.ts';
import { RESULTS, ROOT } from '../paths.ts';
import type { Counts, Failure } from './part.ts';

export async function runVscode(filter: string, again?: readonly Failure[]): Promise<Counts> {
  await buildProduct({ minify: false });
  await buildTests();
  const { executable, note } = await provideExecutable();
  const results = join(RESULTS, 'vscode.json');
  rmSync(results, { force: true });
  const profile = mkdtempSync(join(tmpdir(), 'pal-vsc-'));
  let broken = false;
  try {
    await runTests({
      vscodeExecutablePath: executable,
      extensionDevelopmentPath: [ROOT, ...listSampleExtensions()],
      extensionTestsPath: SUITE,
      extensionTestsEnv: {
        PALIMPSEST_MOCHA_RESULTS: results,
        PALIMPSEST_TEST_NAMES: again
          ? `^(?:${again.map(({ name }) => RegExp.escape(name)).join('|')})$`
          : RegExp.escape(filter),
      },
      launchArgs: [
        join(ROOT, 'test/vscode/workspace'),
        `--user-data-dir=${join(profile, 'u')}`,
        `--extensions-dir=${join(profile, 'e')}`,
      ],
    });
  } catch (error) {
    broken = true;
    console.error(error instanceof Error ? error.message : error);
  } finally {
    rmSync(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
  const nothing = { passed: 0, failed: 1, skipped: 0, failures: [] };
  const counts: Omit<Counts, 'note'> = existsSync(results) ? JSON.parse(readFileSync(results, 'utf8')) : nothing;
  return { ...counts, failed: Math.max(counts.failed, broken ? 1 : 0), note };
}

async function provideExecutable(): Promise<{ executable: string; note: string }> {
  const desktop = await provideDesktop();
  if (desktop.kind === 'found') return { executable: desktop.executable, note: 'desktop VS Code' };
  console.log(`desktop VS Code cannot be used: ${desktop.reason}; using code-server and Chromium`);
  provideChromium();
  provideCodeServer();
  return { executable: join(ROOT, 'scripts/host/codeShim.ts'), note: 'code-server, headless Chromium' };
}
