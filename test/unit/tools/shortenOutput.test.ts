import { describe, expect, it } from 'vitest';
import { countTokens } from '../../../src/core/tokens/estimate.ts';
import { shortenOutput } from '../../../src/core/tools/text/shortenOutput.ts';

const many = (count: number, line: (i: number) => string) => Array.from({ length: count }, (_, i) => line(i));

/** Long output of common programs: the lines that must stay. */
const OUTPUTS: Readonly<Record<string, readonly [output: readonly string[], stays: readonly string[]]>> = {
  'node --test': [
    [
      'exit code 1',
      ...many(200, (i) => `✔ parses case ${i} (0.1ms)`),
      'not ok 201 - retries twice',
      '  ---',
      "  error: 'Expected 3, got 2'",
      ...many(90, (i) => `✔ more ${i}`),
      '# tests 291',
      '# pass 290',
      '# fail 1',
    ],
    ['exit code 1', 'not ok 201 - retries twice', "  error: 'Expected 3, got 2'", '# tests 291', '# fail 1'],
  ],
  vitest: [
    [
      'exit code 1',
      ...many(200, (i) => ` ✓ test/a${i}.test.ts (3 tests) 4ms`),
      ' FAIL  test/b.test.ts > retry',
      'AssertionError: expected 2 to be 3',
      ' Test Files  1 failed | 200 passed (201)',
      '      Tests  1 failed | 600 passed (601)',
    ],
    [
      ' FAIL  test/b.test.ts > retry',
      'AssertionError: expected 2 to be 3',
      ' Test Files  1 failed | 200 passed (201)',
      '      Tests  1 failed | 600 passed (601)',
    ],
  ],
  pytest: [
    [
      'exit code 1',
      ...many(120, (i) => `tests/test_a${i}.py ........ [ ${i % 100}%]`),
      'E       assert 2 == 3',
      'FAILED tests/test_b.py::test_retry - assert 2 == 3',
      '=== 1 failed, 120 passed in 3.2s ===',
    ],
    [
      'E       assert 2 == 3',
      'FAILED tests/test_b.py::test_retry - assert 2 == 3',
      '=== 1 failed, 120 passed in 3.2s ===',
    ],
  ],
  cargo: [
    [
      'exit code 101',
      ...many(150, (i) => `   Compiling crate${i} v0.1.${i}`),
      'error[E0308]: mismatched types',
      '  --> src/retry.rs:12:5',
      'error: could not compile `app` due to 1 previous error',
    ],
    [
      'error[E0308]: mismatched types',
      '  --> src/retry.rs:12:5',
      'error: could not compile `app` due to 1 previous error',
    ],
  ],
  tsc: [
    [
      'exit code 2',
      ...many(100, () => '  Type checking…'),
      "src/retry.ts(12,5): error TS2345: Argument of type 'string'",
      'Found 1 error in src/retry.ts:12',
    ],
    ["src/retry.ts(12,5): error TS2345: Argument of type 'string'", 'Found 1 error in src/retry.ts:12'],
  ],
  eslint: [
    [
      'exit code 1',
      ...many(150, (i) => `  ${i}:1  warning  Unexpected console`),
      "  12:5  error  'a' is never used",
      '✖ 151 problems (1 error, 150 warnings)',
    ],
    ["  12:5  error  'a' is never used", '✖ 151 problems (1 error, 150 warnings)'],
  ],
  npm: [
    [
      'exit code 1',
      ...many(150, (i) => `npm warn deprecated package${i}@1`),
      'npm error code ERESOLVE',
      'npm error Found: react@18',
      'added 12 packages in 3s',
    ],
    ['npm error code ERESOLVE', 'npm error Found: react@18', 'added 12 packages in 3s'],
  ],
  go: [
    [
      'exit code 1',
      ...many(150, (i) => `=== RUN   TestA${i}`),
      '--- FAIL: TestRetry (0.00s)',
      '    retry_test.go:12: got 2, want 3',
      'FAIL\texample.com/retry\t0.01s',
    ],
    ['--- FAIL: TestRetry (0.00s)', '    retry_test.go:12: got 2, want 3', 'FAIL\texample.com/retry\t0.01s'],
  ],
  'a search': [
    ['exit code 0', ...many(300, (i) => `src/file${Math.floor(i / 100)}.ts:${i}: const retry = ${i};`), '300 matches'],
    [
      'src/file0.ts:0: const retry = 0;',
      'src/file1.ts:100: const retry = 100;',
      'src/file2.ts:200: const retry = 200;',
      '300 matches',
    ],
  ],
  'a diff': [
    [
      'exit code 0',
      'diff --git a/src/a.ts b/src/a.ts',
      ...many(200, (i) => `+line ${i}`),
      'diff --git a/src/b.ts b/src/b.ts',
      ...many(99, (i) => `-line ${i}`),
      ' 2 files changed, 200 insertions(+), 99 deletions(-)',
    ],
    [
      'diff --git a/src/a.ts b/src/a.ts',
      'diff --git a/src/b.ts b/src/b.ts',
      ' 2 files changed, 200 insertions(+), 99 deletions(-)',
    ],
  ],
};

describe('long output in short', { tags: ['C10'] }, () => {
  it.each(Object.entries(OUTPUTS))('%s: failures, places and totals stay, in order', (_, [output, stays]) => {
    const lines = shortenOutput(output.join('\n'), 200).split('\n');
    expect(lines.filter((line) => stays.includes(line))).toEqual(stays);
    expect(countTokens(lines.join('\n'))).toBeLessThanOrEqual(200);
    // Every line is there or counted.
    const left = lines.flatMap((line) => /^\(lines left out: (\d+)\)$/.exec(line)?.[1] ?? []);
    expect(left.reduce((sum, count) => sum + Number(count), 0) + lines.length - left.length).toBe(output.length);
  });

  it('anything else keeps its beginning', () => {
    const text = many(400, (i) => `note ${i}: retries wait longer each time`).join('\n');
    expect(text.startsWith(shortenOutput(text, 100))).toBe(true);
  });

  it('a file that speaks of errors is no failure', () => {
    const text = ['class Retry {', ...many(400, (i) => `  throw new RangeError: ${i} // src/a.ts:${i}`)].join('\n');
    expect(text.startsWith(shortenOutput(text, 100))).toBe(true);
  });

  it('stays within its tokens when everything fails', () => {
    const text = [...many(4000, (i) => `error: ${'x'.repeat(i % 500)} ${i}`), '4000 errors'].join('\n');
    expect(countTokens(shortenOutput(text, 150))).toBeLessThanOrEqual(150);
  });
});
