/** Image files that are chosen or dropped: only regular files that are images are read, and nothing is waited for. */

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readImageFiles } from '../../../src/node/files/readImageFiles.ts';
import { pngOf } from '../../support/images.ts';

function folder() {
  const path = mkdtempSync(join(tmpdir(), 'pal-images-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return (name: string) => join(path, name);
}

test('an image is read, also behind a link', async () => {
  const at = folder();
  writeFileSync(at('a.png'), pngOf(4, 3));
  symlinkSync(at('a.png'), at('b.png'));
  const read = await readImageFiles([at('a.png'), at('b.png')]);
  expect(read.map(({ name, bytes }) => [name, [...bytes]])).toEqual([
    ['a.png', [...pngOf(4, 3)]],
    ['b.png', [...pngOf(4, 3)]],
  ]);
});

const DEVICES: Readonly<Record<string, (path: string) => void>> = {
  'a link to an endless device': (path) => symlinkSync('/dev/zero', path),
  'a link to a terminal': (path) => symlinkSync('/dev/tty', path),
  'a pipe without a writer': (path) => execFileSync('mkfifo', [path]),
  'a folder': (path) => mkdirSync(path),
};

test.skipIf(process.platform === 'win32').each(Object.entries(DEVICES))('%s is refused at once', async (_, make) => {
  const path = folder()('x.png');
  make(path);
  await expect(readImageFiles([path])).rejects.toThrow(/x\.png/);
});

test.skipIf(process.platform === 'win32')('a device by its own name is refused at once', async () => {
  await expect(readImageFiles(['/dev/zero'])).rejects.toThrow('zero is not read: it is not a file.');
});

test('what is too large, no image, or not there is named', async () => {
  const at = folder();
  writeFileSync(at('large.png'), Buffer.alloc(15_000_001));
  writeFileSync(at('text.png'), 'words');
  await expect(readImageFiles([at('large.png')])).rejects.toThrow('large.png has more than 15,000,000 bytes');
  await expect(readImageFiles([at('text.png')])).rejects.toThrow('text.png is not a PNG, JPEG, GIF or WebP image');
  await expect(readImageFiles([at('none.png')])).rejects.toThrow(/none\.png.* it is not there/);
});
