import { describe, expect, it } from 'vitest';
import { type DMail, DMailBox } from '../../../src/core/agent/parts/dmail.ts';
import { ToolError } from '../../../src/core/errors.ts';
import { listBranches } from '../../../src/core/journal/branches.ts';
import type { Journal } from '../../../src/core/journal/journal.ts';
import { sendMessageToPast } from '../../../src/core/tools/builtIn/sendMessageToPast.ts';
import { words } from '../../../src/core/words.ts';
import { memoryJournal } from '../../support/ports/memoryStore.ts';

async function turn(journal: Journal, text: string): Promise<void> {
  await journal.append({ type: 'checkpoint', id: journal.nextCheckpointId, label: text, toldModel: true });
  await journal.append({ type: 'message', message: { role: 'user', kind: 'user', text }, tokens: 5 });
  await journal.append({ type: 'message', message: { role: 'assistant', text: `${text}!` }, tokens: 5 });
}

const texts = (journal: Journal) => journal.context.conversation.map(({ message }) => message.text.split('\n').at(-1));

const refusal = (act: () => void) => {
  try {
    act();
    return 'scheduled';
  } catch (thrown) {
    if (!(thrown instanceof ToolError)) throw thrown;
    return thrown.message;
  }
};

describe('D-Mail', () => {
  it('goes back across a compaction, takes the open request along, leaves a reminder there, and says so', {
    tags: ['M4'],
  }, async () => {
    const { journal } = await memoryJournal();
    await turn(journal, 'one');
    await turn(journal, 'two');
    const ids = journal.context.conversation.map(({ id }) => id);
    await journal.append({
      type: 'compaction',
      base: journal.head ?? 0,
      plan: [{ op: 'drop', ids }],
      strategy: 'test',
      trigger: 'manual',
      tokensBefore: 0,
      tokensAfter: 0,
      durationMs: 0,
      attempt: 1,
    });
    const box = new DMailBox(journal, 3, () => null);
    expect(await box.deliver()).toBe(false);
    box.schedule({ checkpoint: 1, message: 'The cache is not the cause.' });
    expect(await box.deliver()).toBe(true);
    // What the person asked last comes along.
    expect(texts(journal)).toEqual(['one', 'one!', 'two', 'The cache is not the cause.']);
    expect(journal.context.conversation.at(-1)?.kind).toBe('reminder');
    expect(listBranches(journal)).toMatchObject([{ label: 'two', cause: 'dmail' }]);
    expect(journal.entries.at(-1)).toMatchObject({ type: 'note', text: expect.stringContaining('checkpoint 1') });
    expect(await box.deliver()).toBe(false);
  });

  it('takes along all that the person said in the turn, and nothing of an earlier one', { tags: ['M4'] }, async () => {
    const { journal } = await memoryJournal();
    await turn(journal, 'one');
    await turn(journal, 'two');
    await journal.append({ type: 'message', message: { role: 'user', kind: 'user', text: 'and this' }, tokens: 5 });
    const box = new DMailBox(journal, 3, () => null);
    box.schedule({ checkpoint: 0, message: 'Once more.' });
    await box.deliver();
    expect(texts(journal)).toEqual(['two', 'and this', 'Once more.']);
    // Again, from where they stand now.
    box.schedule({ checkpoint: 0, message: 'And again.' });
    await box.deliver();
    expect(texts(journal)).toEqual(['two', 'and this', 'And again.']);
  });

  it('the report of a subagent goes to the newest checkpoint, leaves the files, and can be taken back', {
    tags: ['M4'],
  }, async () => {
    const { journal } = await memoryJournal();
    await turn(journal, 'one');
    await turn(journal, 'two');
    const restored: number[] = [];
    const restore = async (moment: number) => {
      restored.push(moment);
      return { restored: [], skipped: [], entry: null };
    };
    const box = new DMailBox(journal, 3, () => restore);
    const from = { agent: 'finder', session: 's2', title: 'Look' };
    box.scheduleReport({ message: 'Never mind.', from })();
    expect(await box.deliver()).toBe(false);
    box.scheduleReport({ message: 'Line 7.', from });
    expect(await box.deliver()).toBe(true);
    expect([restored, texts(journal).at(-1)]).toEqual([[], 'Line 7.']);
    expect(journal.context.conversation.at(-1)?.message.text).toContain(
      'finder (session s2), sent back to checkpoint 1',
    );
    expect(journal.entries.at(-1)).toMatchObject({ dmail: { checkpoint: 1, from: 'finder' } });
  });

  it('is guarded: existing checkpoints only, one at a time, at most so many a turn', { tags: ['M4'] }, async () => {
    const { journal } = await memoryJournal();
    await turn(journal, 'one');
    const box = new DMailBox(journal, 2, () => null);
    const send = (checkpoint: number, message = 'x') => refusal(() => box.schedule({ checkpoint, message }));
    expect(send(7)).toBe('There is no checkpoint 7 in this conversation. The checkpoints are 0.');
    expect(send(0, ' ')).toContain('The message is empty');
    expect(send(0)).toBe('scheduled');
    expect(send(0)).toContain('scheduled already');
    await box.deliver();
    expect(send(0)).toBe('scheduled');
    await box.deliver();
    expect(send(0)).toContain('which is the limit');
    box.beginTurn();
    expect(send(0)).toBe('scheduled');
  });

  it('restores files where the person allows it, and names what was left', { tags: ['M4'] }, async () => {
    const { journal } = await memoryJournal();
    await turn(journal, 'one');
    const moments: number[] = [];
    const skipped = [{ path: 'b.ts', reason: words('somebody else changed it since') }];
    const restore = async (moment: number) => {
      moments.push(moment);
      return { restored: ['a.ts'], skipped, entry: null };
    };
    const box = new DMailBox(journal, 3, () => restore);
    box.schedule({ checkpoint: 0, message: 'again' });
    await box.deliver();
    expect(moments).toEqual([1]);
    expect(journal.context.conversation.at(-1)?.message.text).toContain('were restored, except b.ts.');
    expect(journal.entries.at(-1)).toMatchObject({
      detail: 'One file was restored. One was left as it is.\na.ts\nb.ts: somebody else changed it since',
      dmail: { checkpoint: 0, message: 'again' },
    });
  });

  it('tells the model nothing about files that it cannot rely on', { tags: ['M4'] }, async () => {
    const skipped = [{ path: 'b.bin', reason: words('it has 9 bytes') }];
    const told: string[] = [];
    for (const outcome of [null, { restored: [], skipped: [], entry: null }, { restored: [], skipped, entry: null }]) {
      const { journal } = await memoryJournal();
      await turn(journal, 'one');
      const box = new DMailBox(journal, 3, () => outcome && (async () => outcome));
      box.schedule({ checkpoint: 0, message: 'again' });
      await box.deliver();
      const text = journal.context.conversation.at(-1)?.message.text ?? '';
      told.push(/this conversation\. (.*)/.exec(text)?.[1] ?? '');
    }
    expect(told).toEqual([
      'The files in the workspace were left as your later self made them.',
      'No file is known to have been changed after it.',
      'The files changed after it could not be restored: b.bin.',
    ]);
  });

  it('the tool answers "scheduled" and changes nothing before it is delivered', { tags: ['M4'] }, async () => {
    const { journal } = await memoryJournal();
    await turn(journal, 'one');
    const box = new DMailBox(journal, 3, () => null);
    const length = journal.entries.length;
    const prepared = await sendMessageToPast.prepare({ checkpoint: 0, message: 'x' }, {
      session: { scheduleDMail: (mail: DMail) => box.schedule(mail) },
    } as never);
    const outcome = await prepared.run({ onOutput: () => undefined, signal: AbortSignal.abort() });
    expect(outcome.text).toContain('Scheduled');
    expect(journal.entries.length).toBe(length);
  });
});
