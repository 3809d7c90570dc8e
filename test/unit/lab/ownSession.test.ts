import { expect, it } from 'vitest';
import { StrategyRegistry } from '../../../src/core/compaction/hosting/registry.ts';
import type { EntryDraft } from '../../../src/core/journal/entry.ts';
import { exportNormalForm } from '../../../src/core/sessions/exportSession.ts';
import { prepareSession } from '../../../src/lab/prepareSession.ts';
import { runSession } from '../../../src/lab/replay.ts';
import { isRealUser, readSession } from '../../../src/lab/session.ts';
import { HandTimers } from '../../support/ports/handTimers.ts';
import { memoryJournal } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';

it('a session of one’s own, as it is exported, is replayed as it was said, compacted or not', {
  tags: ['B6'],
}, async () => {
  const { journal } = await memoryJournal();
  const say = (message: Extract<EntryDraft, { type: 'message' }>['message']) =>
    journal.append({ type: 'message', message, tokens: 1 });
  const item = { kind: 'systemPrompt' as const, origin: 'built-in', text: 'You help.', tokens: 1 };
  await journal.append({ type: 'header', items: [item], tools: [], tokens: 1 });
  await say({ role: 'user', kind: 'user', text: 'Go.' });
  await say({ role: 'user', kind: 'reminder', text: 'CHECKPOINT 1' });
  await say({ role: 'assistant', text: '', toolCalls: [{ id: '1', name: 'read_file', arguments: '{"path":"a.ts"}' }] });
  const base = await say({ role: 'tool', toolCallId: '1', toolName: 'read_file', text: 'x', isError: true });
  await journal.append({
    type: 'compaction',
    base: base.seq,
    plan: [{ op: 'insert', message: { role: 'user', kind: 'summary', text: 'Notes.' }, tokens: 1 }],
    strategy: 'llm-summary',
    trigger: 'manual',
    tokensBefore: 4,
    tokensAfter: 4,
    durationMs: 0,
    attempt: 1,
  });
  await say({ role: 'assistant', text: 'Done.' });
  const session = readSession('mine', [...exportNormalForm(journal)].join(''), null);
  const call = { id: '1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a.ts"}' } };
  expect(session.messages).toMatchObject([
    { role: 'system', content: 'You help.' },
    { role: 'user', content: 'Go.' },
    { role: 'user', content: expect.stringContaining('CHECKPOINT 1') },
    { role: 'assistant', content: '', tool_calls: [call] },
    { role: 'tool', content: 'x', tool_call_id: '1', is_error: true },
    { role: 'assistant', content: 'Done.' },
  ]);
  expect(session.messages.map(isRealUser)).toEqual([false, true, false, false, false, false]);
  const registry = new StrategyRegistry();
  const run = {
    registry,
    crypto: testCrypto(),
    timers: new HandTimers(),
    window: 64_000,
    settings: {},
    summaries: { kind: 'none' as const },
    signal: new AbortController().signal,
    beforeFirstCompaction: false,
    strategies: registry.list().map(({ id }) => id),
  };
  const scores = [];
  for await (const { strategy, steps, invalid, session: name } of runSession(prepareSession(session), run))
    scores.push([name, strategy, steps, invalid]);
  expect(scores).toEqual(run.strategies.map((strategy) => ['mine', strategy, 2, 0]));
});
