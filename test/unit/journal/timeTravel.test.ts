import { describe, expect, it } from 'vitest';
import { listBranches, listOwn } from '../../../src/core/journal/branches.ts';
import type { EntryDraft } from '../../../src/core/journal/entry.ts';
import { Journal } from '../../../src/core/journal/journal.ts';
import {
  clearConversation,
  findCheckpoint,
  markItem,
  previewMove,
  returnToBranch,
  revertBeforeMessage,
  revertToCheckpoint,
} from '../../../src/core/journal/timeTravel.ts';
import { words } from '../../../src/core/words.ts';
import { entriesOf, memoryJournal, memoryStore, memoryStored } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';

const user = (text: string): EntryDraft => ({
  type: 'message',
  message: { role: 'user', kind: 'user', text },
  tokens: 10,
});
const answer = (text: string): EntryDraft => ({ type: 'message', message: { role: 'assistant', text }, tokens: 10 });

/** A turn as the loop writes it: checkpoint, message, answer. Gives the message's seq. */
async function turn(journal: Journal, text: string): Promise<number> {
  await journal.append({ type: 'checkpoint', id: journal.nextCheckpointId, label: text, toldModel: false });
  const { seq } = await journal.append(user(text));
  await journal.append(answer(`${text}!`));
  return seq;
}

async function dropAll(journal: Journal): Promise<void> {
  await journal.append({
    type: 'compaction',
    base: journal.head ?? 0,
    plan: [
      { op: 'drop', ids: journal.context.conversation.map(({ id }) => id) },
      { op: 'insert', message: { role: 'user', kind: 'summary', text: 'notes' }, tokens: 1 },
    ],
    strategy: 'test',
    trigger: 'manual',
    tokensBefore: 0,
    tokensAfter: 0,
    durationMs: 0,
    attempt: 1,
  });
}

const texts = (journal: Journal) => journal.context.conversation.map(({ message }) => message.text);
const DONE = { kind: 'done' };

