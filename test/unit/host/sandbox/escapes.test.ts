/**
 * The escape suite: each case runs for real as an ordinary user, first without a sandbox, where it must escape, so that
 * no case is empty, and then in the sandbox, where it must not.
 */

import { afterAll, describe, expect, test } from 'vitest';
import { GIT } from './cases/gitCases.ts';
import { PROCESSES } from './cases/processes.ts';
import { REACHING } from './cases/reaching.ts';
import { READING } from './cases/reading.ts';
import { WRITING } from './cases/writing.ts';
import type { Escape, Sign } from './escape.ts';
import { runEscape, withoutSandbox } from './runEscape.ts';
import { forgetTemplate } from './world.ts';

const GROUPS = { reading: READING, writing: WRITING, git: GIT, reaching: REACHING, processes: PROCESSES };
const ALL = Object.values(GROUPS).flat();
const has = (signs: readonly string[], sign: Sign) => signs.some((each) => each.startsWith(`${sign}:`));

afterAll(forgetTemplate);

test('at least 150 cases, at least half of them by an idea that others published', () => {
  expect(ALL.length).toBeGreaterThanOrEqual(150);
  expect(ALL.filter(({ from }) => from !== null).length).toBeGreaterThanOrEqual(ALL.length / 2);
});

test('no two cases are the same', () => {
  expect(new Set(ALL.map(({ script, sign }) => sign + script)).size).toBe(ALL.length);
});

describe.runIf(process.platform === 'linux')('without a sandbox', { tags: ['long'] }, () => {
  const escaped: Escape[] = [];
  for (const [group, cases] of Object.entries(GROUPS)) {
    for (const each of cases) {
      test(`${group}: ${each.name} escapes`, async ({ skip }) => {
        const signs = await runEscape(each, withoutSandbox);
        if (each.mayLack && !has(signs, each.sign)) skip('this machine lacks what the case needs');
        expect(has(signs, each.sign), signs.join('\n')).toBe(true);
        escaped.push(each);
      });
    }
  }
  test('at least 150 did', () => {
    expect(escaped.length).toBeGreaterThanOrEqual(150);
  });
});
