/** The probe believes a sandbox only if each wall stands; and a real shell, a hook and a server run in a real one. */

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { inEnglish } from '../../../../src/core/words.ts';
import { StdioTransport } from '../../../../src/node/mcp/transport/stdioTransport.ts';
import { createCommandSandbox } from '../../../../src/node/sandbox/commandSandbox.ts';
import { writeProfile } from '../../../../src/node/sandbox/confinement.ts';
import { explainRefusal } from '../../../../src/node/sandbox/explainRefusal.ts';
import { bytesOf, textOf, walkGuarded } from '../../../../src/node/sandbox/guardedWalk.ts';
import { openSandbox, type SandboxOptions } from '../../../../src/node/sandbox/sandbox.ts';
import { writeFilter } from '../../../../src/node/sandbox/systemCalls.ts';
import { createChildShell } from '../../../../src/node/shell/childShell.ts';
import { createHookRunner } from '../../../../src/node/shell/hookRunner.ts';
import { createTemporaryFolder } from '../files/temporaryFolder.ts';

const top = createTemporaryFolder();
const options = (more: Partial<SandboxOptions> = {}): SandboxOptions => {
  const folder = join(top, 'open');
  mkdirSync(folder, { recursive: true });
  return {
    folders: [folder],
    home: join(top, 'home'),
    denied: [],
    temporary: tmpdir(),
    storage: join(top, 'storage'),
    environment: process.env,
    allowedVariables: () => [],
    platform: 'linux',
    ...more,
  };
};
const signal = new AbortController().signal;

/** Why it is absent, with a program in the place of `bwrap`. */
async function reasonWith(script: string): Promise<string> {
  const path = join(top, `bwrap-${Math.abs(script.length)}`);
  writeFileSync(path, `#!/bin/bash\n${script}\n`);
  chmodSync(path, 0o755);
  const state = await openSandbox(options({ bubblewrap: async () => path, processor: 'x64' }));
  return state.kind === 'ready' ? 'ready' : inEnglish(state.reason);
}

describe.runIf(process.platform === 'linux')('a sandbox is absent', () => {
  const AGE = '[ "$1" = --version ] && { echo bubblewrap 0.8.0; exit; }';
  /** Drops the options and runs what follows. */
  const OPEN = `${AGE}\nwhile [ "$1" != -- ]; do [ "$1" = --chdir ] && cd "$2"; shift; done; shift; exec "$@"`;
  test.each([
    ['old', 'echo bubblewrap 0.3.1', 'bubblewrap 0.3.1 is too old for the sandbox: 0.4 is needed.'],
    ['broken', 'echo no >&2; exit 1', 'bubblewrap does not start here: no'],
    [
      'not allowed',
      `${AGE}\necho "bwrap: No permissions to create new namespace" >&2; exit 1`,
      'No permissions to create',
    ],
    ['without any wall', OPEN, 'a file outside can be read'],
    ['silent', `${AGE}\nexit 0`, 'The sandbox does not hold here'],
  ])('where bubblewrap is %s', async (_, script, reason) => {
    expect(await reasonWith(script)).toContain(reason);
  });
  test('on Windows, on a strange processor, and around a home', async () => {
    for (const more of [{ platform: 'win32' }, { processor: 'mips' }, { home: join(top, 'open/home') }] as const) {
      expect((await openSandbox(options({ bubblewrap: async () => '/bin/true', ...more }))).kind).toBe('absent');
    }
  });
});

