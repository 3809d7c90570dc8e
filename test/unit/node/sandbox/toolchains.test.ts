/** Folders of the PATH can be used wherever they lie, and bring nothing with them that must stay hidden. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { inEnglish } from '../../../../src/core/words.ts';
import { createCommandSandbox } from '../../../../src/node/sandbox/commandSandbox.ts';
import { openSandbox, type SandboxOptions } from '../../../../src/node/sandbox/sandbox.ts';
import { findToolchains, type ToolchainPlaces } from '../../../../src/node/sandbox/toolchains.ts';
import { createChildShell } from '../../../../src/node/shell/childShell.ts';
import { ABOVE } from './world.ts';

const top = realpathSync(mkdtempSync(join(ABOVE, 'palimpsest-toolchains-')));
afterAll(() => rmSync(top, { recursive: true, force: true }));
const program = (path: string, said: string) => {
  mkdirSync(dirname(join(top, path)), { recursive: true });
  writeFileSync(join(top, path), `#!/bin/sh\necho ${said}\n`, { mode: 0o755 });
};
program('linuxbrew/.linuxbrew/Cellar/jq/1.7/bin/brewjq', 'brewed');
mkdirSync(join(top, 'linuxbrew/.linuxbrew/bin'));
mkdirSync(join(top, 'linuxbrew/.linuxbrew/etc'));
symlinkSync('../Cellar/jq/1.7/bin/brewjq', join(top, 'linuxbrew/.linuxbrew/bin/brewjq'));
program('home/.local/share/fnm/node-versions/v20/installation/lib/npm/cli', 'npm');
program('home/.local/share/fnm/node-versions/v20/installation/bin/fnmnode', 'node');
symlinkSync('../lib/npm/cli', join(top, 'home/.local/share/fnm/node-versions/v20/installation/bin/fnmnpm'));
mkdirSync(join(top, 'run/user/1/fnm_multishells'), { recursive: true });
symlinkSync(
  join(top, 'home/.local/share/fnm/node-versions/v20/installation'),
  join(top, 'run/user/1/fnm_multishells/42'),
);
program('mnt/tools/go/bin/go', 'go');
program('mnt/tools/go/src/hidden', 'hidden');
program('other/.cargo/bin/rustc', 'rust');
writeFileSync(join(top, 'other/.cargo/credentials.toml'), 'token');
mkdirSync(join(top, 'home/.ssh'));
writeFileSync(join(top, 'home/.ssh/key'), 'secret');
mkdirSync(join(top, 'home/open'));
symlinkSync('../.ssh', join(top, 'home/open/tools'));

const places: ToolchainPlaces = {
  home: join(top, 'home'),
  searched: [
    '/usr/bin',
    join(top, 'linuxbrew/.linuxbrew/bin'),
    join(top, 'run/user/1/fnm_multishells/42/bin'),
    join(top, 'mnt/tools/go/bin'),
    join(top, 'other/.cargo/bin'),
    join(top, 'home/open/tools'),
    join(top, 'missing'),
    'relative',
    top,
  ],
  hidden: [top],
  folders: [join(top, 'home/open')],
  windowsDrives: false,
};
const inTop = (path: string) => path.slice(top.length + 1);

test('what the PATH leads to is shown, with its libraries and the links to it, and nothing beside them', async () => {
  const { shown, links } = await findToolchains(places);
  expect(shown.map(inTop).sort()).toEqual([
    'home/.local/share/fnm',
    'linuxbrew/.linuxbrew/Cellar',
    'linuxbrew/.linuxbrew/bin',
    'linuxbrew/.linuxbrew/etc',
    'mnt/tools/go/bin',
    'other/.cargo/bin',
  ]);
  expect([...links].map(([link, target]) => [inTop(link), inTop(target)])).toEqual([
    ['run/user/1/fnm_multishells/42', 'home/.local/share/fnm/node-versions/v20/installation'],
  ]);
});

test('drives of Windows are not shown under WSL', async () => {
  const given = { ...places, hidden: ['/mnt'], searched: ['/mnt/c'], windowsDrives: true };
  expect(await findToolchains(given)).toEqual({ shown: expect.not.arrayContaining(['/mnt/c']), links: new Map() });
});

describe.runIf(process.platform === 'linux')('in a real sandbox', () => {
  const options: SandboxOptions = {
    folders: [join(top, 'home/open')],
    home: join(top, 'home'),
    denied: [],
    temporary: tmpdir(),
    storage: join(top, 'storage'),
    environment: { ...process.env, PATH: places.searched.join(':'), XDG_RUNTIME_DIR: join(top, 'run') },
    allowedVariables: () => [],
  };
  test('they run, and what is missing only there is named', async ({ skip }) => {
    const state = await openSandbox(options);
    if (state.kind === 'absent') skip(inEnglish(state.reason));
    const sandbox = createCommandSandbox(options, () => 'commands');
    const { environment } = options;
    const run = (command: string) =>
      createChildShell({ folder: join(top, 'home/open'), environment, sandbox }).run(
        command,
        { timeoutMs: null, onOutput: () => undefined, confined: true },
        new AbortController().signal,
      );
    expect((await run('brewjq; fnmnode; fnmnpm; go; rustc')).output).toBe('brewed\nnode\nnpm\ngo\nrust\n');
    expect((await run(`cat ${top}/home/.ssh/key tools/key`)).output).not.toContain('secret');
  });
});
