/** What the system keeps beside a file's content survives a write that replaces the file. Real files of a real disk. */

import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROOT } from '../../../../scripts/paths.ts';
import { beginAsCopy } from '../../../../src/node/files/beginAsCopy.ts';
import { writeChecked } from '../../../../src/node/files/checkedFiles.ts';

/** Python is asked because it has calls for them, whereas the programs for them are often not installed. */
const SCRIPT = `
import os, struct, sys
act, path = sys.argv[1:3]
if act == 'set': os.setxattr(path, sys.argv[3], sys.argv[4].encode())
if act == 'get': print(os.getxattr(path, sys.argv[3]).decode())
if act == 'list': print(' '.join(sorted(os.listxattr(path))))
if act == 'acl':
    rows = [(1, 6, -1), (2, 4, 12345), (4, 4, -1), (16, 6, -1), (32, 4, -1)]
    os.setxattr(path, 'system.posix_acl_access', struct.pack('<I', 2) + b''.join(struct.pack('<HHi', *row) for row in rows))
`;
const python = (...args: string[]): string =>
  execFileSync('python3', ['-c', SCRIPT, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();

/** The folder for temporary files is often one in memory, which keeps no attributes of users. */
function makeScratch(): string {
  const cache = join(ROOT, '.cache');
  mkdirSync(cache, { recursive: true });
  return realpathSync(mkdtempSync(join(cache, 'attributes-')));
}

let folder = '';
beforeAll(() => {
  folder = makeScratch();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const make = (name: string, text = 'before\n'): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const write = (path: string, text: string) => writeChecked(path, path, Buffer.from(text), null);

/** Why they cannot be set here; null when they can. */
function refusal(): string | null {
  try {
    const scratch = makeScratch();
    try {
      writeFileSync(join(scratch, 'a'), '');
      python('set', join(scratch, 'a'), 'user.tried', 'yes');
      return null;
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  } catch (thrown) {
    return String(thrown);
  }
}

describe.skipIf(process.platform !== 'linux' || refusal() !== null)('attributes on Linux', () => {
  it('an edit keeps extended attributes', async () => {
    const path = make('-named like an option');
    python('set', path, 'user.origin', 'a person');
    await write(path, 'after\n');
    expect([readFileSync(path, 'utf8'), python('get', path, 'user.origin')]).toEqual(['after\n', 'a person']);
  });

  it('an edit keeps an access list', async () => {
    const path = make('listed');
    python('acl', path);
    await write(path, 'after, and longer than before\n');
    expect(python('list', path)).toContain('system.posix_acl_access');
    expect(readFileSync(path, 'utf8')).toBe('after, and longer than before\n');
  });
});

it('a file that becomes empty or shorter has nothing of its old content, its mode, and a new time', async () => {
  const path = make('long', 'long '.repeat(1_000));
  chmodSync(path, 0o640);
  utimesSync(path, 1_000, 1_000);
  const { mtimeMs, mode } = statSync(path);
  await write(path, '');
  expect(readFileSync(path, 'utf8')).toBe('');
  expect(statSync(path).mode).toBe(mode);
  expect(statSync(path).mtimeMs).toBeGreaterThan(mtimeMs);
  expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

it('where the copy fails, the file begins empty and nothing is left behind', async () => {
  expect(await beginAsCopy(folder, 'not there', '.palimpsest-x.tmp')).toBeNull();
  expect(readdirSync(folder)).not.toContain('.palimpsest-x.tmp');
});
