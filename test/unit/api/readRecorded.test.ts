import { describe, expect, it } from 'vitest';
import type { StrategyFactory } from '../../../src/api/index.ts';
import { growRecorded } from '../../../src/core/compaction/conformance/generateHistory.ts';
import { checkStrategy } from '../../../src/core/compaction/conformance/kit.ts';
import { readRecorded } from '../../../src/core/compaction/conformance/testing.ts';
import type { Message } from '../../../src/core/context/message.ts';
import { exportJson, exportNormalForm } from '../../../src/core/sessions/exportSession.ts';
import { MISSING_RESULT } from '../../../src/core/sessions/importRecorded.ts';
import { memoryJournal } from '../../support/ports/memoryStore.ts';

const lines = (...given: readonly object[]) => given.map((each) => JSON.stringify(each)).join('\n');
const call = (id: string, given: unknown = '{}') => ({
  id,
  type: 'function',
  function: { name: 'read', arguments: given },
});

const said: readonly Message[] = [
  { role: 'user', kind: 'user', text: 'go' },
  {
    role: 'assistant',
    text: 'I read.',
    reasoning: { field: 'reasoning', text: 'The clock.' },
    toolCalls: [
      { id: 'a', name: 'read_file', arguments: '{"path":"a.ts"}' },
      { id: 'b', name: 'read_file', arguments: '{"path": "src/re' },
    ],
  },
  { role: 'tool', toolCallId: 'a', toolName: 'read_file', text: 'export {};' },
  { role: 'tool', toolCallId: 'b', toolName: 'read_file', text: 'Error: not JSON', isError: true },
  { role: 'assistant', text: 'Done.' },
];

describe('reading a recorded conversation', () => {
  it.each([
    ['chat messages', exportNormalForm],
    ['JSON', exportJson],
  ])('reads what the product exports as %s', { tags: ['B7'] }, async (_form, exported) => {
    const { journal } = await memoryJournal();
    for (const message of said) await journal.append({ type: 'message', message, tokens: 1 });
    expect(readRecorded([...exported(journal)].join(''))).toEqual(said);
  });

  it('reads failed results, content in parts, and arguments that are no text', { tags: ['B7'] }, () => {
    const parts = [{ type: 'text', text: 'one' }, { type: 'image_url' }, { type: 'text', text: 'two' }];
    const given = [
      { role: 'system', content: 'You are an agent.' },
      { role: 'user', content: parts },
      { role: 'assistant', content: null, tool_calls: [call('a', { path: 'a.ts' }), call('b', 'not JSON')] },
      { role: 'tool', tool_call_id: 'a', content: parts, is_error: true },
      { role: 'tool', tool_call_id: 'b', content: '' },
    ];
    const read: Message[] = [
      { role: 'user', kind: 'user', text: 'one\n[image_url]\ntwo' },
      {
        role: 'assistant',
        text: '',
        toolCalls: [
          { id: 'a', name: 'read', arguments: '{"path":"a.ts"}' },
          { id: 'b', name: 'read', arguments: 'not JSON' },
        ],
      },
      { role: 'tool', toolCallId: 'a', toolName: 'read', text: 'one\n[image_url]\ntwo', isError: true },
      { role: 'tool', toolCallId: 'b', toolName: 'read', text: '' },
    ];
    expect(readRecorded(lines(...given))).toEqual(read);
    expect(readRecorded(JSON.stringify(given))).toEqual(read);
    expect(readRecorded(JSON.stringify({ messages: given }, null, 2))).toEqual(read);
  });

  it('makes a history that a provider would take of one with gaps', { tags: ['B7'] }, () => {
    const read = readRecorded(
      lines(
        { role: 'assistant', content: '', tool_calls: [call('0'), call('1')] },
        { role: 'tool', tool_call_id: '1', content: 'one' },
        { role: 'tool', tool_call_id: 'x', content: 'stray' },
        { role: 'user', content: 'half \ud800' },
        { role: 'assistant', content: '', tool_calls: [call('0')] },
      ),
    );
    expect(read.map((m) => (m.role === 'tool' ? [m.toolCallId, m.text, m.isError] : m.role))).toEqual([
      'assistant',
      ['1', 'one', undefined],
      ['0', MISSING_RESULT, true],
      'user',
      'assistant',
      ['0~2', MISSING_RESULT, true],
    ]);
    expect(read[3]?.text.isWellFormed()).toBe(true);
  });

  it.each([
    ['{"role":"user"}\nnot json', /^Line 2 of the recorded conversation is not JSON/],
    ['{"type":"session","format":1}\n{}', /holds no message .* Export the session as/],
    ['[7, {"role":"system"}]', /holds no message/],
  ])('says why it cannot read %j', { tags: ['B7'] }, (text, reason) => {
    expect(() => readRecorded(text)).toThrow(reason);
  });
});

describe('the chain made of a recorded conversation', () => {
  const long = Array.from({ length: 20 }, () => said).flat();

  it('grows after each compaction, to the whole', { tags: ['B7'] }, () => {
    const { messages, more } = growRecorded(long, 5);
    expect(messages).toHaveLength(50);
    expect(more).toHaveLength(4);
    expect(more.every((part) => part.length > 0)).toBe(true);
    expect([...messages, ...more.flat()]).toEqual(long);
  });

  it('is what the kit compacts: each compaction sees more of the conversation', { tags: ['B7'] }, async () => {
    const seen: string[] = [];
    const watches: StrategyFactory = {
      needs: [],
      create: () => ({
        compact: async ({ history, sessionId }) => {
          if (sessionId === 'kit-session-80000') seen.push(history.at(-1)?.id ?? '');
          return null;
        },
      }),
    };
    expect((await checkStrategy(watches, { cases: 0, histories: [long] })).broken).toEqual([]);
    // Afterwards the kit asks under the same id about another conversation.
    const ends = seen.slice(0, 5).map((id) => Number(id.slice(1)));
    expect(ends).toHaveLength(5);
    expect(ends).toEqual([...new Set(ends)].sort((a, b) => a - b));
  });

  it('never parts a call from its results', { tags: ['B7'] }, () => {
    for (let length = 0; length <= long.length; length++) {
      const { messages, more } = growRecorded(long.slice(0, length), 5);
      expect(more.every((part) => part[0]?.role !== 'tool')).toBe(true);
      expect([...messages, ...more.flat()]).toEqual(long.slice(0, length));
    }
  });
});
