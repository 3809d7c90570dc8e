/**
 * A session's life as the product leads it: journals on a disk, the agent as it is composed, the shipped defaults. What is
 * compared is what the file holds and what the model was sent.
 */

import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listBranches } from '../../../src/core/journal/branches.ts';
import type { Entry } from '../../../src/core/journal/entry.ts';
import {
  clearConversation,
  returnToBranch,
  revertBeforeMessage,
  revertToCheckpoint,
} from '../../../src/core/journal/timeTravel.ts';
import { countTokens } from '../../../src/core/tokens/estimate.ts';
import { words } from '../../../src/core/words.ts';
import { openCheckpointFiles } from '../../../src/node/files/checkpointFiles.ts';
import { SessionStore } from '../../../src/node/storage/sessions/sessionStore.ts';
import { createMemoryShell } from '../../support/ports/memoryShell.ts';
import { memoryBlobs } from '../../support/ports/memoryStore.ts';
import { NO_BACKGROUND } from '../../support/ports/noBackground.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { ScriptedModel, type Step } from '../../support/ports/scriptedModel.ts';
import { testClock } from '../../support/ports/testClock.ts';
import { type TestAgentOptions, testAgent } from '../../support/testAgent.ts';
import { windowFor } from '../../support/windowFor.ts';
import { createTemporaryFolder, openFolder } from '../node/files/temporaryFolder.ts';

let folder = '';
let store: SessionStore;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-'));
  store = new SessionStore({
    folder,
    workspace: null,
    engine: 'palimpsest/test',
    clock: testClock(),
    crypto: testCrypto(),
  });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const reminded = (text: string) => `user: <system-reminder>\n${text}\n</system-reminder>`;
const going = new AbortController().signal;

/** A new session, or a stored one by its id. */
async function begin(
  id: string | null,
  steps: readonly Step[],
  { window, ...options }: TestAgentOptions & { readonly window?: number } = {},
) {
  const session = id === null ? await store.create() : await store.open(id);
  const model = new ScriptedModel(steps);
  const { agent, files } = await testAgent(model.choice(window), { session, ...options });
  const lines = async () => (await readFile(join(session.folder, 'journal.jsonl'), 'utf8')).trim().split('\n');
  const sent = () => model.requests.at(-1)?.messages.map(({ role, text }) => `${role}: ${text}`) ?? [];
  return { id: session.id, agent, journal: agent.journal, model, files, lines, sent };
}

function brief(entry: Entry): string {
  switch (entry.type) {
    case 'message':
      return `${entry.message.role}: ${entry.message.text.slice(0, 20)}`;
    case 'checkpoint':
      return `checkpoint ${entry.id}`;
    default:
      return entry.type;
  }
}

const stories = async (lines: Promise<readonly string[]>) => (await lines).map((line) => brief(JSON.parse(line)));
const said = (text: string): Step => ({ text, usage: null });
/** Once it is read it fits into the window, and twice it does not. */
const LONG = 'some words of a file that is long enough\n'.repeat(300);
const read: Step = { calls: [['read_file', { path: 'a.txt' }]], usage: null };

