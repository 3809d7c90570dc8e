/**
 * Compactions by themselves, where little can go: a small window, and one that memory nearly fills. None frees next to
 * nothing, none follows another without need, and the panel names the part that fills the window.
 */

import assert from 'node:assert/strict';
import type { Host } from '../support/host.ts';
import { entriesOf } from '../support/journals.ts';
import { ask } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';

const note = (length: number) =>
  Array.from({ length }, (_, i) => `- note ${i}: retries wait longer each time`).join('\n');

const HOLD_GROWTH = 0.05;

/** Each frees what a compaction must, or the next request would not have fitted; and there are few for what was added. */
function checkWorth(host: Host, window: number): void {
  const made = entriesOf(host, 'compaction');
  const gain = HOLD_GROWTH * window;
  const added = entriesOf(host, 'message').reduce((sum, { tokens }) => sum + tokens, 0);
  assert.ok(made.length <= (2 * added) / gain + 1, `${made.length} compactions for ${added} tokens`);
  for (const { tokensBefore, tokensAfter } of made) assert.ok(tokensBefore - tokensAfter > gain / 4);
}

for (const { window, memory, fills } of [
  { window: 8_000, memory: 0, fills: null },
  { window: 16_000, memory: 1_750, fills: /^Memory files take [\d.,k]+ of/ },
])
  test(`fifteen turns in a window of ${window}`, { tag: '@B2' }, async ({
    startHost,
    startSteeredModel,
    makeFolder,
    capture,
  }) => {
    const model = await startSteeredModel(window);
    const host = await startHost({
      share: true,
      folder: makeFolder({ 'notes.md': note(40), ...(memory ? { 'AGENTS.md': note(memory) } : {}) }),
      settings: { ...model.settings, 'palimpsest.contextWindow': window },
    });
    const { panel } = host;
    for (let turn = 0; turn < 15; turn++) {
      model.plan('notes.md', 1, `Read ${turn}.`);
      await ask(panel, `read the notes, time ${turn}`);
      await panel
        .locator('.row.assistant', { hasText: `Read ${turn}.` })
        .last()
        .waitFor();
    }
    const line = panel.locator('.meter-fixed');
    if (fills) await expect(line).toHaveText(fills);
    else await expect(line).toHaveCount(0);
    await capture(`worth-${window}`);
    checkWorth(host, window);
    const rows = panel.locator('.row.compaction');
    for (const text of await rows.allTextContents()) {
      const [, before, after] = /([\d.,k]+)\s*→\s*([\d.,k]+)/.exec(text) ?? [];
      assert.notEqual(before, after, text);
    }
  });
