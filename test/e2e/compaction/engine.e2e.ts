/**
 * The compaction engine as a person meets it: previews, what the model sees, recovery from an overflow, a summary model
 * that fails, the question before a compaction with each of its answers, automatic compaction switched off, and results
 * that are cut, put aside or in the midst of a thought.
 */

import assert from 'node:assert/strict';
import type { Reply } from '../../support/modelServer/modelServerReply.ts';
import { expectSetting, type Host, type HostOptions, openContext, pageFrame } from '../support/host.ts';
import { entriesOf, readJournals, readLog } from '../support/journals.ts';
import { ask, askAndAllow, send, waitUntilIdle } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, type Given, test } from '../support/scenario.ts';
import type { SteeredModel } from '../support/steeredModel.ts';
import {
  closeSettings,
  editorText,
  openSettings,
  quickPick,
  runAndChoose,
  untickSetting,
} from '../support/workbench.ts';

/** In tokens: the longest request that the server takes. */
const WINDOW = 16_000;
const lines = (count: number) =>
  Array.from({ length: count }, (_, i) => `- note ${i}: retries wait longer each time`).join('\n');
const FILES = { 'long.md': lines(260), 'short.md': lines(30) };

/** A window with notes to read, and these settings. */
function begin({ startHost, makeFolder }: Pick<Given, 'startHost' | 'makeFolder'>, settings: HostOptions['settings']) {
  return startHost({
    share: true,
    folder: makeFolder(FILES),
    settings: { 'palimpsest.compaction.strategy': 'llm-summary', ...settings },
  });
}

const answered = ({ panel }: Host, text: string) => panel.locator('.row.assistant', { hasText: text }).last().waitFor();

/** Where nothing but what a person asks for is to compact. */
const LARGE = { 'palimpsest.contextWindow': 100_000 };

test('previews: each strategy, and one of them changed by hand, applied and read back', {
  tag: ['@B2', '@B16', '@B3'],
}, async ({ startHost, startSteeredModel, makeFolder, capture }) => {
  const strict = await startSteeredModel(WINDOW);
  const host = await begin({ startHost, makeFolder }, { ...strict.settings, ...LARGE });
  const { page, panel } = host;
  const rows = panel.locator('.row.compaction');
  strict.plan('short.md', 8, 'Eight short readings.');
  await ask(panel, 'read the short notes');
  await answered(host, 'Eight short readings.');

  await test.step('see what each strategy would do, and apply one of them', async () => {
    const details = await openContext(host, 'Preview');
    const strategy = (name: string) => details.getByRole('button', { name, exact: true });
    await details.getByText('hidden').first().waitFor();
    await capture('engine-01-preview-list');
    await strategy('Summary').click();
    await details.getByText('This preview asked the model').waitFor();
    await details.getByRole('button', { name: 'Look at another strategy' }).click();
    await strategy('Hide tool results').click();
    await details.getByRole('heading', { name: 'Preview of Hide tool results' }).waitFor();
    await capture('engine-02-preview-details');
    assert.equal(await rows.count(), 0, 'a preview changes nothing');
  });

  await test.step('change the plan before it is applied, with the size beside it, and see it in the row', async () => {
    const details = pageFrame(host);
    const size = details.locator('.gauge [role=status]');
    const proposed = await size.innerText();
    const results = details.getByRole('group', { name: /^Result of “Read file”/ });
    await results.nth(0).getByRole('button', { name: 'Keep' }).click();
    await expect(size).not.toHaveText(proposed);
    await details.getByRole('group', { name: /^You/ }).last().getByRole('button', { name: 'Keep' }).focus();
    await page.keyboard.press('d');
    await details.getByText('Your latest message always stays.').waitFor();
    await results.nth(1).getByRole('button', { name: 'Hide' }).focus();
    await page.keyboard.press('d');
    await expect(results.nth(1).locator('[aria-pressed=true]')).toHaveText('Drop');
    await capture('engine-02-preview-changed');
    const changed = await size.innerText();
    await details.getByRole('button', { name: 'Reset' }).click();
    await expect(size).toHaveText(proposed);
    await results.nth(0).getByRole('button', { name: 'Keep' }).click();
    await results.nth(1).getByRole('button', { name: 'Drop' }).click();
    await expect(size).toHaveText(changed);
    await details.getByRole('button', { name: 'Apply' }).click();
    await expect(rows.first()).toContainText('changed by hand');
    await rows.first().getByRole('button').first().click();
    await expect(rows.first()).toContainText(
      'The plan was changed by hand before it was applied. Kept: 1. Dropped: 2.',
    );
    await capture('engine-02-changed-by-hand');
    await rows.first().getByRole('button').first().click();
    const [entry] = entriesOf(host, 'compaction');
    assert.deepEqual(entry?.changed, { kept: 1, hidden: 0, shortened: 0, dropped: 2, rewritten: 0 });
  });

  await test.step('the model reads back what was hidden, by the handle in its stub', async () => {
    const hidden = entriesOf(host, 'compaction')[0]?.plan.find(({ op }) => op === 'replace');
    const id = hidden?.op === 'replace' ? hidden.id : 'none';
    strict.planCall('recall', { id }, 'Recalled.');
    await ask(panel, 'what was in there');
    await answered(host, 'Recalled.');
    const recalled = entriesOf(host, 'message').flatMap(({ message }) =>
      message.role === 'tool' && message.toolName === 'recall' ? [message.text] : [],
    );
    assert.match(recalled.join(), /note 29: retries wait longer each time/);
  });
});

