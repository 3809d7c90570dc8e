import { describe, expect, it } from 'vitest';
import type { CheckpointFiles, FileStamp } from '../../../src/core/checkpoints/fileKeeper.ts';
import { FileKeeper, KEEP_LIMITS, type KeepLimits } from '../../../src/core/checkpoints/fileKeeper.ts';
import { previewRestore, restoreFiles } from '../../../src/core/checkpoints/restoreFiles.ts';
import { ToolError } from '../../../src/core/errors.ts';
import { inEnglish, verbatim, words } from '../../../src/core/words.ts';
import { memoryBlobs, memoryJournal } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

/** A disk in memory; `content` is what people and commands change behind the keeper's back. */
async function setUp(initial: Record<string, string>, limits: KeepLimits = KEEP_LIMITS) {
  const content = new Map(Object.entries(initial));
  const times = new Map<string, number>();
  let time = 0;
  const put = (path: string, text: string | null) => {
    if (text === null) content.delete(path);
    else content.set(path, text);
    times.set(path, ++time);
  };
  const files: CheckpointFiles = {
    nameOf: async (path) => path,
    textOf: async (_, bytes) => new TextDecoder().decode(bytes),
    newFolderOf: async () => null,
    read: async (path, mostBytes) => {
      if (path === 'locked.txt') throw new ToolError('locked.txt cannot be read: permission is denied.');
      const text = content.get(path);
      if (text === undefined) return { kind: 'none' };
      const bytes = bytesOf(text);
      return bytes.length > mostBytes
        ? { kind: 'tooLarge', size: bytes.length }
        : { kind: 'held', bytes, executable: false };
    },
    stamp: async () => null,
    ignored: async () => new Set(),
    copies: async () => async () => null,
    watchSaves: () => ({ saved: new Set(), end: () => undefined }),
    write: async (path, { bytes }) => put(path, new TextDecoder().decode(bytes)),
    remove: async (path) => put(path, null),
    scan: async (limit) => {
      const stamps = [...content].map(([path, text]): [string, FileStamp] => [
        path,
        { size: bytesOf(text).length, mtimeMs: times.get(path) ?? 0, ctimeMs: times.get(path) ?? 0 },
      ]);
      return { files: new Map(stamps.slice(0, limit)), folders: new Set(), complete: stamps.length <= limit };
    },
  };
  const { journal } = await memoryJournal();
  const ports = { journal, files, blobs: memoryBlobs(), crypto: testCrypto(), clock: testClock() };
  const keeper = new FileKeeper(ports, limits);
  let calls = 0;
  return {
    content,
    put,
    ports,
    checkpoint: async () => {
      const id = journal.nextCheckpointId;
      return (await journal.append({ type: 'checkpoint', id, label: '', toldModel: false })).seq;
    },
    edit: async (path: string, text: string | null) => {
      const toolCallId = `call-${++calls}`;
      await keeper.before({ toolCallId, toolClass: 'write', changes: [path] });
      put(path, text);
      await keeper.after(toolCallId);
    },
    command: async (change: () => void) => {
      const toolCallId = `call-${++calls}`;
      await keeper.before({ toolCallId, toolClass: 'run', changes: [] });
      change();
      await keeper.after(toolCallId);
    },
    restore: async (moment: number, ...overwrite: string[]) =>
      restoreFiles((await previewRestore(moment, ports)).steps, new Set(overwrite), ports),
    preview: async (moment: number) =>
      (await previewRestore(moment, ports)).steps.map((step) => [
        step.path,
        step.kind,
        step.kind === 'lost' ? inEnglish(step.reason) : 'conflict' in step ? step.conflict : null,
      ]),
  };
}

