/**
 * Compacted sessions of other programs: the context is what the program would have sent, everything stays in the
 * transcript, the meter is true at once, and the compaction is undone like one of ours.
 */

import { describe, expect, it } from 'vitest';
import { addStatistics, countCompactions } from '../../../src/core/journal/statistics.ts';
import { contextOf, expectLikeOurs, LONG, lines, meterOf, rowsOf, useImports } from './compactedImport.ts';

const imported = useImports();

describe('Claude Code', () => {
  const line = (uuid: string, parentUuid: string | null, role: string, content: unknown, more: object = {}) => ({
    type: role,
    uuid,
    parentUuid,
    message: { role, content, ...(role === 'assistant' ? { id: uuid, model: 'claude', usage: usage(120_000) } : {}) },
    ...more,
  });
  const usage = (input_tokens: number) => ({ input_tokens, output_tokens: 5 });
  const boundary = (uuid: string, logicalParentUuid: string, more: object = {}) => ({
    type: 'system',
    subtype: 'compact_boundary',
    uuid,
    parentUuid: null,
    logicalParentUuid,
    compactMetadata: { trigger: 'auto', preTokens: 155_000, ...more },
  });
  const summary = { isCompactSummary: true };
  const continued = 'This session is being continued from a previous conversation that ran out of context.';

  it('has the summary in the context and the history in the transcript', async () => {
    const journal = await imported(
      'session.jsonl',
      lines(
        line('q', null, 'user', LONG),
        line('a', 'q', 'assistant', 'answered'),
        boundary('b', 'a'),
        line('s', 'b', 'user', continued, summary),
        line('n', 's', 'user', 'go on'),
      ),
    );
    expect(contextOf(journal)).toEqual(['summary: This session is being co', 'user: go on']);
    expect(meterOf(journal).tokens).toBeLessThan(200);
    expect(rowsOf(journal).map(({ type }) => type)).toEqual(['user', 'assistant', 'compaction', 'user']);
    expect(journal.context.activeCompactions).toMatchObject([{ trigger: 'threshold' }]);
    await expectLikeOurs(journal, ['user: one more word of a long', 'assistant: answered', 'user: go on']);
    await journal.close();
  });

  it('counts apart in the statistics, undone as well, beside what is compacted here', { tags: ['N8'] }, async () => {
    const journal = await imported(
      'session.jsonl',
      lines(
        line('q', null, 'user', LONG),
        line('a', 'q', 'assistant', 'answered'),
        boundary('b', 'a'),
        line('s', 'b', 'user', continued, summary),
      ),
    );
    const [made] = journal.context.activeCompactions;
    const count = () => countCompactions(journal.entries);
    const tokensSaved = (made?.tokensBefore ?? 0) - (made?.tokensAfter ?? 0);
    const nothing = { compactions: 0, tokensSaved: 0, undone: 0, byStrategy: {} };
    expect(tokensSaved).toBeGreaterThan(9_000);
    expect(count()).toMatchObject({ ...nothing, elsewhere: { compactions: 1, tokensSaved } });
    await journal.append({ type: 'compactionUndone', target: made?.seq ?? -1 });
    expect(count()).toMatchObject({ ...nothing, elsewhere: { compactions: 1, tokensSaved: 0 } });
    await journal.append({ type: 'compactionRedone', target: made?.seq ?? -1 });
    const own = { type: 'compaction', base: journal.context.head ?? 0, plan: [], trigger: 'manual' } as const;
    const figures = { durationMs: 5, attempt: 1, tokensBefore: 900, tokensAfter: 400 };
    await journal.append({ ...own, ...figures, strategy: 'selective' });
    expect(count()).toMatchObject({
      compactions: 1,
      tokensSaved: 500,
      byStrategy: { selective: { compactions: 1, tokensSaved: 500 } },
      elsewhere: { compactions: 1, tokensSaved },
    });
    expect(addStatistics(count(), count()).elsewhere).toEqual({ compactions: 2, tokensSaved: 2 * tokensSaved });
    await journal.close();
  });

  it('keeps the messages that the boundary names, after the summary', async () => {
    const kept = { preservedMessages: { anchorUuid: 's', uuids: ['k'], allUuids: ['k', 'l'] } };
    const call = [{ type: 'tool_use', id: 't', name: 'Read', input: {} }];
    const result = [{ type: 'tool_result', tool_use_id: 't', content: 'content' }];
    for (const metadata of [kept, { preservedSegment: { anchorUuid: 's', headUuid: 'k', tailUuid: 'l' } }]) {
      const journal = await imported(
        'session.jsonl',
        lines(
          line('q', null, 'user', LONG),
          line('a', 'q', 'assistant', 'answered'),
          line('k', 'a', 'assistant', call),
          line('l', 'k', 'user', result),
          boundary('b', 'l', metadata),
          line('s', 'b', 'user', continued, summary),
          // What follows is linked to the newest message that was kept.
          line('n', 'l', 'user', 'go on'),
        ),
      );
      expect(contextOf(journal)).toEqual([
        'summary: This session is being co',
        'assistant:',
        'tool: content',
        'user: go on',
      ]);
      expect(meterOf(journal)).toMatchObject({ reported: null });
      await journal.close();
    }
  });

  it('shows the history also where the boundary is linked to a line that is not in the file', async () => {
    const journal = await imported(
      'session.jsonl',
      lines(
        line('q', null, 'user', LONG),
        line('a', 'q', 'assistant', 'answered'),
        { type: 'progress', uuid: 'p', parentUuid: 'a' },
        boundary('b', 'never written'),
        line('s', 'b', 'user', continued, summary),
      ),
    );
    expect(rowsOf(journal).map(({ type }) => type)).toEqual(['user', 'assistant', 'compaction']);
    await expectLikeOurs(journal, ['user: one more word of a long', 'assistant: answered']);
    await journal.close();
  });

  it('has the history in the context when what was said last is from before the compaction', async () => {
    const journal = await imported(
      'session.jsonl',
      lines(
        line('q', null, 'user', 'first'),
        line('a', 'q', 'assistant', 'answered'),
        boundary('b', 'a'),
        line('s', 'b', 'user', continued, summary),
        line('n', 'a', 'user', 'rewound'),
      ),
    );
    expect(contextOf(journal)).toEqual(['user: first', 'assistant: answered', 'user: rewound']);
    expect(rowsOf(journal).some(({ type }) => type === 'compaction')).toBe(false);
    await journal.close();
  });
});

