/**
 * What the model learns from the editor and from git: problems, symbols, uses and changes, asked for without a question,
 * and the problems that its own edit brought. Nobody has opened the files.
 */

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LANGUAGES } from '../support/host.ts';
import { ask, send, waitUntilIdle } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';

const COUNT =
  'export function double(count: number): number {\n  return count * 2;\n}\nexport const four = double(2);\n';
const BROKEN = '{\n  "first": 1,\n  "second": ,\n  "nested": { "inner": 2 }\n}\n';

test('problems, symbols, uses and git changes reach the model, and problems that its edit brought', async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const given = makeFolder({ 'data.json': '{}\n', 'count.ts': COUNT });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: given });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'first');
  const { page, panel, folder } = await startHost({ folder: given, settings: { ...model.settings, ...LANGUAGES } });
  writeFileSync(join(folder, 'data.json'), BROKEN);
  const result = () => lastTurn(model.server).messages.at(-1)?.text ?? '';

  model.planCall('read_problems', { path: 'data.json' }, 'A value is missing.');
  await ask(panel, 'What is wrong with data.json?');
  expect(result()).toMatch(
    /^Problems in data\.json: error 1, warning 0, information 0\ndata\.json:3:\d+: error: Value expected/,
  );
  await capture('code-1-problems');

  // The tab in which the extension looked at it is gone again.
  await expect(page.locator('.editor-group-container .tab')).toHaveCount(0);

  model.planCall('find_symbols', { path: 'count.ts' }, 'Two things.');
  await ask(panel, 'What does count.ts declare?');
  expect(result()).toMatch(/line 1: function double\n.*line 4: (constant|variable) four/s);

  model.planCall('find_references', { path: 'count.ts', symbol: 'double' }, 'In two places.');
  await ask(panel, 'Where is double used?');
  expect(result()).toBe(
    'count.ts:1:17: export function double(count: number): number {\ncount.ts:4:21: export const four = double(2);',
  );

  const edit = { path: 'count.ts', old_string: 'double(2)', new_string: "double('2')" };
  model.planCall('edit_file', edit, 'That was wrong.');
  await send(panel, 'Double a text');
  await panel.locator('.approval').getByRole('button', { name: 'Allow', exact: true }).click();
  await waitUntilIdle(panel);
  expect(readFileSync(join(folder, 'count.ts'), 'utf8')).toContain("double('2')");
  expect(result()).toMatch(
    /^Changed count\.ts in 1 place\.\nProblems that the editor did not show before:\ncount\.ts:4:28: error: Argument of type/,
  );
  await capture('code-2-brought');

  model.planCall('git_changes', { path: 'data.json' }, 'One file has changed.');
  await ask(panel, 'What did I change?');
  expect(result()).toMatch(/^Branch main, changes in data\.json: 1\n M data\.json\n/);
  expect(result()).toContain('+  "second": ,');
  await capture('code-3-changes');
});
