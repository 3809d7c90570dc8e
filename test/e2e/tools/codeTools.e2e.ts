/** What the model learns from the editor and from git: problems, symbols and changes, asked for without a question. */

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ask } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { expect, test } from '../support/scenario.ts';

const BROKEN = '{\n  "first": 1,\n  "second": ,\n  "nested": { "inner": 2 }\n}\n';

test('problems, symbols and git changes reach the model', async ({
  startHost,
  startSteeredModel,
  makeFolder,
  capture,
}) => {
  const model = await startSteeredModel();
  const given = makeFolder({ 'data.json': '{}\n' });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: given });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'first');
  const { panel, folder } = await startHost({ folder: given, settings: model.settings });
  writeFileSync(join(folder, 'data.json'), BROKEN);
  const result = () => lastTurn(model.server).messages.at(-1)?.text ?? '';

  model.planCall('read_problems', { path: 'data.json' }, 'A value is missing.');
  await ask(panel, 'What is wrong with data.json?');
  expect(result()).toMatch(
    /^Problems in data\.json: error 1, warning 0, information 0\ndata\.json:3:\d+: error: Value expected/,
  );
  await capture('code-1-problems');

  model.planCall('find_symbols', { path: 'data.json' }, 'It has three keys.');
  await ask(panel, 'What does it declare?');
  expect(result()).toContain(' first');
  expect(result()).toContain('inner in nested');

  model.planCall('git_changes', {}, 'One file has changed.');
  await ask(panel, 'What did I change?');
  expect(result()).toMatch(/^Branch main, changes in the workspace: 1\n M data\.json\n/);
  expect(result()).toContain('+  "second": ,');
  await capture('code-2-changes');
});
