/**
 * A session recorded elsewhere is imported, shown, continued with a message, and compacted by each of the first three
 * strategies in turn. It is a real recording if there is one, else a generated session.
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { generateSession } from '../../support/sessions/generateSession.ts';
import { findRecordedSessions } from '../../support/sessions/recordedSessions.ts';
import { choosePath } from '../support/fileDialog.ts';
import { ask, send, undoCompaction } from '../support/panel.ts';
import { test } from '../support/scenario.ts';
import { runCommand } from '../support/workbench.ts';

/** Long enough that every strategy finds something to do. */
function recording(makeFolder: (files: Readonly<Record<string, string>>) => string): string {
  const recorded = findRecordedSessions().find((path) => /cc-|codex|pi-|copilot/.test(path));
  return (
    recorded ?? join(makeFolder({ 'generated.jsonl': generateSession({ seed: 7, messages: 120 }) }), 'generated.jsonl')
  );
}

test('a recorded session is imported, continued and compacted', async ({
  startHost,
  startScriptedModel,
  makeFolder,
  capture,
}) => {
  const { server, settings } = await startScriptedModel();
  const { page, panel } = await startHost({
    settings: { ...settings, 'palimpsest.contextWindow': 1_000_000, 'files.simpleDialog.enable': true },
  });
  await runCommand(page, 'Palimpsest: Import Session');
  await choosePath(page, recording(makeFolder));
  await panel.locator('.row.tool').first().waitFor();
  await capture('recorded-1-imported');

  await ask(panel, 'What did we do so far?');
  await panel.locator('.row.assistant', { hasText: 'Scripted model: you wrote' }).waitFor();
  const sent = server.requests.at(-1)?.body.messages;
  assert.ok(Array.isArray(sent) && sent.length > 30, 'the whole history went to the model');

  // Each is undone, so that the next one gets the whole history too.
  for (const [number, strategy] of ['Hide tool results', 'Hide, then summary', 'Summary'].entries()) {
    await panel.getByRole('button', { name: /^Compaction strategy/ }).click();
    await panel.getByRole('button', { name: 'More…', exact: true }).click();
    await panel
      .locator('.popover .choice')
      .filter({ has: panel.getByText(strategy, { exact: true }) })
      .click();
    await panel.getByRole('button', { name: `Compaction strategy: ${strategy}`, exact: true }).waitFor();
    const rows = panel.locator('.row.compaction');
    const before = await rows.count();
    await send(panel, '/compact');
    await rows.nth(before).waitFor();
    await capture(`recorded-${number + 2}-${strategy.toLowerCase().replaceAll(/\W+/g, '-')}`);
    await undoCompaction(panel);
  }
  await ask(panel, 'And now?');
});
