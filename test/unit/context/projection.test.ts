import { describe, expect, it } from 'vitest';
import { messageId, type PlanOp } from '../../../src/core/journal/entry.ts';
import type { Journal } from '../../../src/core/journal/journal.ts';
import { memoryJournal } from '../../support/ports/memoryStore.ts';

async function say(journal: Journal, text: string): Promise<string> {
  const { seq } = await journal.append({ type: 'message', message: { role: 'user', kind: 'user', text }, tokens: 10 });
  return messageId(seq);
}

/** An assistant message with one call and its result; gives the ids of both. */
async function call(journal: Journal, name: string): Promise<[string, string]> {
  const id = `${name}-${journal.entries.length}`;
  const toolCalls = [{ id, name, arguments: '{"path":"a.ts"}' }];
  const asked = await journal.append({
    type: 'message',
    message: { role: 'assistant', text: '', toolCalls },
    tokens: 20,
  });
  const answered = await journal.append({
    type: 'message',
    message: { role: 'tool', toolCallId: id, toolName: name, text: `${name} result` },
    tokens: 100,
  });
  return [messageId(asked.seq), messageId(answered.seq)];
}

async function compact(journal: Journal, plan: readonly PlanOp[]): Promise<number> {
  const { seq } = await journal.append({
    type: 'compaction',
    base: journal.head ?? 0,
    plan,
    strategy: 'test',
    trigger: 'manual',
    tokensBefore: 0,
    tokensAfter: 0,
    durationMs: 0,
    attempt: 1,
  });
  return seq;
}

const summary = (text: string): PlanOp => ({
  op: 'insert',
  message: { role: 'user', kind: 'summary', text },
  tokens: 5,
});

const seen = (journal: Journal) => journal.context.conversation.map(({ id, message }) => `${id} ${message.text}`);

