import { describe, expect, it } from 'vitest';
import { listBranches } from '../../../src/core/journal/branches.ts';
import type { EntryDraft } from '../../../src/core/journal/entry.ts';
import { Journal } from '../../../src/core/journal/journal.ts';
import {
  clearConversation,
  findCheckpoint,
  markItem,
  previewMove,
  previewStep,
  returnToBranch,
  revertBeforeMessage,
  revertToCheckpoint,
  revertToEntry,
  stepCompaction,
} from '../../../src/core/journal/timeTravel.ts';
import { words } from '../../../src/core/words.ts';
import { entriesOf, memoryJournal, memoryStore, memoryStored } from '../../support/memoryStore.ts';
import { testCrypto } from '../../support/nodeCrypto.ts';
import { testClock } from '../../support/testClock.ts';

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
  it('M3: goes back to a checkpoint across a compaction, and returns to the abandoned branch', async () => {
    const { journal } = await memoryJournal();
    await turn(journal, 'one');
    await turn(journal, 'two');
    await dropAll(journal);
    await turn(journal, 'three');
    expect(await revertToCheckpoint(journal, 1)).toEqual(DONE);
    expect(texts(journal)).toEqual(['one', 'one!']);
    const branches = listBranches(journal);
    expect(branches).toMatchObject([{ tip: 10, fork: 4, messages: 4, label: 'two', cause: 'user' }]);
    await turn(journal, 'other');
    expect(await returnToBranch(journal, branches[0]?.tip ?? -1)).toEqual(DONE);
    expect(texts(journal)).toEqual(['notes', 'three', 'three!']);
    expect(listBranches(journal).map(({ label }) => label)).toEqual(['other']);
    expect(await revertToCheckpoint(journal, 99)).toEqual({
      kind: 'refused',
      reason: words('There is no checkpoint {0}.', 99),
    });
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
    expect(previewMove(journal, 3)).toEqual({ tokensBefore: 31, tokensAfter: 20, messagesLeft: 2, messagesBack: 0 });
    expect(await revertBeforeMessage(journal, seq)).toEqual(DONE);
    expect([journal.head, texts(journal)]).toEqual([3, ['one', 'one!']]);
    expect(await revertBeforeMessage(journal, 3)).toMatchObject({ kind: 'refused' });
  });

  it('never cuts a call off from its results', async () => {
    const { journal } = await memoryJournal();
    await journal.append(user('go'));
    const toolCalls = ['a', 'b'].map((id) => ({ id, name: 'read_file', arguments: '{}' }));
    await journal.append({ type: 'message', message: { role: 'assistant', text: '', toolCalls }, tokens: 1 });
    for (const toolCallId of ['a', 'b']) {
      const message = { role: 'tool', toolCallId, toolName: 'read_file', text: toolCallId } as const;
      await journal.append({ type: 'message', message, tokens: 1 });
    }
    await journal.append(answer('done'));
    for (const seq of [2, 3, 4]) {
      await returnToBranch(journal, 5);
      expect(await revertToEntry(journal, seq)).toEqual(DONE);
      expect(journal.head).toBe(4);
    }
    await returnToBranch(journal, 5);
    await revertToEntry(journal, 1);
    expect(journal.head).toBe(1);
  });

  it('M7: clears, and says when there is nothing to clear', async () => {
    const { journal } = await memoryJournal();
    await turn(journal, 'one');
    expect(await clearConversation(journal)).toEqual(DONE);
    expect(texts(journal)).toEqual([]);
    expect(listBranches(journal)).toMatchObject([{ fork: null, messages: 2, label: 'one', cause: 'clear' }]);
    expect(await clearConversation(journal)).toMatchObject({ kind: 'refused' });
  });

  it('B1: steps compactions back and forth and says the size first', async () => {
    const { journal } = await memoryJournal();
    await turn(journal, 'one');
    expect(previewStep(journal, 'undo')).toBe(null);
    await dropAll(journal);
    expect(previewStep(journal, 'undo')).toMatchObject({ tokensBefore: 1, tokensAfter: 20 });
    expect(await stepCompaction(journal, 'undo')).toEqual(DONE);
    expect(previewStep(journal, 'redo')).toMatchObject({ tokensBefore: 20, tokensAfter: 1 });
    expect(await stepCompaction(journal, 'undo')).toMatchObject({ kind: 'refused' });
    expect(await stepCompaction(journal, 'redo')).toEqual(DONE);
    expect(texts(journal)).toEqual(['notes']);
  });

  it('B4: marks items once, and a pinned one is not collapsed', async () => {
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
    expect(stored.reads).toBeLessThan(5);
    expect(findCheckpoint(scanned, 3)).toEqual(findCheckpoint(journal, 3));
    const [left] = listBranches(scanned);
    stored.reads = 0;
    expect(previewMove(scanned, left?.tip ?? null)).toEqual(previewMove(journal, left?.tip ?? null));
    // The messages of the branch are shown when one returns to it, so they are read; of the path nothing else is.
    expect(stored.reads).toBeLessThan(70);
    stored.reads = 0;
    expect(await revertToEntry(scanned, 2)).toEqual(DONE);
    expect([scanned.head, stored.reads < 5]).toEqual([2, true]);
  });
});
