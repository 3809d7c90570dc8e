/** `palimpsest-api` as its users have it: packed, installed in a folder of its own, and used from there in plain Node. */

import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packApi as pack } from '../../../scripts/api/packPackage.ts';
import { ROOT } from '../../../scripts/paths.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'palimpsest-api-')));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const run = (...words: string[]) => execFileSync(process.execPath, words, { cwd: folder, encoding: 'utf8' });

beforeAll(async () => {
  write('package.json', '{ "private": true }');
  const file = await pack(folder);
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', file], { cwd: folder, stdio: 'ignore' });
  copyFileSync(join(ROOT, 'test/extensions/keep-tests/strategy.js'), join(folder, 'strategy.mjs'));
});

/** The same in both kinds of module, after their imports. */
const USE = `
  const thrown = new ModelError('network', 'The line is cut.');
  const first = BUILT_IN_TOOLS[0];
  const strategy = { needs: [], create: () => ({ compact: async ({ history, hide }) => history.map((it) => hide(it)) }) };
  const known = isModelError(thrown);
  const used = Promise.all([assertConforms(strategy, { cases: 20 }), runOnce(strategy, generateHistory(1, 20))]);
  used.then(([{ compactions, broken }, { kind }]) =>
    console.log(JSON.stringify({ known, first, some: compactions > 0, broken, kind })));
`;
const USED = { known: true, first: 'read_file', some: true, broken: [], kind: 'compacted' };

/** A strategy with types, and one mistake that they must find. */
const TYPED = `
  export const typed: StrategyFactory<'log'> = {
    needs: ['log'],
    create: ({ log }) => ({
      compact: async ({ history, hide }) => {
        log('info', String(history.length));
        return history.map((message) => (message.role === 'tool' ? hide(message) : message));
      },
    }),
  };
  // @ts-expect-error the port was not asked for
  export const wrong: StrategyFactory = { needs: [], create: ({ log }) => ({ compact: async () => log && null }) };
  export const again = assertConforms(typed, { cases: 0, histories: [readRecorded('')] });
  export const report = assertConforms(typed, { cases: 3 }).then(({ compactions }): number => compactions);
  export const kindOf = (thrown: unknown) => (isModelError(thrown) ? thrown.kind : null);
  export const once = runOnce(typed, generateHistory(7, 3), { trigger: 'manual', pins: [0] }).then((result) =>
    result.kind === 'compacted' ? result.history.length : result.kind,
  );
  export const calls = readRecorded('').map((message) => (message.role === 'assistant' ? message.toolCalls : message.text));
  export const command = (json: BuiltInToolArguments['run_command']): string => json.command;
`;

describe('the package palimpsest-api', () => {
  it('is used from an ES module', { tags: ['B7'] }, () => {
    write(
      'use.mjs',
      `import { BUILT_IN_TOOLS, isModelError } from 'palimpsest-api';
       import { assertConforms } from 'palimpsest-api/conformance';
       import { generateHistory, ModelError, runOnce } from 'palimpsest-api/testing';${USE}`,
    );
    expect(JSON.parse(run('use.mjs'))).toEqual(USED);
  });

  it('is used from CommonJS', { tags: ['B7'] }, () => {
    write(
      'use.cjs',
      `const { BUILT_IN_TOOLS, isModelError } = require('palimpsest-api');
       const { assertConforms } = require('palimpsest-api/conformance');
       const { generateHistory, ModelError, runOnce } = require('palimpsest-api/testing');${USE}`,
    );
    expect(JSON.parse(run('use.cjs'))).toEqual(USED);
  });

  it('checks the sample strategy, without VS Code and without the repository', { tags: ['B7'] }, () => {
    write(
      'check.mjs',
      `import { assertConforms } from 'palimpsest-api/conformance';
       import { keepTests } from './strategy.mjs';
       const { compactions, broken } = await assertConforms(keepTests, { cases: 20 });
       console.log(JSON.stringify({ some: compactions > 0, broken }));`,
    );
    expect(JSON.parse(run('check.mjs'))).toEqual({ some: true, broken: [] });
  });

  it.each(['typed.mts', 'typed.cts'])(
    '%s compiles in the strictest way, libraries included',
    { tags: ['B7'] },
    (name) => {
      write(
        name,
        `import { type BuiltInToolArguments, isModelError, type StrategyFactory } from 'palimpsest-api';
       import { assertConforms } from 'palimpsest-api/conformance';
       import { generateHistory, readRecorded, runOnce } from 'palimpsest-api/testing';${TYPED}`,
      );
      const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
      const flags = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2022'];
      const { stdout } = spawnSync(process.execPath, [tsc, ...flags, '--module', 'node16', name], {
        cwd: folder,
        encoding: 'utf8',
      });
      expect(stdout).toBe('');
    },
  );

  it('carries its licence, guide and changelog, and no source', { tags: ['B7'] }, () => {
    const listed = readdirSync(join(folder, 'node_modules/palimpsest-api'));
    expect(listed.sort()).toEqual(
      [
        'CHANGELOG.md',
        'LICENSE',
        'README.md',
        'SKILL.md',
        'conformance.cjs',
        'conformance.d.cts',
        'conformance.d.ts',
        'conformance.js',
        'package.json',
        'palimpsest-api.cjs',
        'palimpsest-api.d.cts',
        'palimpsest-api.d.ts',
        'palimpsest-api.js',
        'testing.cjs',
        'testing.d.cts',
        'testing.d.ts',
        'testing.js',
        'writing-a-strategy.md',
      ].sort(),
    );
  });
});
