/**
 * What the end of a window leaves of a turn: the record names what ended it, a call that never began can be asked about
 * again, and one that ran cannot.
 */

import { describe, expect, test } from 'vitest';
import { findLeft } from '../../../src/core/agent/parts/leftCalls.ts';
import { encodeEntry } from '../../../src/core/journal/codec.ts';
import type { Entry } from '../../../src/core/journal/entry.ts';
import { Transcript } from '../../../src/core/transcript/transcript.ts';
import type { Conversation } from '../../../src/node/session/conversation.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { ScriptedModel, type Step } from '../../support/ports/scriptedModel.ts';
import { testConversation } from '../../support/testConversation.ts';

const write = (content: string) => ['write_file', { path: 'a.txt', content }] as const;
const ASK = ['ask_user', { question: 'Tabs or spaces?' }] as const;
const NOT_ANSWERED = 'The window was closed before you had answered. Continue asks you again.';
const NOT_RUN = 'The window was closed before this call ran. Nobody has allowed or declined it.';

/** `before`: the session as another window left it. */
async function open(
  steps: readonly Step[],
  before?: { readonly entries: readonly Entry[]; readonly text: string | null },
) {
  const model = new ScriptedModel(steps);
  const crypto = testCrypto();
  const lines = await Promise.all((before?.entries ?? []).map((entry) => encodeEntry(entry, crypto)));
  const made = await testConversation(
    model.choice(),
    { files: { 'a.txt': before?.text ?? 'old' }, commands: {}, ...(before ? { lines } : {}) },
    () => undefined,
  );
  const { agent, conversation, files } = made;
  const { journal } = agent;
  const shown = async (is: (conversation: Conversation) => unknown) => {
    while (!is(conversation)) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    conversation,
    model,
    journal,
    text: () => files.textOf('a.txt'),
    asked: () => shown(({ approvals, questions }) => approvals.pending.length > 0 || questions.pending),
    answer: (answer: Parameters<Conversation['approvals']['answer']>[2]) => {
      const [pending] = conversation.approvals.pending;
      return pending !== undefined && conversation.approvals.answer(pending.id, pending.hash, answer);
    },
    results: () =>
      journal
        .path()
        .flatMap((entry) => (entry.type === 'message' && entry.message.role === 'tool' ? [entry.message.text] : [])),
    notes: () => journal.path().flatMap((entry) => (entry.type === 'note' ? [entry.text] : [])),
    rows: () =>
      Transcript.of(journal.path())
        .rows(journal.context, { running: false, answer: null, calls: new Map() }, null, 100)
        .rows.flatMap((row) => (row.type === 'tool' ? [[row.status, row.notRun]] : [])),
  };
}

type Opened = Awaited<ReturnType<typeof open>>;
const left = ({ journal, text }: Opened) => ({ entries: [...journal.entries], text: text() });

/** A window that is closed while the first question of the turn is open. */
async function closedWhileAsked(step: Step, by: Parameters<Conversation['close']>[0] = 'window'): Promise<Opened> {
  const opened = await open([step]);
  const turn = opened.conversation.send('Go');
  await opened.asked();
  await opened.conversation.close(by);
  await turn;
  return opened;
}

const ALLOW = { kind: 'allow', remember: 'no' } as const;

