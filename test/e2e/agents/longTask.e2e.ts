/**
 * A whole task as a person would give it: a failing test is mended by way of a todo list, a run, a read, an edit that is
 * taken by hunk, and a run that passes; then everything goes back. Once with the tools of the product alone, once with a
 * skill, an MCP server and two subagents, of which one overflows.
 */

import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FrameLocator, Page } from '@playwright/test';
import { ROOT } from '../../../scripts/paths.ts';
import type { Host } from '../support/host.ts';
import { readJournals } from '../support/journals.ts';
import { send, waitUntilIdle } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';
import { quickPick } from '../support/workbench.ts';

const GAP = Array.from({ length: 12 }, (_, at) => `// ${at}\n`).join('');
const BROKEN = `export const add = (a, b) => a - b;\n${GAP}export const tries = 3;\n`;
const MENDED = BROKEN.replace('a - b', 'a + b');
const TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { add } from './add.mjs';

test('adds', () => assert.equal(add(2, 3), 5));
`;
const PROJECT = { 'add.mjs': BROKEN, 'add.test.mjs': TEST };
const RUN = 'node --test add.test.mjs';

type Call = readonly [name: string, input: Readonly<Record<string, unknown>>];
const calling = (...calls: readonly Call[]) => ({
  kind: 'answer' as const,
  text: '',
  calls: calls.map(([name, input]) => ({ name, arguments: input })),
});
const saying = (text: string) => ({ kind: 'answer' as const, text });

const todo = (done: number): Call => [
  'write_todos',
  {
    todos: ['Run the test', 'Mend what is wrong', 'Run it again'].map((text, at) => ({
      text,
      state: at < done ? 'done' : at === done ? 'doing' : 'open',
    })),
  },
];

/** Goes back to before the first message, files and all. */
async function restoreAll(page: Page, panel: FrameLocator): Promise<void> {
  await send(panel, '/restore');
  await quickPick(page, 'The test fails. Mend it.').click();
  await page.locator('.quick-input-list .monaco-list-row', { hasText: 'add.mjs' }).waitFor();
  await page.locator('.quick-input-widget .monaco-button', { hasText: 'OK' }).click();
  await panel
    .locator('.row.notice', { hasText: 'was restored' })
    .or(panel.getByText('1 file was restored'))
    .first()
    .waitFor();
  await expect(panel.locator('.row.user')).toHaveCount(0);
}

/** Allows the run for good, so that the second one asks nothing. */
async function allowRun(panel: FrameLocator): Promise<void> {
  const card = panel.locator('.approval');
  await card.getByRole('button', { name: 'Always allow exactly this command…' }).click();
  await card.getByRole('button', { name: 'Always allow', exact: true }).click();
}

const onDisk = ({ folder }: Host, name: string) => readFileSync(join(folder, name), 'utf8');

test('a failing test is mended, by hunk, and everything goes back', async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const host = await startHost({ share: true, folder: makeFolder(PROJECT), settings: model.settings });
  const { page, panel } = host;
  model.planReplies(
    calling(todo(0), ['run_command', { command: RUN }]),
    calling(todo(1), ['read_file', { path: 'add.mjs' }]),
    calling([
      'edit_file',
      {
        path: 'add.mjs',
        edits: [
          { old_string: 'a - b', new_string: 'a + b' },
          { old_string: 'tries = 3', new_string: 'tries = 30' },
        ],
      },
    ]),
    calling(todo(2), ['run_command', { command: RUN }]),
    calling(todo(3)),
    saying('It adds now.'),
  );
  await send(panel, 'The test fails. Mend it.');
  await allowRun(panel);
  const failed = panel.locator('.row.tool', { hasText: RUN }).first();
  await expect(failed).toContainText('exit 1');

  const card = panel.locator('.approval');
  await card.getByRole('button', { name: 'Review' }).click();
  const right = page.locator('.monaco-diff-editor .editor.modified .lines-content > .view-lines');
  await expect(right).toContainText('tries');
  await expect(panel.locator('.todo-line')).toContainText('1 of 3 done');
  await capture('task-1-review');
  // The second hunk has nothing to do with it.
  await page.locator('.monaco-diff-editor .codicon-discard').last().click();
  await expect(card.locator('.diff')).not.toContainText('tries = 30');
  await card.getByRole('button', { name: 'Allow', exact: true }).click();

  await panel.getByText('It adds now.', { exact: true }).waitFor();
  await waitUntilIdle(panel);
  assert.equal(onDisk(host, 'add.mjs'), MENDED);
  const results = lastTurn(model.server)
    .messages.filter(({ role }) => role === 'tool')
    .map(({ text }) => text);
  expect(results.filter((text) => /# pass 1|pass 1/.test(text))).toHaveLength(1);
  expect(results.filter((text) => /# fail 1|fail 1/.test(text))).toHaveLength(1);
  expect(results.some((text) => text.includes('The user changed your text before it was written.'))).toBe(true);
  await expect(panel.locator('.todo-line')).toContainText('3 of 3 done');
  await capture('task-2-passes');

  await restoreAll(page, panel);
  assert.equal(onDisk(host, 'add.mjs'), BROKEN);
  await capture('task-3-restored');
});

const SKILL = `---
name: mend-tests
description: Mends failing tests.
---

