/** What extensions of the editor hid in a compaction stays hidden, and comes back when they took it back. */

import { describe, expect, it } from 'vitest';
import { contextOf, expectLikeOurs, LONG, meterOf, rowsOf, useImports } from './compactedImport.ts';

const imported = useImports();

describe('Cline and Roo', () => {
  const use = (id: string) => ({ role: 'assistant', content: [{ type: 'tool_use', id, name: 'ls', input: {} }] });
  const result = (id: string, content: string) => ({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: id, content }],
  });
  const task = (entries: readonly object[]) => imported('api_conversation_history.json', JSON.stringify(entries));
  const by = (condenseParent: string) => ({ condenseParent });
  const cut = (truncationParent: string) => ({ truncationParent });

  it('messages that Roo condensed stay hidden', async () => {
    const journal = await task([
      { role: 'user', content: LONG, ...by('c') },
      { ...use('1'), ...by('c') },
      { ...result('1', 'listed'), ...by('c') },
      { role: 'user', content: [{ type: 'text', text: '## Conversation Summary' }], isSummary: true, condenseId: 'c' },
      { role: 'assistant', content: 'Next.' },
    ]);
    expect(contextOf(journal)).toEqual(['summary: ## Conversation Summary', 'assistant: Next.']);
    expect(meterOf(journal).tokens).toBeLessThan(100);
    await expectLikeOurs(journal, ['user: one more word of a long', 'assistant:', 'tool: listed', 'assistant: Next.']);
    await journal.close();
  });

  it('a question that an older Roo kept before its summary stays, and one summary can hide another', async () => {
    const journal = await task([
      { role: 'user', content: 'the task' },
      { role: 'assistant', content: LONG, ...by('c') },
      { role: 'assistant', content: 'first summary', isSummary: true, condenseId: 'c', ...by('d') },
      { role: 'user', content: 'more', ...by('d') },
      { role: 'assistant', content: 'second summary', isSummary: true, condenseId: 'd' },
      { role: 'user', content: 'the newest' },
    ]);
    expect(contextOf(journal)).toEqual(['user: the task', 'summary: second summary', 'user: the newest']);
    await journal.append({ type: 'compactionUndone', target: journal.context.activeCompactions.at(-1)?.seq ?? -1 });
    expect(contextOf(journal)).toEqual(['user: the task', 'summary: first summary', 'user: more', 'user: the newest']);
    await journal.close();
  });

  it('messages that Roo truncated stay hidden, and its marker is none of the user’s', async () => {
    const journal = await task([
      { role: 'user', content: 'the task' },
      { role: 'assistant', content: LONG, ...cut('t') },
      { role: 'user', content: 'hidden', ...cut('t') },
      {
        role: 'user',
        content: '[Sliding window truncation: 2 messages hidden]',
        isTruncationMarker: true,
        truncationId: 't',
      },
      { role: 'assistant', content: 'Next.' },
      { role: 'user', content: 'hidden later', ...cut('t') },
    ]);
    expect(contextOf(journal)).toEqual(['user: the task', 'reminder: [Sliding window truncati', 'assistant: Next.']);
    const [row] = rowsOf(journal).filter(({ type }) => type === 'compaction');
    expect(row).toMatchObject({ fates: [{ fate: 'removed', messages: 2 }] });
    expect(rowsOf(journal).filter(({ type }) => type === 'user')).toHaveLength(3);
    await journal.close();
  });

  it('what Roo hid is back when its summary or marker was taken back', async () => {
    const journal = await task([
      { role: 'user', content: 'the task', ...by('gone') },
      { role: 'assistant', content: 'answered', ...cut('gone too') },
    ]);
    expect(contextOf(journal)).toEqual(['user: the task', 'assistant: answered']);
    await journal.close();
  });

  it('a result that comes after Roo’s summary stays with the call that the summary hid', async () => {
    const journal = await task([
      { role: 'user', content: LONG, ...by('c') },
      { ...use('1'), ...by('c') },
      { role: 'user', content: 'summary', isSummary: true, condenseId: 'c' },
      result('1', 'listed'),
      { role: 'assistant', content: 'Next.' },
    ]);
    expect(contextOf(journal)).toEqual(['summary: summary', 'assistant: Next.']);
    expect(rowsOf(journal).find(({ type }) => type === 'tool')).toMatchObject({ status: 'done' });
    await journal.close();
  });

  it('Cline keeps the first question and answer before the summary that its model wrote', async () => {
    const continued = 'This session is being continued from a previous conversation that ran out of context.';
    const journal = await task([
      { role: 'user', content: 'the task' },
      { role: 'assistant', content: 'first answer' },
      { role: 'user', content: LONG },
      use('1'),
      result('1', continued),
      { role: 'assistant', content: 'Next.' },
    ]);
    expect(contextOf(journal)).toEqual([
      'user: the task',
      'assistant: first answer',
      'summary: This session is being co',
      'assistant: Next.',
    ]);
    await journal.close();
  });
});
