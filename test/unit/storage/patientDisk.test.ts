import { mkdtemp, readdir, readFile, rename, rm, rmdir, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inEnglish } from '../../../src/core/words.ts';
import { explainFileError } from '../../../src/node/files/fileErrors.ts';
import { createPatientDisk, type PatientDisk } from '../../../src/node/storage/disk/patientDisk.ts';
import { storageError } from '../../../src/node/storage/disk/storageError.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-'));
  await writeFile(join(folder, 'a'), 'a');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const fault = (code: string) => Object.assign(new Error(`${code}: held`), { code });

/** A disk whose first calls fail, and a clock that only waiting moves. */
function openDisk(codes: readonly string[], windows = true) {
  const left = [...codes];
  const waits: number[] = [];
  const clock = { ms: 5_000 };
  const orFail = <A extends readonly unknown[], T>(deed: (...given: A) => Promise<T>) => {
    return async (...given: A): Promise<T> => {
      const code = left.shift();
      if (code !== undefined) throw fault(code);
      return deed(...given);
    };
  };
  const real = { rename, unlink, rmdir, rm };
  const disk: PatientDisk = createPatientDisk({
    disk: {
      rename: orFail(real.rename),
      unlink: orFail(real.unlink),
      rmdir: orFail(real.rmdir),
      rm: orFail(real.rm),
    },
    windows,
    now: () => clock.ms,
    wait: async (ms) => {
      waits.push(ms);
      clock.ms += ms;
    },
  });
  return { disk, waits, left };
}

describe.each(['EPERM', 'EACCES', 'EBUSY'])('on Windows, while another program holds a file open (%s)', (code) => {
  it.each([
    ['rename', (disk: PatientDisk) => disk.rename(join(folder, 'a'), join(folder, 'b')), ['b']],
    ['unlink', (disk: PatientDisk) => disk.unlink(join(folder, 'a')), []],
    ['rm', (disk: PatientDisk) => disk.rm(join(folder, 'a'), { force: true }), []],
  ] as const)('%s tries again until it is free', async (_, act, names) => {
    const { disk, waits } = openDisk([code, code, code]);
    await act(disk);
    expect(waits).toEqual([10, 20, 40]);
    expect(await readdir(folder)).toEqual(names);
  });

  it('gives up after about a second, with what the system said', async () => {
    const { disk, waits } = openDisk(Array(50).fill(code));
    await expect(disk.unlink(join(folder, 'a'))).rejects.toMatchObject({ code });
    const waited = waits.reduce((sum, ms) => sum + ms, 0);
    expect(waited).toBeGreaterThanOrEqual(1_000);
    expect(waited).toBeLessThan(1_300);
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('a');
  });

  it('says that it may be in use, and does not blame permissions alone', () => {
    const told = explainFileError('a.ts', 'cannot be written', fault(code), true);
    expect(String(told)).toContain(
      'a.ts cannot be written: another program may be using it, or it is not permitted; try again in a moment.',
    );
    expect(inEnglish(storageError('s/lock', fault(code), true).words)).toContain('may be using it');
  });
});

it('any other failure is told at once, and so is every one on other systems', async () => {
  const missing = openDisk(['ENOENT']);
  await expect(missing.disk.unlink(join(folder, 'a'))).rejects.toMatchObject({ code: 'ENOENT' });
  const elsewhere = openDisk(['EPERM'], false);
  await expect(elsewhere.disk.unlink(join(folder, 'a'))).rejects.toMatchObject({ code: 'EPERM' });
  expect([missing.waits, elsewhere.waits]).toEqual([[], []]);
  expect(String(explainFileError('a', 'cannot be written', fault('EACCES'), false))).toContain('permission is denied');
});
