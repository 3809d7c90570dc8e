import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { FileKeeper } from '../../../src/core/checkpoints/fileKeeper.ts';
import { previewRestore, restoreFiles } from '../../../src/core/checkpoints/restoreFiles.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { openCheckpointFiles } from '../../../src/node/files/checkpointFiles.ts';
import { memoryBlobs, memoryJournal } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';
import { createTemporaryFolder, openFolder } from '../node/files/temporaryFolder.ts';
import { createWorkbench, prepareOnly, useTool } from '../tools/useTool.ts';

const top = createTemporaryFolder();
const root = join(top, 'ws');
const at = (path: string) => join(root, path);
const put = (path: string, text: string | Uint8Array): void => {
  mkdirSync(join(at(path), '..'), { recursive: true });
  writeFileSync(at(path), text);
};
const read = (path: string) => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : null);
const encode = (text: string) => new TextEncoder().encode(text);

beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
});

/** A session in the real folder; `typed` is what editors hold unsaved, by path. */
async function setUp(initial: Record<string, string>, folders = [root]) {
  for (const [path, text] of Object.entries(initial)) put(path, text);
  const typed = new Map<string, string>();
  const savers = new Set<(path: string) => void>();
  const unsaved = {
    text: (real: string) => typed.get(real) ?? null,
    replace: async (real: string, text: string) => {
      typed.delete(real);
      writeFileSync(real, text);
    },
  };
  const named = folders.map((path) => ({ name: basename(path), path }));
  const files = await openFolder(root, { unsaved, folders: named });
  const { journal } = await memoryJournal();
  const ports = {
    journal,
    files: await openCheckpointFiles({
      files,
      folders: named,
      onSave: (listener) => {
        savers.add(listener);
        return () => savers.delete(listener);
      },
    }),
    blobs: memoryBlobs(),
    crypto: testCrypto(),
    clock: testClock(),
  };
  const keeper = new FileKeeper(ports);
  let calls = 0;
  const begun = (await journal.append({ type: 'checkpoint', id: 0, label: '', toldModel: false })).seq;
  return {
    ports,
    typed,
    savers,
    /** A person saves a file in an editor. */
    save: (path: string, text: string) => {
      put(path, text);
      for (const tell of savers) tell(at(path));
    },
    edit: async (path: string, text: string) => {
      const toolCallId = `call-${++calls}`;
      await keeper.before({ toolCallId, toolClass: 'write', changes: [path] });
      await files.write(path, encode(text));
      await keeper.after(toolCallId);
    },
    /** Runs a tool as a turn does, with its files kept around it. */
    use: async (name: string, input: object) => {
      const toolCallId = `call-${++calls}`;
      const tools = { ...createWorkbench(), files };
      const { changes } = await prepareOnly(tools, name, input);
      await keeper.before({ toolCallId, toolClass: 'write', changes });
      const { isError } = await useTool(tools, name, input);
      await keeper.after(toolCallId);
      expect(isError).toBeUndefined();
    },
    command: async (change: () => void) => {
      const toolCallId = `call-${++calls}`;
      await keeper.before({ toolCallId, toolClass: 'run', changes: [] });
      change();
      await keeper.after(toolCallId);
    },
    preview: async (moment = begun) =>
      (await previewRestore(moment, ports)).steps.map((step) => [
        step.path,
        step.kind,
        step.kind === 'lost' ? inEnglish(step.reason) : 'conflict' in step ? step.conflict : null,
      ]),
    /** `overwrite` has the ticked conflicts. */
    restore: async (overwrite: readonly string[] = [], moment = begun) =>
      restoreFiles((await previewRestore(moment, ports)).steps, new Set(overwrite), ports),
  };
}

