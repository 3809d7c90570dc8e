import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { ToolError } from '../../../../src/core/errors.ts';
import { writeFile as writeFileTool } from '../../../../src/core/tools/builtIn/writeFile.ts';
import type { Files } from '../../../../src/core/workspace/files.ts';
import { hasCode } from '../../../../src/node/files/fileErrors.ts';
import type { UnsavedDocuments } from '../../../../src/node/files/workspaceFiles.ts';
import { createWorkbench, prepareOnly, useTool } from '../../tools/useTool.ts';
import { createTemporaryFolder, openFolder } from './temporaryFolder.ts';

const top = createTemporaryFolder();
const root = join(top, 'ws');
const encode = (text: string) => new TextEncoder().encode(text);
const onDisk = (path: string) => readFileSync(join(root, path), 'utf8');

let files: Files;
beforeEach(async () => {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(join(root, 'src'), { recursive: true });
  writeFileSync(join(root, 'src/a.ts'), 'a\n');
  files = await openFolder(root);
});

describe('writing', () => {
  test('makes missing folders, and leaves no temporary file behind', async () => {
    await files.write('x/y/z.txt', encode('new'));
    expect(onDisk('x/y/z.txt')).toBe('new');
    expect(readdirSync(join(root, 'x/y'))).toEqual(['z.txt']);
  });

  test('keeps the mode of a file it replaces', async () => {
    writeFileSync(join(root, 'run.sh'), '#!/bin/sh\n');
    chmodSync(join(root, 'run.sh'), 0o754);
    await files.write('run.sh', encode('#!/bin/sh\nls\n'));
    expect(statSync(join(root, 'run.sh')).mode & 0o7777).toBe(0o754);
    expect(onDisk('run.sh')).toBe('#!/bin/sh\nls\n');
  });

  test('goes through a link inside of the workspace to its target, and the link stays', async () => {
    symlinkSync('src/a.ts', join(root, 'alias'));
    await files.write('alias', encode('b\n'));
    expect(onDisk('src/a.ts')).toBe('b\n');
    expect((await files.resolve('alias')).real).toBe(join(root, 'src/a.ts'));
  });

  test('a second name of a file outside keeps its old content: the file is replaced, not changed', async () => {
    const theirs = join(top, 'theirs');
    writeFileSync(theirs, 'theirs');
    linkSync(theirs, join(root, 'hard'));
    await files.write('hard', encode('ours'));
    expect({ theirs: readFileSync(theirs, 'utf8'), ours: onDisk('hard') }).toEqual({ theirs: 'theirs', ours: 'ours' });
  });

  test('refuses a folder, a pipe and a read-only file, each with its reason', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    writeFileSync(join(root, 'fixed'), 'x', { mode: 0o444 });
    await expect(files.write('src', encode('x'))).rejects.toThrow('src is not a regular file and is not replaced.');
    await expect(files.write('pipe', encode('x'))).rejects.toThrow('pipe is not a regular file and is not replaced.');
    await expect(files.write('fixed', encode('x'))).rejects.toThrow('fixed is read-only.');
    expect(readdirSync(root).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});

describe('reading', () => {
  test('does not wait for a pipe', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    await expect(files.read('pipe')).rejects.toThrow('pipe is not a regular file.');
  });

  test('a missing file and a folder are named', async () => {
    await expect(files.read('gone')).rejects.toThrow('gone cannot be read: it does not exist.');
    await expect(files.read('src')).rejects.toThrow('src is not a regular file.');
  });
});

/** While `src` is away, a write may have made it again. */
function moveOver(from: string, to: string): void {
  for (;;) {
    rmSync(join(root, to), { recursive: true, force: true });
    try {
      renameSync(join(root, from), join(root, to));
      return;
    } catch (thrown) {
      if (!hasCode(thrown, 'EISDIR', 'EEXIST', 'ENOTEMPTY')) throw thrown;
    }
  }
}

describe('a folder swapped for a link while it is used', () => {
  /** Swaps `ws/src` with a link to `outside` as fast as it can, while `attempt` is made again and again. */
  async function race(attempt: (nth: number) => Promise<unknown>): Promise<void> {
    const outside = join(top, 'outside');
    mkdirSync(outside, { recursive: true });
    writeFileSync(join(outside, 'a.ts'), 'outside');
    symlinkSync(outside, join(root, 'evil'));
    let swapping = true;
    const swap = async () => {
      for (let nth = 0; swapping; nth += 1) {
        moveOver('src', 'kept');
        moveOver('evil', 'src');
        // Lets the attempt take a few steps with the link in place, another number of them each time.
        for (let step = 0; step <= nth % 7; step += 1) await new Promise((resolve) => setImmediate(resolve));
        moveOver('src', 'evil');
        moveOver('kept', 'src');
        for (let step = 0; step <= nth % 5; step += 1) await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const swapped = swap();
    for (let nth = 0; nth < 150; nth += 1) await attempt(nth).catch(() => undefined);
    swapping = false;
    await swapped;
  }

  test('nothing is ever written outside', async () => {
    await race((nth) => files.write(nth % 2 ? 'src/a.ts' : `src/new-${nth}/b.ts`, encode('planted')));
    const outside = join(top, 'outside');
    expect(readdirSync(outside)).toEqual(['a.ts']);
    expect(readFileSync(join(outside, 'a.ts'), 'utf8')).toBe('outside');
  });

  test('nothing is ever deleted outside, moved from there or to there', async () => {
    const outside = join(top, 'outside');
    await race(async (nth) => {
      const real = join(root, 'src/a.ts');
      const other = { path: `other-${nth}`, real: join(root, `other-${nth}`) };
      if (nth % 3 === 0) await files.remove('src/a.ts', real);
      else if (nth % 3 === 1) await files.move({ path: 'src/a.ts', real }, other);
      else
        await files.move(
          { path: 'b.ts', real: join(root, 'b.ts') },
          { path: 'src/b.ts', real: join(root, 'src/b.ts') },
        );
      for (const [path, text] of [
        ['src/a.ts', 'a\n'],
        ['b.ts', 'b\n'],
      ] as const)
        await files.write(path, encode(text));
    });
    expect(readdirSync(outside)).toEqual(['a.ts']);
    expect(readFileSync(join(outside, 'a.ts'), 'utf8')).toBe('outside');
    const taken = readdirSync(root).filter((name) => name.startsWith('other-'));
    expect(taken.map(onDisk).filter((text) => text !== 'a\n')).toEqual([]);
  });

  test('nothing outside is ever listed', async () => {
    renameSync(join(root, 'src/a.ts'), join(root, 'src/kept.ts'));
    const seen = new Set<string>();
    await race(async () => {
      for (const { name } of await files.list('src')) seen.add(name);
    });
    // On a busy machine every attempt may meet the link and be refused; what matters is what the others saw.
    expect([...seen].filter((name) => name !== 'kept.ts')).toEqual([]);
    expect((await files.list('src')).map(({ name }) => name)).toEqual(['kept.ts']);
  });

  test('nothing is ever read from outside', async () => {
    const seen = new Set<string>();
    await race(async () => seen.add(new TextDecoder().decode(await files.read('src/a.ts'))));
    // Most attempts fail, as they should; what matters is what the others saw.
    expect([...seen].filter((text) => text !== 'a\n')).toEqual([]);
  });
});

test('a path that the system does not take is an error of the tool', async () => {
  const path = 'a/'.repeat(2040);
  await expect(files.resolve(path)).rejects.toThrow(ToolError);
  await expect(files.list(path)).rejects.toThrow(ToolError);
  await expect(files.write(path, encode('x'))).rejects.toThrow(ToolError);
});

describe('unsaved documents', () => {
  const real = join(root, 'src/a.ts');

  function openEditor(text: string): UnsavedDocuments & { saved: string | null } {
    const editor = {
      saved: null as string | null,
      text: (path: string) => (path === real ? text : null),
      replace: async (path: string, whole: string) => {
        expect(path).toBe(real);
        editor.saved = whole;
      },
    };
    return editor;
  }

  test('are what is read, by any name of the file', async () => {
    symlinkSync('src/a.ts', join(root, 'alias'));
    const unsaved = openEditor('unsaved ☃');
    const open = await openFolder(root, { unsaved });
    expect(new TextDecoder().decode(await open.read('alias'))).toBe('unsaved ☃');
    expect((await open.resolve('src/a.ts')).size).toBe(11);
  });

  test('keep the byte order mark that an editor does not show', async () => {
    writeFileSync(real, '\uFEFFa\n');
    const open = await openFolder(root, { unsaved: openEditor('b\n') });
    expect(await open.read('src/a.ts')).toEqual(encode('\uFEFFb\n'));
  });

  test('of a notebook are neither read past nor overwritten', async () => {
    writeFileSync(real, 'saved');
    const unsaved = { text: () => null, isNotebook: (path: string) => path === real, replace: async () => undefined };
    const open = await openFolder(root, { unsaved });
    await expect(open.read('src/a.ts')).rejects.toThrow(
      'src/a.ts is open as a notebook with changes that are not saved.',
    );
    await expect(open.write('src/a.ts', encode('x'))).rejects.toThrow('Ask the user to save it.');
    expect(readFileSync(real, 'utf8')).toBe('saved');
  });

  test('are changed in the editor, not behind its back', async () => {
    const unsaved = openEditor('unsaved');
    await (await openFolder(root, { unsaved })).write('src/a.ts', encode('changed'));
    expect({ saved: unsaved.saved, disk: onDisk('src/a.ts') }).toEqual({ saved: 'changed', disk: 'changed' });
  });
});

test('a person is told where a link really leads, also when the names are alike', async () => {
  mkdirSync(join(root, 'other/src'), { recursive: true });
  symlinkSync('../other/src/b.ts', join(root, 'src/b.ts'));
  writeFileSync(join(root, 'other/src/b.ts'), 'b\n');
  const ports = { ...createWorkbench(), files };
  const titleOf = async (path: string) => (await writeFileTool.prepare({ path, content: 'x' }, ports)).approval?.title;
  expect(await titleOf('src/b.ts')).toBe(`src/b.ts → ${join(root, 'other/src/b.ts')}`);
  expect(await titleOf('src/a.ts')).toBe('src/a.ts');
});

describe('consent is to one place: what was a plain path becomes a link behind the last check', () => {
  const ports = (own: Files) => ({ ...createWorkbench(), files: own });

  test.each<readonly [string, string, () => void]>([
    [
      'the file',
      'notes.txt',
      () => {
        rmSync(join(root, 'notes.txt'));
        symlinkSync('.vscode/settings.json', join(root, 'notes.txt'));
      },
    ],
    [
      'the folder',
      'docs/settings.json',
      () => {
        rmSync(join(root, 'docs'), { recursive: true });
        symlinkSync('.vscode', join(root, 'docs'));
      },
    ],
  ])('%s', async (_, path, swap) => {
    for (const folder of ['.vscode', 'docs']) mkdirSync(join(root, folder));
    for (const file of ['notes.txt', 'docs/settings.json', '.vscode/settings.json']) {
      writeFileSync(join(root, file), '{}');
    }
    const racing: Files = {
      ...files,
      write: (...args) => {
        swap();
        return files.write(...args);
      },
    };
    const call = await writeFileTool.prepare({ path, content: '{"planted":true}' }, ports(racing));
    expect(call.approval?.mayRemember).toBe(true);
    await expect(call.run({ onOutput: () => undefined, signal: new AbortController().signal })).rejects.toThrow(
      `${path} now leads to another place; nothing was written.`,
    );
    expect(onDisk('.vscode/settings.json')).toBe('{}');
  });
});

describe('moving and deleting', () => {
  const ports = () => ({ ...createWorkbench(), files });
  const move = (path: string, new_path: string) => useTool(ports(), 'move_file', { path, new_path });
  const remove = (path: string) => useTool(ports(), 'delete_file', { path });

  test('a file goes to a new folder with its mode and its bytes, and leaves nothing behind', async () => {
    const bytes = Uint8Array.from([0, 255, 13, 10]);
    writeFileSync(join(root, 'src/tool'), bytes);
    chmodSync(join(root, 'src/tool'), 0o754);
    expect(await move('src/tool', 'bin/deep/tool')).toEqual({ text: 'Moved src/tool to bin/deep/tool.' });
    expect(Uint8Array.from(readFileSync(join(root, 'bin/deep/tool')))).toEqual(bytes);
    expect(statSync(join(root, 'bin/deep/tool')).mode & 0o7777).toBe(0o754);
    expect(readdirSync(join(root, 'src'))).toEqual(['a.ts']);
  });

  test('a file is deleted', async () => {
    expect(await remove('src/a.ts')).toMatchObject({ text: 'Deleted src/a.ts.', change: { added: 0, removed: 1 } });
    expect(readdirSync(join(root, 'src'))).toEqual([]);
  });

  test('a link is neither followed nor moved nor deleted', async () => {
    symlinkSync('src/a.ts', join(root, 'alias'));
    symlinkSync('src', join(root, 'folder'));
    for (const outcome of [
      await remove('alias'),
      await remove('folder/a.ts'),
      await move('alias', 'b.ts'),
      await move('src/a.ts', 'folder/b.ts'),
    ]) {
      expect(outcome.text).toMatch(/ leads to .+\. Name that file by its own path\./);
    }
    expect(readdirSync(root).sort()).toEqual(['alias', 'folder', 'src']);
    expect(readdirSync(join(root, 'src'))).toEqual(['a.ts']);
  });

  test('nothing is overwritten, not even what appeared while a person was thinking', async () => {
    writeFileSync(join(root, 'b.ts'), 'b\n');
    expect((await move('src/a.ts', 'b.ts')).text).toMatch(/b\.ts exists already/);
    const input = { path: 'src/a.ts', new_path: 'c.ts' };
    const meanwhile = () => writeFileSync(join(root, 'c.ts'), 'theirs');
    const outcome = await useTool(ports(), 'move_file', input, { meanwhile });
    expect(outcome.text).toBe('move_file: src/a.ts cannot be moved to c.ts: something is there already.');
    expect(['src/a.ts', 'b.ts', 'c.ts'].map(onDisk)).toEqual(['a\n', 'b\n', 'theirs']);
  });

  test.each([
    ['delete_file', { path: 'src/a.ts' }],
    ['move_file', { path: 'src/a.ts', new_path: 'b.ts' }],
  ])('%s leaves a file alone that changed, or became a link, while a person was thinking', async (tool, input) => {
    const changed = await useTool(ports(), tool, input, {
      meanwhile: () => writeFileSync(join(root, 'src/a.ts'), 'newer'),
    });
    expect(changed.text).toMatch(/src\/a\.ts changed since this was prepared/);
    writeFileSync(join(root, 'kept.ts'), 'newer');
    const swapped = await useTool(ports(), tool, input, {
      meanwhile: () => {
        rmSync(join(root, 'src/a.ts'));
        symlinkSync('../kept.ts', join(root, 'src/a.ts'));
      },
    });
    expect(swapped.text).toMatch(/now leads to another place/);
    expect(readdirSync(root).sort()).toEqual(['kept.ts', 'src']);
    expect(onDisk('kept.ts')).toBe('newer');
  });

  test('the place that a file is moved to is the one that was approved', async () => {
    for (const folder of ['.vscode', 'docs']) mkdirSync(join(root, folder));
    const outcome = await useTool(
      ports(),
      'move_file',
      { path: 'src/a.ts', new_path: 'docs/tasks.json' },
      {
        meanwhile: () => {
          rmSync(join(root, 'docs'), { recursive: true });
          symlinkSync('.vscode', join(root, 'docs'));
        },
      },
    );
    expect(outcome.text).toMatch(/docs\/tasks\.json now leads to another place/);
    expect(readdirSync(join(root, '.vscode'))).toEqual([]);
  });

  test('folders, pipes and what is unsaved in an editor are refused with the reason', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    expect((await remove('src')).text).toMatch(/src is a folder; only single files/);
    expect((await remove('pipe')).text).toMatch(/pipe is not a regular file/);
    expect((await remove('none')).text).toMatch(/none does not exist/);
    files = await openFolder(root, { unsaved: { text: () => 'typed', replace: async () => undefined } });
    expect((await remove('src/a.ts')).text).toMatch(/has unsaved changes in the editor/);
    expect((await move('src/a.ts', 'b.ts')).text).toMatch(/has unsaved changes in the editor/);
    expect(onDisk('src/a.ts')).toBe('a\n');
  });

  test('a person is shown what would be lost, and both names', async () => {
    writeFileSync(join(root, 'picture'), Uint8Array.from([0, 1]));
    const asked = async (name: string, input: object) => (await prepareOnly(ports(), name, input)).approval?.detail;
    expect(await asked('delete_file', { path: 'src/a.ts' })).toEqual({
      kind: 'delete',
      path: 'src/a.ts',
      before: 'a\n',
      size: 2,
    });
    expect(await asked('delete_file', { path: 'picture' })).toMatchObject({ before: null, size: 2 });
    expect(await asked('move_file', { path: 'src/a.ts', new_path: 'b.ts' })).toEqual({
      kind: 'move',
      from: 'src/a.ts',
      to: 'b.ts',
    });
  });
});

test('a listing is in order, and a link is neither file nor folder', async () => {
  symlinkSync('src', join(root, 'link'));
  writeFileSync(join(root, 'B.md'), '');
  mkdirSync(join(root, 'sessions'));
  const open = await openFolder(root, { denied: [join(root, 'sessions')] });
  expect(await open.list('.')).toEqual([
    { name: 'B.md', type: 'file' },
    { name: 'link', type: 'other' },
    { name: 'src', type: 'folder' },
  ]);
});
