/**
 * Commands in a real sandbox where the folders, the disk or the moment are unusual: each runs guarded, or does not run and
 * says why. Nothing that the host made stays behind.
 */

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { inEnglish } from '../../../../src/core/words.ts';
import { createCommandSandbox } from '../../../../src/node/sandbox/commandSandbox.ts';
import { createChildShell } from '../../../../src/node/shell/childShell.ts';
import { createTemporaryFolder } from '../files/temporaryFolder.ts';

const top = createTemporaryFolder();
let count = 0;

/** `folders` are relative to a fresh one. */
function openWindow(folders: readonly string[] = ['open'], arrange: (place: string) => void = () => undefined) {
  const place = join(top, String(count++));
  const storage = join(place, 'storage');
  mkdirSync(join(place, 'open'), { recursive: true });
  mkdirSync(join(place, 'home'));
  arrange(place);
  const open = folders.map((each) => join(place, each));
  const [folder = ''] = open;
  let outside = 0;
  const sandbox = createCommandSandbox(
    {
      folders: open,
      home: join(place, 'home'),
      denied: [],
      temporary: tmpdir(),
      storage,
      environment: process.env,
      allowedVariables: () => [],
    },
    () => 'commands',
    { onDidRunOutside: () => outside++ },
  );
  const shell = createChildShell({ folder, environment: process.env, sandbox });
  const { signal: never } = new AbortController();
  return {
    place,
    folder,
    storage,
    sandbox,
    ranOutside: () => outside,
    async run(command: string, signal = never) {
      const given = { timeoutMs: null, onOutput: () => undefined, confined: true };
      const { refused = [], output, ended, exitCode } = await shell.run(command, given, signal);
      return { refused: inEnglish(refused), output, ended, exitCode };
    },
  };
}

describe.runIf(process.platform === 'linux')('in a real sandbox', () => {
  let absence: string | null = null;
  beforeAll(async () => {
    const state = await openWindow().sandbox.open();
    absence = state.kind === 'absent' ? inEnglish(state.reason) : null;
  });
  beforeEach(({ skip }) => {
    if (absence !== null) skip(absence);
  });

  test('a command that is stopped while guarded names are found does not run', async () => {
    const { run, folder, sandbox, ranOutside } = openWindow();
    await sandbox.open();
    const stop = new AbortController();
    const running = run('touch ran', stop.signal);
    // Not before the call: that is noticed at once.
    await delay(0);
    stop.abort();
    expect(await running).toEqual({ refused: '', output: '', ended: 'aborted', exitCode: null });
    expect({ left: readdirSync(folder), outside: ranOutside() }).toEqual({ left: [], outside: 0 });
  });

  test('an open folder that is reached by a link can be worked in', async () => {
    const { run } = openWindow(['link'], (place) => symlinkSync('open', join(place, 'link')));
    expect(await run('echo x > here && cat here')).toMatchObject({ output: 'x\n', refused: '' });
  });

  test('an open folder within another one has covers of its own, wherever it lies', async () => {
    const { run, folder } = openWindow(['open', 'open/inner', 'open/node_modules/part', 'open/.github'], (place) => {
      for (const name of ['inner', 'node_modules/part', '.github'])
        mkdirSync(join(place, 'open', name), { recursive: true });
    });
    const { output } = await run(
      'for at in inner node_modules/part .github; do { echo x > $at/.vscode/settings.json; } 2>&1 | grep -c Read-only; done',
    );
    expect(output).toBe('1\n1\n1\n');
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual([
      '.github',
      'inner',
      'node_modules',
      'node_modules/part',
    ]);
  });

  test('where nothing can be recorded, the command does not run, and the reason is said', async () => {
    const { run, folder, storage } = openWindow();
    writeFileSync(storage, '');
    expect((await run('touch ran')).refused).toContain('What the sandbox needs on disk cannot be made (EEXIST');
    expect(readdirSync(folder)).toEqual([]);
  });

  test.skipIf(process.getuid?.() === 0)(
    'where a command could open the folder for writing, it does not run',
    async () => {
      const { run, folder } = openWindow();
      chmodSync(folder, 0o555);
      expect((await run('chmod 755 .; mkdir .claude')).refused).toContain('EACCES');
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  test('with more guarded names than bubblewrap takes mounts, the command does not run, and the reason is said', async () => {
    const { run } = openWindow(['open'], (place) => {
      for (let nth = 0; nth < 1_300; nth++) mkdirSync(join(place, `open/${nth}/.claude`), { recursive: true });
    });
    expect((await run('true')).refused).toContain('more than 2,500 guarded names');
  });

  describe.runIf(process.getuid?.() === 0)('by one who may mount', () => {
    const mount = (path: string, ...options: string[]) => {
      mkdirSync(path, { recursive: true });
      execFileSync('mount', ['-t', 'tmpfs', ...options, 'none', path], { stdio: 'pipe' });
    };
    let ability: string | null = null;
    beforeAll(() => {
      try {
        mount(join(top, 'trial'));
        execFileSync('umount', [join(top, 'trial')]);
      } catch (thrown) {
        ability = String(thrown);
      }
    });
    beforeEach(({ skip }) => {
      if (ability !== null) skip(ability);
    });

    test('an open folder that is a file system of its own, and one within it, is guarded like any other', async () => {
      const { run, folder } = openWindow();
      mount(folder);
      try {
        mkdirSync(join(folder, '.git'));
        mount(join(folder, 'data'));
        mkdirSync(join(folder, 'data/.claude'));
        const { output } = await run(
          'for at in .git .vscode data/.claude; do { echo x > $at/x; } 2>&1 | grep -c Read-only; done; touch a; ls data a',
        );
        expect(output).toBe('1\n1\n1\na\n\ndata:\n');
      } finally {
        execFileSync('umount', [join(folder, 'data')]);
        execFileSync('umount', [folder]);
      }
    });

    test('covers go when the disk of the storage has become full', async () => {
      const { run, folder, storage } = openWindow();
      mount(storage, '-o', 'size=64k');
      try {
        const running = run('touch begun; until [ -e full ]; do sleep 0.02; done; rm begun full');
        while (!readdirSync(folder).includes('begun')) await delay(5);
        expect(() => writeFileSync(join(storage, 'all'), Buffer.alloc(100_000))).toThrow('ENOSPC');
        writeFileSync(join(folder, 'full'), '');
        await running;
        expect({ covers: readdirSync(folder), records: readdirSync(storage) }).toEqual({
          covers: [],
          records: ['all'],
        });
        expect((await run('true')).refused).toContain('ENOSPC');
        expect(readdirSync(storage)).toEqual(['all']);
      } finally {
        execFileSync('umount', [storage]);
      }
    });
  });
});