describe.runIf(process.platform === 'linux')('in a real sandbox', () => {
  let absence: string | null = null;
  beforeAll(async () => {
    const state = await openSandbox(options());
    absence = state.kind === 'absent' ? inEnglish(state.reason) : null;
    if (absence !== null) console.log(`Nothing ran in a real sandbox: ${absence}`);
  });
  const sandbox = createCommandSandbox(options(), () => 'all');
  const shared = { folder: join(top, 'open'), environment: process.env, sandbox };

  test('a command writes here and not beside, and what it was refused is said', async ({ skip }) => {
    if (absence !== null) skip(absence);
    const run = (command: string) =>
      createChildShell(shared).run(command, { timeoutMs: null, onOutput: () => undefined, confined: true }, signal);
    expect(await run('echo x > here && cat here')).toEqual({ exitCode: 0, output: 'x\n', ended: 'exit' });
    const beside = await run(`touch ${top}/beside /usr/beside`);
    expect(inEnglish(beside.refused ?? [])).toContain('The sandbox refused writing outside');
    const guarded = await run('mkdir -p .claude && echo x > .claude/settings.json');
    expect(inEnglish(guarded.refused ?? [])).toContain('a guarded name');
    expect(readdirSync(join(top, 'open'))).toEqual(['here']);
    expect(existsSync(`${top}/beside`)).toBe(false);
  });
  test('guarded names that are new are named and stay, whatever their names and modes are, until they are set aside', async ({
    skip,
  }) => {
    if (absence !== null) skip(absence);
    const { newNames } = await createChildShell(shared).run(
      `mkdir -p $'a\\xff/.git' b/.vscode c/.git/hooks; chmod 555 b; mkdir -p src/config`,
      { timeoutMs: null, onOutput: () => undefined, confined: true },
      signal,
    );
    expect(newNames?.paths.map((path) => path.slice(join(top, 'open').length + 1)).sort()).toEqual([
      'a\ufffd/.git',
      'b/.vscode',
      'c/.git',
    ]);
    expect(existsSync(join(top, 'open/c/.git/hooks'))).toBe(true);
    const stay = await newNames?.setAside();
    expect({ stay, there: existsSync(join(top, 'open/c/.git')) }).toEqual({
      // Root may write there.
      stay: process.getuid?.() === 0 ? [] : [join(top, 'open/b/.vscode')],
      there: false,
    });
    chmodSync(join(top, 'open/b'), 0o755);
    for (const name of readdirSync(Buffer.from(join(top, 'open')), 'buffer')) {
      rmSync(Buffer.concat([Buffer.from(join(top, 'open/')), name]), { recursive: true });
    }
  });
  test('what a person makes while a command runs is never taken away, and covers go', async ({ skip }) => {
    if (absence !== null) skip(absence);
    const folder = join(top, 'open');
    const running = createChildShell(shared).run(
      'touch begun; until [ -e made ]; do sleep 0.02; done',
      { timeoutMs: null, onOutput: () => undefined, confined: true },
      signal,
    );
    while (!existsSync(join(folder, 'begun'))) await delay(5);
    expect(existsSync(join(folder, '.claude'))).toBe(true);
    execFileSync('git', ['init', '-q'], { cwd: folder });
    mkdirSync(join(folder, '.github/workflows'));
    writeFileSync(join(folder, '.github/workflows/ci.yml'), 'on: push\n');
    mkdirSync(join(folder, 'deep/.vscode'), { recursive: true });
    writeFileSync(join(folder, 'made'), '');
    const { newNames } = await running;
    expect(newNames?.paths).toEqual([join(folder, 'deep/.vscode')]);
    expect(readdirSync(folder).sort()).toEqual(['.git', '.github', 'begun', 'deep', 'made']);
    expect(existsSync(join(folder, '.git/config'))).toBe(true);
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true });
  });
  test('what a command left behind whose window was killed is found at the next start', async ({ skip }) => {
    if (absence !== null) skip(absence);
    const folder = join(top, 'open');
    const modules = new URL('../../../../src/node/', import.meta.url).href;
    const given = { ...options(), environment: { PATH: process.env.PATH }, allowedVariables: undefined };
    const script = `
      const { createCommandSandbox } = await import('${modules}sandbox/commandSandbox.ts');
      const { createChildShell } = await import('${modules}shell/childShell.ts');
      const sandbox = createCommandSandbox({ ...${JSON.stringify(given)}, allowedVariables: () => [] }, () => 'all');
      await createChildShell({ folder: '${folder}', environment: process.env, sandbox }).run(
        'mkdir -p deep/.git; touch begun; sleep 600',
        { timeoutMs: null, onOutput: () => undefined, confined: true }, new AbortController().signal);`;
    const host = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'inherit' });
    while (!existsSync(join(folder, 'begun'))) {
      if (host.exitCode !== null) throw new Error('The other window could not start.');
      await delay(20);
    }
    host.kill('SIGKILL');
    await once(host, 'exit');
    expect(existsSync(join(folder, '.claude'))).toBe(true);
    const found: string[] = [];
    const next = createCommandSandbox(options(), () => 'all', {
      onDidLeaveBehind: (_, names) => found.push(...(names?.paths ?? [])),
    });
    await next.lookAfterKilled();
    await next.lookAfterKilled();
    expect({ found, there: readdirSync(folder).sort() }).toEqual({
      found: [join(folder, 'deep/.git')],
      there: ['begun', 'deep'],
    });
  });
  test('a hook gets its input there', async ({ skip }) => {
    if (absence !== null) skip(absence);
    const given = { input: 'hello', timeoutMs: 60_000 };
    const hook = await createHookRunner(shared).run('cat; ls /proc | grep -c "^[0-9]"', given, signal);
    expect(hook).toMatchObject({ exitCode: 0 });
    expect(Number(hook.output.replace('hello', ''))).toBeLessThan(8);
  });
});

