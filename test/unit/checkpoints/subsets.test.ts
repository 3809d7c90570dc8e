/**
 * Forty changes in eight files, half of them by a command that really runs, in a git repository that converts line ends:
 * any of them are taken back, with lines by hand in between, and every byte is what it has to be.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ChangeList, sinceMoment } from '../../../src/core/checkpoints/changeList.ts';
import { FileKeeper } from '../../../src/core/checkpoints/fileKeeper.ts';
import { previewRestore, restoreFiles } from '../../../src/core/checkpoints/restoreFiles.ts';
import type { RestoreStep } from '../../../src/core/checkpoints/restorePlan.ts';
import { markReviewed, stepsBack } from '../../../src/core/checkpoints/review.ts';
import { openCheckpointFiles } from '../../../src/node/files/checkpointFiles.ts';
import { FileBlobStore } from '../../../src/node/storage/disk/fileBlobStore.ts';
import { openJournal } from '../../../src/node/storage/journal/openJournal.ts';
import { editorChanges } from '../../support/editorChanges.ts';
import { memoryJournal } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';
import { createTemporaryFolder, openFolder } from '../node/files/temporaryFolder.ts';

interface Subject {
  readonly path: string;
  /** Where the command moves it. */
  readonly to?: string;
  readonly by: 'tool' | 'command';
  /** Changed lines. */
  readonly hunks: number;
  /** Text of each line, in bytes. */
  readonly word: string;
  readonly end: '\n' | '\r\n';
}

/** Latin-1 in the third; git gives each of the others the line ends of its settings. */
const SUBJECTS: readonly Subject[] = [
  { path: 'a.ts', by: 'tool', hunks: 5, word: 'a', end: '\r\n' },
  { path: 'src/b.ts', by: 'tool', hunks: 5, word: 'b', end: '\r\n' },
  { path: 'latin.txt', by: 'tool', hunks: 5, word: 'caf\xe9', end: '\r\n' },
  { path: 'unix.sh', by: 'tool', hunks: 5, word: 'unix', end: '\n' },
  { path: 'c.txt', by: 'command', hunks: 6, word: 'c', end: '\r\n' },
  { path: 'd.txt', by: 'command', hunks: 6, word: 'd', end: '\r\n' },
  { path: 'moved.txt', to: 'far/moved.txt', by: 'command', hunks: 7, word: 'moved', end: '\r\n' },
];
const GONE = { path: 'gone.txt', held: 'gone\r\nfor good\r\n' };
const LINES = 60;
const changedLine = (nth: number) => 3 + nth * 8;
const whereOf = ({ path, to }: Subject) => to ?? path;

/** The lines of a file, of which some are changed by the agent and some by hand. */
function build({ word, end }: Subject, changed: ReadonlySet<number>, byHand: ReadonlyMap<number, string>): Buffer {
  const lines = Array.from({ length: LINES }, (_, at) => {
    const nth = (at - 3) / 8;
    return byHand.get(at) ?? (changed.has(nth) ? `${word} ${at} changed` : `${word} ${at}`);
  });
  return Buffer.from(lines.map((line) => line + end).join(''), 'latin1');
}

const all = ({ hunks }: Subject) => new Set(Array.from({ length: hunks }, (_, nth) => nth));
const NONE = new Set<number>();
const NO_HAND: ReadonlyMap<number, string> = new Map();

const top = createTemporaryFolder();
const env = {
  ...process.env,
  HOME: top,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b',
};
let count = 0;

async function openSession() {
  const root = join(top, `ws-${++count}`);
  const at = (path: string) => join(root, path);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, env, stdio: 'pipe' }).toString();
  mkdirSync(at('src'), { recursive: true });
  git('init', '-q');
  git('config', 'core.autocrlf', 'true');
  writeFileSync(at('.gitattributes'), '*.sh text eol=lf\n');
  for (const subject of SUBJECTS) writeFileSync(at(subject.path), build(subject, NONE, NO_HAND));
  writeFileSync(at(GONE.path), GONE.held);
  git('add', '.');
  git('commit', '-qm', 'first');
  // As git writes them.
  git('rm', '-rqf', '--cached', '.');
  git('reset', '-q', '--hard');

  const files = await openFolder(root);
  const folder = join(top, `session-${count}`);
  mkdirSync(folder);
  const open = async () => {
    const options = { path: join(folder, 'journal.jsonl'), id: 'test', clock: testClock(), crypto: testCrypto() };
    const { journal } = await openJournal(options);
    return {
      journal,
      files: await openCheckpointFiles({ files, folders: [{ name: 'ws', path: root }], onSave: () => () => undefined }),
      blobs: new FileBlobStore(join(folder, 'blobs')),
      crypto: testCrypto(),
      clock: testClock(),
    };
  };
  writeFileSync(join(folder, 'journal.jsonl'), `${(await memoryJournal()).store.lines.join('\n')}\n`);
  const ports = await open();
  const moment = (await ports.journal.append({ type: 'checkpoint', id: 0, label: '', toldModel: false })).seq;
  const keeper = new FileKeeper(ports);
  for (const subject of SUBJECTS.filter(({ by }) => by === 'tool')) {
    await keeper.before({ toolCallId: subject.path, toolClass: 'write', changes: [subject.path] });
    await files.write(subject.path, build(subject, all(subject), NO_HAND));
    await keeper.after(subject.path);
  }
  await keeper.before({ toolCallId: 'run', toolClass: 'run', changes: [] });
  const commanded = SUBJECTS.filter(({ by }) => by === 'command').map((subject) => [
    whereOf(subject),
    build(subject, all(subject), NO_HAND).toString('latin1'),
  ]);
  const script = `
    const { mkdirSync, renameSync, rmSync, writeFileSync } = require('node:fs');
    mkdirSync('far');
    renameSync('moved.txt', 'far/moved.txt');
    rmSync('${GONE.path}');
    for (const [path, held] of ${JSON.stringify(commanded)}) writeFileSync(path, Buffer.from(held, 'latin1'));`;
  execFileSync(process.execPath, ['-e', script], { cwd: root });
  await keeper.after('run');
  return { root, at, git, ports, open, moment };
}

