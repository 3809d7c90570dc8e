import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { ChangeList, sinceMoment } from '../../../src/core/checkpoints/changeList.ts';
import { FileKeeper } from '../../../src/core/checkpoints/fileKeeper.ts';
import { previewRestore, restoreFiles } from '../../../src/core/checkpoints/restoreFiles.ts';
import {
  changeAt,
  countChanges,
  findConflicts,
  markReviewed,
  stepsBack,
} from '../../../src/core/checkpoints/review.ts';
import { openCheckpointFiles } from '../../../src/node/files/checkpointFiles.ts';
import { editorChanges } from '../../support/editorChanges.ts';
import { memoryBlobs, memoryJournal } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';
import { createTemporaryFolder, openFolder } from '../node/files/temporaryFolder.ts';

const root = join(createTemporaryFolder(), 'ws');
const at = (path: string) => join(root, path);

beforeEach(() => {
  rmSync(root, { recursive: true, force: true });
  mkdirSync(root);
});

const lines = (name: string, end: string) => Array.from({ length: 60 }, (_, nth) => `${name} ${nth}${end}`).join('');
/** Ten hunks: each eleventh line of the file is another. */
const tenHunks = (held: Buffer) => {
  let nth = 0;
  return Buffer.from(
    held.toString('latin1').replace(/^(.* \d+)(?=[\r\n])/gmu, (line) => (nth++ % 6 === 3 ? `${line} changed` : line)),
    'latin1',
  );
};

const BEFORE: Readonly<Record<string, Buffer>> = {
  'tool.ts': Buffer.from(lines('tool', '\n')),
  'crlf.txt': Buffer.from(lines('crlf', '\r\n')),
  'latin.txt': Buffer.from(lines('caf\xe9', '\n'), 'latin1'),
  'command.txt': Buffer.from(lines('command', '\n')),
  'moved.txt': Buffer.from(lines('moved', '\n')),
  'gone.txt': Buffer.from('gone\n'),
  'picture.bin': Buffer.from([1, 0, 2, 0]),
};

async function changedFolder() {
  for (const [path, held] of Object.entries(BEFORE)) writeFileSync(at(path), held);
  const files = await openFolder(root);
  const { journal } = await memoryJournal();
  const ports = {
    journal,
    files: await openCheckpointFiles({ files, folders: [{ name: 'ws', path: root }], onSave: () => () => undefined }),
    blobs: memoryBlobs(),
    crypto: testCrypto(),
    clock: testClock(),
  };
  const keeper = new FileKeeper(ports);
  const moment = (await journal.append({ type: 'checkpoint', id: 0, label: '', toldModel: false })).seq;
  for (const path of ['tool.ts', 'crlf.txt', 'latin.txt']) {
    await keeper.before({ toolCallId: path, toolClass: 'write', changes: [path] });
    await files.write(path, tenHunks(readFileSync(at(path))));
    await keeper.after(path);
  }
  await keeper.before({ toolCallId: 'run', toolClass: 'run', changes: [] });
  writeFileSync(at('command.txt'), tenHunks(readFileSync(at('command.txt'))));
  renameSync(at('moved.txt'), at('elsewhere.txt'));
  rmSync(at('gone.txt'));
  writeFileSync(at('picture.bin'), Buffer.from([1, 0, 3, 0]));
  mkdirSync(at('made'));
  writeFileSync(at('made/new.txt'), 'new\n');
  await keeper.after('run');
  const changes = new ChangeList(sinceMoment(moment, ports), ports);
  const list = async () => (await changes.list()).changed;
  const restore = async (steps: Parameters<typeof restoreFiles>[0]) => restoreFiles(steps, new Set(), ports);
  return { ports, moment, list, restore };
}

const everything = () =>
  Object.fromEntries(
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile())
      .map((each): [string, string] => {
        const path = join(each.parentPath, each.name);
        return [path.slice(root.length + 1).replaceAll('\\', '/'), readFileSync(path).toString('latin1')];
      })
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
const heldBefore = () =>
  Object.fromEntries(Object.entries(BEFORE).map(([path, held]) => [path, held.toString('latin1')]));