test('an earlier request part by part, with the checksum of when it was sent', {
  tag: ['@item:8', '@B12', '@C1'],
}, async ({ startHost, startSteeredModel, makeFolder, capture }) => {
  const model = await startSteeredModel();
  const host = await begin({ startHost, makeFolder }, { ...model.settings, ...LARGE });
  const { page, panel } = host;
  model.plan('short.md', 8, 'Eight short readings.');
  await ask(panel, 'read the short notes');
  await panel.locator('button.meter').click();
  await capture('engine-03-meter');
  await panel.getByRole('button', { name: 'What the model sees…' }).click();
  const seen = pageFrame(host);
  await seen.locator('summary', { hasText: 'Earlier requests' }).click();
  await seen.getByRole('button', { name: 'Request 9', exact: true }).click();
  await seen.getByText('The checksum taken when it was sent matches').waitFor();
  for (const name of ['Tools', 'System prompt', 'Your messages', 'Answers', 'Tool results'])
    await seen.getByRole('cell', { name, exact: true }).waitFor();
  await seen.getByText(/^The model was sent \d+ messages, \d+ other parts and \d+ tools: [\d,]+ tokens\.$/).waitFor();
  await seen.getByText(/^New since the request before it: 2 parts, /).waitFor();
  await seen.locator('summary', { hasText: 'System prompt' }).first().click();
  await seen.locator('pre').first().waitFor();
  await capture('engine-03-what-the-model-sees');
  await seen.getByRole('button', { name: 'Raw request' }).click();
  await expect.poll(() => editorText(page)).toContain('"messages": [');
});

test('a window smaller than the settings say: an overflow is mended, logged and counted', {
  tag: ['@C13', '@N8'],
}, async ({ startHost, startSteeredModel, makeFolder, capture }) => {
  const strict = await startSteeredModel(WINDOW);
  const host = await begin({ startHost, makeFolder }, { ...strict.settings, ...LARGE });
  const { page, panel } = host;
  const rows = panel.locator('.row.compaction');

  await test.step('the window is smaller than the settings say, and the log tells how the turn went on', async () => {
    // The phases are of the level Debug.
    await runAndChoose(page, 'Developer: Set Log Level...', 'Palimpsest');
    await quickPick(page, 'Debug').click();
    strict.plan('long.md', 6, 'Six long readings.');
    await ask(panel, 'read the long notes');
    await answered(host, 'Six long readings.');
    assert.ok(entriesOf(host, 'compaction').some(({ trigger }) => trigger === 'overflow'));
    await expect
      .poll(() => readLog(host))
      .toMatch(/preCompact llm-summary \(overflow\).*phase=summary_done.*compactionPerformed/s);
    await rows.last().getByRole('button').first().click();
    await rows.last().getByRole('button', { name: 'What the model sees…' }).scrollIntoViewIfNeeded();
    await capture('engine-04-overflow-mended');
  });

  await test.step('the statistics count compactions and what they freed', async () => {
    const totals = await openContext(host, 'Totals');
    await totals.getByRole('heading', { name: 'Totals' }).waitFor();
    await capture('engine-06-statistics');
  });
});

test('after two failures no model is asked for a summary, and turns go on', { tag: ['@C7'] }, async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const strict = await startSteeredModel(WINDOW);
  const host = await begin({ startHost, makeFolder }, { ...strict.settings, 'palimpsest.contextWindow': WINDOW });
  const { panel } = host;
  strict.failSummaries = true;
  strict.plan('long.md', 6, 'No summary was needed.');
  await ask(panel, 'read the long notes again');
  await answered(host, 'No summary was needed.');
  assert.equal(entriesOf(host, 'compactionFailed').length, 2);
  const before = strict.summaries;
  strict.plan('long.md', 2, 'Still going on.');
  await ask(panel, 'read the long notes once more');
  await answered(host, 'Still going on.');
  assert.equal(strict.summaries, before, 'while it cools down no model is asked');
  assert.ok(entriesOf(host, 'compaction').some(({ strategy }) => strategy === 'fallback'));
  await capture('engine-05-cool-down');
});