describe('Codex', () => {
  const said = (role: string, text: string) => ({
    type: 'message',
    role,
    content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
  });
  const item = (payload: unknown) => ({ timestamp: 't', type: 'response_item', payload });
  const compacted = (payload: unknown) => ({ timestamp: 't', type: 'compacted', payload });
  const counted = (input_tokens: number) => ({
    timestamp: 't',
    type: 'event_msg',
    payload: { type: 'token_count', info: { last_token_usage: { input_tokens, output_tokens: 1 } } },
  });
  const start = [
    { timestamp: 't', type: 'session_meta', payload: { id: '1' } },
    item(said('user', '<environment_context>x')),
    item(said('user', 'continue')),
    item(said('assistant', LONG)),
    item(said('user', 'continue')),
    item(said('assistant', 'answered')),
    counted(120_000),
  ];
  const prefixed =
    'Another language model started to solve this problem and produced a summary of its work.\nDone so far';
  const before = [
    'reminder: <environment_context>x',
    'user: continue',
    'assistant: one more word of a long',
    'user: continue',
    'assistant: answered',
  ];

  it('has what the file says took the history’s place', async () => {
    const replacement_history = [
      said('developer', 'rules of today'),
      said('user', 'continue'),
      said('user', 'continue'),
      said('user', prefixed),
    ];
    const journal = await imported(
      'rollout.jsonl',
      lines(...start, compacted({ message: prefixed, replacement_history }), item(said('assistant', 'Next.'))),
    );
    expect(contextOf(journal)).toEqual([
      'reminder: rules of today',
      'user: continue',
      'user: continue',
      'summary: Another language model s',
      'assistant: Next.',
    ]);
    expect(meterOf(journal).tokens).toBeLessThan(200);
    await expectLikeOurs(journal, [...before, 'assistant: Next.']);
    await journal.close();
  });

  it('has the person’s words and the summary when only the summary is recorded', async () => {
    const journal = await imported('rollout.jsonl', lines(...start, compacted({ message: 'what was before' })));
    expect(contextOf(journal)).toEqual([
      'reminder: <environment_context>x',
      'user: continue',
      'user: continue',
      'summary: what was before',
    ]);
    await expectLikeOurs(journal, before);
    await journal.close();
  });

  it('has the whole history when the summary is enciphered, and says so', async () => {
    const replacement_history = [said('user', 'continue'), { type: 'compaction', encrypted_content: 'x' }];
    const journal = await imported(
      'rollout.jsonl',
      lines(
        ...start,
        compacted({ message: '', replacement_history }),
        item(said('assistant', 'Next.')),
        counted(5_005),
      ),
    );
    expect(contextOf(journal)).toEqual([...before, 'assistant: Next.']);
    expect(rowsOf(journal)).toContainEqual(expect.objectContaining({ type: 'notice', level: 'warning' }));
    // The count of 5,005 is of a context that is not here.
    expect(meterOf(journal).tokens).toBeGreaterThan(120_000);
    await journal.close();
  });
});

