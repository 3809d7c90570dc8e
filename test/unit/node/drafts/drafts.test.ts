/** What is being written is there again after any end of the window, and gone when it was sent or its session deleted. */

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Drafts } from '../../../../src/node/session/drafts.ts';
import { PastedTexts } from '../../../../src/node/session/pastedTexts.ts';
import { removeKept } from '../../../../src/node/storage/sessions/sessionStore.ts';
import type { Kept } from '../../../../src/protocol/kept.ts';

let folder = '';
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'pal-drafts-')), 'sessions');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

const faults: string[] = [];
const session = (id: string) => mkdirSync(join(folder, id), { recursive: true });
const files = (id: string) => readdirSync(join(folder, id)).sort();
const image = { kind: 'new', name: 'a.png', data: 'AAAA' } as const;

/** A window that opens these sessions. */
async function openWindow(...ids: readonly string[]): Promise<Drafts> {
  const folderOf = (id: string) => join(folder, id);
  const drafts = new Drafts({ folder, folderOf }, (_, text) => faults.push(text), new PastedTexts());
  for (const id of ['', ...ids]) await drafts.load(id);
  return drafts;
}

const kept = (draft: string, at = 1): Omit<Kept, 'images' | 'editingImages'> => ({
  at,
  draft,
  count: 60,
  anchor: { rowId: 'm3', offset: -4 },
  open: ['m3'],
  editing: null,
  pasted: false,
  reason: null,
});

/** What the next window finds. */
const next = (id: string) =>
  expect.poll(async () => {
    const drafts = await openWindow(id);
    return [drafts.get(id, 'view')?.draft, drafts.get(id, 'view')?.images.length, drafts.get(id, 'tab')?.draft];
  });

test('each session and each page has its own, images included, and the next window has them all', async () => {
  session('s1');
  const drafts = await openWindow('s1');
  expect(drafts.get('s1', 'view')).toBeNull();
  await drafts.keep({ type: 'keep', sessionId: '', kept: kept('before any session') }, 'view', true);
  await drafts.keep({ type: 'keep', sessionId: 's1', kept: kept('half'), images: [image] }, 'view', true);
  await drafts.keep({ type: 'keep', sessionId: 's1', kept: kept('half a thought', 2) }, 'view', true);
  await drafts.keep({ type: 'keep', sessionId: 's1', kept: kept('in the tab') }, 'tab', true);
  expect(drafts.get('s1', 'view')).toEqual({ ...kept('half a thought', 2), images: [image], editingImages: [] });
  // Shown again at once, by the same window.
  await drafts.load('s1');
  expect(drafts.get('s1', 'view')?.draft).toBe('half a thought');
  await next('s1').toEqual(['half a thought', 1, 'in the tab']);
  await next('').toEqual(['before any session', 0, undefined]);
  expect(faults).toEqual([]);
});

test('nothing of it is left once it was sent or the session deleted, and a late word brings nothing back', async () => {
  session('s1');
  const drafts = await openWindow('s1');
  await drafts.keep({ type: 'keep', sessionId: 's1', kept: kept('CANARY'), images: [image] }, 'view', true);
  await next('s1').toEqual(['CANARY', 1, undefined]);
  await drafts.keep({ type: 'keep', sessionId: 's1', kept: kept('', 2), images: [] }, 'view', true);
  await next('s1').toEqual(['', 0, undefined]);
  expect(
    files('s1')
      .map((name) => readFileSync(join(folder, 's1', name), 'utf8'))
      .join(),
  ).not.toContain('CANARY');
  await drafts.keep({ type: 'keep', sessionId: 's1', kept: kept('CANARY', 3) }, 'view', true);
  await drafts.forget('s1');
  await drafts.keep({ type: 'keep', sessionId: 's1', kept: kept('CANARY', 4) }, 'view', true);
  expect([files('s1'), drafts.get('s1', 'view')]).toEqual([[], null]);
});

test('a window that only reads the session writes nothing, and has its own place all the same', async () => {
  session('s1');
  const drafts = await openWindow('s1');
  await drafts.keep({ type: 'keep', sessionId: 's1', kept: kept('') }, 'view', false);
  expect([files('s1'), drafts.get('s1', 'view')?.anchor]).toEqual([[], { rowId: 'm3', offset: -4 }]);
});

test('what is being written comes along into a new session, and an edit of a message does not', async () => {
  session('s1');
  const drafts = await openWindow('s1');
  await drafts.keep({ type: 'keep', sessionId: '', kept: kept('earlier') }, 'view', true);
  const sent = { kind: 'sent', name: 'b.png', blob: 'a'.repeat(64) } as const;
  await drafts.keep({ type: 'keep', sessionId: 's1', kept: kept('half'), images: [image, sent] }, 'view', true);
  await drafts.takeAlong('s1');
  expect(drafts.get('', 'view')).toMatchObject({ draft: 'half\n\nearlier', images: [image] });
  expect(drafts.get('s1', 'view')).toMatchObject({ draft: '', images: [], anchor: { rowId: 'm3' } });
  const editing = { ...kept('other words'), editing: { rowId: 'm1', text: 'old words' } };
  await drafts.keep({ type: 'keep', sessionId: 's1', kept: editing }, 'view', true);
  await drafts.takeAlong('s1');
  expect(drafts.get('', 'view')).toMatchObject({ draft: 'other words\n\nhalf\n\nearlier', editing: null });
  expect(drafts.get('s1', 'view')).toMatchObject({ draft: '', editing: { rowId: 'm1', text: 'old words' } });
});

test('images of a message that is edited in its row are kept beside those of the draft', async () => {
  session('s1');
  const drafts = await openWindow('s1');
  const editing = { ...kept('half'), editing: { rowId: 'm1', text: 'old words' } };
  const pasted = { kind: 'new', name: 'pasted.png', data: 'BBBB' } as const;
  const images = [image];
  await drafts.keep({ type: 'keep', sessionId: 's1', kept: editing, images, editingImages: [pasted] }, 'view', true);
  await drafts.keep({ type: 'keep', sessionId: 's1', kept: editing }, 'view', true);
  const found = async () => (await openWindow('s1')).get('s1', 'view');
  await expect.poll(found).toMatchObject({ images, editingImages: [pasted], editing: { rowId: 'm1' } });
  await drafts.keep({ type: 'keep', sessionId: 's1', kept: kept('half'), editingImages: [] }, 'view', true);
  await expect.poll(found).toMatchObject({ images, editingImages: [], editing: null });
});

test('files of another version or of nobody are passed over, and redaction removes what holds the secret', async () => {
  session('s1');
  writeFileSync(join(folder, 's1', 'draft.view.json'), '{"draft": 7}');
  writeFileSync(join(folder, 's1', 'draft.view.images.json'), 'not JSON');
  writeFileSync(join(folder, 's1', 'queue.json'), '[{"text":"with CANARY"}]');
  writeFileSync(join(folder, 's1', 'journal.jsonl'), 'CANARY');
  expect((await openWindow('s1')).get('s1', 'view')).toBeNull();
  await removeKept(join(folder, 's1'), (bytes) => bytes.includes('CANARY'));
  expect(files('s1')).toEqual(['draft.view.images.json', 'draft.view.json', 'journal.jsonl']);
});
