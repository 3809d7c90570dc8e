/** The template that authors copy, in a folder of its own with the packed `palimpsest-api`. */

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../../scripts/paths.ts';

const TEMPLATE = join(ROOT, 'docs/strategy-template');
const readJson = (path: string) => JSON.parse(readFileSync(path, 'utf8'));

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'authors-')));
afterAll(() => rmSync(scratch, { recursive: true }));
const extension = join(scratch, 'extension');
const template = join(extension, 'template');
const { devDependencies } = readJson(join(TEMPLATE, 'package.json'));

const PATH = [join(ROOT, 'node_modules/.bin'), dirname(process.execPath), process.env.PATH].join(delimiter);
const run = (cwd: string, program: string, ...words: readonly string[]) =>
  execFileSync(program, words, { cwd, encoding: 'utf8', stdio: 'pipe', env: { ...process.env, PATH } });

beforeAll(() => {
  mkdirSync(extension);
  run(join(ROOT, 'src/api'), 'npm', 'pack', '--pack-destination', scratch);
  run(extension, 'npm', 'install', '--offline', '../palimpsest-api-1.0.0.tgz');
  // Nothing is downloaded: the other packages are those of the repository.
  for (const name of Object.keys(devDependencies)) {
    const link = join(extension, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    if (!existsSync(link)) symlinkSync(join(ROOT, 'node_modules', name), link);
  }
  cpSync(TEMPLATE, template, { recursive: true });
});

describe('the template of an extension', () => {
  it('needs what the repository has, in the same versions', () => {
    const { 'palimpsest-api': api, ...others } = devDependencies;
    expect(api).toBe(`file:../palimpsest-api-${readJson(join(ROOT, 'src/api/package.json')).version}.tgz`);
    expect(readJson(join(ROOT, 'package.json')).devDependencies).toMatchObject(others);
  });

  it('passes its own checks of types, rules and results', () => {
    run(template, 'npm', 'run', 'types');
    expect(run(template, 'npm', 'run', 'check')).toMatch(/broken: \[\]/);
    expect(run(template, 'npm', 'test')).toMatch(/pass 2\b[\s\S]*fail 0\b/);
  });

  it('becomes a package that holds what runs, and no test', () => {
    expect(run(template, 'npm', 'run', 'package')).toMatch(/Packaged: .*keep-tests-1\.0\.0\.vsix \(6 files/);
  });
});