it('pi: the summary comes before the messages that were kept', async () => {
  const line = (id: string, parentId: string | null, message: unknown) => ({ type: 'message', id, parentId, message });
  const answer = (text: string) => ({
    role: 'assistant',
    content: [{ type: 'text', text }],
    usage: { input: 120_000 },
  });
  const journal = await imported(
    'pi.jsonl',
    lines(
      { type: 'session', id: 's', version: 3, cwd: '/x' },
      line('a', null, { role: 'user', content: 'first' }),
      line('b', 'a', answer(LONG)),
      line('c', 'b', { role: 'user', content: 'second' }),
      line('d', 'c', answer('kept')),
      { type: 'compaction', id: 'e', parentId: 'd', summary: 'so far', firstKeptEntryId: 'c', tokensBefore: 9 },
      line('f', 'e', { role: 'user', content: 'third' }),
    ),
  );
  expect(contextOf(journal)).toEqual(['summary: so far', 'user: second', 'assistant: kept', 'user: third']);
  expect(meterOf(journal).tokens).toBeLessThan(100);
  const before = [
    'user: first',
    'assistant: one more word of a long',
    'user: second',
    'assistant: kept',
    'user: third',
  ];
  await expectLikeOurs(journal, before);
  await journal.close();
});

it('pi: the oldest sessions name the first message that was kept by its line', async () => {
  const line = (role: string, content: unknown) => ({ type: 'message', message: { role, content } });
  const journal = await imported(
    'pi.jsonl',
    lines(
      { type: 'session', id: 's', cwd: '/x' },
      line('user', LONG),
      line('assistant', [{ type: 'text', text: 'old' }]),
      line('user', 'second'),
      { type: 'compaction', summary: 'so far', firstKeptEntryIndex: 3, tokensBefore: 9 },
      line('user', 'third'),
      { type: 'compaction', summary: 'farther', firstKeptEntryIndex: 5, tokensBefore: 9 },
      line('user', 'fourth'),
    ),
  );
  expect(contextOf(journal)).toEqual(['summary: farther', 'user: third', 'user: fourth']);
  await expectLikeOurs(journal, ['summary: so far', 'user: second', 'user: third', 'user: fourth']);
  await journal.close();
});

it('Kimi CLI: its context begins with the summary, which is no compaction here', async () => {
  const text = '<system>Previous context has been compacted. Here is the compaction output:</system>so far';
  const journal = await imported(
    'context.jsonl',
    lines(
      { role: '_system_prompt', content: 'You are Kimi.' },
      { role: 'user', content: text },
      { role: 'user', content: 'kept' },
      { role: 'assistant', content: 'Next.' },
      { role: '_usage', token_count: 5_005 },
    ),
  );
  expect(contextOf(journal)).toEqual(['summary: <system>Previous context', 'user: kept', 'assistant: Next.']);
  expect(journal.context.activeCompactions).toEqual([]);
  expect(meterOf(journal).tokens).toBe(5_005);
  await journal.close();
});

it('Kimi CLI’s wire: the history stays, because the summary is not in the file, and the meter counts the history', async () => {
  const event = (type: string, payload: object = {}) => ({ timestamp: 1.5, message: { type, payload } });
  const journal = await imported(
    'wire.jsonl',
    lines(
      { type: 'metadata', protocol_version: '1.9' },
      event('TurnBegin', { user_input: LONG.repeat(12) }),
      event('StepBegin', { n: 1 }),
      event('ContentPart', { type: 'text', text: 'answered' }),
      event('StatusUpdate', { token_usage: { input_other: 120_000, output: 4 } }),
      event('CompactionBegin'),
      event('CompactionEnd'),
      event('StepBegin', { n: 2 }),
      event('ContentPart', { type: 'text', text: 'Next.' }),
      event('StatusUpdate', { token_usage: { input_other: 5_005, output: 4 } }),
    ),
  );
  expect(contextOf(journal)).toEqual(['user: one more word of a long', 'assistant: answered', 'assistant: Next.']);
  expect(meterOf(journal).tokens).toBeGreaterThan(100_000);
  expect(rowsOf(journal)).toContainEqual(expect.objectContaining({ type: 'notice', level: 'warning' }));
  await journal.close();
});

it('chat completions: a message that continues a session has the place of all before it', async () => {
  const continued = 'This session is being continued from a previous conversation that ran out of context.';
  const journal = await imported(
    'chat.jsonl',
    lines(
      { role: 'user', content: LONG },
      { role: 'assistant', content: 'answered' },
      { role: 'user', content: continued },
      { role: 'assistant', content: 'Next.' },
    ),
  );
  expect(contextOf(journal)).toEqual(['summary: This session is being co', 'assistant: Next.']);
  await expectLikeOurs(journal, ['user: one more word of a long', 'assistant: answered', 'assistant: Next.']);
  await journal.close();
});