describe('time travel', () => {
  it('goes back to a checkpoint across a compaction, and returns to the abandoned branch', {
    tags: ['M3'],
  }, async () => {
    const { journal } = await memoryJournal();
    await turn(journal, 'one');
    await turn(journal, 'two');
    await dropAll(journal);
    await turn(journal, 'three');
    expect(await revertToCheckpoint(journal, 1)).toEqual(DONE);
    expect(texts(journal)).toEqual(['one', 'one!']);
    const branches = listBranches(journal);
    expect(branches).toMatchObject([{ tip: 10, fork: 4, parts: 4, label: 'two', cause: 'user' }]);
    await turn(journal, 'other');
    expect(await returnToBranch(journal, branches[0]?.tip ?? -1)).toEqual(DONE);
    expect(texts(journal)).toEqual(['notes', 'three', 'three!']);
    expect(listBranches(journal).map(({ label }) => label)).toEqual(['other']);
    expect(await revertToCheckpoint(journal, 99)).toEqual({
      kind: 'refused',
      reason: words('There is no checkpoint {0}.', 99),
    });
  });

  it('a branch ends with the files that it had before going back restored others', async () => {
    const { journal } = await memoryJournal();
    await turn(journal, 'one');
    const last = journal.head;
    await journal.append({ type: 'files', cause: 'restore', files: [] });
    await revertToCheckpoint(journal, 0);
    expect(listBranches(journal)).toMatchObject([{ tip: (last ?? 0) + 1, end: last }]);
  });

  it('lists branches as a tree: each below the one that it leaves, the newest first, with what it shares', async () => {
    const { journal } = await memoryJournal();
    await turn(journal, 'one');
    await turn(journal, 'two');
    await turn(journal, 'three');
    await revertToCheckpoint(journal, 2);
    await turn(journal, 'three again');
    await revertToCheckpoint(journal, 1);
    await turn(journal, 'two again');
    await clearConversation(journal);
    await turn(journal, 'anew');
    const listed = listBranches(journal);
    expect(listed.map(({ label, depth, after, parts, cause }) => [label, depth, after, parts, cause])).toEqual([
      ['one', 0, '', 6, 'user'],
      ['two again', 1, 'one', 2, 'clear'],
      ['three again', 1, 'two', 2, 'user'],
    ]);
    const [trunk, second] = listed;
    expect([trunk?.from, second?.from, second?.fork]).toEqual([null, trunk?.tip, 4]);
    const own = listOwn(journal, second ?? expect.fail());
    expect(own.flatMap((entry) => (entry.type === 'message' ? [entry.message.text] : []))).toEqual([
      'two again',
      'two again!',
    ]);
  });

  it('edits and resends: the message, its checkpoint and its reminder leave', async () => {
    const { journal } = await memoryJournal();
    await turn(journal, 'one');
    await journal.append({ type: 'checkpoint', id: 1, label: 'two', toldModel: true });
    await journal.append({
      type: 'message',
      message: { role: 'user', kind: 'reminder', text: 'CHECKPOINT 1' },
      tokens: 1,
    });
    const { seq } = await journal.append(user('two'));
    expect(previewMove(journal, 3)).toEqual({ messages: 1, items: 2 });
    expect(await revertBeforeMessage(journal, seq)).toEqual(DONE);
    expect([journal.head, texts(journal)]).toEqual([3, ['one', 'one!']]);
    expect(await revertBeforeMessage(journal, 3)).toMatchObject({ kind: 'refused' });
  });

  it('clears, and says when there is nothing to clear', { tags: ['M7'] }, async () => {
    const { journal } = await memoryJournal();
    await turn(journal, 'one');
    expect(await clearConversation(journal)).toEqual(DONE);
    expect(texts(journal)).toEqual([]);
    expect(listBranches(journal)).toMatchObject([{ fork: null, parts: 2, label: 'one', cause: 'clear' }]);
    expect(await clearConversation(journal)).toMatchObject({ kind: 'refused' });
  });

  it('marks items once, and a pinned one is not collapsed', { tags: ['B4'] }, async () => {
    const { journal } = await memoryJournal();
    const seq = await turn(journal, 'one');
    const id = `m${seq}`;
    await dropAll(journal);
    const marks = async (...each: Parameters<typeof markItem>[2][]) => {
      const kinds: string[] = [];
      for (const mark of each) kinds.push((await markItem(journal, id, mark)).kind);
      return kinds;
    };
    expect(await marks('unpinned', 'pinned', 'pinned', 'expanded', 'collapsed')).toEqual([
      'refused',
      'done',
      'refused',
      'refused',
      'refused',
    ]);
    expect(await marks('unpinned', 'collapsed', 'expanded')).toEqual(['done', 'done', 'done']);
    expect(await markItem(journal, 'm99', 'pinned')).toMatchObject({ kind: 'refused' });
  });
});

describe('a large session', () => {
  it('lists its branches and finds a checkpoint without reading what it does not show', async () => {
    const { journal, store } = await memoryJournal();
    await turn(journal, 'one');
    for (let i = 0; i < 30; i++) await turn(journal, `left behind ${i}`);
    await revertToCheckpoint(journal, 1);
    await turn(journal, 'other');
    const stored = memoryStored(entriesOf(store.lines));
    const ports = { store: memoryStore(store.lines), clock: testClock(), crypto: testCrypto() };
    const scanned = Journal.scan(stored, ports);
    expect(listBranches(scanned)).toEqual(listBranches(journal));
    stored.reads = 0;
    expect(listBranches(scanned).length).toBe(1);
    expect(stored.reads).toBeLessThan(8);
    expect(findCheckpoint(scanned, 3)).toEqual(findCheckpoint(journal, 3));
    const [left] = listBranches(scanned);
    stored.reads = 0;
    expect(previewMove(scanned, left?.tip ?? null)).toEqual(previewMove(journal, left?.tip ?? null));
    // The messages of the branch are shown when one returns to it, so they are read; of the path nothing else is.
    expect(stored.reads).toBeLessThan(70);
  });
});