describe('moved and deleted files', () => {
  it('come back, as programs too, and the folder that was made for them goes', async () => {
    const disk = await setUp({ 'a.txt': 'a', 'run.sh': '#!/bin/sh\n' });
    chmodSync(at('run.sh'), 0o755);
    await disk.use('delete_file', { path: 'a.txt' });
    await disk.use('move_file', { path: 'run.sh', new_path: 'bin/deep/run.sh' });
    expect(['a.txt', 'run.sh', 'bin/deep/run.sh'].map(read)).toEqual([null, null, '#!/bin/sh\n']);
    expect((await disk.preview()).map(([path, kind, conflict]) => [path, kind, conflict])).toEqual([
      ['a.txt', 'write', null],
      ['bin/deep/run.sh', 'remove', null],
      ['run.sh', 'write', null],
    ]);
    await disk.restore();
    expect(['a.txt', 'run.sh'].map(read)).toEqual(['a', '#!/bin/sh\n']);
    expect(statSync(at('run.sh')).mode & 0o111).not.toBe(0);
    expect(existsSync(at('bin'))).toBe(false);
  });

  it('a file that a person changed after it was moved is not taken from them unasked', async () => {
    const disk = await setUp({ 'a.txt': 'a' });
    await disk.use('move_file', { path: 'a.txt', new_path: 'b.txt' });
    put('b.txt', 'theirs');
    await disk.restore();
    expect([read('a.txt'), read('b.txt')]).toEqual(['a', 'theirs']);
  });
});

describe('links', () => {
  it('a file that a command made a link is not written through it', async () => {
    const disk = await setUp({ 'a.txt': 'a', 'other.txt': 'other' });
    await disk.command(() => {
      rmSync(at('a.txt'));
      symlinkSync('other.txt', at('a.txt'));
    });
    await disk.restore(['a.txt']);
    expect(read('other.txt')).toBe('other');
  });

  it('a new file that became a link is not deleted where the link leads', async () => {
    const disk = await setUp({ 'other.txt': 'same' });
    await disk.edit('new.txt', 'same');
    rmSync(at('new.txt'));
    symlinkSync('other.txt', at('new.txt'));
    await disk.restore(['new.txt']);
    expect(read('other.txt')).toBe('same');
  });

  it('a file changed under two names has one earlier content', async () => {
    const disk = await setUp({ 'real.txt': 'first' });
    symlinkSync('real.txt', at('alias.txt'));
    await disk.edit('alias.txt', 'second');
    await disk.edit('real.txt', 'third');
    await disk.restore();
    expect(read('real.txt')).toBe('first');
  });

  it('a folder swapped for a link is not gone through', async () => {
    const disk = await setUp({ 'in/a.txt': 'a', 'out/a.txt': 'other' });
    await disk.edit('in/a.txt', 'b');
    rmSync(at('in'), { recursive: true });
    symlinkSync('out', at('in'));
    await disk.restore(['in/a.txt']);
    expect(read('out/a.txt')).toBe('other');
  });
});

describe('what others changed', () => {
  it('between two changes of the agent is asked about', async () => {
    const disk = await setUp({ 'a.txt': 'a' });
    await disk.edit('a.txt', 'agent 1');
    put('a.txt', 'agent 1 and a person');
    await disk.edit('a.txt', 'agent 2 on top of a person');
    expect(await disk.preview()).toEqual([['a.txt', 'write', 'changedSince']]);
  });

  it('a failed call after the agent’s own change is no reason to ask', async () => {
    const disk = await setUp({ 'a.txt': 'a' });
    await disk.edit('a.txt', 'agent 1');
    await disk.edit('a.txt', 'agent 1');
    expect(await disk.preview()).toEqual([['a.txt', 'write', null]]);
  });

  it('and keeps unsaved is asked about', async () => {
    const disk = await setUp({ 'a.txt': 'a' });
    await disk.edit('a.txt', 'agent');
    disk.typed.set(at('a.txt'), 'agent and typed');
    expect(await disk.preview()).toEqual([['a.txt', 'write', 'changedSince']]);
  });
});