type Session = Awaited<ReturnType<typeof openSession>>;
type Ports = Session['ports'];

/** The hunks to take back, by the file that the command or tool left; `whole` also undoes its rename. */
type Choice = ReadonlyMap<string, { readonly hunks: ReadonlySet<number>; readonly whole: boolean }>;

/** Takes back what is chosen: one hunk of each file at a time, as a person does. Returns the number of the last entry before. */
async function takeBack(choice: Choice, moment: number, ports: Ports): Promise<number> {
  const list = new ChangeList(sinceMoment(moment, ports), ports);
  const before = ports.journal.nextSeq - 1;
  const left = new Map([...choice].map(([path, { hunks }]) => [path, [...hunks]]));
  for (;;) {
    const { changed, unknown } = await list.list();
    expect(unknown).toEqual([]);
    const steps: RestoreStep[] = [];
    for (const file of changed) {
      const { path } = file;
      const chosen = choice.get(path);
      if (!chosen) continue;
      if (chosen.whole) {
        steps.push(...(await stepsBack({ file, changes: null }, ports)));
        continue;
      }
      const nth = left.get(path)?.pop();
      if (nth === undefined) continue;
      const changes = editorChanges(file.before?.bytes ?? new Uint8Array(), file.now?.bytes ?? new Uint8Array());
      const change = changes.find(({ after }) => after.from === changedLine(nth) && after.count === 1);
      if (!change) throw new Error(`${path} has no change at ${changedLine(nth)}`);
      steps.push(...(await stepsBack({ file, changes: change && [change] }, ports)));
    }
    if (steps.length === 0) return before;
    const { skipped } = await restoreFiles(steps, new Set(), ports);
    expect(skipped).toEqual([]);
  }
}

function expectHeld({ at }: Session, back: Choice, byHand: ReadonlyMap<string, ReadonlyMap<number, string>>): void {
  for (const subject of SUBJECTS) {
    const where = whereOf(subject);
    const chosen = back.get(where);
    const typed = chosen?.whole ? NO_HAND : (byHand.get(where) ?? NO_HAND);
    const changed = chosen?.whole ? NONE : new Set([...all(subject)].filter((nth) => !chosen?.hunks.has(nth)));
    const path = chosen?.whole ? subject.path : where;
    expect(readFileSync(at(path)).toString('latin1'), path).toBe(build(subject, changed, typed).toString('latin1'));
    if (subject.to !== undefined) expect(existsSync(at(path === where ? subject.path : where))).toBe(false);
  }
  const deleted = !back.has(GONE.path);
  expect(existsSync(at(GONE.path))).toBe(!deleted);
  if (!deleted) expect(readFileSync(at(GONE.path), 'utf8')).toBe(GONE.held);
}

const NOTHING_BACK: Choice = new Map();
const EVERYTHING_BACK: Choice = new Map(
  [...SUBJECTS.map(whereOf), GONE.path].map((path) => [path, { hunks: NONE, whole: true }]),
);

/** A random choice, and lines by hand that no hunk touches. */
const rounds = fc.record({
  back: fc
    .tuple(
      fc.array(fc.integer({ min: 0, max: 127 }), { minLength: 7, maxLength: 7 }),
      fc.nat(6),
      fc.boolean(),
      fc.nat(9),
    )
    .map(([bits, renamed, gone, whole]): Choice => {
      const entries = SUBJECTS.map((subject, at) => {
        const hunks = new Set([...all(subject)].filter((nth) => ((bits[at] ?? 0) >> nth) & 1));
        const isWhole = subject.to === undefined ? whole === at : renamed === 0;
        return [whereOf(subject), { hunks: isWhole ? NONE : hunks, whole: isWhole }] as const;
      });
      return new Map(gone ? [...entries, [GONE.path, { hunks: NONE, whole: true }] as const] : entries);
    }),
  hand: fc.array(fc.tuple(fc.nat(SUBJECTS.length - 1), fc.nat(6)), { maxLength: 6 }),
});

