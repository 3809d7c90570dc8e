/** Mentions as they are written in a message: what is one, what it names, and what is only text. */

import { describe, expect, test } from 'vitest';
import { findMentions, placesOf, readTarget, writeMention } from '../../../src/core/mentions/mention.ts';
import { readPromptCall, writeArguments } from '../../../src/core/mentions/promptCall.ts';
import { isSecretPath } from '../../../src/core/secrets/secretPaths.ts';

const names = (text: string) => findMentions(text).map(({ name }) => name);

describe('what is a mention', () => {
  test.each([
    ['Look at @src/a.ts.', ['src/a.ts']],
    ['@src/a.ts:10-20, then @src/b.ts:3!', ['src/a.ts:10-20', 'src/b.ts:3']],
    ['(see @docs/guide.md)', ['docs/guide.md']],
    ['@"my notes.md" and @"a \\"b\\".md"', ['my notes.md', 'a "b".md']],
    ['@problems @changes @terminal @terminal:selection', ['problems', 'changes', 'terminal', 'terminal:selection']],
    ['@src/a.ts#Retry.run?', ['src/a.ts#Retry.run']],
    ['@#retry', ['#retry']],
    [
      '@everything:demo://resource/static/document/features.md',
      ['everything:demo://resource/static/document/features.md'],
    ],
    ['请看@src/a.ts，还有 @源/文件.ts。', ['src/a.ts', '源/文件.ts']],
    ['@src/a.ts and again @src/a.ts', ['src/a.ts']],
  ])('%s', (text, expected) => expect(names(text)).toEqual(expected));

  test.each([
    'Write to jane@example.com or a.b+c@d.org',
    'In `@src/a.ts` and\n```\n@src/b.ts\n```\nnothing is mentioned',
    'An unclosed fence:\n```\n@src/b.ts',
    'a path such as node_modules/@types/node',
    '@ alone',
  ])('only text: %s', (text) => expect(names(text)).toEqual([]));

  test('words of a language that begin with @ are not meant as paths', () => {
    const deliberate = (text: string) => findMentions(text).map((each) => each.deliberate);
    expect(deliberate('@Override @app.get("/x") @Component({})')).toEqual([false, false, false]);
    expect(deliberate('@src/a.ts @a.md @"a" @x:3')).toEqual([true, true, true, true]);
  });
});

test.each([
  'src/a.ts',
  'my notes.md',
  'a "b" \\c.md',
  '[id]/page.tsx',
  'x.',
  '源/文件.ts',
  'a.ts:1-2',
  '(group)/a.ts#b',
])('what is written is read again: %s', (name) => {
  expect(names(`See ${writeMention(name)} now`)).toEqual([name]);
  expect(names(`看${writeMention(name)}。`)).toEqual([name]);
});

test('what a name means', () => {
  expect(readTarget('session:Fix the retry')).toEqual({ kind: 'session', title: 'Fix the retry' });
  expect(readTarget('#retry')).toEqual({ kind: 'symbol', name: 'retry' });
  expect(readTarget('files:file:///a b')).toEqual({ kind: 'resource', server: 'files', uri: 'file:///a b' });
  expect(readTarget('src/a.ts:10-20')).toEqual({ kind: 'path', path: 'src/a.ts:10-20' });
  expect(readTarget('C:\\a.ts')).toEqual({ kind: 'path', path: 'C:\\a.ts' });
  expect(placesOf('a#b.ts:7')).toEqual([
    { path: 'a#b.ts:7', lines: null, symbol: null },
    { path: 'a#b.ts', lines: { first: 7, last: 7 }, symbol: null },
    { path: 'a', lines: null, symbol: 'b.ts:7' },
  ]);
});

test.each([
  '.env',
  'config/.env.production',
  'server.pem',
  'id_ed25519',
  '.aws/config',
  'secrets/a.txt',
  'credentials.json',
  'service-account.json',
  'keys/my-project-service-account-1a2b.json',
  'serviceAccountKey.json',
  'app-firebase-adminsdk-x1.json',
  'gcp-key.json',
  'client_secret_12.apps.googleusercontent.com.json',
  '.vault-token',
  'wp-config.php',
  'config/database.yml',
  '.npmrc',
  '.git-credentials',
  '.docker/config.json',
  'appsettings.Production.json',
  'prod.auto.tfvars.json',
  'AuthKey.p8',
])('may hold secrets: %s', (path) => expect(isSecretPath(path)).toBe(true));
test.each([
  '.env.example',
  'src/environment.ts',
  'keyboard.ts',
  'src/secrets.ts',
  'token.ts',
  'tokens/estimate.ts',
  'package.json',
  'monkey.json',
  'src/database.ts',
  'wp-config-sample.php',
  'keyboard.json',
])('holds none by its name: %s', (path) => expect(isSecretPath(path)).toBe(false));

describe('prompts of MCP servers', () => {
  test('arguments are read and written', () => {
    const text = '/everything:args-prompt city="New \\"York\\"" state=NY And be brief.';
    expect(readPromptCall(text)).toEqual({
      server: 'everything',
      prompt: 'args-prompt',
      given: { city: 'New "York"', state: 'NY' },
    });
    const given = { city: 'San José', state: '' };
    const written = writeArguments(text, given);
    expect(written).toBe('/everything:args-prompt city="San José" state="" And be brief.');
    expect(readPromptCall(written)?.given).toEqual(given);
  });

  test.each(['/compact now', 'see /everything:args-prompt', '/usr/bin:x', '/a: b'])('not one: %s', (text) =>
    expect(readPromptCall(text)).toBeNull(),
  );
});
