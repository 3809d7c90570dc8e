import { expect, it } from 'vitest';
import type { EntryDraft } from '../../../src/core/journal/entry.ts';
import { isRealUser } from '../../../src/lab/session.ts';
import { sessionOfJournal } from '../../../src/lab/sessionOfJournal.ts';
import { memoryJournal } from '../../support/ports/memoryStore.ts';

it('B6: a journal is replayed as it was said, with its compactions where they happened', async () => {
  const { journal } = await memoryJournal();
  const say = (message: Extract<EntryDraft, { type: 'message' }>['message']) =>
    journal.append({ type: 'message', message, tokens: 1 });
  const item = { kind: 'systemPrompt' as const, origin: 'built-in', text: 'You help.', tokens: 1 };
  await journal.append({ type: 'header', items: [item], tools: [], tokens: 1 });
  const first = await say({ role: 'user', kind: 'user', text: 'Go.' });
  await say({ role: 'user', kind: 'reminder', text: 'CHECKPOINT 1' });
  await say({ role: 'assistant', text: '', toolCalls: [{ id: '1', name: 'read_file', arguments: '{"path":"a.ts"}' }] });
  const base = await say({ role: 'tool', toolCallId: '1', toolName: 'read_file', text: 'x', isError: true });
  await journal.append({
    type: 'compaction',
    base: base.seq,
    plan: [
      { op: 'keep', ids: [`m${first.seq}`] },
      { op: 'insert', message: { role: 'user', kind: 'summary', text: 'Notes.' }, tokens: 1 },
    ],
    strategy: 'llm-summary',
    trigger: 'manual',
    tokensBefore: 4,
    tokensAfter: 4,
    durationMs: 0,
    attempt: 1,
  });
  await say({ role: 'assistant', text: 'Done.' });
  const session = sessionOfJournal('mine', journal.path());
  expect(session).toEqual({
    name: 'mine',
    messages: [
      { role: 'system', content: 'You help.' },
      { role: 'user', content: 'Go.' },
      { role: 'user', content: '<system-reminder>\nCHECKPOINT 1' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: '1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a.ts"}' } }],
      },
      { role: 'tool', content: 'x', tool_call_id: '1', is_error: true },
      { role: 'assistant', content: 'Done.' },
    ],
    compactions: [{ after: 5, summary: 'Notes.' }],
  });
  expect(session.messages.map(isRealUser)).toEqual([false, true, false, false, false, false]);
});