async function proveRounds(numRuns: number, seed = 24): Promise<void> {
  const session = await openSession();
  const { at, open, moment } = session;
  let { ports } = session;
  let round = 0;
  await fc.assert(
    fc.asyncProperty(rounds, async ({ back, hand }) => {
      round += 1;
      const byHand = new Map<string, Map<number, string>>();
      for (const [file, nth] of hand) {
        const subject = SUBJECTS[file] as Subject;
        const typed = byHand.get(whereOf(subject)) ?? new Map<number, string>();
        // Between two lines of the agent.
        byHand.set(whereOf(subject), typed.set(changedLine(nth) + 4, `by hand in round ${round}`));
      }
      for (const subject of SUBJECTS)
        writeFileSync(at(whereOf(subject)), build(subject, all(subject), byHand.get(whereOf(subject)) ?? NO_HAND));
      const before = await takeBack(back, moment, ports);
      expectHeld(session, back, byHand);
      // Another window, or the same one after a reload, undoes it.
      await ports.journal.close();
      ports = await open();
      const { steps } = await previewRestore(before, ports);
      const undone = await restoreFiles(steps, new Set(), ports);
      expect(undone.skipped).toEqual([]);
      expectHeld(session, NOTHING_BACK, byHand);
      // And the undo is undone.
      if (undone.entry) {
        await restoreFiles((await previewRestore(undone.entry.seq - 1, ports)).steps, new Set(), ports);
        expectHeld(session, back, byHand);
        await restoreFiles((await previewRestore(before, ports)).steps, new Set(), ports);
        expectHeld(session, NOTHING_BACK, byHand);
      }
    }),
    { numRuns, seed },
  );
  await ports.journal.close();
}

describe.skipIf(process.platform === 'win32')('forty changes in eight files', () => {
  test('are forty hunks, one of them a rename and one a deletion, and none is left when all are taken back', async () => {
    const session = await openSession();
    const { ports, moment, git } = session;
    const { changed } = await new ChangeList(sinceMoment(moment, ports), ports).list();
    const hunks = changed.map(({ path, renamedFrom, before, now }) => [
      path,
      renamedFrom,
      before && now ? editorChanges(before.bytes, now.bytes).length : 1,
    ]);
    expect(hunks).toEqual([
      ['a.ts', null, 5],
      ['c.txt', null, 6],
      ['d.txt', null, 6],
      ['far/moved.txt', 'moved.txt', 7],
      ['gone.txt', null, 1],
      ['latin.txt', null, 5],
      ['src/b.ts', null, 5],
      ['unix.sh', null, 5],
    ]);
    await takeBack(EVERYTHING_BACK, moment, ports);
    expectHeld(session, EVERYTHING_BACK, new Map());
    expect(git('status', '--porcelain')).toBe('');
    await ports.journal.close();
  });

  test('any of them are taken back byte for byte, and given back after a reload', () => proveRounds(2));

  // Each file that is written is synced, so a busy disk decides how long a round takes.
  test.each(Array.from({ length: 10 }, (_, nth) => nth))(
    'ten random choices, number %i of ten such tests',
    { tags: ['long'] },
    (nth) => proveRounds(10, 100 + nth),
  );

  test('reviewed under a new name, a line stays reviewed, and the file still goes back to its old name', async () => {
    const session = await openSession();
    const { ports, moment, at, open } = session;
    const find = async (from: Ports) => {
      const { changed } = await new ChangeList(sinceMoment(moment, from), from).list();
      return changed.find(({ path }) => path === 'far/moved.txt');
    };
    const file = await find(ports);
    if (!file?.before || !file.now) throw new Error('It is listed');
    const [first] = editorChanges(file.before.bytes, file.now.bytes);
    await markReviewed([{ file, changes: first ? [first] : null }], ports);
    await ports.journal.close();
    const again = await open();
    const rest = await find(again);
    expect(rest).toMatchObject({ renamedFrom: 'moved.txt', lines: { added: 6, removed: 6 } });
    if (!rest) throw new Error('It is listed');
    await restoreFiles(await stepsBack({ file: rest, changes: null }, again), new Set(), again);
    const subject = SUBJECTS[6] as Subject;
    expect(readFileSync(at('moved.txt')).toString('latin1')).toBe(
      build(subject, new Set([0]), NO_HAND).toString('latin1'),
    );
    expect(existsSync(at('far'))).toBe(false);
    await again.journal.close();
  });
});
