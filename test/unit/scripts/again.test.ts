/** Each test runs once; with `--again` exactly what failed runs once more, and what passes only then is named. */

import { afterEach, expect, test, vi } from 'vitest';
import type { Counts, Failure } from '../../../scripts/test/part.ts';
import { runPart } from '../../../scripts/test/part.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const one: Failure = { name: 'group one', file: 'a.test.ts' };
const two: Failure = { name: 'group two', file: 'b.test.ts' };
const counts = (passed: number, ...failures: readonly Failure[]): Counts => ({
  passed,
  failed: failures.length,
  skipped: 0,
  note: '',
  failures,
});

/** A part whose runs end so; what it was asked for is kept. */
function partOf(...runs: readonly Counts[]) {
  vi.spyOn(console, 'log').mockReturnValue();
  const asked: unknown[] = [];
  const part = async (filter: string, failures?: readonly Failure[]) => {
    asked.push(failures ?? filter);
    const run = runs[asked.length - 1];
    if (!run) throw new Error('it ran once too often');
    return run;
  };
  return { part, asked };
}

test('a test that fails is not tried again by itself', async () => {
  const { part, asked } = partOf(counts(3, one));
  expect(await runPart(part, 'x', false)).toMatchObject({ passed: 3, failed: 1, unsteady: [] });
  expect(asked).toEqual(['x']);
});

test('exactly what failed runs once more: what passes then is named, and what fails again fails', async () => {
  const { part, asked } = partOf(counts(3, one, two), counts(1, two));
  expect(await runPart(part, '', true)).toMatchObject({ passed: 4, failed: 1, unsteady: ['group one'] });
  expect(asked).toEqual(['', [one, two]]);
});

test('what passes at first does not run again, and names nothing', async () => {
  const { part, asked } = partOf(counts(3));
  expect(await runPart(part, '', true)).toMatchObject({ passed: 3, failed: 0, unsteady: [] });
  expect(asked).toEqual(['']);
});

test('a second run that breaks off clears nobody, nor does one that finds no test', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  const brokenOff = { ...counts(0), failed: 1 };
  for (const second of [brokenOff, counts(0)]) {
    const { part } = partOf(counts(3, one), second);
    expect(await runPart(part, '', true)).toMatchObject({ passed: 3, failed: 1, unsteady: [] });
  }
});

test('a part that broke off before any test failed runs again as a whole', async () => {
  const { part, asked } = partOf({ ...counts(0), failed: 1 }, counts(7));
  expect(await runPart(part, 'x', true)).toMatchObject({ passed: 7, failed: 0, unsteady: ['the whole part'] });
  expect(asked).toEqual(['x', 'x']);
});

test.each(['', '1'])('with CI=%j no end-to-end test is tried twice by Playwright', async (value) => {
  vi.stubEnv('CI', value);
  vi.resetModules();
  const { default: config } = await import('../../../playwright.config.ts');
  expect([config, ...(config.projects ?? [])].map(({ retries = 0 }) => retries)).toEqual([0, 0, 0]);
});

test('the rest is every scenario that an everyday run leaves out, and a named one is looked for in all', async () => {
  const configFor = async (which: string) => {
    vi.stubEnv('PALIMPSEST_SCENARIOS', which);
    vi.resetModules();
    const { default: config } = await import('../../../playwright.config.ts');
    return { only: config.grep, without: config.grepInvert };
  };
  const { only } = await configFor('everyday');
  expect(only).toBeInstanceOf(RegExp);
  expect(await configFor('rest')).toEqual({ only: undefined, without: only });
  expect(await configFor('all')).toEqual({ only: undefined, without: undefined });
});
