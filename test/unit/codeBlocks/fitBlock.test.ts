import { deepEqual, equal, match } from 'node:assert/strict';
import { describe, test } from 'vitest';
import { fitBlock } from '../../../src/core/codeBlocks/fitBlock.ts';
import { inEnglish } from '../../../src/core/words.ts';

const FILE = `import { sleep } from './sleep.ts';

const MOST = 3;

/** Tries again. */
export async function retry(act: () => Promise<void>): Promise<void> {
  for (let n = 0; n < MOST; n++) {
    if (await tried(act)) return;
    await sleep(100);
  }
}

async function tried(act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch {
    return false;
  }
}

export class Clock {
  now(): number {
    return Date.now();
  }

  later(ms: number): number {
    return this.now() + ms;
  }
}
`;

const made = (block: string, file = FILE, language = 'ts') => {
  const fit = fitBlock(file, block, language);
  return fit.kind === 'fits' ? fit.text : fit.kind === 'same' ? 'same' : inEnglish(fit.reason);
};

describe('a block that fits', () => {
  test('takes the place of the function that it shows whole, and of nothing else', () => {
    const block = `export async function retry(act: () => Promise<void>, most = MOST): Promise<void> {
  for (let n = 0; n < most; n++) if (await tried(act)) return;
  throw new Error('given up');
}`;
    const old = FILE.slice(FILE.indexOf('export async'), FILE.indexOf('\n\nasync function tried'));
    equal(made(block), FILE.replace(old, block));
    deepEqual(fitBlock(FILE, block, 'ts'), { kind: 'fits', text: FILE.replace(old, block), lines: [6, 11] });
  });

  test('is indented as the file is, and brings its comment in place of the one there', () => {
    equal(
      made('/** Milliseconds since the epoch. */\nnow(): number {\n  return performance.now();\n}'),
      FILE.replace(
        '  now(): number {\n    return Date.now();',
        '  /** Milliseconds since the epoch. */\n  now(): number {\n    return performance.now();',
      ),
    );
    equal(
      made(
        '/** Tries thrice. */\nexport async function retry(act: () => Promise<void>): Promise<void> {\n  await act();\n}',
      ),
      FILE.replace(
        /\/\*\* Tries again[\s\S]*?\n}\n/,
        '/** Tries thrice. */\nexport async function retry(act: () => Promise<void>): Promise<void> {\n  await act();\n}\n',
      ),
    );
  });

  test('changes only what it says where it leaves code out', () => {
    const block = `import { sleep } from './sleep.ts';

const MOST = 5;

// ... existing code ...

async function tried(act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (thrown) {
    console.warn(thrown);
    return false;
  }
}

// … the rest stays the same`;
    equal(
      made(block),
      FILE.replace('MOST = 3', 'MOST = 5').replace('} catch {', '} catch (thrown) {\n    console.warn(thrown);'),
    );
  });

  test('of several statements ends where its last line stands', () => {
    equal(
      made("import { sleep } from './sleep.ts';\nimport { log } from './log.ts';\n\nconst MOST = 3;"),
      FILE.replace("sleep.ts';\n", "sleep.ts';\nimport { log } from './log.ts';\n"),
    );
  });

  test('adds a function behind one that it repeats', () => {
    const tried = FILE.slice(FILE.indexOf('async function tried'), FILE.indexOf('\n\nexport class'));
    equal(
      made(`${tried}\n\nfunction more(): void {\n  log();\n}`),
      FILE.replace(tried, `${tried}\n\nfunction more(): void {\n  log();\n}`),
    );
  });

  test('is the whole file where that is empty, or where it says most of it under another beginning', () => {
    equal(made('let a = 1;', ''), 'let a = 1;\n');
    const whole = `import { log } from './log.ts';\n${FILE.replace('MOST = 3', 'MOST = 4')}`;
    equal(made(whole.trimEnd()), whole);
  });

  test('is found by its indentation in Python too', () => {
    const file = 'def one():\n    a = 1\n    return a\n\n\ndef two():\n    return 2\n';
    equal(made('def one():\n    return 3', file, 'python'), 'def one():\n    return 3\n\n\ndef two():\n    return 2\n');
  });

  test('keeps the line ends of the file', () => {
    const file = FILE.replaceAll('\n', '\r\n');
    equal(
      made('const MOST = 4;\nconst LEAST = 1;', file),
      file.replace('const MOST = 3;', 'const MOST = 4;\r\nconst LEAST = 1;'),
    );
  });

  test('is a diff whose lines are in the file, wherever its numbers point', () => {
    const block =
      '--- a/src/retry.ts\n+++ b/src/retry.ts\n@@ -1,2 +1,2 @@\n \n-const MOST = 3;\n+const MOST = 9;\n \n@@ -90 +90 @@\n-    await sleep(100);\n+    await sleep(200);';
    equal(made(block, FILE, 'diff'), FILE.replace('MOST = 3', 'MOST = 9').replace('sleep(100)', 'sleep(200)'));
  });

  test('says so when nothing would change, for any part of the file', () => {
    equal(made('const MOST = 3;'), 'same');
    const lines = FILE.split('\n');
    for (let from = 0; from < lines.length; from++) {
      for (let to = from + 1; to <= lines.length; to++) {
        const part = lines.slice(from, to).join('\n');
        if (/[\w]{2}/.test(part)) equal(made(part), 'same', part);
      }
    }
  });

  test('is told from a declaration that only looks like it, and from one part of the file', () => {
    match(
      made('export class Clocks {\n  now(): number {\n    return 1;\n  }\n}'),
      /^Its first line is not in the file/,
    );
    match(made(`const LEAST = 1;\n\n${FILE.slice(FILE.indexOf('/** Tries'))}`), /^Its first line is not in the file/);
  });
});

describe('a block that does not fit is refused with the reason', () => {
  test('when the file does not have it', () => {
    match(
      made('function elsewhere(): void {\n  act();\n}'),
      /^Its first line is not in the file: “function elsewhere\(\): void \{”\.$/,
    );
  });

  test('when it could be meant for several places', () => {
    const file = 'class A {\n  run() {\n    a();\n  }\n}\nclass B {\n  run() {\n    b();\n  }\n}\n';
    match(made('run() {\n  c();\n}', file), /^“run\(\) \{” fits the file in 2 places \(lines 2, 7\)/);
    equal(made('run() {\n  b();\n  c();\n}', file), file.replace('b();', 'b();\n    c();'));
  });

  test('when it leaves out, without a word, much of what it stands for', () => {
    const methods = Array.from({ length: 8 }, (_, n) => `  m${n}() {\n    return ${n};\n  }\n`).join('\n');
    match(
      made('class Long {\n  m1() {\n    return 10;\n  }\n}', `class Long {\n${methods}}\n`),
      /^Lines 1 to 33 of the file are not all in the block \(missing: 2\d\)/,
    );
  });

  test('when a diff changes other lines, and never as a whole file where code is left out', () => {
    match(
      made('@@ -1 +1 @@\n-const MOST = 7;\n+const MOST = 9;', FILE, 'diff'),
      /^The diff changes lines that are not in the file/,
    );
    const fit = fitBlock(FILE, 'function elsewhere() {\n  // ...\n  act();\n}', 'ts');
    deepEqual([fit.kind, fit.kind === 'unfit' && fit.whole], ['unfit', null]);
  });
});
