/** Limits of results for all tools and for some, as the settings say them. */

import { expect, test } from 'vitest';
import { readSection, type SettingProblem } from '../../../src/core/setting.ts';
import { limitsOf, OUTPUT } from '../../../src/core/tools/toolSettings.ts';

function read(values: Readonly<Record<string, unknown>>) {
  const problems: SettingProblem[] = [];
  const output = readSection(OUTPUT, (key) => ({ value: values[key], explicit: key in values }), problems);
  return { output, problems };
}

test('a rule for a tool goes before what holds for all, and says only what differs', { tags: ['N9', 'N1'] }, () => {
  const { output } = read({
    'agent.output.maxLines': 500,
    'agent.output.perTool': { run_command: 'maxLines 40, direction tail', 'mcp__*': 'maxKilobytes 5' },
  });
  expect(limitsOf(output, 'read_file')).toEqual({ maxLines: 500, maxBytes: 51_200 });
  expect(limitsOf(output, 'run_command')).toEqual({ maxLines: 40, maxBytes: 51_200, direction: 'tail' });
  expect(limitsOf(output, 'mcp__github__list')).toEqual({ maxLines: 500, maxBytes: 5_120 });
});

test('a rule that cannot be read is named, and the default is in force', { tags: ['N9'] }, () => {
  const { output, problems } = read({ 'agent.output.perTool': { run_command: 'maxLines 1' } });
  expect(limitsOf(output, 'run_command')).toEqual({ maxLines: 2_000, maxBytes: 51_200 });
  expect(JSON.stringify(problems)).toContain('maxLines 1');
  expect(JSON.stringify(read({ 'agent.output.perTool': { run_command: 'days 1' } }).problems)).toContain('days');
});