describe.runIf(process.platform === 'linux')('an MCP server', () => {
  test('runs in a real sandbox, with the variables that its configuration gives it', async ({ skip }) => {
    const state = await openSandbox(options());
    if (state.kind === 'absent') skip(inEnglish(state.reason));
    // By the shell: this checkout, with its Node, may lie in a folder that the sandbox hides.
    const script = `wrote=true; { : > /usr/x; } 2>/dev/null || wrote=false
      set -- /proc/[0-9]*; few=true; [ $# -lt 8 ] || few=false
      printf '{"jsonrpc":"2.0","method":"said","params":{"wrote":%s,"few":%s,"key":"%s"}}\\n' $wrote $few "$KEY"
      cat > /dev/null`;
    const said = Promise.withResolvers<unknown>();
    const transport = new StdioTransport({
      command: '/bin/bash',
      args: ['-c', script],
      cwd: join(top, 'open'),
      given: { KEY: 'own' },
      now: Date.now,
      env: { PATH: process.env.PATH ?? '' },
      onLine: said.reject,
      sandbox: state.kind === 'ready' ? state.sandbox : undefined,
    });
    transport.onmessage = said.resolve;
    await transport.start();
    expect(await said.promise).toMatchObject({ params: { wrote: false, few: true, key: 'own' } });
    await transport.close();
  });
});

const guardedIn = async (folder: string) => {
  const walk = await walkGuarded([folder]);
  if (walk.kind === 'unseen') throw new Error(inEnglish(walk.why));
  const shown = (names: readonly { readonly path: string }[]) =>
    names.map(({ path }) => path.slice(folder.length + 1)).sort();
  return { names: shown(walk.found.names), above: shown(walk.found.above) };
};

test('guarded names are found at any depth, with what guarded links lead to', async () => {
  const folder = join(createTemporaryFolder(), 'w');
  mkdirSync(join(folder, 'a/b/.vscode'), { recursive: true });
  mkdirSync(join(folder, 'docs/deep'), { recursive: true });
  writeFileSync(join(folder, 'docs/deep/guide.md'), '');
  symlinkSync('../docs/deep/guide.md', join(folder, 'a/CLAUDE.md'));
  mkdirSync(join(folder, 'node_modules/x/.vscode'), { recursive: true });
  expect(await guardedIn(folder)).toEqual({
    names: ['a/CLAUDE.md', 'a/b/.vscode', 'docs/deep/guide.md'],
    above: ['a', 'a/b', 'docs', 'docs/deep'],
  });
});

test.skipIf(process.platform !== 'linux')('a name that is no valid UTF-8 is walked like any other', async () => {
  const folder = join(createTemporaryFolder(), 'w');
  mkdirSync(Buffer.concat([Buffer.from(`${folder}/x`), Buffer.from([0xff]), Buffer.from('/.git')]), {
    recursive: true,
  });
  expect((await guardedIn(folder)).names).toEqual(['x\u00ff/.git']);
  expect(textOf(bytesOf('/é'))).toBe('/é');
});