describe('around commands', () => {
  it('a change behind an unsaved editor is found', async () => {
    const disk = await setUp({ 'a.txt': 'a' });
    disk.typed.set(at('a.txt'), 'typed');
    await disk.command(() => put('a.txt', 'command'));
    disk.typed.clear();
    await disk.restore();
    expect(read('a.txt')).toBe('a');
  });

  it('a change that leaves size and time as they were is found', async () => {
    const disk = await setUp({ 'a.txt': 'aaa' });
    const { mtime, atime } = statSync(at('a.txt'));
    await disk.command(() => {
      put('a.txt', 'bbb');
      utimesSync(at('a.txt'), atime, mtime);
    });
    await disk.restore();
    expect(read('a.txt')).toBe('aaa');
  });

  it('what a person saves meanwhile is asked about', async () => {
    const disk = await setUp({ 'a.txt': 'a', 'b.txt': 'b' });
    await disk.command(() => {
      disk.save('a.txt', 'a person');
      put('b.txt', 'command');
    });
    expect(await disk.preview()).toEqual([
      ['a.txt', 'write', 'unknown'],
      ['b.txt', 'write', null],
    ]);
    expect(disk.savers.size).toBe(0);
  });

  it('a deleted program can be run again', async () => {
    const disk = await setUp({ 'run.sh': '#!/bin/sh\n' });
    chmodSync(at('run.sh'), 0o755);
    await disk.command(() => rmSync(at('run.sh')));
    await disk.restore();
    expect(statSync(at('run.sh')).mode & 0o111).toBe(0o111);
  });

  it('a file made a folder, and a folder made a file, become what they were', async () => {
    const disk = await setUp({ config: 'c', 'lib/a.txt': 'a' });
    await disk.command(() => {
      rmSync(at('config'));
      put('config/x', 'x');
      rmSync(at('lib'), { recursive: true });
      put('lib', 'l');
    });
    const { entry } = await disk.restore();
    expect([read('config'), read('lib/a.txt')]).toEqual(['c', 'a']);
    await disk.restore([], (entry?.seq ?? 0) - 1);
    expect([read('config/x'), read('lib')]).toEqual(['x', 'l']);
  });

  it('a renamed folder goes back, and the new one leaves nothing', async () => {
    const disk = await setUp({ 'old/a.txt': 'a', 'old/deep/b.txt': 'b' });
    mkdirSync(at('empty'));
    await disk.command(() => renameSync(at('old'), at('new')));
    await disk.restore();
    expect([read('old/a.txt'), read('old/deep/b.txt'), existsSync(at('new')), existsSync(at('empty'))]).toEqual([
      'a',
      'b',
      false,
      true,
    ]);
  });

  it('bytes that are no text come back as they were', async () => {
    const disk = await setUp({});
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    put('a.bin', bytes);
    await disk.command(() => put('a.bin', 'text'));
    await disk.restore();
    expect(Uint8Array.from(readFileSync(at('a.bin')))).toEqual(bytes);
  });
});

describe('several folders', () => {
  it('of the same name, or one inside of another, are told apart', async () => {
    const inner = join(root, 'inner');
    mkdirSync(inner);
    const disk = await setUp({ 'a.txt': 'a', 'inner/b.txt': 'b' }, [root, inner]);
    await disk.command(() => {
      put('a.txt', 'a2');
      put('inner/b.txt', 'b2');
    });
    expect((await disk.preview()).length).toBe(2);
    await disk.restore();
    expect([read('a.txt'), read('inner/b.txt')]).toEqual(['a', 'b']);
  });
});

describe('the person’s git', () => {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
      cwd: root,
      encoding: 'utf8',
      env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' },
    });
  const state = () => [
    git('status', '--porcelain'),
    git('rev-parse', 'HEAD'),
    createHash('sha256')
      .update(readFileSync(at('.git/index')))
      .digest('hex'),
  ];

  it('is the same after changes, a restore and its undoing', async () => {
    const disk = await setUp({ 'a.txt': 'a', 'b.txt': 'b', 'run.sh': 'r' });
    chmodSync(at('run.sh'), 0o755);
    git('init', '-q');
    git('add', '.');
    git('commit', '-q', '-m', 'first');
    put('b.txt', 'staged');
    git('add', 'b.txt');
    put('c.txt', 'untracked');
    const before = state();
    await disk.edit('a.txt', 'a2');
    await disk.command(() => {
      for (const path of ['b.txt', 'c.txt', 'run.sh']) rmSync(at(path));
      put('made/d.txt', 'd');
    });
    const between = state();
    const { entry } = await disk.restore();
    expect(state()).toEqual(before);
    await disk.restore([], (entry?.seq ?? 0) - 1);
    expect(state()).toEqual(between);
  });
});