test('automatic compaction switched off, only a person compacts', { tag: ['@N5'] }, async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const strict = await startSteeredModel(WINDOW);
  const host = await begin({ startHost, makeFolder }, { ...strict.settings, 'palimpsest.contextWindow': WINDOW });
  const { page, panel } = host;
  const editor = await openSettings(page, '@id:palimpsest.compaction.auto');
  await untickSetting(editor);
  await expectSetting(host, 'palimpsest.compaction.auto', false);
  await closeSettings(page);
  const compactions = entriesOf(host, 'compaction').length;
  strict.plan('long.md', 8, 'Never reached.');
  await ask(panel, 'read the long notes while it is off');
  await panel.locator('.row.notice', { hasText: 'Automatic compaction is off' }).waitFor();
  assert.equal(entriesOf(host, 'compaction').length, compactions);
  await capture('engine-07-auto-off');
  await send(panel, '/compact');
  await expect.poll(() => entriesOf(host, 'compaction').length).toBe(compactions + 1);
  await waitUntilIdle(panel);
});

/** The result that was sent last. */
const lastResult = ({ server }: SteeredModel) =>
  lastTurn(server).messages.findLast(({ role }) => role === 'tool')?.text ?? '';
const keptIn = (result: string) => /read_file with path "(output:[0-9a-f]{64})"/.exec(result)?.[1] ?? 'none';

const AS_IT_RETURNS = {
  ...LARGE,
  'palimpsest.agent.output.perTool': { '*': 'direction head' },
  'palimpsest.compaction.offload.onReturn': true,
};