Change the code, never the test.
`;
const program = (name: string) => join(ROOT, `node_modules/@modelcontextprotocol/server-${name}/dist/index.js`);
/** A context that twelve of its pages do not fit into. */
const WINDOW = 40_000;
const PAGE = 'a line of a long log, with some words in it\n'.repeat(900);

test('the same with a skill, an MCP server and two subagents, of which one overflows', async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel(WINDOW);
  const host = await startHost({
    folder: makeFolder({ ...PROJECT, 'log.txt': PAGE }),
    settings: {
      ...model.settings,
      'palimpsest.mcp.servers': {
        files: { command: process.execPath, args: [program('filesystem'), '${workspaceFolder}'] },
        everything: { command: process.execPath, args: [program('everything')] },
      },
    },
  });
  const { page, panel, folder } = host;
  mkdirSync(join(folder, '.agents/skills/mend-tests'), { recursive: true });
  writeFileSync(join(folder, '.agents/skills/mend-tests/SKILL.md'), SKILL);
  const path = join(folder, 'add.mjs');
  model.planReplies(
    calling(todo(0), ['run_command', { command: RUN }]),
    calling(['task', { title: 'Find the cause', prompt: 'Why does add.test.mjs fail?' }]),
    calling(['mcp__files__read_text_file', { path }]),
    saying('add subtracts.'),
    calling(['task', { title: 'Read the log', prompt: 'Read log.txt until you know it.' }]),
    ...Array.from({ length: 8 }, () => calling(['read_file', { path: 'log.txt' }])),
    saying('The log says nothing of it.'),
    calling(todo(1), ['mcp__everything__get-sum', { a: 2, b: 3 }]),
    calling(['mcp__files__edit_file', { path, edits: [{ oldText: 'a - b', newText: 'a + b' }] }]),
    calling(todo(2), ['run_command', { command: RUN }]),
    calling(todo(3)),
    saying('It adds now.'),
  );
  await send(panel, '/mend-tests The test fails. Mend it.');
  await allowRun(panel);
  const card = panel.locator('.approval');
  const allow = async (what: string) => {
    await card.filter({ hasText: what }).getByRole('button', { name: 'Allow', exact: true }).click();
  };
  await expect(panel.locator('.row.tool', { hasText: 'Find the cause' })).toContainText('asked by the subagent');
  await capture('task-4-subagent');
  await allow('read_text_file');
  await allow('get-sum');
  await allow('edit_file');
  await panel.getByText('It adds now.', { exact: true }).waitFor();
  await waitUntilIdle(panel);
  assert.equal(onDisk(host, 'add.mjs'), MENDED);
  const { text } = lastTurn(model.server);
  for (const part of ['Change the code, never the test.', 'add subtracts.', 'The log says nothing of it.', 'is 5'])
    expect(text).toContain(part);
  await capture('task-5-passes');

  // Each subagent has a journal of its own. One of them was compacted; the parent's context was not.
  const journals = readJournals(host);
  const compacted = (entries: (typeof journals)[number]) => entries.some(({ type }) => type === 'compaction');
  const begins = journals.flatMap(([first]) => (first?.type === 'session' ? [first.parentEntry !== undefined] : []));
  assert.deepEqual(begins.filter(Boolean).length, 2);
  const [parents, subagents] = [false, true].map((sub) => journals.filter((_, at) => begins[at] === sub));
  assert.deepEqual([parents?.some(compacted), subagents?.filter(compacted).length], [false, 1]);
  assert.match(
    JSON.stringify(subagents?.find(compacted)),
    /"trigger":"overflow"|"trigger":"precheck"|"trigger":"threshold"/,
  );

  await restoreAll(page, panel);
  assert.equal(onDisk(host, 'add.mjs'), BROKEN);
});
