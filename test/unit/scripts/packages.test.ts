/** The packages as their users have them: installed without a network in an empty folder, and run on each Node there is. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { client, methods, type NewSessionRequest, ndJsonStream } from '@agentclientprotocol/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../../scripts/paths.ts';
import { recordClaudeCode } from '../../support/sessions/recordClaudeCode.ts';

const scratch = mkdtempSync(join(tmpdir(), 'packages-'));
const installed = join(scratch, 'empty');
const inPackage = (...path: readonly string[]) => join(installed, 'node_modules', ...path);

function run(program: string, given: readonly string[], cwd = installed, more: NodeJS.ProcessEnv = {}) {
  const env = { ...process.env, NODE_OPTIONS: '', NODE_PATH: '', ...more };
  const { status, stdout, stderr } = spawnSync(program, given, { cwd, env, encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** Those that a rehearsal of a release names; else the Node of this run, and another one of the machine. */
const NODES = (process.env.PALIMPSEST_NODES?.split(delimiter) ?? [process.execPath, '/usr/bin/node']).filter(
  (path, at, all) => existsSync(path) && all.indexOf(path) === at,
);

/** The tarballs: of a rehearsal, or made here. */
const packed = process.env.PALIMPSEST_PACKAGES ?? join(scratch, 'packed');

/** The first block of code of an installed package's README. */
function firstExample(name: string): { readonly language: string; readonly text: string } {
  const readme = readFileSync(inPackage(name, 'README.md'), 'utf8');
  const [, language = '', text = ''] = /^```(\w+)\n(.*?)^```/ms.exec(readme) ?? [];
  return { language, text };
}

type Action =
  | { readonly kind: 'run'; readonly command: string }
  | { readonly kind: 'save'; readonly name: string; readonly text: string };

/** Of the part of the README that begins in an empty folder: each command and each file to save, in order. */
function actionsOf(readme: string): readonly Action[] {
  const part = readme.slice(readme.indexOf('## From an empty folder'));
  const blocks = part.matchAll(/^Save this as `([\w.]+)`:\n\n```js\n(.*?)^```|^```sh\n(.*?)^```/gms);
  return [...blocks].flatMap(([, name, text = '', commands = '']): Action[] =>
    name !== undefined
      ? [{ kind: 'save', name, text }]
      : commands
          .trim()
          .split('\n')
          .map((command) => ({ kind: 'run', command })),
  );
}

/** The command, with the path of a tarball in place of its package. */
function fromTarball(command: string): string {
  const [, name] = /^npm install (\S+)$/.exec(command) ?? [];
  if (name === undefined) return command;
  const file = readdirSync(packed).find((each) => each.startsWith(`${name}-`));
  return `npm install --offline --no-audit --no-fund ${join(packed, file ?? name)}`;
}

