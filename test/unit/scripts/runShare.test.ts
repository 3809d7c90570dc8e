/** A run of test files that hang, end their process or leave something running: the others are run all the same. */

import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { runShare } from '../../../scripts/windows/runShare.ts';

const FILES = ['good', 'hangs', 'good-2', 'dies', 'leaves', 'good-3'];
const SCRIPT = `
const files = ${JSON.stringify(FILES)}.slice(Number(process.argv[1]));
for (const file of files) {
  if (file === 'hangs') await new Promise((resolve) => setTimeout(resolve, 1e9));
  if (file === 'dies') process.exit(3);
  if (file === 'leaves') {
    const { spawn } = await import('node:child_process');
    const child = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 1e9)'], { stdio: 'ignore' });
    process.stdout.write('left ' + child.pid + '\\n');
  }
  process.stdout.write(JSON.stringify({ file, ms: 1, outcomes: [{ name: 'it', result: 'passed' }] }) + '\\n');
}
process.exit(0);
`;

test('a file that hangs or ends its process fails alone, and nothing that was started is left', async () => {
  const left: number[] = [];
  const started: number[] = [];
  const start = (from: number) => {
    started.push(from);
    const options = { stdio: ['ignore', 'pipe', 'inherit'] as ['ignore', 'pipe', 'inherit'], detached: true };
    const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT, String(from)], options);
    child.stdout.on('data', (text) =>
      left.push(...Array.from(String(text).matchAll(/left (\d+)/g), ([, pid]) => Number(pid))),
    );
    return child;
  };
  const { files } = await runShare(FILES, start, { silence: 3_000, all: 600_000 });
  expect(files.map(({ file, outcomes }) => [file, outcomes[0]?.error ?? outcomes[0]?.result])).toEqual([
    ['good', 'passed'],
    ['hangs', 'nothing was heard of it for 3 s'],
    ['good-2', 'passed'],
    ['dies', 'it ended the run'],
    ['leaves', 'passed'],
    ['good-3', 'passed'],
  ]);
  expect(started).toEqual([0, 2, 4]);
  expect(left).toHaveLength(1);
  await expect.poll(() => isRunning(left[0] ?? 0)).toBe(false);
});

test('a run has an end, and names what it did not begin', async () => {
  const start = () =>
    spawn(process.execPath, ['-e', 'setTimeout(() => {}, 1e9)'], {
      stdio: ['ignore', 'pipe', 'ignore'],
      detached: true,
    });
  const { files } = await runShare(['a', 'b'], start, { silence: 600_000, all: 500 });
  expect(files.map(({ outcomes }) => outcomes[0]?.error)).toEqual([
    'not done when the run was over after 0.5 s',
    'not begun: the run is over after 0.5 s',
  ]);
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