describe('a session on a disk', () => {
  it('checkpoint 0, message, checkpoint, step, compaction when it is needed, on with the loop; and again after a restore', {
    tags: ['M8'],
  }, async () => {
    const steps = [said('Hello. '.repeat(300)), read, read, said('They read a.txt.'), 'Done.'];
    const compaction = { strategy: 'llm-summary' };
    const window = await windowFor(1.4 * countTokens(LONG));
    const first = await begin(null, steps, { window, files: { 'a.txt': LONG }, compaction });
    expect(await first.agent.send('Hi', going)).toEqual({ kind: 'done' });
    expect(await first.agent.send('Read it', going)).toEqual({ kind: 'done' });
    first.model.assertDone();
    await first.journal.close();
    const turn = ['request', 'assistant: ', 'usage', 'tool: a.txt: lines 1-300 o'];
    expect(await stories(first.lines())).toEqual([
      'session',
      'configured',
      'header',
      'checkpoint 0',
      'user: Hi',
      'checkpoint 1',
      'request',
      'assistant: Hello. Hello. Hello.',
      'usage',
      'checkpoint 2',
      'user: Read it',
      'checkpoint 3',
      ...turn,
      ...turn,
      // Half of the target is asked for at once, because "Hello." alone is too little for a summary.
      'request',
      'summaryUsage',
      'compaction',
      'request',
      'assistant: Done.',
      'usage',
    ]);
    const again = await begin(first.id, ['Back.'], { window, compaction });
    expect(await again.agent.send('Still there?', going)).toEqual({ kind: 'done' });
    expect((await stories(again.lines())).slice(-6)).toEqual([
      'checkpoint 4',
      'user: Still there?',
      'checkpoint 5',
      'request',
      'assistant: Back.',
      'usage',
    ]);
    expect(again.sent().map((text) => text.slice(0, 24))).toEqual([
      'system: You are Palimpse',
      // The notes, and their ledger.
      'user: <context-notes>\nEa',
      'user: <context-notes>\nEa',
      'user: Read it',
      'assistant: ',
      'tool: a.txt: lines 1-300',
      'assistant: Done.',
      'user: Still there?',
    ]);
    await again.journal.close();
  });

  it('each turn has a checkpoint before its message and one after it, of which the model hears nothing by default', {
    tags: ['M2', 'M8'],
  }, async () => {
    const first = await begin(null, ['One.', 'Two.']);
    await first.agent.send('one', going);
    await first.agent.send('two', going);
    const marks = (await stories(first.lines())).filter((line) => /^(checkpoint|user)/.test(line));
    expect(marks).toEqual(['checkpoint 0', 'user: one', 'checkpoint 1', 'checkpoint 2', 'user: two', 'checkpoint 3']);
    expect(first.sent().slice(1)).toEqual(['user: one', 'assistant: One.', 'user: two']);
    expect(first.journal.checkpoints).toMatchObject([
      { id: 0, label: 'one', toldModel: false },
      { id: 1, label: 'one', toldModel: false, afterMessage: true },
      { id: 2, label: 'two', toldModel: false },
      { id: 3, label: 'two', toldModel: false, afterMessage: true },
    ]);
    await revertToCheckpoint(first.journal, 2);
    await first.journal.close();
    // The number of the one that was left is not used again.
    const again = await begin(first.id, ['Three.']);
    await again.agent.send('three', going);
    expect(again.journal.checkpoints.map(({ id }) => id)).toEqual([0, 1, 2, 4, 5]);
    await again.journal.close();
  });

  it('told, the model reads the number right before the message, in a reminder', { tags: ['M2'] }, async () => {
    const { agent, sent, journal } = await begin(null, ['One.', 'Two.'], { settings: { tellCheckpoints: true } });
    await agent.send('one', going);
    await agent.send('two', going);
    expect(sent().slice(1)).toEqual([
      reminded('CHECKPOINT 0'),
      'user: one',
      'assistant: One.',
      reminded('CHECKPOINT 2'),
      'user: two',
    ]);
    expect(journal.checkpoints.map(({ toldModel }) => toldModel)).toEqual([true, false, true, false]);
    await journal.close();
  });

  it('back to a checkpoint across a compaction, on from there, and to the branch that was left, each also after a restore', {
    tags: ['M3'],
  }, async () => {
    const steps = [said('One. '.repeat(400)), said('Two. '.repeat(400)), said('They counted.'), 'Three.'];
    const first = await begin(null, steps, { compaction: { strategy: 'llm-summary' } });
    await first.agent.send('one', going);
    await first.agent.send('two', going);
    const whole = first.sent().slice(1);
    expect((await first.agent.compactor.compact({ trigger: 'manual' }, going)).kind).toBe('compacted');
    await first.agent.send('three', going);
    expect(first.sent().some((text) => text.includes('They counted.'))).toBe(true);
    const written = await first.lines();
    expect(await revertToCheckpoint(first.journal, 2)).toEqual({ kind: 'done' });
    await first.journal.close();

    const second = await begin(first.id, ['Other.']);
    await second.agent.send('other', going);
    // As it was before the second message, whatever was compacted since.
    expect(second.sent().slice(1)).toEqual([...whole.slice(0, -1), 'user: other']);
    const [branch] = listBranches(second.journal);
    expect(branch).toMatchObject({ label: 'two', cause: 'user', parts: 4 });
    expect(await returnToBranch(second.journal, branch?.tip ?? -1)).toEqual({ kind: 'done' });
    await second.journal.close();

    const third = await begin(first.id, ['Four.']);
    await third.agent.send('four', going);
    expect(third.sent().slice(1, -1)).toEqual([...first.sent().slice(1), 'assistant: Three.']);
    expect(listBranches(third.journal)).toMatchObject([{ label: 'other', parts: 2 }]);
    await third.journal.close();
    // Nothing that stood in the file was rewritten.
    expect((await third.lines()).slice(0, written.length)).toEqual(written);
  });

  it('back to the checkpoint after a message, and answered once more; nothing of the first answer is sent', {
    tags: ['M8'],
  }, async () => {
    const first = await begin(null, ['One.', 'Two.']);
    await first.agent.send('one', going);
    await first.agent.send('two', going);
    expect(await revertToCheckpoint(first.journal, 3)).toEqual({ kind: 'done' });
    await first.journal.close();
    const again = await begin(first.id, ['Two, otherwise.']);
    expect(await again.agent.continue(going)).toEqual({ kind: 'done' });
    expect(again.sent().slice(1)).toEqual(['user: one', 'assistant: One.', 'user: two']);
    expect(again.journal.context.conversation.at(-1)?.message.text).toBe('Two, otherwise.');
    expect(listBranches(again.journal)).toMatchObject([{ label: 'Two.', parts: 1 }]);
    // Editing the message afterwards goes back before it, checkpoint and all.
    const seq = again.journal.entries.find((entry) => entry.type === 'message' && entry.message.text === 'two')?.seq;
    expect(await revertBeforeMessage(again.journal, seq ?? -1)).toEqual({ kind: 'done' });
    expect(again.journal.checkpoints.map(({ id }) => id)).toEqual([0, 1]);
    await again.journal.close();
  });

  it('cleared, the model is sent an empty conversation, and the old one can be gone back to, also after a restore', {
    tags: ['M7'],
  }, async () => {
    const first = await begin(null, ['One.', 'New.']);
    await first.agent.send('one', going);
    const written = await first.lines();
    expect(await clearConversation(first.journal)).toEqual({ kind: 'done' });
    expect(first.journal.context.conversation).toEqual([]);
    const reason = words('The conversation is already empty.');
    expect(await clearConversation(first.journal)).toEqual({ kind: 'refused', reason });
    await first.agent.send('new', going);
    expect(first.sent().map((text) => text.slice(0, 12))).toEqual(['system: You ', 'user: new']);
    await first.journal.close();

    const again = await begin(first.id, ['Two.']);
    const [branch] = listBranches(again.journal);
    expect(branch).toMatchObject({ cause: 'clear', label: 'one', parts: 2 });
    await returnToBranch(again.journal, branch?.tip ?? -1);
    await again.agent.send('two', going);
    expect(again.sent().slice(1)).toEqual(['user: one', 'assistant: One.', 'user: two']);
    await again.journal.close();
    expect((await again.lines()).slice(0, written.length)).toEqual(written);
  });
});