describe('the changes of a session', () => {
  test('are listed by file with their lines, whoever made them', async () => {
    const { list } = await changedFolder();
    // By hand, after the agent.
    writeFileSync(at('tool.ts'), `${readFileSync(at('tool.ts'), 'utf8')}by hand\n`);
    expect((await list()).map(({ path, lines }) => [path, lines && `+${lines.added} -${lines.removed}`])).toEqual([
      ['command.txt', '+10 -10'],
      ['crlf.txt', '+10 -10'],
      ['elsewhere.txt', '+0 -0'],
      ['gone.txt', '+0 -1'],
      ['latin.txt', '+10 -10'],
      ['made/new.txt', '+1 -0'],
      ['picture.bin', null],
      ['tool.ts', '+11 -10'],
    ]);
  });

  test('are found by the line of the caret, and a file with one change is taken whole', async () => {
    writeFileSync(at('cut.txt'), 'a\nb\nc\nd\n');
    const { ports, list } = await changedFolder();
    const keeper = new FileKeeper(ports);
    await keeper.before({ toolCallId: 'cut', toolClass: 'write', changes: ['cut.txt'] });
    writeFileSync(at('cut.txt'), 'A\nc\n');
    await keeper.after('cut');
    const find = async (path: string, line: number, side: 'before' | 'after' = 'after') => {
      const file = (await list()).find((each) => each.path === path);
      return file && changeAt(file, line, side);
    };
    expect(await find('tool.ts', 3)).toEqual({ before: { from: 3, count: 1 }, after: { from: 3, count: 1 } });
    expect(await find('tool.ts', 4)).toBeNull();
    // Lines that are gone, at the line that took their place.
    expect(await find('cut.txt', 2)).toEqual({ before: { from: 3, count: 1 }, after: { from: 2, count: 0 } });
    expect(await find('cut.txt', 3, 'before')).toEqual({ before: { from: 3, count: 1 }, after: { from: 2, count: 0 } });
    expect(await find('cut.txt', Number.NaN)).toBeNull();
    expect(await find('made/new.txt', 0)).toBe('all');
    expect(await find('picture.bin', 0)).toBe('all');
  });

  test('taken back as a whole leave every byte as it was, and the undo gives them back', async () => {
    const { ports, list, restore } = await changedFolder();
    const after = everything();
    const steps = await Promise.all((await list()).map((file) => stepsBack({ file, changes: null }, ports)));
    const { entry, skipped } = await restore(steps.flat());
    expect(skipped).toEqual([]);
    expect(everything()).toEqual(heldBefore());
    expect(existsSync(at('made'))).toBe(false);
    expect(await list()).toEqual([]);
    await restore((await previewRestore((entry?.seq ?? 0) - 1, ports)).steps);
    expect(everything()).toEqual(after);
  });

  test('taken back in any order and number, single lines and whole files, end at the earlier bytes', {
    tags: ['long'],
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.infiniteStream(fc.nat(1_000)), async (choices) => {
        rmSync(root, { recursive: true, force: true });
        mkdirSync(root);
        const { ports, list, restore } = await changedFolder();
        for (let left = await list(); left.length > 0; left = await list()) {
          const file = left[(choices.next().value ?? 0) % left.length];
          if (!file) throw new Error('There is a file');
          const others = everything();
          const changes = file.before && file.now && file.lines ? editorChanges(file.before.bytes, file.now.bytes) : [];
          const change = changes[(choices.next().value ?? 0) % (changes.length + 1)] ?? null;
          const { skipped } = await restore(await stepsBack({ file, changes: change && [change] }, ports));
          expect(skipped).toEqual([]);
          const now = everything();
          for (const path of Object.keys(others)) if (path !== file.path) expect(now[path]).toBe(others[path]);
        }
        expect(everything()).toEqual(heldBefore());
      }),
      { numRuns: 6 },
    );
  });

  test('are not listed any more once they are reviewed, until the same lines change again', async () => {
    const { ports, moment, list } = await changedFolder();
    const find = async (path: string) => {
      const file = (await list()).find((each) => each.path === path);
      if (!file?.before || !file.now) throw new Error(`${path} is not listed`);
      return { file, changes: editorChanges(file.before.bytes, file.now.bytes) };
    };
    const one = await find('crlf.txt');
    expect(one.changes).toHaveLength(10);
    await markReviewed([{ file: one.file, changes: one.changes.slice(4, 5) }], ports);
    const rest = await find('crlf.txt');
    expect(rest.file.lines).toEqual({ added: 9, removed: 9 });
    await markReviewed(
      (await list()).map((file) => ({ file, changes: null })),
      ports,
    );
    expect(await list()).toEqual([]);
    // On a branch that was left, too: the files have one history.
    await ports.journal.append({ type: 'revert', target: moment, cause: 'user' });
    expect(await list()).toEqual([]);
    const held = readFileSync(at('crlf.txt'), 'latin1');
    writeFileSync(at('crlf.txt'), held.replace('crlf 27 changed', 'crlf 27 changed again'), 'latin1');
    expect((await find('crlf.txt')).file.lines).toEqual({ added: 1, removed: 1 });
    // A restore of the checkpoint knows nothing of reviews.
    const steps = (await previewRestore(moment, ports)).steps.filter(({ kind }) => kind !== 'same');
    await restoreFiles(steps, new Set(steps.map(({ path }) => path)), ports);
    expect(everything()).toEqual(heldBefore());
  });

  test('that somebody edits meanwhile are left as they are', async () => {
    const { ports, list, restore } = await changedFolder();
    const [file] = await list();
    if (!file) throw new Error('There is a file');
    const steps = await stepsBack({ file, changes: null }, ports);
    writeFileSync(at(file.path), 'mine\n');
    expect((await restore(steps)).skipped).toMatchObject([{ path: file.path }]);
    expect(readFileSync(at(file.path), 'utf8')).toBe('mine\n');
  });

  test('say which files somebody else has changed after the agent, until all of them is reviewed', async () => {
    const { ports, list } = await changedFolder();
    const find = async (path: string) => {
      const file = (await list()).find((each) => each.path === path);
      if (!file) throw new Error(`${path} is not listed`);
      return file;
    };
    expect((await list()).map(({ conflict }) => conflict)).toEqual(Array(8).fill(null));
    writeFileSync(at('tool.ts'), `${readFileSync(at('tool.ts'), 'utf8')}by hand\n`);
    expect((await find('tool.ts')).conflict).toBe('changedSince');
    await markReviewed([{ file: await find('tool.ts'), changes: null }], ports);
    const keeper = new FileKeeper(ports);
    await keeper.before({ toolCallId: 'again', toolClass: 'write', changes: ['tool.ts'] });
    writeFileSync(at('tool.ts'), `${readFileSync(at('tool.ts'), 'utf8')}by the agent\n`);
    await keeper.after('again');
    expect(await find('tool.ts')).toMatchObject({ conflict: null, lines: { added: 1, removed: 0 } });
  });

  test('tell the lines of somebody else from those of the agent, and keep them', async () => {
    const { ports, list, restore } = await changedFolder();
    const agent = readFileSync(at('crlf.txt'), 'latin1').split('\r\n');
    // In a hunk of the agent, far from any, and a line less.
    const byHand = agent.flatMap((line, nth) => (nth === 3 ? `${line} by hand` : nth === 7 ? [line, 'more'] : line));
    writeFileSync(at('crlf.txt'), byHand.filter((_, nth) => nth !== 50).join('\r\n'), 'latin1');
    appendFileSync(at('command.txt'), 'by hand\n');
    const [, crlf] = await list();
    if (!crlf?.before || !crlf.now) throw new Error('It is listed');
    const hunks = editorChanges(crlf.before.bytes, crlf.now.bytes);
    expect(hunks).toHaveLength(12);
    const single = await findConflicts(
      hunks.map((change) => ({ file: crlf, changes: [change] })),
      ports,
    );
    expect(single.map(({ chosen }) => hunks.indexOf(chosen.changes?.[0] as never))).toEqual([0, 1, 9]);
    expect(single.every(({ own }) => own === null)).toBe(true);
    const whole = await findConflicts(
      (await list()).map((file) => ({ file, changes: null })),
      ports,
    );
    // Nobody knows what the command left.
    expect(whole.map(({ chosen, own }) => [chosen.file.path, own?.changes?.length])).toEqual([
      ['command.txt', undefined],
      ['crlf.txt', 9],
    ]);
    const own = whole[1]?.own;
    if (!own) throw new Error('Nine changes are the agent’s alone');
    await restore(await stepsBack(own, ports));
    const kept = lines('crlf', '\r\n').split('\r\n');
    const left = kept.flatMap((line, nth) => (nth === 3 ? byHand[3] : nth === 7 ? [line, 'more'] : line));
    expect(readFileSync(at('crlf.txt'), 'latin1')).toBe(left.filter((_, nth) => nth !== 50).join('\r\n'));
  });

  test('are read again only where a file or its base has changed', async () => {
    const many = Array.from({ length: 200 }, (_, nth) => `many/${nth}.txt`);
    const { ports, moment } = await changedFolder();
    const keeper = new FileKeeper(ports);
    await keeper.before({ toolCallId: 'many', toolClass: 'run', changes: [] });
    mkdirSync(at('many'));
    for (const path of many) writeFileSync(at(path), `${path}\n`);
    await keeper.after('many');
    const read: string[] = [];
    const files = {
      ...ports.files,
      // Without the doubt about changes of this very moment.
      stamp: async (path: string) => (existsSync(at(path)) ? String(statSync(at(path)).ctimeMs) : 'none'),
      read: async (path: string, ...more: [number, 'editor' | 'disk']) => {
        read.push(path);
        return ports.files.read(path, ...more);
      },
    };
    const counted = { ...ports, files };
    const changes = new ChangeList(sinceMoment(moment, counted), counted);
    expect((await changes.list()).changed).toHaveLength(208);
    expect(read.length).toBeGreaterThan(200);
    read.length = 0;
    await changes.list();
    expect(read).toEqual([]);
    writeFileSync(at('many/7.txt'), 'another\n');
    const [file] = (await changes.list()).changed;
    expect(read).toEqual(['many/7.txt']);
    if (file) await markReviewed([{ file, changes: null }], ports);
    read.length = 0;
    expect((await changes.list()).changed).toHaveLength(207);
    expect(read).toEqual([file?.path]);
  });

  test('are counted from a turn on, without a look at other files', async () => {
    const { ports, moment } = await changedFolder();
    const { files, added, removed } = (await countChanges(moment, ports)) ?? {};
    expect({ files, added, removed }).toEqual({ files: 8, added: 41, removed: 41 });
    const reads: string[] = [];
    const watched = { ...ports, files: { ...ports.files, read: async (path: string) => reads.push(path) as never } };
    expect(await countChanges(ports.journal.nextSeq - 1, watched)).toBeNull();
    expect(reads).toEqual([]);
  });

  test.skipIf(process.platform === 'win32')('include a changed mode, which is taken back and given back', async () => {
    const { ports, list, restore } = await changedFolder();
    const keeper = new FileKeeper(ports);
    chmodSync(at('made/new.txt'), 0o755);
    writeFileSync(at('run.sh'), 'run\n');
    const modeOf = (path: string) => statSync(at(path)).mode & 0o111;
    await keeper.before({ toolCallId: 'mode', toolClass: 'run', changes: [] });
    chmodSync(at('run.sh'), 0o755);
    await keeper.after('mode');
    const file = (await list()).find(({ path }) => path === 'run.sh');
    expect(file).toMatchObject({ lines: { added: 0, removed: 0 }, conflict: null });
    if (!file) throw new Error('It is listed');
    const { entry } = await restore(await stepsBack({ file, changes: null }, ports));
    expect(modeOf('run.sh')).toBe(0);
    expect((await list()).some(({ path }) => path === 'run.sh')).toBe(false);
    await restore((await previewRestore((entry?.seq ?? 0) - 1, ports)).steps);
    expect(modeOf('run.sh')).toBe(0o111);
  });

  test('a rename with other lines is one change; what was little alike is two', async () => {
    const { list, ports } = await changedFolder();
    const keeper = new FileKeeper(ports);
    await keeper.before({ toolCallId: 'rename', toolClass: 'run', changes: [] });
    writeFileSync(at('renamed.txt'), tenHunks(readFileSync(at('elsewhere.txt'))));
    rmSync(at('elsewhere.txt'));
    renameSync(at('command.txt'), at('other.txt'));
    writeFileSync(at('other.txt'), `${'nothing of it\n'.repeat(50)}command 0\n`);
    await keeper.after('rename');
    const told = (await list()).map(({ path, renamedFrom, lines }) => [
      path,
      renamedFrom,
      lines?.added,
      lines?.removed,
    ]);
    expect(told).toContainEqual(['renamed.txt', 'moved.txt', 10, 10]);
    expect(told).toContainEqual(['other.txt', null, 51, 0]);
    expect(told).toContainEqual(['command.txt', null, 0, 60]);
  });

  test('leave a file that stands again where one is to come back', async () => {
    const { ports, list, restore } = await changedFolder();
    const file = (await list()).find(({ path }) => path === 'elsewhere.txt');
    if (!file) throw new Error('It is listed');
    const steps = await stepsBack({ file, changes: null }, ports);
    writeFileSync(at('moved.txt'), 'mine\n');
    expect((await restore(steps)).skipped).toMatchObject([{ path: 'moved.txt' }]);
    expect(readFileSync(at('moved.txt'), 'utf8')).toBe('mine\n');
  });
});