test('what usual builds write is ordinary, and a repository among it is not', async () => {
  const folder = join(createTemporaryFolder(), 'w');
  const ordinary = [
    'src/config/index.ts',
    'dist/config/a.js',
    'config/webpack.js',
    'src/objects/a.ts',
    'src/refs/b.ts',
    'src/refs/heads/c.ts',
    'src/head/d.ts',
    'components/head',
    'worktrees/e.txt',
    'objects/info/f.txt',
    '.gradle/8.0/checksums.lock',
    '.venv/lib/python3.12/site-packages/distutils-precedence.pth',
    '.venv/lib/python3.12/site-packages/numpy/.editorconfig',
    'build/app.yaml',
    'dist/netlify.toml',
    'target/classes/serverless.yml',
    'vendor/github.com/x/y/.travis.yml',
    'vendor/github.com/x/y/.github/workflows/ci.yml',
    '.next/cache/config',
    'out/.editorconfig',
    '.npm/_cacache/tmp/z',
    '.build/debug/config',
    'coverage/lcov-report/.eslintrc',
    'bin/config',
  ];
  for (const path of ordinary) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), '');
  }
  expect((await guardedIn(folder)).names).toEqual([]);
  mkdirSync(join(folder, 'build/x/.git'), { recursive: true });
  for (const name of ['HEAD', 'config']) {
    mkdirSync(join(folder, 'src/bare/objects'), { recursive: true });
    mkdirSync(join(folder, 'src/bare/refs'), { recursive: true });
    writeFileSync(join(folder, 'src/bare', name), '');
  }
  expect((await guardedIn(folder)).names).toEqual(['build/x/.git', 'src/bare']);
});

const OUTSIDE = {
  platform: 'linux',
  environment: { PATH: '/usr/bin' },
  exists: (path: string) => path === '/usr/bin/fnm',
} as const;
test.each([
  [1, 'touch: /x: Read-only file system', 'writing outside'],
  [128, 'Could not resolve host: example.org', 'the network'],
  [1, 'EACCES: permission denied', 'a right'],
  [127, 'bash: line 1: fnm: command not found', 'does not show /usr/bin/fnm'],
  [127, 'env: ‘fnm’: No such file or directory', 'does not show /usr/bin/fnm'],
  [2, 'sh: 1: fnm: not found\nmake: *** [all] Error 127', 'does not show /usr/bin/fnm'],
  [127, '', 'a program or a file'],
])('a failure with exit code %i and «%s» is a refusal', (exitCode, output, said) => {
  expect(inEnglish(explainRefusal({ ended: 'exit', exitCode, output }, OUTSIDE) ?? [])).toContain(said);
});
test('a plain failure, a success that speaks of one, and a program that is nowhere, is none', () => {
  const explain = (exitCode: number, output: string) => explainRefusal({ ended: 'exit', exitCode, output }, OUTSIDE);
  expect(explain(1, '1 test failed')).toBeNull();
  expect(explain(0, 'Read-only file system')).toBeNull();
  expect(explain(127, 'bash: line 1: cargo: command not found')).toBeNull();
});

test('the profile of macOS denies by default, and last of all the network', () => {
  const profile = writeProfile(
    {
      folders: ['/w'],
      writes: true,
      readOnly: [bytesOf('/w/.git')],
      pinned: [bytesOf('/w/a')],
      links: new Map(),
      hidden: ['/Users/"me"'],
      temporary: ['/tmp'],
      shown: [],
      denied: [],
    },
    '/tmp/own',
  ).split('\n');
  expect(profile[1]).toBe('(deny default)');
  expect(profile.at(-1)).toBe('(deny network*)');
  expect(profile).toContain('(deny file-read* (subpath "/Users/\\"me\\"") (subpath "/tmp"))');
  expect(profile.indexOf('(deny file-write* (subpath "/w/.git"))')).toBeGreaterThan(
    profile.indexOf('(allow file-write* (subpath "/w") (subpath "/tmp/own"))'),
  );
});

test('the filter is a program for each processor that is known, and for no other', () => {
  for (const processor of ['x64', 'arm64']) {
    const filter = writeFilter(processor);
    expect((filter?.length ?? 1) % 8).toBe(0);
    expect(filter?.subarray(-8).toString('hex')).toBe('060000000000ff7f');
  }
  expect(writeFilter('mips')).toBeNull();
});