const mail = (checkpoint: number, message = 'Nothing is there.') =>
  ['send_message_to_past', { checkpoint, message }] as const;

describe('D-Mail in a session on a disk', () => {
  it('is not offered by default', { tags: ['M4'] }, async () => {
    const { agent, model, journal } = await begin(null, ['One.']);
    await agent.send('one', going);
    expect(model.requests[0]?.tools?.map(({ name }) => name)).not.toContain('send_message_to_past');
    await journal.close();
  });

  it('goes back, takes the open request along, leaves the message there, and is guarded', {
    tags: ['M4'],
  }, async () => {
    const steps: Step[] = [
      said('One.'),
      { calls: [['read_file', { path: 'a.txt' }]], usage: null },
      { calls: [mail(9), mail(2), mail(2)], usage: null },
      // Three a turn is the default, and those that were refused do not count.
      { calls: [mail(2)], usage: null },
      { calls: [mail(2)], usage: null },
      { calls: [mail(2)], usage: null },
      'Nothing is there.',
    ];
    const session = await begin(null, steps, { settings: { dmail: true }, files: { 'a.txt': LONG } });
    const { agent, journal, model } = session;
    await agent.send('one', going);
    expect(await agent.send('Find it', going)).toEqual({ kind: 'done' });
    model.assertDone();
    await journal.close();

    const entries: Entry[] = (await session.lines()).map((line) => JSON.parse(line));
    const results = entries.flatMap((entry) =>
      entry.type === 'message' && entry.message.role === 'tool' && entry.message.toolName === 'send_message_to_past'
        ? [entry.message.text]
        : [],
    );
    expect(
      results.map((text) => /no checkpoint 9|scheduled already|Scheduled|which is the limit/.exec(text)?.[0]),
    ).toEqual(['no checkpoint 9', 'Scheduled', 'scheduled already', 'Scheduled', 'Scheduled', 'which is the limit']);
    // What the model is sent after the first: the long output is gone, the request and the message are there.
    const after = model.requests[3]?.messages.map(({ role, text }) => `${role}: ${text}`) ?? [];
    expect(after.some((text) => text.includes('some words of a file'))).toBe(false);
    expect(after.slice(-3, -1).map((text) => text.split('\n').slice(0, 2).join(' ').slice(0, 60))).toEqual([
      'user: Find it',
      'user: <system-reminder> Message from your later self, sent b',
    ]);
    expect(after.at(-2)).toContain('Nothing is there.');
    const again = await begin(session.id, []);
    expect(listBranches(again.journal).map(({ cause }) => cause)).toEqual(['dmail', 'dmail', 'dmail']);
    expect(again.journal.context.conversation.at(-1)?.message.text).toBe('Nothing is there.');
    await again.journal.close();
  });
});

