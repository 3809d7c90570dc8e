/** What a release needs: a tag that fits, licences of what is bundled, faults of what is bundled, and names in one place. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { describePackage, foldersOf } from '../../../scripts/build/bundledPackages.ts';
import { listFaults } from '../../../scripts/build/listFaults.ts';
import { PLACEHOLDER, readRelease } from '../../../scripts/build/readRelease.ts';
import { compareTexts, describeTranslations } from '../../../scripts/manifest/findTranslations.ts';
import { ROOT } from '../../../scripts/paths.ts';
import { describeOwnersPart } from '../../../scripts/release/rehearse.ts';

const scratch = mkdtempSync(join(tmpdir(), 'pal-publish-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const MANIFEST = JSON.parse(read('package.json'));

async function installed(folder: string, manifest: object, licence?: string): Promise<void> {
  await mkdir(join(scratch, folder), { recursive: true });
  await writeFile(join(scratch, folder, 'package.json'), JSON.stringify(manifest));
  if (licence !== undefined) await writeFile(join(scratch, folder, 'LICENSE'), licence);
}

describe('licences of what is bundled', () => {
  test('two versions of a package are two entries, and what is not of a package is not one', () => {
    const inputs = ['src/a.ts', 'node_modules/a/x.js', 'node_modules/a/y.js', 'node_modules/b/node_modules/@s/a/x.js'];
    expect(foldersOf({ inputs })).toEqual([
      'node_modules/@vscode/codicons',
      'node_modules/a',
      'node_modules/b/node_modules/@s/a',
    ]);
  });

  test('a package brings its own text, with line ends of one kind', async () => {
    await installed('own', { name: 'own', version: '1.0.0', license: '(MPL-2.0 OR Apache-2.0)' }, 'mine\r\n');
    expect(await describePackage('own', scratch)).toEqual({
      folder: 'own',
      name: 'own',
      version: '1.0.0',
      licence: '(MPL-2.0 OR Apache-2.0)',
      text: 'mine',
    });
  });

  test('the MIT licence of a package that forgot its text goes along with the name of the author', async () => {
    await installed('bare', { name: 'bare', version: '1.0.0', license: 'MIT', author: { name: 'Ada' } });
    const { text } = await describePackage('bare', scratch);
    expect(text).toMatch(/^Copyright \(c\) Ada\n\nPermission is hereby granted/);
  });

  test.each([
    [{ license: 'GPL-3.0' }, 'text', 'a 1.0.0 has the licence GPL-3.0, which the package cannot carry'],
    [{ license: '(MIT AND GPL-3.0)' }, 'text', 'which the package cannot carry'],
    [{}, 'text', 'a 1.0.0 names no licence'],
    [{ license: 'BSD-3-Clause' }, undefined, 'a 1.0.0 has no text of its licence BSD-3-Clause'],
  ])('%o is refused', async (facts, text, reason) => {
    await rm('a');
    await installed('a', { name: 'a', version: '1.0.0', ...facts }, text);
    await expect(describePackage('a', scratch)).rejects.toThrow(reason);
  });

  const rm = async (folder: string) => rmSync(join(scratch, folder), { recursive: true, force: true });
});

describe('known faults', () => {
  const fault = (...nodes: string[]) => ({ severity: 'high', range: '<2', nodes });

  test('only those of bundled packages count', () => {
    const report = {
      vulnerabilities: { a: fault('node_modules/a', 'node_modules/x/node_modules/a'), b: fault('node_modules/b') },
    };
    expect(listFaults(report, ['node_modules/a'])).toEqual(['a <2: high, in node_modules/a']);
  });

  test('no report is not a clean one', () => {
    expect(() => listFaults({ message: 'offline' }, [])).toThrow('offline');
    expect(() => listFaults({}, [])).toThrow();
  });
});

describe('a tag', () => {
  const manifest = {
    version: '0.3.0',
    publisher: 'p',
    homepage: 'https://github.com/acme/p#readme',
    repository: { url: 'https://github.com/acme/p.git' },
    bugs: { url: 'https://github.com/acme/p/issues' },
  };
  const changelog =
    '# Changelog\n\n## [Unreleased]\n\n## [0.3.0] - 2026-01-01\n\n### Added\n\n- A thing.\n\n## [0.2.0]\n\n- Old.\n';

  test('publishes the section of its version, as a pre-release where the minor version is odd', () => {
    expect(readRelease('v0.3.0', manifest, changelog)).toEqual({
      kind: 'ready',
      notes: '### Added\n\n- A thing.',
      prerelease: true,
    });
    expect(readRelease('v0.2.0', { ...manifest, version: '0.2.0' }, changelog)).toMatchObject({ prerelease: false });
  });

  test.each([
    ['v0.3.1', manifest, changelog, "the tag is 'v0.3.1' and the version 0.3.0"],
    ['v0.3.0', manifest, '## [0.2.0]\n\n- Old.\n', 'CHANGELOG.md has nothing in a section [0.3.0]'],
    ['v0.3.0', manifest, changelog.replace('[Unreleased]\n', '[Unreleased]\n\n- New.\n'), 'under [Unreleased]'],
    [
      'v0.3.0',
      { ...manifest, bugs: { url: `https://github.com/${PLACEHOLDER}/p` } },
      changelog,
      `names ${PLACEHOLDER}`,
    ],
  ])('%s is refused', (tag, facts, notes, reason) => {
    expect(readRelease(tag, facts, notes)).toEqual({ kind: 'refused', reasons: [expect.stringContaining(reason)] });
  });

  test('waits for a Chinese sentence for each text, and names those that lack one', () => {
    const lines = describeTranslations(compareTexts(['Hello', 'Stop'], ['Stop', 'Gone']));
    const release = readRelease('v0.3.0', manifest, changelog, lines);
    expect(release).toEqual({
      kind: 'refused',
      reasons: [expect.stringMatching(/yet.*\n {2}Hello\n.*no more.*\n {2}Gone$/)],
    });
    expect(describeTranslations(compareTexts(['Stop'], ['Stop']))).toEqual([]);
  });
});

describe('what is written for the public', () => {
  test('places that do not exist yet are named in package.json alone', () => {
    const files = execFileSync('git', ['ls-files', '*.md', '*.yml', '*.json', '*.txt'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    const named = files.split('\n').filter((path) => path !== '' && /github\.com\/OWNER\b/.test(read(path)));
    expect(named).toEqual(['package.json']);
  });

  test('the changelog publishes the version once its section has the name', () => {
    const named = JSON.stringify(MANIFEST).replaceAll(PLACEHOLDER, 'acme');
    const changelog = read('CHANGELOG.md').replace('## [Unreleased]', `## [${MANIFEST.version}] - 2026-01-01`);
    const release = readRelease(`v${MANIFEST.version}`, JSON.parse(named), changelog);
    expect(release).toMatchObject({ kind: 'ready', notes: expect.stringContaining('### ') });
  });

  test('each script that a workflow runs exists', () => {
    const folder = '.github/workflows';
    const steps = readdirSync(join(ROOT, folder)).flatMap((file) =>
      Object.values<{ steps: { run?: string }[] }>(parse(read(`${folder}/${file}`)).jobs).flatMap(({ steps }) => steps),
    );
    const runs = steps.map(({ run = '' }) => run).join('\n');
    const scripts = [...runs.matchAll(/\bnpm (?:run )?([a-z:]+)/g)].map(([, name = '']) => name);
    expect(scripts.filter((name) => !['ci', 'publish'].includes(name) && !(name in MANIFEST.scripts))).toEqual([]);
    const files = [...runs.matchAll(/\bnode (\S+)/g)].map(([, path = '']) => path);
    expect(files.filter((path) => !path.startsWith('node_modules/')).map(read)).toHaveLength(2);
  });

  test('no workflow holds a secret, and none gives one to a change from outside', () => {
    const check = read('.github/workflows/check.yml');
    expect(check).not.toContain('secrets.');
    expect(check).not.toContain('pull_request_target');
    expect(read('.github/workflows/release.yml').match(/secrets\.\w+/g)).toEqual([
      'secrets.VSCE_PAT',
      'secrets.OVSX_PAT',
      'secrets.NPM_TOKEN',
    ]);
  });

  test.skipIf(process.platform === 'win32')('the packages go to npm as they were packed', async () => {
    const { npm } = parse(read('.github/workflows/release.yml')).jobs;
    const { run } = npm.steps.at(-1);
    const cwd = join(scratch, 'npm');
    await mkdir(join(cwd, 'dist/packages'), { recursive: true });
    for (const name of ['palimpsest-api-1.0.0.tgz', 'palimpsest-core-1.0.0.tgz'])
      await writeFile(join(cwd, 'dist/packages', name), '');
    // A program in the place of npm, which says what it is asked for.
    await writeFile(join(cwd, 'npm'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    const publish = (env: object) =>
      execFileSync('bash', ['-e', '-c', run], {
        cwd,
        encoding: 'utf8',
        env: { PATH: `${cwd}:/usr/bin:/bin`, PRERELEASE: 'false', NODE_AUTH_TOKEN: '', ...env },
      }).trimEnd();
    expect(publish({})).toMatch(/^::notice::.*NPM_TOKEN/);
    expect(publish({ NODE_AUTH_TOKEN: 't' }).split('\n')).toEqual([
      'publish ./dist/packages/palimpsest-api-1.0.0.tgz --access public --tag latest',
      'publish ./dist/packages/palimpsest-core-1.0.0.tgz --access public --tag latest',
    ]);
    expect(publish({ NODE_AUTH_TOKEN: 't', PRERELEASE: 'true' })).toMatch(/--tag next$/);
  });

  test('links in documents at the root lead to files', () => {
    for (const path of ['README.md', 'SUPPORT.md', 'SECURITY.md', 'CONTRIBUTING.md']) {
      const targets = [...read(path).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) => target);
      const absent = execFileSync('git', ['ls-files', '--', ...targets], { cwd: ROOT, encoding: 'utf8' });
      expect(
        targets.filter((target) => !absent.includes(target)),
        path,
      ).toEqual([]);
    }
  });
});

test('a rehearsal says what only an owner can fill in, as the files have it', () => {
  const release = readRelease(`v${MANIFEST.version}`, MANIFEST, '', []);
  const said = describeOwnersPart(release).join('\n');
  expect(said).toContain(`names ${PLACEHOLDER} in place of the owner`);
  expect(said).toContain(`publisher '${MANIFEST.publisher}'`);
  expect(said).toMatch(/secrets: VSCE_PAT, OVSX_PAT, NPM_TOKEN$/m);
  const ready = describeOwnersPart({ kind: 'ready', notes: 'x', prerelease: true }, (path) =>
    path === 'package.json' ? '{"publisher":"acme"}' : 'env: secrets.A_TOKEN',
  );
  expect(ready).toEqual([
    'Only an owner can do this:',
    expect.stringContaining("'acme'"),
    expect.stringMatching(/: A_TOKEN$/),
    expect.stringContaining('palimpsest-core'),
  ]);
});
