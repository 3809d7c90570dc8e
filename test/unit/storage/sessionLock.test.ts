import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type LockOptions,
  lockSession,
  SessionLock,
  takeOver,
} from '../../../src/host/storage/sessions/sessionLock.ts';

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
    await own({ isAlive: () => false });
  });

  it('leaves a process that may live, or another machine, to the person', async () => {
    for (const host of [hostname(), 'elsewhere']) {
      await writeFile(join(folder, 'lock'), JSON.stringify({ token: 'x', pid: 1, host }));
      const outcome = await lockSession(options({ isAlive: () => host !== 'elsewhere' }));
      expect(outcome).toMatchObject({ kind: 'held', answered: false });
    }
  });

  it('has one owner when many come at once after a crash', async () => {
    await writeFile(join(folder, 'lock'), JSON.stringify({ token: 'x', pid: 1, host: hostname() }));
    let dead = true;
    const isAlive = () => !dead;
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, () =>
        lockSession(
          options({ isAlive }, async () => {
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
