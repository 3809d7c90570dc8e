/**
 * What can happen to a session's file: no permission, a folder in its place, a full disk, deletion while it is open. Each
 * message names the file and says what can be done, and nothing that was acknowledged is lost.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { nodeCrypto } from '../../../src/node/storage/disk/fileBlobStore.ts';
import { decodeLine } from '../../support/decodeLine.ts';
import { journalPath } from '../support/journals.ts';
import { ask, newSession, openSession, waitUntilIdle } from '../support/panel.ts';
import { expect, test } from '../support/scenario.ts';
import { waitForToast } from '../support/workbench.ts';

const run = (command: string, ...args: readonly string[]) => spawnSync(command, args).status === 0;

/** Reads the lines of a journal, and checks that each is whole and in its place. */
function readWhole(path: string): string[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const numbers = lines.map((line) => {
    const decoded = decodeLine(line, nodeCrypto);
    return decoded.kind === 'entry' ? decoded.entry.seq : -1;
  });
  assert.deepEqual(
    numbers,
    numbers.map((_, at) => at),
  );
  return lines;
}

/** Makes a file read-only, for root too if the file system can. Returns the way back; undefined if it cannot be done. */
function makeUnwritable(path: string): (() => void) | undefined {
  if (process.getuid?.() !== 0) {
    chmodSync(path, 0o444);
    return () => chmodSync(path, 0o644);
  }
  return run('chattr', '+i', path) ? () => void run('chattr', '-i', path) : undefined;
}

test('a session’s file that is closed to us, or a folder', async ({ startHost, startScriptedModel, capture }) => {
  const { settings } = await startScriptedModel();
  const host = await startHost({ settings });
  const { page, panel } = host;
  await ask(panel, 'list the alder folder');
  const path = journalPath(host);
  const before = readFileSync(path, 'utf8');
  await newSession(host);
  const folder = join(dirname(dirname(path)), 'a-folder');
  mkdirSync(join(folder, 'journal.jsonl'), { recursive: true });
  await openSession(host, 'is a folder');
  await waitForToast(page, `${join(folder, 'journal.jsonl')} cannot be used: it is a folder`);
  await capture('faults-1-a-folder');

  const undo = makeUnwritable(path);
  if (!undo) return console.log('skipped: this file system cannot close a file to root');
  try {
    await openSession(host, 'alder');
    const banner = panel.locator('.banner', { hasText: path });
    await banner.waitFor();
    await expect(banner).toContainText('is not allowed. Check the permissions');
    await panel.locator('.row.user', { hasText: 'alder' }).waitFor();
    await expect(panel.getByRole('combobox', { name: 'Message' })).toBeDisabled();
    await capture('faults-2-no-permission');
    assert.equal(readFileSync(path, 'utf8'), before);
  } finally {
    undo();
  }
  await newSession(host);
  await openSession(host, 'alder');
  await ask(panel, 'and on again');
  assert.ok(readFileSync(path, 'utf8').startsWith(before));
});

test('a session on a full disk', async ({ startHost, startScriptedModel, capture }) => {
  const { settings } = await startScriptedModel();
  const host = await startHost({ settings });
  const { panel } = host;
  await ask(panel, 'list the alder folder');
  const sessions = dirname(dirname(journalPath(host)));
  await newSession(host);
  if (!run('mount', '-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', sessions)) {
    return console.log('skipped: a small disk can be mounted by root only');
  }
  try {
    await ask(panel, 'list the birch folder');
    const path = journalPath(host);
    const acknowledged = readWhole(path);
    const filler = join(sessions, 'filler');
    // A short message would still fit into the last page of the journal.
    const text = `this one is long ${'and longer '.repeat(600)}`;
    fill(filler);
    const composer = panel.getByRole('combobox', { name: 'Message' });
    await composer.fill(text);
    await composer.press('Enter');
    await panel.locator('.row.notice', { hasText: 'the disk is full' }).first().waitFor();
    await waitUntilIdle(panel);
    await capture('faults-3-full-disk');
    await expect(panel.locator('.row.notice', { hasText: 'the disk is full' }).first()).toContainText(path);
    assert.deepEqual(readFileSync(path, 'utf8').split('\n').slice(0, acknowledged.length), acknowledged);

    rmSync(filler);
    await panel.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => readFileSync(path, 'utf8')).toContain('and longer');
    await panel.locator('.row.assistant', { hasText: 'Scripted model: you wrote “this one is long' }).waitFor();
    await waitUntilIdle(panel);
    const lines = readWhole(path);
    assert.deepEqual(lines.slice(0, acknowledged.length), acknowledged);
    const asked = lines.filter((line) => line.includes('"kind":"user"') && line.includes('and longer'));
    assert.equal(asked.length, 1, 'the message is there once');
    await capture('faults-4-disk-freed');
  } finally {
    run('umount', '-l', sessions);
  }
});

function fill(path: string): void {
  const page = Buffer.alloc(4096);
  for (let size = 64; size > 0; size--) {
    try {
      writeFileSync(path, Buffer.concat(Array.from({ length: size }, () => page)));
      return;
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'ENOSPC') throw thrown;
      rmSync(path, { force: true });
    }
  }
}

test('a session deleted while it is open', async ({ startHost, startScriptedModel, capture }) => {
  const { settings } = await startScriptedModel();
  const host = await startHost({ settings });
  const { panel } = host;
  await ask(panel, 'list the alder folder');
  const path = journalPath(host);
  const before = readWhole(path);
  rmSync(path);
  await ask(panel, 'after the file was deleted');
  const between = readWhole(path);
  assert.deepEqual(between.slice(0, before.length), before);
  rmSync(dirname(path), { recursive: true });
  await ask(panel, 'after the folder was deleted');
  const last = readWhole(path);
  assert.deepEqual(last.slice(0, between.length), between);
  await expect(panel.locator('.row.user')).toHaveCount(3);
  assert.equal(await panel.locator('.banner').count(), 0);
  await capture('faults-5-deleted');

  // Another file of that name is not ours to overwrite.
  rmSync(path);
  writeFileSync(path, 'somebody else’s\n');
  const composer = panel.getByRole('combobox', { name: 'Message' });
  await composer.fill('after another file took its name');
  await composer.press('Enter');
  await panel.locator('.row.notice', { hasText: 'another file has taken its name' }).first().waitFor();
  await waitUntilIdle(panel);
  await capture('faults-6-name-taken');
  assert.equal(readFileSync(path, 'utf8'), 'somebody else’s\n');
  rmSync(path);
  await expect(composer).toHaveValue('after another file took its name');
  await composer.press('Enter');
  await panel.locator('.row.user', { hasText: 'took its name' }).waitFor();
  await waitUntilIdle(panel);
  assert.deepEqual(readWhole(path).slice(0, last.length), last);
});
