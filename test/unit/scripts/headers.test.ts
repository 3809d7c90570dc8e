import { expect, test } from 'vitest';
import { findMisplaced } from '../../../scripts/headers.ts';

const HEADER = '/** Owns a room. */\n\n';
const NOTHING_BELOW = 'describes nothing below it: a second story, which wants a file of its own';
const DEED = 'says what something does, above what does nothing';

test.each([
  ['no header', 'export const A = 1;\n', ['1: the file has no comment of its own, with an empty line after it']],
  [
    'a comment of the first declaration is no header',
    '/** One. */\nexport const A = 1;\n',
    ['1: the file has no comment of its own, with an empty line after it'],
  ],
  ['a second header', `${HEADER}const A = 1;\n\n/** Owns another. */\n\nconst B = 2;\n`, [`5: ${NOTHING_BELOW}`]],
  [
    'a second header in line comments',
    `${HEADER}const A = 1;\n\n// Another\n// story.\n\nconst B = 2;\n`,
    [`5: ${NOTHING_BELOW}`],
  ],
  [
    'two comments above one thing',
    `${HEADER}const A = 1;\n\n/** Reads lines. */\n/** A line. */\ninterface Line {\n  text: string;\n}\n`,
    ['5: another comment stands between it and what it describes'],
  ],
  ['a deed above a type', `${HEADER}/** Reads lines. */\ninterface Line {\n  text: string;\n}\n`, [`3: ${DEED}`]],
  ['a deed above an alias', `${HEADER}/** Reads lines. */\ntype Line = string;\n`, [`3: ${DEED}`]],
  ['a deed above a constant', `${HEADER}/** Reads lines. */\nconst BREAK = makeBytes('\\n');\n`, [`3: ${DEED}`]],
] as const)('found: %s', (_, text, expected) => {
  expect(findMisplaced('src/a.ts', text).map(({ line, reason }) => `${line}: ${reason}`)).toEqual(expected);
});

test.each([
  ['a function', '/** Reads lines. */\nexport function read(): void {}\n'],
  ['an arrow', '/** Reads lines. */\nconst read = () => undefined;\n'],
  ['a type of functions', '/** Reads lines. */\ntype Read = () => void;\n'],
  ['what has methods', '/** Reads lines. */\ninterface Reader {\n  read(): void;\n}\n'],
  ['a line comment in a text', 'const TEXT = `\n\n// One.\n\n`;\n'],
  ['a line comment above a statement', 'const A = 1;\n\n// Reads it.\nrun(A);\n'],
  ['a member', 'class Reader {\n  /** Reads lines. */\n  read(): void {}\n}\n'],
  [
    'a noun above a type',
    '/** A line. In characters. */\ninterface Line {\n  /** As it was read. */\n  text: string;\n}\n',
  ],
])('left alone: %s', (_, text) => {
  expect(findMisplaced('src/a.ts', HEADER + text)).toEqual([]);
});
