import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Here, inspectSystem, judgeOwner, type LockOwner } from '../../../src/node/storage/sessions/lockOwner.ts';
import {
  type LockOptions,
  lockSession,
  SessionLock,
  takeOver,
} from '../../../src/node/storage/sessions/sessionLock.ts';

let folder = '';
const locks: SessionLock[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-'));
});
afterEach(async () => {
  for (const lock of locks.splice(0)) await lock.release();
  await rm(folder, { recursive: true, force: true });
});

/** `whileWaiting` is what the owner's timer would do meanwhile. */
const options = (changes: Partial<LockOptions> = {}, whileWaiting: () => Promise<void> = async () => undefined) => ({
  folder,
  onWanted: async () => true,
  waitMs: 800,
  wait: whileWaiting,
  ...changes,
});

async function own(changes: Partial<LockOptions> = {}): Promise<SessionLock> {
  const outcome = await lockSession(options(changes));
  if (outcome.kind !== 'owned') throw new Error('The lock is held');
  locks.push(outcome.lock);
  return outcome.lock;
}

/** This system, but for which processes it has. */
const aliveIf = (isAlive: (pid: number) => boolean) => () => ({ ...inspectSystem(), isAlive, bornOf: () => null });

describe('session lock', () => {
  it('is owned by one window, and free again after release', async () => {
    const first = await own({ onWanted: async () => false });
    expect(await first.guard()).toBe(null);
    const second = await lockSession(options({}, () => first.checkWanted()));
    expect(second).toMatchObject({ kind: 'held', answered: true, error: { kind: 'locked' } });
    await first.release();
    await own();
    expect((await readdir(folder)).sort()).toEqual(['lock', 'lock.kept']);
  });

  it('goes to a newcomer when the owner has nothing to lose', async () => {
    const order: string[] = [];
    const first = await own({
      onWanted: async () => {
        order.push('closed');
        return true;
      },
    });
    const second = await lockSession(options({}, () => first.checkWanted()));
    expect([second.kind, order]).toEqual(['owned', ['closed']]);
    expect(await first.guard()).toMatchObject({ kind: 'locked' });
    if (second.kind === 'owned') locks.push(second.lock);
  });

  it('is taken over when a person says so; the old owner notices before its next write', async () => {
    const first = await own({ onWanted: async () => false });
    const second = await takeOver(options());
    locks.push(second);
    expect(await first.guard()).toMatchObject({ kind: 'locked' });
    expect(await second.guard()).toBe(null);
    await first.release();
    expect(await second.guard()).toBe(null);
  });

  it('is lost when another window took it over before it was looked at for the first time', async () => {
    locks.push(await takeOver(options()));
    const overtaken = new SessionLock('the token of a moment ago', options());
    locks.push(overtaken);
    expect(await overtaken.guard()).toMatchObject({ kind: 'locked' });
  });

  it('is not taken from a window that is just writing it', async () => {
    await writeFile(join(folder, 'lock'), '');
    const finish = () =>
      writeFile(join(folder, 'lock'), JSON.stringify({ token: 'x', pid: process.pid, host: hostname() }));
    expect((await lockSession(options({}, finish))).kind).toBe('held');
  });

  it.each([
    ['a process that is gone', JSON.stringify({ token: 'x', pid: 1, host: hostname() })],
    ['half a lock file', '{"tok'],
    ['an empty lock file', ''],
  ])('does not wait for %s', async (_what, content) => {
    await writeFile(join(folder, 'lock'), content);
    await own({ here: aliveIf(() => false) });
  });

  it('leaves a process that may live, or another machine, to the person', async () => {
    for (const host of [hostname(), 'elsewhere']) {
      await writeFile(join(folder, 'lock'), JSON.stringify({ token: 'x', pid: 1, host }));
      const outcome = await lockSession(options({ here: aliveIf(() => host !== 'elsewhere') }));
      expect(outcome).toMatchObject({ kind: 'held', answered: false });
    }
  });

  it('has one owner when many come at once after a crash', async () => {
    await writeFile(join(folder, 'lock'), JSON.stringify({ token: 'x', pid: 1, host: hostname() }));
    let dead = true;
    const here = aliveIf(() => !dead);
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () =>
        lockSession(
          options({ here }, async () => {
            dead = false;
          }),
        ),
      ),
    );
    const owned = outcomes.flatMap((outcome) => (outcome.kind === 'owned' ? [outcome.lock] : []));
    locks.push(...owned);
    const standing = (await Promise.all(owned.map((lock) => lock.guard()))).filter((error) => error === null);
    expect(standing.length).toBe(1);
  });
});

