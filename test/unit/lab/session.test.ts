import { describe, expect, it } from 'vitest';
import { readSession, tokensOf } from '../../../src/lab/session.ts';
import { generateSession } from '../../support/sessions/generateSession.ts';
import { calls, user } from '../../support/sessions/labSession.ts';

describe('reading a recorded session', () => {
  it('takes messages, leaves reasoning out, and finds recorded compactions', () => {
    const lines = [
      '{"role":"user","content":"Go."}',
      '{"role":"assistant","content":null,"reasoning":"Hm.","tool_calls":[{"id":"1","type":"function","function":{"name":"ls","arguments":"{}"}}]}',
      '{"role":"tool","tool_call_id":"1","content":"x","is_error":true}',
      '',
    ];
    const meta = '{"compactions":[{"after":2,"summary":"Notes."},{"after":3}]}';
    expect(readSession('s', lines.join('\n'), meta)).toEqual({
      name: 's',
      messages: [
        { role: 'user', content: 'Go.' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: '1', type: 'function', function: { name: 'ls', arguments: '{}' } }],
        },
        { role: 'tool', content: 'x', tool_call_id: '1', is_error: true },
      ],
      compactions: [
        { after: 2, summary: 'Notes.' },
        { after: 3, summary: '' },
      ],
    });
  });

  it.each([
    ['{"role":"user"', 's, line 1: not valid JSON'],
    ['{"role":"robot","content":""}', 's, line 1: not a message with a known role and its fields'],
    ['{"role":"tool","content":""}', 's, line 1: not a message with a known role and its fields'],
  ])('names the line that is at fault: %s', (line, message) => {
    expect(() => readSession('s', line, null)).toThrow(message);
  });

  it('reads what the generator makes, the same each time', () => {
    const made = readSession('g', generateSession({ seed: 3, messages: 200 }), null);
    expect(made.messages.length).toBeGreaterThanOrEqual(200);
    expect(readSession('g', generateSession({ seed: 3, messages: 200 }), null)).toEqual(made);
  });
});

describe('tokens of a message', () => {
  it('are a quarter of its characters, names and arguments of calls included, and four', () => {
    expect(tokensOf(user(''))).toBe(4);
    expect(tokensOf(user('abcde'))).toBe(6);
    expect(tokensOf(calls('1', 'ls', '{"a":1}'))).toBe(7);
  });
});
