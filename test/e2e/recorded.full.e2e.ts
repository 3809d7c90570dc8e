/**
 * A session recorded elsewhere is imported, shown, continued with a message and compacted by each of the first three
 * strategies in turn: a real recording where one is there, else a generated one.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { generateSession } from '../support/generateSession.ts';
import { SCRIPTED_MODEL, startScriptedModel } from '../support/modelServerScript.ts';
import { findRecordedSessions } from '../support/recordedSessions.ts';
import { openPanel, runCommand } from './support/actions.ts';
import { panelFrame } from './support/host.ts';
import { ask, send } from './support/panel.ts';
import { scenario } from './support/scenario.ts';

const server = await startScriptedModel();
const scratch = mkdtempSync(join(tmpdir(), 'pal-recorded-'));
after(async () => {
  await server.close();
  rmSync(scratch, { recursive: true });
});

/** Long enough that every strategy finds something to do. */
function recording(): string {
  const recorded = findRecordedSessions().find((path) => /cc-|codex|pi-|copilot/.test(path));
  if (recorded) return recorded;
  const path = join(scratch, 'generated.jsonl');
  writeFileSync(path, generateSession({ seed: 7, messages: 120 }));
  return path;
}

const settings = {
  'palimpsest.endpoint.baseUrl': server.baseUrl,
  'palimpsest.endpoint.models': [SCRIPTED_MODEL],
  'palimpsest.model': SCRIPTED_MODEL,
  'palimpsest.contextWindow': 1_000_000,
  'files.simpleDialog.enable': true,
};

scenario('a recorded session is imported, continued and compacted', { settings }, async ({ page }, screenshot) => {
  const file = recording();
  await openPanel(page);
  await runCommand(page, 'Palimpsest: Import Session');
  const input = page.locator('.quick-input-widget input.input');
  await input.fill(file);
  await input.press('Enter');
  const panel = panelFrame(page);
  await panel.locator('.row.tool').first().waitFor();
  await screenshot('recorded-1-imported');

  await ask(panel, 'What did we do so far?');
  await panel.locator('.row.assistant', { hasText: 'Scripted model: you wrote' }).waitFor();
  const sent = server.requests.at(-1)?.body.messages;
  assert.ok(Array.isArray(sent) && sent.length > 30, 'the whole history went to the model');

  // Each is undone again, so that the next one meets the whole history too.
  for (const [number, strategy] of ['Hide tool results', 'Hide, then summary', 'Summary'].entries()) {
    await panel.getByRole('button', { name: /^Compaction strategy/ }).click();
    await panel
      .locator('.popover .choice', { hasText: strategy })
      .filter({ hasNotText: `${strategy},` })
      .first()
      .click();
    await panel.getByRole('button', { name: `Compaction strategy: ${strategy}`, exact: true }).waitFor();
    const rows = panel.locator('.row.compaction');
    const before = await rows.count();
    await send(panel, '/compact');
    await rows.nth(before).waitFor();
    await screenshot(`recorded-${number + 2}-${strategy.toLowerCase().replaceAll(/\W+/g, '-')}`);
    await panel.getByRole('button', { name: 'Undo this compaction' }).click();
    await panel.getByRole('button', { name: 'Redo this compaction' }).waitFor();
  }
  await ask(panel, 'And now?');
  assert.deepEqual(server.failures, []);
});
