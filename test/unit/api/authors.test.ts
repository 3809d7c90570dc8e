/**
 * The author's guide, followed to the letter in plain Node, and the template that authors copy: files and commands as they
 * stand there, in a folder of their own with the packed `palimpsest-api`.
 */

import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packApi } from '../../../scripts/api/packPackage.ts';
import { ROOT } from '../../../scripts/paths.ts';
import type { StrategyFactory } from '../../../src/api/index.ts';
import { openStrategies } from '../../../src/cli/strategies.ts';
import { assertConforms } from '../../../src/core/compaction/conformance/kit.ts';

const GUIDE = readFileSync(join(ROOT, 'docs/writing-a-strategy.md'), 'utf8');
const TEMPLATE = join(ROOT, 'docs/strategy-template');
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

/** What stands in the guide in a block under the name of a file. */
const blocks = new Map(
  [...GUIDE.matchAll(/^`([\w.-]+)`\n\n```\w+\n(.*?)^```/gms)].map(([, name, text]) => [name, text]),
);
const blockOf = (name: string) => blocks.get(name) ?? expect.fail(`the guide has no ${name}`);
/** The words after `command` in a line of the guide. */
const wordsAfter = (command: string) => {
  const line = GUIDE.split('\n').find((each) => each.startsWith(`${command} `));
  return (line ?? expect.fail(`the guide has no ${command}`)).slice(command.length + 1).split(' ');
};

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'authors-')));
afterAll(() => rmSync(scratch, { recursive: true }));
const extension = join(scratch, 'keep-tests');
const template = join(extension, 'template');
const { devDependencies } = readJson(join(TEMPLATE, 'package.json'));

const PATH = [join(ROOT, 'node_modules/.bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
const run = (cwd: string, program: string, ...words: readonly string[]) =>
  execFileSync(program, words, { cwd, encoding: 'utf8', stdio: 'pipe', env: { ...process.env, PATH } });

beforeAll(async () => {
  mkdirSync(extension);
  for (const name of ['package.json', 'strategy.js', 'check.js']) writeFileSync(join(extension, name), blockOf(name));
  await packApi(scratch);
  run(extension, 'npm', ...wordsAfter('npm'), '--offline');
  // Nothing is downloaded: the other packages are those of the repository.
  for (const name of Object.keys(devDependencies)) {
    const link = join(extension, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    if (!existsSync(link)) symlinkSync(join(ROOT, 'node_modules', name), link);
  }
  cpSync(TEMPLATE, template, { recursive: true });
});

describe('the guide for authors', { tags: ['long'] }, () => {
  it('its strategy in one file conforms', async () => {
    const path = join(scratch, 'my-strategy.js');
    writeFileSync(path, blockOf('my-strategy.js'));
    const loaded = (await openStrategies([path])).get(path) ?? expect.fail('it was not loaded');
    const { compactions } = await assertConforms(loaded.factory as unknown as StrategyFactory, { cases: 40 });
    expect(compactions).toBeGreaterThan(0);
  });

  it('its extension is checked in plain Node', () => {
    expect(run(extension, process.execPath, ...wordsAfter('node'))).toMatch(/broken: \[\]/);
  });

  it.each([
    ['ES modules', '{ "type": "module" }', /^export const keepTests/m],
    ['CommonJS', '{}', /^exports\.keepTests/m],
  ])('its TypeScript compiles to %s and is checked', (kind, manifest, compiled) => {
    const folder = join(extension, kind);
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), manifest);
    writeFileSync(join(folder, 'strategy.ts'), blockOf('strategy.ts'));
    writeFileSync(join(folder, 'check.ts'), blockOf('check.js'));
    run(folder, 'tsc', ...wordsAfter('npx tsc'));
    expect(readFileSync(join(folder, 'out/strategy.js'), 'utf8')).toMatch(compiled);
    expect(run(folder, process.execPath, 'out/check.js')).toMatch(/broken: \[\]/);
  });
});

describe('the template of an extension', () => {
  it.each(['strategy.js', 'extension.js', 'check.js'])('holds the %s of the guide', (name) => {
    expect(readFileSync(join(TEMPLATE, name), 'utf8')).toBe(blockOf(name));
  });

  it('holds the manifest of the guide', () => {
    expect(readJson(join(TEMPLATE, 'package.json'))).toMatchObject(JSON.parse(blockOf('package.json')));
  });

  it('needs what the repository has, in the same versions', () => {
    const { 'palimpsest-api': api, ...others } = devDependencies;
    expect(api).toBe(`file:../palimpsest-api-${readJson(join(ROOT, 'src/api/package.json')).version}.tgz`);
    expect(readJson(join(ROOT, 'package.json')).devDependencies).toMatchObject(others);
  });

  it('passes its own checks of types, rules and results', { tags: ['long'] }, () => {
    run(template, 'npm', 'run', 'types');
    expect(run(template, 'npm', 'run', 'check')).toMatch(/broken: \[\]/);
    expect(run(template, 'npm', 'test')).toMatch(/pass 2\b[\s\S]*fail 0\b/);
  });

  it('becomes a package that holds what runs, and no test', () => {
    expect(run(template, 'npm', 'run', 'package')).toMatch(/Packaged: .*keep-tests-1\.0\.0\.vsix \(6 files/);
  });
});
