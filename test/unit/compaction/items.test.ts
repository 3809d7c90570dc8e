import { describe, expect, it } from 'vitest';
import { lowerContext } from '../../../src/core/context/lower.ts';
import { calls, compactionHarness, going, says, user, words } from '../../support/compactionHarness.ts';

describe('context items', () => {
  it('C1: are typed, in a header and a conversation, and are lowered in order', async () => {
    const h = await compactionHarness();
    const item = (kind: 'systemPrompt' | 'memory', text: string) => ({
      kind,
      origin: kind,
      text,
      tokens: 5,
      cacheHint: true,
    });
    await h.journal.append({
      type: 'header',
      items: [item('systemPrompt', 'Be useful.'), item('memory', 'Use tabs.')],
      tools: [],
      tokens: 10,
    });
    await h.add(user('go'), user('left', 'summary'), user('mind', 'reminder'), user('md', 'skillMetadata'));
    await h.add(user('how', 'skillPrompt'), calls(['read_file', 'r']), says('ok'));
    const { header, conversation } = h.journal.context;
    expect(header?.items.map(({ kind }) => kind)).toEqual(['systemPrompt', 'memory']);
    expect(conversation.map(({ kind }) => kind)).toEqual([
      'user',
      'summary',
      'reminder',
      'skillMetadata',
      'skillPrompt',
      'assistant',
      'toolResult',
      'assistant',
    ]);
    expect(lowerContext(h.journal.context).map(({ role }) => role)).toEqual([
      'system',
      ...Array(5).fill('user'),
      'assistant',
      'tool',
      'assistant',
    ]);
  });

  it('C14: a compaction never changes the header', async () => {
    const history = [user('go'), ...Array.from({ length: 7 }, () => calls(['read_file', words(100)]))];
    const h = await compactionHarness({ history, settings: { strategy: 'tool-result-hiding' } });
    const before = h.journal.context.header;
    await h.compactor.compact({ trigger: 'manual' }, going);
    expect(h.journal.context.header).toBe(before);
  });
});
