/**
 * Strategies of other extensions in the packaged product: one chosen, consented to, used and undone; five that misbehave,
 * each named and contained while the conversation goes on.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Page } from 'playwright-core';
import { ROOT } from '../../scripts/paths.ts';
import { eventually, openPanel, runCommand } from './support/actions.ts';
import { type Host, panelFrame } from './support/host.ts';
import { entriesOf } from './support/journals.ts';
import { ask } from './support/panel.ts';
import { scenario } from './support/scenario.ts';
import { startSteeredModel } from './support/steeredModel.ts';

const extension = (name: string) => join(ROOT, 'test/extensions', name);
const model = await startSteeredModel();
const folder = mkdtempSync(join(tmpdir(), 'pal-contributed-'));
writeFileSync(join(folder, 'notes.md'), Array.from({ length: 60 }, (_, i) => `- note ${i}: retries wait`).join('\n'));
after(async () => {
  await model.server.close();
  rmSync(folder, { recursive: true });
});

async function compact(page: Page): Promise<void> {
  await runCommand(page, 'Palimpsest: Compact Context');
  const input = page.locator('.quick-input-widget input.input');
  await input.waitFor();
  await input.press('Enter');
}

/** The dialog that asks whether a publisher may see conversations. */
async function answerConsent(page: Page, publisher: string, button: string): Promise<void> {
  const dialog = page.locator('.monaco-dialog-box', { hasText: `publisher “${publisher}”` });
  await dialog.waitFor();
  await dialog.getByRole('button', { name: button }).click();
}

function chooseInSettings({ server }: Host, id: string): void {
  const settings = JSON.parse(readFileSync(server.settingsFile, 'utf8'));
  const chosen = { 'palimpsest.compaction.strategy': 'contributed', 'palimpsest.compaction.contributedStrategy': id };
  writeFileSync(server.settingsFile, JSON.stringify({ ...settings, ...chosen }, null, 2));
}

scenario(
  'a strategy of another extension is chosen, consented to, used and undone',
  { folder, settings: model.settings, linked: [extension('keep-tests')] },
  async (host, screenshot) => {
    const { page } = host;
    await openPanel(page);
    const panel = panelFrame(page);
    model.plan('notes.md', 8, 'All read.');
    await ask(panel, 'read the notes');

    await runCommand(page, 'Palimpsest: Choose Compaction Strategy');
    await page.locator('.quick-input-list .monaco-list-row', { hasText: 'Keep failing tests' }).click();
    await compact(page);
    await answerConsent(page, 'acme', 'Cancel');
    // Without consent the default does the work, and that is said.
    await panel.getByText('was not allowed to see the conversation').first().waitFor();
    await screenshot('contributed-1-refused');
    await eventually(
      () => entriesOf(host, 'compaction').map(({ strategy }) => strategy),
      (used) => used.join() === 'llm-summary',
    );
    await runCommand(page, 'Palimpsest: Undo Compaction');

    // Asked for by hand again, it asks again.
    await compact(page);
    await answerConsent(page, 'acme', 'Allow “acme”');
    const used = await eventually(
      () => entriesOf(host, 'compaction').at(-1),
      (entry) => entry?.strategy === 'acme.keep-tests/keep-tests',
    );
    assert.equal(used?.plan.filter(({ op }) => op === 'replace').length, 3);
    await screenshot('contributed-2-used');
    await runCommand(page, 'Palimpsest: Undo Compaction');
    await eventually(
      () => entriesOf(host, 'compactionUndone').at(-1)?.target,
      (target) => target === used?.seq,
    );
    await screenshot('contributed-3-undone');
  },
);

scenario(
  'five misbehaving strategies are contained while the conversation goes on',
  {
    folder,
    settings: { ...model.settings, 'palimpsest.compaction.deadline': 2 },
    linked: [extension('misbehaving')],
  },
  async (host, screenshot) => {
    const { page } = host;
    await openPanel(page);
    const panel = panelFrame(page);
    model.plan('notes.md', 4, 'All read.');
    await ask(panel, 'read the notes');
    const reasons: [string, RegExp][] = [
      ['throws', /it failed: boom/],
      ['never-answers', /did not answer within 2 seconds/],
      ['mutates', /read only|Cannot assign/],
      ['orphans', /lost its beginning/],
      ['grows', /is not smaller/],
    ];
    for (const [i, [name, reason]] of reasons.entries()) {
      chooseInSettings(host, `mallory.misbehaving/${name}`);
      await page.waitForTimeout(1_000);
      await compact(page);
      if (i === 0) await answerConsent(page, 'mallory', 'Allow “mallory”');
      const failed = await eventually(
        () => entriesOf(host, 'compactionFailed').at(-1),
        (entry) => entry?.strategy === `mallory.misbehaving/${name}`,
      );
      assert.match(failed?.reason ?? '', reason);
      model.plan('notes.md', 1, `Still here after ${name}.`);
      await ask(panel, 'go on');
      await panel.getByText(`Still here after ${name}.`).waitFor();
    }
    assert.equal(entriesOf(host, 'compaction').length, 0);
    await screenshot('contributed-4-contained');
  },
);