describe('projection', () => {
  it('shows what a plan keeps, replaces, drops and inserts, and keeps later messages', async () => {
    const { journal } = await memoryJournal();
    const first = await say(journal, 'first');
    const [asked, result] = await call(journal, 'read_file');
    const last = await say(journal, 'last');
    const seq = await compact(journal, [
      { op: 'drop', ids: [first] },
      summary('notes'),
      { op: 'keep', ids: [asked] },
      { op: 'replace', id: result, by: { text: '[hidden]', tokens: 4, hidden: true } },
      { op: 'keep', ids: [last] },
    ]);
    const later = await say(journal, 'later');
    expect(seen(journal)).toEqual([
      `c${seq}.0 notes`,
      `${asked} `,
      `${result} [hidden]`,
      `${last} last`,
      `${later} later`,
    ]);
    expect(journal.context.conversation.map(({ hidden }) => hidden)).toEqual([false, false, true, false, false]);
    expect(journal.context.slot(first)?.shown).toBe('dropped');
    expect(journal.context.slot(first)?.message.text).toBe('first');
  });

  it('undo is the identity, redo brings the compaction back, a new compaction clears redo', {
    tags: ['B1'],
  }, async () => {
    const { journal } = await memoryJournal();
    const first = await say(journal, 'first');
    await say(journal, 'second');
    const before = journal.context.conversation;
    const target = await compact(journal, [{ op: 'drop', ids: [first] }, summary('notes')]);
    const compacted = journal.context.conversation;
    await journal.append({ type: 'compactionUndone', target });
    expect(journal.context.conversation).toEqual(before);
    await journal.append({ type: 'compactionRedone', target });
    expect(journal.context.conversation).toEqual(compacted);
    await journal.append({ type: 'compactionUndone', target });
    await compact(journal, [{ op: 'drop', ids: [first] }]);
    await expect(journal.append({ type: 'compactionRedone', target })).rejects.toThrow('is not the one undone last');
  });

  it('expanding shows a hidden block whole, collapsing hides it again', { tags: ['B1'] }, async () => {
    const { journal } = await memoryJournal();
    const [asked, result] = await call(journal, 'read_file');
    await compact(journal, [{ op: 'replace', id: result, by: { text: '[hidden]', tokens: 4, hidden: true } }]);
    const ids = journal.context.blockOf(result);
    expect(ids).toEqual([asked, result]);
    await journal.append({ type: 'expanded', ids });
    expect(seen(journal)).toEqual([`${asked} `, `${result} read_file result`]);
    await journal.append({ type: 'collapsed', ids });
    expect(seen(journal)).toEqual([`${asked} `, `${result} [hidden]`]);
  });

  it('pinning shows an item whole and marks it, unpinning leaves it whole', { tags: ['B4'] }, async () => {
    const { journal } = await memoryJournal();
    const first = await say(journal, 'first');
    await compact(journal, [{ op: 'drop', ids: [first] }]);
    await journal.append({ type: 'pinned', ids: [first] });
    expect(journal.context.conversation).toMatchObject([{ id: first, pinned: true }]);
    await journal.append({ type: 'unpinned', ids: [first] });
    expect(journal.context.conversation).toMatchObject([{ id: first, pinned: false }]);
  });

  it('puts the results of parallel calls into one block and starts rounds at real user messages only', async () => {
    const { journal } = await memoryJournal();
    await say(journal, 'go');
    await journal.append({
      type: 'message',
      message: { role: 'user', kind: 'reminder', text: 'injected' },
      tokens: 1,
    });
    const toolCalls = ['a', 'b'].map((id) => ({ id, name: 'read_file', arguments: '{}' }));
    await journal.append({ type: 'message', message: { role: 'assistant', text: '', toolCalls }, tokens: 1 });
    for (const toolCallId of ['a', 'b']) {
      await journal.append({
        type: 'message',
        message: { role: 'tool', toolCallId, toolName: 'read_file', text: toolCallId },
        tokens: 1,
      });
    }
    await say(journal, 'next');
    expect(journal.context.conversation.map(({ block, round }) => [block, round])).toEqual([
      [1, 1],
      [2, 1],
      [3, 1],
      [3, 1],
      [3, 1],
      [4, 2],
    ]);
  });

  it('refuses, before anything has changed, a plan that names what is not there or comes too late', async () => {
    const { journal, store } = await memoryJournal();
    const first = await say(journal, 'first');
    const second = await say(journal, 'second');
    const base = journal.head ?? 0;
    const lines = store.lines.length;
    await expect(compact(journal, [{ op: 'drop', ids: ['m99'] }])).rejects.toThrow('m99, which is not in the context');
    await expect(compact(journal, [{ op: 'keep', ids: [second, first] }])).rejects.toThrow('m1 out of order');
    await journal.append({ type: 'pinned', ids: [first] });
    await expect(
      journal.append({
        type: 'compaction',
        base,
        plan: [],
        strategy: 'test',
        trigger: 'ahead',
        tokensBefore: 0,
        tokensAfter: 0,
        durationMs: 0,
        attempt: 1,
      }),
    ).rejects.toThrow(`entry 3 reshaped the context after its base ${base}`);
    expect(store.lines.length).toBe(lines + 1);
    expect(seen(journal)).toEqual([`${first} first`, `${second} second`]);
  });

  it('revert goes back across a compaction and the abandoned branch can be returned to', { tags: ['M3'] }, async () => {
    const { journal } = await memoryJournal();
    const first = await say(journal, 'first');
    const target = journal.head;
    await compact(journal, [{ op: 'drop', ids: [first] }, summary('notes')]);
    await say(journal, 'second');
    const abandoned = { head: journal.head, view: seen(journal) };
    await journal.revert(target, 'user');
    expect(seen(journal)).toEqual([`${first} first`]);
    await say(journal, 'other');
    await journal.revert(abandoned.head, 'user');
    expect(seen(journal)).toEqual(abandoned.view);
  });

  it('clear empties the context and keeps the old one in the file', { tags: ['M7'] }, async () => {
    const { journal } = await memoryJournal();
    await say(journal, 'first');
    const head = journal.head;
    await journal.revert(null, 'clear');
    expect(seen(journal)).toEqual([]);
    await journal.revert(head, 'user');
    expect(seen(journal)).toEqual(['m1 first']);
  });

  it('remembers the usage a provider reported until something reshapes the context', { tags: ['M9'] }, async () => {
    const { journal } = await memoryJournal();
    const first = await say(journal, 'first');
    const usage = { input: 100, cached: 0, output: 5, reasoning: 0 };
    await journal.append({ type: 'usage', model: 'm', usage });
    await journal.append({ type: 'usage', model: 'm', usage: { ...usage, input: 1 }, estimated: true });
    expect(journal.context.lastUsage?.usage).toEqual(usage);
    await compact(journal, [{ op: 'drop', ids: [first] }]);
    expect(journal.context.lastUsage).toBe(null);
  });
});
