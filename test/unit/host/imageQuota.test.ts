/** What checkpoints keep stays within its limit, the oldest goes first, and the sum is known. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readAgentSettings } from '../../../src/node/agentSettings.ts';
import { ImageQuota } from '../../../src/node/storage/sessions/imageQuota.ts';
import { SessionStore } from '../../../src/node/storage/sessions/sessionStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('images over the quota go, the oldest first; other bodies stay', async () => {
  const clock = { now: Date.now };
  const store = new SessionStore({ folder, workspace: null, engine: 'palimpsest/test', clock, crypto: testCrypto() });
  const { journal, blobs } = await store.create();
  const { settings } = readAgentSettings((key) => ({
    value: key === 'checkpoints.quota' ? 1 : undefined,
    explicit: false,
  }));
  let told = 0;
  const log = () => undefined;
  const quota = new ImageQuota(
    () => [folder],
    () => settings,
    clock,
    log,
  );
  quota.onDidCount(() => told++);
  const counted = quota.count(blobs);
  const names: string[] = [];
  for (const letter of ['a', 'b', 'c']) {
    const before = await counted.put(new TextEncoder().encode(letter.repeat(300_000)));
    await journal.append({ type: 'files', cause: 'tool', files: [{ path: letter, before, restorable: true }] });
    names.push(before);
  }
  const other = await blobs.put(new TextEncoder().encode('x'.repeat(500_000)));
  expect([quota.bytes, quota.limit]).toEqual([900_000, 1_000_000]);
  names.push(await counted.put(new TextEncoder().encode('d'.repeat(300_000))));
  await journal.append({
    type: 'files',
    cause: 'tool',
    files: [{ path: 'd', before: names[3] ?? null, restorable: true }],
  });
  await expect.poll(() => told).toBe(1);
  await quota.sweep();
  const kept = await Promise.all([...names, other].map(async (name) => (await blobs.get(name)) !== null));
  expect(kept).toEqual([false, true, true, true, true]);
  expect(quota.bytes).toBe(900_000);
  await journal.close();
});

test('full outputs stay for seven days, or for those of the setting', { tags: ['N9'] }, async () => {
  for (const days of [undefined, 30]) {
    const clock = { now: Date.now };
    const sessions = join(folder, `${days}`);
    const store = new SessionStore({
      folder: sessions,
      workspace: null,
      engine: 'palimpsest/test',
      clock,
      crypto: testCrypto(),
    });
    const { journal, blobs } = await store.create();
    const blob = await blobs.put(new TextEncoder().encode(`whole ${days}`));
    const truncation = { by: 'formatter', direction: 'head', originalLines: 9, originalBytes: 9, blob } as const;
    const message = { role: 'tool', toolCallId: 'c', toolName: 't', text: 'part', truncation } as const;
    await journal.append({ type: 'message', message, tokens: 1 });
    const { settings } = readAgentSettings((key) => ({
      value: key === 'agent.output.days' ? days : undefined,
      explicit: false,
    }));
    const keptAfter = async (passed: number) => {
      const now = () => Date.now() + passed * 86_400_000;
      const agentSettings = () => settings;
      await new ImageQuota(
        () => [sessions],
        agentSettings,
        { now },
        () => undefined,
      ).sweep();
      return (await blobs.get(blob)) !== null;
    };
    const limit = days ?? 7;
    expect([await keptAfter(limit - 0.5), await keptAfter(limit + 0.5)]).toEqual([true, false]);
    await journal.close();
  }
});

test('nothing goes while a restore runs: what it gives back is the oldest', async () => {
  const clock = { now: Date.now };
  const store = new SessionStore({ folder, workspace: null, engine: 'palimpsest/test', clock, crypto: testCrypto() });
  const { journal, blobs } = await store.create();
  const { settings } = readAgentSettings((key) => ({
    value: key === 'checkpoints.quota' ? 1 : undefined,
    explicit: false,
  }));
  let told = 0;
  const log = () => undefined;
  const quota = new ImageQuota(
    () => [folder],
    () => settings,
    clock,
    log,
  );
  quota.onDidCount(() => told++);
  const counted = quota.count(blobs);
  const keep = async (letter: string) => {
    const before = await counted.put(new TextEncoder().encode(letter.repeat(600_000)));
    await journal.append({ type: 'files', cause: 'restore', files: [{ path: letter, before, restorable: true }] });
    return before;
  };
  const oldest = await keep('a');
  await quota.hold(async () => {
    await keep('b');
    await quota.sweep();
    expect(await blobs.get(oldest)).not.toBe(null);
  });
  await expect.poll(() => blobs.get(oldest)).toBe(null);
  await expect.poll(() => told).toBe(1);
  await journal.close();
});