describe('the packages', { tags: ['long', 'K9'] }, () => {
  beforeAll(() => {
    if (process.env.PALIMPSEST_PACKAGES === undefined)
      expect(run(process.execPath, ['scripts/packages.ts', packed], ROOT).stderr).toBe('');
    const files = readdirSync(packed).map((name) => join(packed, name));
    expect(files).toHaveLength(3);
    run('mkdir', [installed], scratch);
    writeFileSync(join(installed, 'package.json'), '{"private":true,"type":"module"}');
    const { status, stderr } = run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...files]);
    expect(status, stderr).toBe(0);
  });
  afterAll(() => rmSync(scratch, { recursive: true }));

  it.each(
    NODES.flatMap((node) =>
      (
        [
          ['palimpsest-api', /^\d+ compactions, 0 broken rules\n$/],
          ['palimpsest-core', /^You said: Hello\.\n$/],
          ['palimpsest-lab', /\| layered +\|[\s\S]*# Autopsy of compactions/],
        ] as const
      ).map(([name, prints]) => ({ node, name, prints })),
    ),
  )('of which $name begins its README with an example that runs as it stands, on $node', ({ node, name, prints }) => {
    const { language, text } = firstExample(name);
    const file = join(installed, language === 'js' ? 'example.mjs' : 'example.sh');
    writeFileSync(file, text);
    const path = [dirname(node), process.env.PATH].join(delimiter);
    const said = language === 'js' ? run(node, [file]) : run('bash', ['-e', file], installed, { PATH: path });
    expect(said).toMatchObject({ status: 0, stderr: '', stdout: expect.stringMatching(prints) });
  });

  it.each(NODES)('run their examples on %s', (node) => {
    const answer = run(node, [inPackage('palimpsest-core/answer.mjs')]);
    expect(answer.stderr).toBe('');
    expect(answer.stdout).toMatch(
      /^YOU SAID: HELLO FROM A PROGRAM\nKept as session \S+, \d+ characters as Markdown\.\n$/,
    );
    const lab = run(node, [inPackage('palimpsest-lab/example.mjs')]);
    expect(lab.stderr).toBe('');
    expect(lab.stdout).toMatch(/\| layered +\|[\s\S]*# Autopsy of compactions[\s\S]*of these gone: 15/);
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

  it.each(NODES)('serve an editor over standard input and output, on %s', async (node) => {
    const child = spawn(node, [inPackage('palimpsest-core/editor.mjs')], { cwd: installed, stdio: 'pipe' });
    let err = '';
    child.stderr.on('data', (piece) => {
      err += piece;
    });
    const output = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
    const editor = client({ name: 'editor' }).connect(ndJsonStream(Writable.toWeb(child.stdin), output));
    const begun = await editor.agent.request(methods.agent.initialize, { protocolVersion: 1 });
    expect(begun).toMatchObject({ protocolVersion: 1, agentInfo: { name: 'my-agent' } });
    const asked: NewSessionRequest = { cwd: installed, mcpServers: [] };
    const made = await editor.agent.request(methods.agent.session.new, asked);
    expect(made.sessionId).toMatch(/^[0-9a-f]+$/);
    child.stdin.end();
    const [code] = await once(child, 'exit');
    expect([code, err]).toEqual([0, '']);
  });

  it.each(NODES)('lead a stranger in 2, 4 and 7 actions from an empty folder to a checked strategy, on %s', (node) => {
    const home = mkdtempSync(join(scratch, 'stranger-'));
    const empty = join(home, 'empty');
    const project = join(home, '.claude/projects/PROJECT');
    mkdirSync(empty);
    mkdirSync(project, { recursive: true });
    writeFileSync(join(project, 'SESSION.jsonl'), recordClaudeCode(200));
    const alone = {
      HOME: home,
      USERPROFILE: home,
      XDG_CONFIG_HOME: home,
      PATH: [dirname(node), process.env.PATH].join(delimiter),
    };
    for (const name of ['CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'APPDATA']) Object.assign(alone, { [name]: undefined });
    const said = actionsOf(readFileSync(inPackage('palimpsest-lab/README.md'), 'utf8')).map((action) => {
      if (action.kind === 'save') {
        writeFileSync(join(empty, action.name), action.text);
        return '';
      }
      const { status, stdout, stderr } = run('bash', ['-c', fromTarball(action.command)], empty, alone);
      expect(status, `${action.command}\n${stderr}`).toBe(0);
      return stdout;
    });
    expect(said).toHaveLength(7);
    expect(said[1]).toMatch(/Paths, names and lines that the agent needed again: 15, of these gone: 15/);
    expect(readFileSync(join(empty, 'autopsy.html'), 'utf8')).toContain('computePart0');
    expect(said[3]).toMatch(/\bmine\b/);
    expect(readFileSync(join(empty, 'report.html'), 'utf8')).toContain('layered');
    expect(said[6]).toMatch(/broken: \[\]/);
  });

  it.each(NODES)('read what lies in a folder once, and name what they do not open, on %s', (node) => {
    const folder = mkdtempSync(join(scratch, 'found-'));
    const long = recordClaudeCode();
    writeFileSync(join(folder, 'one.jsonl'), long);
    writeFileSync(join(folder, 'a copy.jsonl'), long);
    writeFileSync(join(folder, 'empty.jsonl'), '');
    writeFileSync(join(folder, 'more.zip'), 'PK\u0003\u0004');
    const say = (role: string, more: object) => ({ role, agent: 'main', message_type: 'x', ...more });
    const history = [
      say('user', { content: 'Mend it' }),
      say('assistant', { content: 'I look.', thought: 'I look.', action: 'cat src/a.py' }),
      say('user', { content: 'x = 1' }),
      say('assistant', { content: 'Done.', thought: 'Done.', action: 'cat src/a.py' }),
    ];
    writeFileSync(join(folder, 'a.traj'), JSON.stringify({ trajectory: [], history, info: {} }));
    // The result of the second call is torn.
    const lines = long.replaceAll('"sessionId":"s"', '"sessionId":"t"').split('\n');
    const torn = lines.with(4, lines[4]?.slice(0, -20) ?? '').join('\n');
    writeFileSync(join(folder, 'torn.jsonl'), Buffer.from(`\uFEFF${torn}`, 'utf16le'));
    const lab = run(node, [inPackage('palimpsest-lab/main.js'), folder, '--strategies', 'layered']);
    expect(lab.status, lab.stderr).toBe(0);
    expect(lab.stderr).toContain(`unpack them to have what is in them read: ${join(folder, 'more.zip')}.`);
    expect(lab.stderr).toContain('Found again and left out: 1 copies of sessions.');
    expect(lab.stderr).toMatch(/\n3 sessions × 1 strategies in /);
    const archive = run(node, [inPackage('palimpsest-lab/main.js'), 'autopsy', join(folder, 'more.zip')]);
    expect(archive.stderr).toContain('more.zip: it is an archive (zip). Unpack it and choose a file in it.');
    const core = `import { importFile, newImportReport, nodeSystem, SessionStore } from 'palimpsest-core';
      const { clock, crypto } = nodeSystem();
      const store = new SessionStore({ folder: process.argv[1], workspace: null, engine: 'x', clock, crypto });
      const report = newImportReport();
      const { signal } = new AbortController();
      await importFile({ store, path: process.argv[2], report, signal });
      console.log(JSON.stringify(report));
      await importFile({ store, path: process.argv[3], report, signal }).catch(({ message }) => console.error(message));`;
    writeFileSync(join(folder, 'opencode.db'), `SQLite format 3\0${'\0'.repeat(500)}`);
    const { stdout, stderr } = run(node, [
      '--input-type=module',
      '-e',
      core,
      join(folder, 'store'),
      join(folder, 'torn.jsonl'),
      join(folder, 'opencode.db'),
    ]);
    // A Node that reads no databases says how to export; another one sees that this is none.
    expect(stderr).toMatch(/not one of OpenCode’s sessions|Run “opencode export” in a terminal/);
    expect(JSON.parse(stdout)).toMatchObject({
      brokenLinks: 1,
      missingResults: 1,
      badLines: [{ line: 5, reason: 'not JSON' }],
    });
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

  const program = (
    given: string,
  ) => `import { ask, createAgent, createEndpointClient, memoryStorage, nodeSystem, z } from 'palimpsest-core';
import { serveAcp } from 'palimpsest-core/acp';
import { runStrategy } from './strategy.${given}';
export async function main(): Promise<string> {
  const client = createEndpointClient({ baseUrl: 'http://x', key: async () => undefined });
  const agent = await createAgent({ model: { client, model: 'm', window: 1 }, tools: [], system: nodeSystem(), ...memoryStorage() });
  const { text, outcome } = await ask(agent, 'Hello.');
  // @ts-expect-error it is a text
  const wrong: number = text;
  void wrong;
  return outcome.kind === 'done' ? text : '';
}
const shape = z.object({ path: z.string() });
export const right: z.infer<typeof shape> = { path: 'x' };
// @ts-expect-error it is a text
export const wrong: z.infer<typeof shape> = { path: 1 };
export const all = [serveAcp, runStrategy];
`;
  const STRATEGY = `import { defineStrategy, isModelError } from 'palimpsest-api';
import { assertConforms } from 'palimpsest-api/conformance';
import { runOnce } from 'palimpsest-api/testing';
const strategy = defineStrategy({ needs: [], create: () => ({ compact: async ({ history }) => history }) });
export const runStrategy = [() => assertConforms(strategy), () => runOnce(strategy, []), isModelError];
`;

  it.each([
    ['nodenext', ['--module', 'nodenext'], ['mts', 'cts']],
    ['node16', ['--module', 'node16'], ['mts', 'cts']],
    ['bundler', ['--module', 'esnext', '--moduleResolution', 'bundler'], ['mts']],
  ] as const)('have types that a strict compiler takes whole and alone, by %s', (_, how, kinds) => {
    for (const kind of kinds) {
      writeFileSync(join(installed, `program.${kind}`), program(kind === 'mts' ? 'mjs' : 'cjs'));
      writeFileSync(join(installed, `strategy.${kind}`), STRATEGY);
    }
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const given = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--target', 'es2023', ...how];
    expect(run(process.execPath, [compiler, ...given, ...kinds.map((kind) => `program.${kind}`)])).toMatchObject({
      stdout: '',
      status: 0,
    });
  });

  it('name nothing in their declarations that is not in them', () => {
    for (const name of ['palimpsest-api', 'palimpsest-core'])
      for (const file of readdirSync(inPackage(name)).filter((each) => /\.d\.c?ts$/.test(each))) {
        const text = readFileSync(inPackage(name, file), 'utf8');
        const named = [...text.matchAll(/(?:from|import\()\s*['"]([^'"]+)['"]/g)].map(
          ([, specifier = '']) => specifier,
        );
        expect(named.filter((specifier) => !/^\.\/[\w.-]+$/.test(specifier))).toEqual([]);
      }
  });

  it.each(NODES)('are found from CommonJS on %s', (node) => {
    const asked = `const { createAgent } = require('palimpsest-core'); const { serveAcp } = require('palimpsest-core/acp');
      const { isModelError } = require('palimpsest-api'); console.log(typeof createAgent, typeof serveAcp, typeof isModelError);`;
    expect(run(node, ['--input-type=commonjs', '-e', asked])).toMatchObject({
      stdout: 'function function function\n',
      stderr: '',
    });
  });
});
