import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../../../scripts/paths.ts';
import { STEPS } from '../../../scripts/start/scriptedModel.ts';

const SAMPLE = join(ROOT, 'scripts/sample-workspace');

interface Arguments {
  readonly path: string;
  readonly old_string: string;
  readonly new_string: string;
}

function argumentsOf(tool: string): Arguments[] {
  return STEPS.flatMap(({ calls }) => calls)
    .filter(({ name }) => name === tool)
    .map((call) => call.arguments as Arguments);
}

test('every file the script reads is in the sample workspace', () => {
  const lengths = argumentsOf('read_file').map(({ path }) => readFileSync(join(SAMPLE, path), 'utf8').length > 0);
  expect(lengths).toEqual([true, true]);
});

test('the scripted edit fits once, and gives the waits the notes ask for', () => {
  const [edit] = argumentsOf('edit_file');
  if (edit === undefined) throw new Error('the script has no edit');
  const parts = readFileSync(join(SAMPLE, edit.path), 'utf8').split(edit.old_string);
  expect(parts.length).toBe(2);
  const waitAfter = new Function('FIRST_WAIT', 'failures', `return ${edit.new_string}`);
  expect([1, 2, 3, 4].map((failures) => waitAfter(100, failures))).toEqual([100, 200, 400, 800]);
});
