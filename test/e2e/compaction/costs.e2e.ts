/**
 * What a session costs, as a person sees it: beside the meter, in a preview, in a compaction's row, in the timeline of the
 * cache, as a limit at which a turn waits, and as a budget that asks. The server keeps a prompt cache and says what it read from it.
 */

import assert from 'node:assert/strict';
import { type CachingServer, startCachingServer } from '../../support/modelServer/cachingServer.ts';
import { editFolderSettings, openContext, pageFrame } from '../support/host.ts';
import { entriesOf } from '../support/journals.ts';
import { ask, send } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { runCommand } from '../support/workbench.ts';

const TURNS = 6;
const FILES = Object.fromEntries(
  Array.from({ length: TURNS }, (_, i) => [`notes${i}.md`, `- note ${i}: retries wait longer each time\n`.repeat(120)]),
);
const PRICE = { input: 3, output: 15, cacheRead: 0.3 };

let server: CachingServer;
test.afterEach(() => server.close());

const reading = (file: string) => ({ calls: [{ name: 'read_file', arguments: { path: file } }] });

for (const theme of ['Dark', 'Light']) {
  test(`what a session costs: meter, preview, compaction, timeline, limit (${theme})`, {
    tag: theme === 'Dark' ? ['@everyday', '@item:8', '@item:16', '@item:21', '@B2', '@C14', '@B15'] : [],
  }, async ({ startHost, makeFolder, capture }) => {
    const answers = Object.keys(FILES).flatMap((file) => [reading(file), { text: `Read ${file}.` }]);
    server = await startCachingServer({ clock: { now: Date.now }, answers });
    const host = await startHost({
      share: true,
      folder: makeFolder(FILES),
      settings: {
        'workbench.colorTheme': `Default ${theme} Modern`,
        'palimpsest.endpoints': [
          {
            id: 'priced',
            baseUrl: server.baseUrl,
            models: [{ name: 'counted', contextWindow: 100_000, price: PRICE }],
          },
        ],
        'palimpsest.model': 'counted@priced',
        'palimpsest.compaction.toolResultHiding.preserveRecentGroups': 1,
      },
    });
    const { page, panel } = host;
    const name = (part: string) => `costs-${theme.toLowerCase()}-${part}`;

    for (let turn = 0; turn < TURNS; turn++) await ask(panel, `read notes ${turn}`);
    const spent = entriesOf(host, 'usage').map(({ cost }) => cost?.amount ?? 0);
    assert.ok(spent.every((amount) => amount > 0));

    await test.step('the cost stands beside the meter, and in its details', async () => {
      const meter = panel.locator('button.meter');
      await expect(meter.locator('.meter-numbers')).toHaveText(/ · \$0\.\d+$/);
      const status = page.locator('.part.statusbar .statusbar-item', { hasText: /\d% · \$0\.\d+$/ });
      await expect(status).toHaveAccessibleName(/Context: .* tokens\. Cost of this session: \$0\.\d+/);
      await meter.click();
      await panel.getByText(/This session has cost \$0\.\d+/).waitFor();
      await capture(name('meter'));
      await page.keyboard.press('Escape');
    });

    await test.step('a preview says what a request costs before and after', async () => {
      const details = await openContext(host, 'Preview');
      const table = details.getByRole('table', { name: 'Preview Compaction' });
      await expect(table.getByRole('row', { name: /^Hide tool results/ })).toContainText(
        /none\s*\$0\.\d+\s*\$\d+\.\d+\s*5 hidden/,
      );
      await expect(table.getByRole('row', { name: /^Summary/ })).toContainText(/≈ [\d,]+.*1 request/s);
      await capture(name('previews'));
      await details.getByRole('button', { name: 'Hide tool results', exact: true }).click();
      await details.getByText(/Cost per request: \$0\.\d+ → \$0\.\d+ for the next one/).waitFor();
      await capture(name('preview'));
      await details.getByRole('button', { name: 'Apply' }).click();
      await panel.locator('.row.compaction').first().waitFor();
    });

    await test.step("a compaction's row says what it cost in cache", async () => {
      await ask(panel, 'go on');
      await panel.locator('.compaction-toggle').first().click();
      const body = panel.locator('.compaction-body');
      await expect(body).toContainText(/Cache cost/);
      await expect(body).toContainText(/tokens read again \(\+\$0\.\d+\)/);
      await body.getByText('Cache cost').scrollIntoViewIfNeeded();
      await capture(name('row'));
    });

    await test.step('the timeline of the cache names the compaction that broke the prefix', async () => {
      await panel.locator('button.meter').click();
      await panel.getByRole('dialog').getByRole('button', { name: 'Timeline…' }).click();
      const timeline = pageFrame(host);
      await timeline.getByRole('heading', { name: 'Cache and cost' }).waitFor();
      await timeline
        .getByText(/compaction \(Hide tool results\)/)
        .first()
        .waitFor();
      await capture(name('timeline'));
      await runCommand(page, 'View: Close All Editors');
      await openContext(host, 'Timeline');
      // A narrow page leaves out where a price is from.
      await runCommand(page, 'View: Toggle Primary Side Bar Visibility');
      await timeline.getByText('your settings').first().waitFor();
      await runCommand(page, 'View: Toggle Primary Side Bar Visibility');
    });

    await test.step('a turn waits at its limit of cost, and goes on when told to', async () => {
      editFolderSettings(host, { 'palimpsest.agent.costLimit': 0.000001 });
      const paused = panel.locator('.row.notice', { hasText: 'The turn has cost' });
      // The changed setting is in force a moment later.
      await expect(async () => {
        server.plan(reading('notes0.md'), { text: 'Read once more.' });
        await ask(panel, 'read it again');
        await expect(paused).toBeVisible({ timeout: 2_000 });
      }).toPass();
      await capture(name('limit'));
      await paused.getByRole('button').first().click();
      await panel.locator('.row.assistant', { hasText: 'Read once more.' }).last().waitFor();
    });

    await test.step('a session asks at its budget: a no ends the turn, a yes lets it go on', async () => {
      editFolderSettings(host, { 'palimpsest.agent.costLimit': 0, 'palimpsest.agent.budgets': { session: 0.001 } });
      const question = panel.locator('.question-card', { hasText: 'This session has cost' });
      const stopped = panel.locator('.row.notice', { hasText: 'Continue, or send a message.' });
      // The changed setting is in force a moment later.
      await expect(async () => {
        server.planAgain({ text: 'Not asked for yet.' });
        await send(panel, 'one more question');
        await expect(question).toBeVisible({ timeout: 2_000 });
      }).toPass();
      await capture(name('budget'));
      await question.getByRole('button', { name: 'No', exact: true }).click();
      await expect(question).toBeHidden();
      await stopped.last().getByRole('button').first().click();
      await question.getByRole('button', { name: /^Up to \$/ }).click();
      await panel.locator('.row.assistant', { hasText: 'Not asked for yet.' }).last().waitFor();
      await panel.locator('.row.notice', { hasText: 'You allowed this session to cost up to' }).waitFor();
    });
  });
}