test('a long result is cut at 2,000 lines and no further, and the rest is read back', {
  tag: ['@N1', '@C11'],
}, async ({ startHost, startSteeredModel, makeFolder }) => {
  const model = await startSteeredModel();
  const { panel } = await begin({ startHost, makeFolder }, { ...model.settings, ...AS_IT_RETURNS });
  model.planCall('run_command', { command: 'seq 1 3000' }, 'Counted.');
  await askAndAllow(panel, 'count');
  const cut = lastResult(model);
  assert.match(cut, /\n1\n2\n.*\n1990\n.*\[palimpsest:\w+ cut here: lines \d+-\d+ of 30\d\d/s);
  assert.doesNotMatch(cut, /\n2900\n|offloaded/);
  model.planCall('read_file', { path: keptIn(cut), offset: 2_800 }, 'The rest.');
  await ask(panel, 'and the rest');
  assert.match(lastResult(model), /\n2900\n/);
});

test('a result over 1,000 tokens becomes a preview and a reference that reads it whole', {
  tag: ['@C10'],
}, async ({ startHost, startSteeredModel, makeFolder }) => {
  const model = await startSteeredModel();
  const { panel } = await begin({ startHost, makeFolder }, { ...model.settings, ...AS_IT_RETURNS });
  model.planCall('read_file', { path: 'long.md' }, 'Offloaded.');
  await ask(panel, 'read the long notes aside');
  const preview = lastResult(model);
  assert.match(preview, /note 0:.*\[palimpsest:\w+ tool result offloaded, \d+ characters; read_file/s);
  assert.doesNotMatch(preview, /note 259:/);
  model.planCall('read_file', { path: keptIn(preview) }, 'Whole.');
  await ask(panel, 'read them whole');
  assert.match(lastResult(model), /note 259:/);
});

test('the size of the context: after results an estimate, after an answer what the model reports', {
  tag: ['@C4', '@C8'],
}, async ({ startHost, startSteeredModel, makeFolder }) => {
  const strict = await startSteeredModel(WINDOW);
  const host = await begin(
    { startHost, makeFolder },
    {
      ...strict.settings,
      'palimpsest.contextWindow': WINDOW,
      'palimpsest.compaction.strategy': 'tool-result-hiding',
      'palimpsest.compaction.toolResultHiding.preserveRecentGroups': 0,
    },
  );
  const { panel } = host;
  strict.plan('long.md', 2, 'Read twice.');
  await ask(panel, 'read the long notes');

  await test.step('after results by estimate, with the open loop of reasoning as it was', async () => {
    const before = entriesOf(host, 'compaction').length;
    const think = (nth: number): Reply => ({
      kind: 'answer',
      text: 'Reading.',
      reasoning: { field: 'reasoning_content', text: `Thought ${nth}.` },
      calls: [{ name: 'read_file', arguments: { path: 'long.md' } }],
    });
    strict.planReplies(think(1), think(2), { kind: 'answer', text: 'Thought through.' });
    await ask(panel, 'think while you read');
    await answered(host, 'Thought through.');
    const made = entriesOf(host, 'compaction').slice(before);
    assert.deepEqual(
      made.map(({ trigger }) => trigger),
      ['precheck'],
    );
    const { messages } = lastTurn(strict.server);
    const loop = messages.slice(messages.findIndex(({ text }) => text === 'think while you read'));
    const thoughts = loop.flatMap(({ role, whole }) => (role === 'assistant' ? [whole.reasoning_content] : []));
    assert.deepEqual(thoughts, ['Thought 1.', 'Thought 2.']);
    for (const { role, text } of loop) if (role === 'tool') assert.match(text, /note 259:/);
  });

  await test.step('after the answer by its usage, and the loop is over', async () => {
    const before = entriesOf(host, 'compaction').length;
    // Just above the trigger: a third more than the report before it, which a longer message can account for.
    const prompt = 0.81 * WINDOW;
    const usage = { prompt_tokens: prompt, completion_tokens: 10, total_tokens: prompt + 10 };
    strict.planReplies({ kind: 'answer', text: 'That was much.', usage });
    await ask(panel, `was it much?${' Say it in a few words.'.repeat(40)}`);
    const [made, ...more] = entriesOf(host, 'compaction').slice(before);
    assert.deepEqual([made?.trigger, more], ['threshold', []]);
    assert.equal(made?.plan.filter(({ op }) => op === 'replace').length, 2);
  });
});

test('the question before a compaction: not now, drop oldest, compact, new session; no going on by itself', {
  tag: ['@P4', '@N5', '@B16'],
}, async ({ startHost, startSteeredModel, makeFolder, capture }) => {
  const patient = await startSteeredModel();
  const host = await startHost({
    share: true,
    folder: makeFolder(FILES),
    settings: {
      ...patient.settings,
      'palimpsest.contextWindow': WINDOW,
      'palimpsest.compaction.strategy': 'llm-summary',
      'palimpsest.compaction.requireConfirmation': true,
      'palimpsest.compaction.autoContinue': false,
      'palimpsest.compaction.trigger.perModel': { '*': 'holdGrowth 0.01' },
    },
  });
  const { panel } = host;
  const card = panel.locator('.row.consent');
  const answer = (name: string) => card.locator('.choice', { hasText: name }).first().click();
  const paused = panel.locator('.row.notice', { hasText: 'The context was compacted' });

  const goOn = async (text: string) => {
    await paused.last().getByRole('button', { name: 'Continue' }).click();
    await panel.locator('.row.assistant', { hasText: text }).last().waitFor();
  };

  patient.plan('long.md', 4, 'Nothing was compacted.');
  await send(panel, 'read the long notes');
  await card.waitFor();
  await capture('engine-08-consent');
  await answer('Not now');
  await panel.locator('.row.assistant', { hasText: 'Nothing was compacted.' }).waitFor();
  assert.equal(entriesOf(host, 'compaction').length, 0);

  patient.plan('long.md', 1, 'The oldest went.');
  await send(panel, 'read them again');
  await card.waitFor();
  await card.locator('.choice', { hasText: /Drop oldest[\s\S]* → [\s\S]*dropped unread/ }).waitFor();
  await answer('Drop oldest');
  await card.getByRole('button', { name: 'Drop oldest', exact: true }).click();
  await panel.locator('.row.compaction', { hasText: 'dropped' }).waitFor();
  await paused.first().waitFor();
  await waitUntilIdle(panel);
  await capture('engine-09-dropped-and-paused');
  assert.deepEqual(
    entriesOf(host, 'compaction').map(({ strategy }) => strategy),
    ['drop-oldest'],
  );
  await goOn('The oldest went.');
  assert.equal(patient.summaries, 0);

  patient.plan('long.md', 4, 'A summary was made.');
  await send(panel, 'read them four times');
  await card.waitFor();
  // Agreeing on the page means what the person made of it there.
  await card.getByRole('button', { name: 'Preview…' }).click();
  const details = pageFrame(host);
  await details.getByLabel('Summary: change its text as you like').fill('Notes of my own.');
  await capture('engine-09-preview-of-the-question');
  await details.getByRole('button', { name: 'Compact' }).click();
  await paused.nth(1).waitFor();
  const made = entriesOf(host, 'compaction').at(-1);
  assert.deepEqual([made?.strategy, made?.changed?.rewritten], ['llm-summary', 1]);
  assert.ok(made?.plan.some((op) => op.op === 'insert' && op.message.text.includes('Notes of my own.')));
  await expect(panel.locator('.row.compaction').last()).toContainText('changed by hand');
  await goOn('A summary was made.');

  patient.plan('long.md', 5, 'Never reached.');
  await send(panel, 'read them once more');
  await card.waitFor();
  patient.forget();
  patient.plan('short.md', 0, 'A fresh start.');
  await answer('New session');
  await panel.locator('.row.assistant', { hasText: 'A fresh start.' }).waitFor();
  assert.equal(await panel.locator('.row.user').count(), 1);
  assert.equal(readJournals(host).length, 2);
  await capture('engine-10-new-session');
});