describe('an owner is judged', () => {
  const space = 'pid:[4026531836]';
  const linux: LockOwner = { pid: 7, host: 'box', machine: 'm1', boot: 'b1', bootedAt: 1_000_000, space, born: '55' };
  const windows: LockOwner = { pid: 7, host: 'PC', bootedAt: 1_000_000 };
  /** A process 7 is there, born as said, or none is. */
  const hereAs = (owner: LockOwner, born: string | null): Here => ({
    owner: { ...owner, pid: 9 },
    isAlive: () => born !== null,
    bornOf: () => (owner.boot === undefined ? null : born),
  });
  const later = { bootedAt: 9_000_000 };

  it.each([
    ['that runs', linux, hereAs(linux, '55'), 'there'],
    ['that ended', linux, hereAs(linux, null), 'gone'],
    ['whose number was given again', linux, hereAs(linux, '99'), 'gone'],
    ['before a restart, its number given again', linux, hereAs({ ...linux, boot: 'b2' }, '55'), 'gone'],
    ['before a restart and a new name', linux, hereAs({ ...linux, boot: 'b2', host: 'new' }, '55'), 'gone'],
    ['before a new name, and it runs', linux, hereAs({ ...linux, host: 'new' }, '55'), 'there'],
    ['before a new name, and it ended', linux, hereAs({ ...linux, host: 'new' }, null), 'gone'],
    ['of another machine', linux, hereAs({ ...linux, machine: 'm2', boot: 'b2' }, null), 'there'],
    ['of another container of this machine', linux, hereAs({ ...linux, space: 'pid:[1]' }, null), 'doubtful'],
    [
      'of a container made of the same image',
      linux,
      hereAs({ ...linux, boot: 'b2', space: 'pid:[1]' }, null),
      'doubtful',
    ],
    ['that runs, where no boot is named', windows, hereAs(windows, '1'), 'there'],
    ['that ended, where no boot is named', windows, hereAs(windows, null), 'gone'],
    ['whose number may be given again since a restart', windows, hereAs({ ...windows, ...later }, '1'), 'doubtful'],
    ['before a new name of the PC', windows, hereAs({ ...windows, host: 'NEW' }, null), 'doubtful'],
    ['of another PC', windows, hereAs({ ...windows, host: 'NEW', ...later }, null), 'there'],
    ['as version 0.1 wrote it', { pid: 7, host: 'box' }, hereAs(linux, '55'), 'there'],
    ['as version 0.1 wrote it, and it ended', { pid: 7, host: 'box' }, hereAs(linux, null), 'gone'],
  ] as const)('%s', (_, owner, here, verdict) => {
    expect(judgeOwner(owner, here)).toBe(verdict);
  });

  it('by its lock, without waiting for one whose number this very process has now', async () => {
    const { owner } = inspectSystem();
    const older = { ...owner, token: 'x', ...(owner.born === undefined ? {} : { born: `${owner.born}0` }) };
    await writeFile(join(folder, 'lock'), JSON.stringify(older));
    const outcome = await lockSession(options());
    expect(outcome.kind).toBe(owner.born === undefined ? 'held' : 'owned');
    if (outcome.kind === 'owned') locks.push(outcome.lock);
  });

  it('by its silence where there is doubt, and an answer decides', async () => {
    const here = () => hereAs({ ...windows, ...later }, '1');
    const write = () => writeFile(join(folder, 'lock'), JSON.stringify({ ...windows, token: 'x' }));
    await write();
    const answers = async () => writeFile(join(folder, 'lock.kept'), await readFile(join(folder, 'lock.want')));
    expect(await lockSession(options({ here }, answers))).toMatchObject({ kind: 'held', answered: true });
    const outcome = await lockSession(options({ here }));
    expect(outcome.kind).toBe('owned');
    if (outcome.kind === 'owned') locks.push(outcome.lock);
  });
});
