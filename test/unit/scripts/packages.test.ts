/** The packages as their users have them: installed without a network in an empty folder, and run on each Node there is. */

import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../../scripts/paths.ts';

const scratch = mkdtempSync(join(tmpdir(), 'packages-'));
const installed = join(scratch, 'empty');
const inPackage = (...path: readonly string[]) => join(installed, 'node_modules', ...path);

function run(program: string, given: readonly string[], cwd = installed) {
  const env = { ...process.env, NODE_OPTIONS: '', NODE_PATH: '' };
  const { status, stdout, stderr } = spawnSync(program, given, { cwd, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** The Node of this run, and another one of the machine. */
const NODES = [process.execPath, process.env.PALIMPSEST_NODE_20 ?? '/usr/bin/node'].filter(
  (path, at, all) => existsSync(path) && all.indexOf(path) === at,
);

describe('the packages', { tags: ['long', 'K9'] }, () => {
  beforeAll(() => {
    const packed = run(process.execPath, ['scripts/packages.ts', join(scratch, 'packed')], ROOT);
    expect(packed.stderr).toBe('');
    const files = readdirSync(join(scratch, 'packed')).map((name) => join(scratch, 'packed', name));
    expect(files).toHaveLength(3);
    run('mkdir', [installed], scratch);
    writeFileSync(join(installed, 'package.json'), '{"private":true,"type":"module"}');
    const { status, stderr } = run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...files]);
    expect(status, stderr).toBe(0);
  });
  afterAll(() => rmSync(scratch, { recursive: true }));

  it.each(NODES)('run their examples on %s', (node) => {
    const answer = run(node, [inPackage('palimpsest-core/answer.mjs')]);
    expect(answer.stderr).toBe('');
    expect(answer.stdout).toMatch(
      /^YOU SAID: HELLO FROM A PROGRAM\nKept as session \S+, \d+ characters as Markdown\.\n$/,
    );
    const lab = run(node, [inPackage('palimpsest-lab/example.mjs')]);
    expect(lab.stderr).toBe('');
    expect(lab.stdout).toMatch(/\| layered +\|[\s\S]*# Autopsy of compactions[\s\S]*15 were gone/);
    const check = `import { assertConforms } from 'palimpsest-api/conformance';
      const compact = async ({ history }) => {
        const kept = new Set(history.filter((m) => m.protected).map(({ block }) => block));
        return history.filter(({ block, role }) => kept.has(block) || role === 'user');
      };
      const strategy = { needs: [], create: () => ({ compact }) };
      const { compactions } = await assertConforms(strategy, { cases: 5 });
      console.log(compactions > 0);`;
    expect(run(node, ['--input-type=module', '-e', check])).toMatchObject({ stdout: 'true\n', stderr: '' });
  });

  it('hold neither VS Code nor tests, and name the licences of what they hold', () => {
    for (const name of ['palimpsest-core', 'palimpsest-lab']) {
      const files = readdirSync(inPackage(name));
      expect(files).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'ThirdPartyNotices.txt', 'package.json']));
      for (const file of files.filter((each) => each.endsWith('.js')))
        expect(readFileSync(inPackage(name, file), 'utf8')).not.toMatch(/from ?["'](?:vscode|vitest)["']/);
      expect(readFileSync(inPackage(name, 'ThirdPartyNotices.txt'), 'utf8')).toMatch(/^zod /m);
    }
  });

  it('have types that a strict compiler takes', () => {
    const program = `import { ask, createAgent, createEndpointClient, memoryStorage, nodeSystem } from 'palimpsest-core';
const client = createEndpointClient({ baseUrl: 'http://x', key: async () => undefined });
const agent = await createAgent({ model: { client, model: 'm', window: 1 }, tools: [], system: nodeSystem(), ...memoryStorage() });
const { text, outcome } = await ask(agent, 'Hello.');
export const said: string = outcome.kind === 'done' ? text : '';
// @ts-expect-error it is a text
export const wrong: number = text;
`;
    writeFileSync(join(installed, 'program.ts'), program);
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const options = ['--strict', '--noEmit', '--target', 'es2023', '--module', 'nodenext', '--skipLibCheck'];
    const types = ['--typeRoots', join(ROOT, 'node_modules/@types'), '--types', 'node'];
    expect(run(process.execPath, [compiler, ...options, ...types, 'program.ts'])).toMatchObject({
      stdout: '',
      status: 0,
    });
  });
});