describe('checkpoints of files', () => {
  it('restores what tools and commands changed, created and deleted, and can undo the restore', async () => {
    const disk = await setUp({ 'a.ts': 'a1', 'b.ts': 'b1', 'c.ts': 'c1', 'd.ts': 'd1' });
    const moment = await disk.checkpoint();
    await disk.edit('a.ts', 'a2');
    await disk.edit('new.ts', 'n1');
    await disk.edit('a.ts', 'a3');
    await disk.command(() => {
      disk.put('b.ts', 'b2');
      disk.put('c.ts', null);
      disk.put('made.ts', 'm1');
      disk.put('d.ts', 'd1');
    });
    const changed = new Map(disk.content);
    expect(await disk.preview(moment)).toEqual([
      ['a.ts', 'write', null],
      ['b.ts', 'write', null],
      ['c.ts', 'write', null],
      ['made.ts', 'remove', null],
      ['new.ts', 'remove', null],
    ]);
    const { restored, skipped, entry } = await disk.restore(moment);
    expect([restored.length, skipped]).toEqual([5, []]);
    expect(Object.fromEntries(disk.content)).toEqual({ 'a.ts': 'a1', 'b.ts': 'b1', 'c.ts': 'c1', 'd.ts': 'd1' });
    await disk.restore((entry?.seq ?? 0) - 1);
    expect(disk.content).toEqual(changed);
  });

  it('never overwrites silently what others changed since', async () => {
    const disk = await setUp({ 'a.ts': 'a1', 'b.ts': 'b1' });
    const moment = await disk.checkpoint();
    await disk.edit('a.ts', 'a2');
    await disk.edit('b.ts', 'b2');
    disk.put('a.ts', 'mine');
    expect(await disk.preview(moment)).toEqual([
      ['a.ts', 'write', 'changedSince'],
      ['b.ts', 'write', null],
    ]);
    expect(await disk.restore(moment)).toMatchObject({
      restored: ['b.ts'],
      skipped: [{ path: 'a.ts', reason: words('someone else has changed it since, so it was left as it is') }],
    });
    expect(disk.content.get('a.ts')).toBe('mine');
    const { entry } = await disk.restore(moment, 'a.ts');
    expect(disk.content.get('a.ts')).toBe('a1');
    await disk.restore((entry?.seq ?? 0) - 1);
    expect(disk.content.get('a.ts')).toBe('mine');
  });

  it('leaves alone what changed between preview and restore', async () => {
    const disk = await setUp({ 'a.ts': 'a1' });
    const moment = await disk.checkpoint();
    await disk.edit('a.ts', 'a2');
    const { steps } = await previewRestore(moment, disk.ports);
    disk.put('a.ts', 'typed just now');
    expect((await restoreFiles(steps, new Set(), disk.ports)).skipped).toMatchObject([{ path: 'a.ts' }]);
    expect(disk.content.get('a.ts')).toBe('typed just now');
  });

  it('asks when the window was closed in the middle of a change', async () => {
    const disk = await setUp({ 'a.ts': 'a1' });
    const moment = await disk.checkpoint();
    const keeper = new FileKeeper(disk.ports);
    await keeper.before({ toolCallId: 'x', toolClass: 'write', changes: ['a.ts'] });
    disk.put('a.ts', 'half');
    expect(await disk.preview(moment)).toEqual([['a.ts', 'write', 'unknown']]);
  });

  it('labels what it could not keep, with the reason', async () => {
    const limits = { ...KEEP_LIMITS, fileBytes: 5 };
    const disk = await setUp({ 'big.bin': '0123456789', 'locked.txt': 'x', 'a.ts': 'a1' }, limits);
    const moment = await disk.checkpoint();
    await disk.edit('big.bin', '1');
    await disk.edit('locked.txt', 'y');
    disk.put('big.bin', '0123456789');
    await disk.command(() => disk.put('big.bin', '9876543210!'));
    expect(await disk.preview(moment)).toEqual([
      ['big.bin', 'lost', 'it has 10 bytes; files over 5 bytes are not kept'],
      ['locked.txt', 'lost', 'locked.txt cannot be read: permission is denied.'],
    ]);
  });

  it('says when a before-image has expired', async () => {
    const disk = await setUp({ 'a.ts': 'a1' });
    const moment = await disk.checkpoint();
    await disk.edit('a.ts', 'a2');
    disk.ports.blobs.blobs.clear();
    expect(await disk.preview(moment)).toEqual([
      ['a.ts', 'lost', 'its earlier contents were cleared: they were too old, or checkpoints kept too much'],
    ]);
  });

  it('restores by time, not by branch: the disk has one history', async () => {
    const disk = await setUp({ 'a.ts': 'a1' });
    const moment = await disk.checkpoint();
    await disk.edit('a.ts', 'a2');
    await disk.ports.journal.revert(moment, 'user');
    await disk.edit('a.ts', 'a3');
    await disk.restore(moment);
    expect(disk.content.get('a.ts')).toBe('a1');
  });

  it('asks where what it could not keep, or a person’s change, lies between two changes of the agent', async () => {
    const disk = await setUp({ 'a.ts': 'a1', 'b.ts': 'b1', 'c.ts': 'c1' }, { ...KEEP_LIMITS, fileBytes: 9 });
    const moment = await disk.checkpoint();
    for (const path of ['a.ts', 'b.ts', 'c.ts']) await disk.edit(path, 'agent');
    disk.put('a.ts', 'a person’s, and too long to keep');
    disk.put('b.ts', 'person');
    disk.put('c.ts', 'c1');
    for (const path of ['a.ts', 'b.ts', 'c.ts']) await disk.edit(path, 'again');
    expect(await disk.preview(moment)).toEqual([
      ['a.ts', 'write', 'unknown'],
      ['b.ts', 'write', 'changedSince'],
      // The person had put back what is restored.
      ['c.ts', 'write', null],
    ]);
    // Once decided and restored there is nothing left to ask; when that is undone, there is again.
    const { entry } = await disk.restore(moment, 'a.ts', 'b.ts');
    await disk.edit('b.ts', 'anew');
    expect(await disk.preview(moment)).toContainEqual(['b.ts', 'write', null]);
    await disk.restore((entry?.seq ?? 0) - 1);
    expect(await disk.preview(moment)).toContainEqual(['b.ts', 'write', 'changedSince']);
  });

  it('says that a command may have changed more where not every file was looked at', async () => {
    const disk = await setUp({ 'a.ts': 'a1', 'b.ts': 'b1' }, { ...KEEP_LIMITS, files: 1 });
    const moment = await disk.checkpoint();
    await disk.command(() => disk.put('a.ts', 'a2'));
    expect(await previewRestore(moment, disk.ports)).toMatchObject({ incomplete: true, steps: [{ path: 'a.ts' }] });
    expect((await previewRestore(await disk.checkpoint(), disk.ports)).incomplete).toBe(false);
  });

  it('reads no file again that it knows, also where it cannot hold them all', async () => {
    const disk = await setUp({ 'a.ts': 'aaaa', 'b.ts': 'bbbb', 'c.ts': 'cccc' }, { ...KEEP_LIMITS, memoryBytes: 8 });
    const moment = await disk.checkpoint();
    await disk.command(() => undefined);
    const reads: string[] = [];
    const { read } = disk.ports.files;
    disk.ports.files.read = (path, ...rest) => {
      reads.push(path);
      return read(path, ...rest);
    };
    await disk.command(() => disk.put('c.ts', 'changed'));
    expect(reads).toEqual(['c.ts']);
    expect(await disk.preview(moment)).toEqual([['c.ts', 'lost', 'there was too much to read before the command ran']]);
  });

  it('asks before it deletes a file that was too large to look at', async () => {
    const disk = await setUp({}, { ...KEEP_LIMITS, lookBytes: 5 });
    const moment = await disk.checkpoint();
    await disk.command(() => disk.put('made.bin', '0123456789'));
    expect(await disk.preview(moment)).toEqual([['made.bin', 'remove', 'unknown']]);
  });

  it('restores what it can when the disk is full, and leaves what it could not give back', async () => {
    const disk = await setUp({ 'a.ts': 'a1', 'b.ts': 'b1' });
    const moment = await disk.checkpoint();
    await disk.edit('a.ts', 'a2');
    await disk.edit('b.ts', 'b2');
    const { put } = disk.ports.blobs;
    disk.ports.blobs.put = (bytes) =>
      new TextDecoder().decode(bytes) === 'b2' ? Promise.reject(new Error('the disk is full')) : put(bytes);
    expect(await disk.restore(moment)).toMatchObject({
      restored: ['a.ts'],
      skipped: [{ path: 'b.ts', reason: words('it was left as it is: {0}', verbatim('the disk is full')) }],
    });
    expect(Object.fromEntries(disk.content)).toEqual({ 'a.ts': 'a1', 'b.ts': 'b2' });
  });
});