describe('D-Mail and files', () => {
  const top = createTemporaryFolder();
  const root = join(top, 'ws');

  it.each([
    [false, 'new', 'The files in the workspace were left as your later self made them.'],
    [true, 'old', 'The files you had changed after it were restored.'],
  ])(
    'files go back with it only where the person allows it: %s',
    { tags: ['M4'] },
    async (dmailRestoresFiles, held, told) => {
      await mkdir(root, { recursive: true });
      await writeFile(join(root, 'a.txt'), 'old');
      const folders = [{ name: 'ws', path: root }];
      const files = await openFolder(root, { folders });
      const disk = await openCheckpointFiles({ files, folders, onSave: () => () => undefined });
      const blobs = memoryBlobs();
      const steps: Step[] = [
        { calls: [['write_file', { path: 'a.txt', content: 'new' }]] },
        { calls: [mail(0)] },
        'Well.',
      ];
      const { agent, journal, sent, model } = await begin(null, steps, {
        settings: { dmail: true, ...(dmailRestoresFiles ? { dmailRestoresFiles } : {}) },
        workspace: { files, shell: createMemoryShell(), trust: () => 'trusted' },
        checkpoints: { files: () => disk, blobs, keeps: () => true, hold: (restore) => restore() },
      });
      expect(await agent.send('Write it', going)).toEqual({ kind: 'done' });
      model.assertDone();
      expect(await readFile(join(root, 'a.txt'), 'utf8')).toBe(held);
      expect(sent().some((text) => text.includes(told))).toBe(true);
      await journal.close();
    },
  );
});

it('tools for commands in the background are offered where such commands can run', async () => {
  const choice = new ScriptedModel([]).choice();
  const namesWith = async (world: TestAgentOptions['world'] = {}) =>
    (await testAgent(choice, { world })).agent
      .turnWith(choice)
      .tools()
      .map(({ name }) => name);
  const own = ['read_output', 'stop_command'];
  expect(await namesWith({ background: NO_BACKGROUND })).toEqual(expect.arrayContaining(own));
  expect((await namesWith()).filter((name) => own.includes(name))).toEqual([]);
});