describe('a window that is closed while a question is open', () => {
  test('says so, and Continue puts the same question without another request', async () => {
    const closed = await closedWhileAsked({ calls: [write('new')] });
    expect([closed.results(), closed.notes(), closed.rows(), closed.text()]).toEqual([
      [],
      [NOT_ANSWERED],
      [['abandoned', 'window']],
      'old',
    ]);
    const opened = await open(['Written.'], left(closed));
    expect([opened.conversation.retrying, opened.rows()]).toEqual(['possible', [['abandoned', 'window']]]);
    const turn = opened.conversation.retry();
    await opened.asked();
    expect([opened.model.requests.length, opened.conversation.approvals.pending[0]?.request.title]).toEqual([
      0,
      'a.txt',
    ]);
    expect(opened.text()).toBe('old');
    opened.answer(ALLOW);
    await turn;
    expect([opened.text(), opened.results().length, opened.rows()]).toEqual(['new', 1, [['done', undefined]]]);
    expect(findLeft(opened.journal)).toBe(null);
  });

  test('a second time, and then it is declined', async () => {
    const closed = await closedWhileAsked({ calls: [write('new')] });
    const again = await open([], left(closed));
    const turn = again.conversation.retry();
    await again.asked();
    await again.conversation.close('window');
    await turn;
    expect(again.results()).toEqual([]);
    const opened = await open(['As you say.'], left(again));
    const last = opened.conversation.retry();
    await opened.asked();
    opened.answer({ kind: 'deny' });
    await last;
    expect([opened.results(), opened.text()]).toEqual([['The person declined this call.'], 'old']);
  });

  test('every call that had not begun is asked about, in order; one that was decided is not', async () => {
    const first = await open([{ calls: [write('one'), write('two'), write('three')] }]);
    const turn = first.conversation.send('Go');
    await first.asked();
    first.answer({ kind: 'deny' });
    await first.asked();
    await first.conversation.close('window');
    await turn;
    expect(first.results()).toEqual(['The person declined this call.']);
    const opened = await open(['Done.'], left(first));
    const going = opened.conversation.retry();
    for (const text of ['two', 'three']) {
      await opened.asked();
      opened.answer(ALLOW);
      while (opened.text() !== text) await new Promise((resolve) => setImmediate(resolve));
    }
    await going;
    expect(opened.results()).toHaveLength(3);
  });

  test('a question of the model itself is put again', async () => {
    const closed = await closedWhileAsked({ calls: [ASK] });
    expect([closed.results(), closed.notes()]).toEqual([[], [NOT_ANSWERED]]);
    const opened = await open(['Spaces.'], left(closed));
    const turn = opened.conversation.retry();
    await opened.asked();
    opened.conversation.answerQuestion(opened.conversation.questions.pending?.id ?? '', {
      kind: 'answer',
      text: 'Spaces',
    });
    await turn;
    expect(opened.results()).toEqual(['The person answered: Spaces']);
  });

  test('a message instead of Continue: the model is told what became of the call, and nobody is asked', async () => {
    const closed = await closedWhileAsked({ calls: [write('new'), ASK] });
    const opened = await open(['Other things, then.'], left(closed));
    await opened.conversation.send('Do something else');
    expect(opened.results()).toEqual([NOT_RUN, NOT_RUN]);
    const sent = JSON.stringify(opened.model.requests[0]?.messages);
    expect([sent.includes(NOT_RUN), sent.includes('person stopped'), opened.text()]).toEqual([true, false, 'old']);
    expect(opened.rows()).toEqual([
      ['abandoned', 'window'],
      ['abandoned', 'window'],
    ]);
  });

  test('a compaction by hand, and a note for the model, find no open call', async () => {
    const closed = await closedWhileAsked({ calls: [write('new')] });
    const compacted = await open([], left(closed));
    await compacted.conversation.compact();
    expect([compacted.results(), compacted.notes().includes('A tool call has no result yet.')]).toEqual([
      [NOT_RUN],
      false,
    ]);
    const reminded = await open([], left(closed));
    await reminded.conversation.remind('Something was undone.', { type: 'note', level: 'info', text: 'Undone.' });
    expect(reminded.results()).toEqual([NOT_RUN]);
  });

  test('an answer that it cuts off is told of as well', async () => {
    let close = () => undefined as unknown;
    const opened = await open([{ text: 'Half an answer', before: () => void close() }]);
    close = () => opened.conversation.close('window');
    await opened.conversation.send('Go');
    expect(opened.notes()).toEqual(['The window was closed while the agent was working.']);
    expect((await open([], left(opened))).conversation.retrying).toBe('possible');
  });

  test('a session that is closed while the window stays says that', async () => {
    const closed = await closedWhileAsked({ calls: [write('new')] }, 'session');
    expect(closed.notes()).toEqual(['The session was closed before you had answered. Continue asks you again.']);
  });
});

describe('what cannot be asked again', () => {
  test('a turn that the person stopped: that was their decision', async () => {
    const opened = await open([{ calls: [write('new')] }]);
    const turn = opened.conversation.send('Go');
    await opened.asked();
    opened.conversation.stop();
    await turn;
    expect([opened.results(), opened.rows(), findLeft(opened.journal)]).toEqual([
      ['The person stopped the turn before this call ran.'],
      [['abandoned', 'person']],
      null,
    ]);
  });

  test('a turn that the person’s own message stopped', async () => {
    const opened = await open([{ calls: [write('new')] }, 'As you say.']);
    const turn = opened.conversation.send('Go');
    await opened.asked();
    await opened.conversation.send('Not this way', null, { interrupts: true });
    await turn;
    expect(opened.results()).toEqual(['The person stopped the turn for another message before this call ran.']);
  });

  test('an open call of a host that was killed: nobody knows whether it ran', async () => {
    const closed = await closedWhileAsked({ calls: [write('new')] });
    const killed = { entries: closed.journal.entries.filter(({ type }) => type !== 'note'), text: 'old' };
    const opened = await open(['I look first.'], killed);
    expect([opened.conversation.retrying, opened.rows()]).toEqual(['possible', [['abandoned', undefined]]]);
    await opened.conversation.retry();
    expect(JSON.stringify(opened.model.requests[0]?.messages)).toContain('Its result is unknown');
    expect(opened.text()).toBe('old');
  });

  test('a note that names other calls, or is no list', async () => {
    const closed = await closedWhileAsked({ calls: [write('new')] });
    for (const forged of [{ by: 'window', calls: ['other'] }, { by: 'anybody', calls: [] }, 'calls', { calls: 7 }]) {
      const entries = closed.journal.entries.map((entry) =>
        entry.type === 'note' ? ({ ...entry, left: forged } as unknown as Entry) : entry,
      );
      const opened = await open([], { entries, text: 'old' });
      expect([findLeft(opened.journal), opened.rows()]).toEqual([null, [['abandoned', undefined]]]);
    }
  });

  test('a journal of an earlier version reads as it did', async () => {
    const closed = await closedWhileAsked({ calls: [write('new')] });
    const id = closed.journal
      .path()
      .flatMap((entry) =>
        entry.type === 'message' && entry.message.role === 'assistant' ? (entry.message.toolCalls ?? []) : [],
      )[0]?.id;
    const entries = closed.journal.entries.map((entry) =>
      entry.type === 'note'
        ? ({
            ...entry,
            type: 'message',
            message: {
              role: 'tool',
              toolCallId: id,
              toolName: 'write_file',
              text: 'The person stopped the turn before this call ran.',
              isError: true,
            },
            tokens: 9,
          } as unknown as Entry)
        : entry,
    );
    const opened = await open([], { entries, text: 'old' });
    expect([opened.rows(), opened.results()]).toEqual([
      [['failed', undefined]],
      ['The person stopped the turn before this call ran.'],
    ]);
  });
});
