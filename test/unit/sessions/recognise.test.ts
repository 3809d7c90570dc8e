/** Which program recorded a file, however its beginning looks, and what that costs. */

import { describe, expect, it } from 'vitest';
import { readRecorded } from '../../../src/core/compaction/conformance/readRecorded.ts';
import { Recogniser, recognise } from '../../../src/core/sessions/recognise.ts';
import { jsonl, readImport } from './readImport.ts';

const LARGE = 'one more word of a long paste '.repeat(10_000);
const IMAGE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo'.repeat(9_000) } };
const PROGRESS = Array.from({ length: 2_000 }, (_, i) => ({
  parentUuid: null,
  type: 'progress',
  data: { type: 'hook_progress', hookEvent: 'SessionStart', command: 'x'.repeat(200), depth: [[[[[i]]]]] },
}));
const claude = (content: unknown, first = true) =>
  first
    ? { type: 'user', uuid: '1', parentUuid: null, message: { role: 'user', content } }
    : { message: { content, role: 'user' }, parentUuid: null, uuid: '1', type: 'user' };
const answered = { type: 'assistant', uuid: '2', parentUuid: '1', message: { role: 'assistant', content: 'Yes.' } };
const item = (role: string, text: string) => ({ type: 'message', role, content: [{ type: 'input_text', text }] });
const said = (role: string, content: unknown) => ({ role, content });

/** Each holds one message of the person; the large part comes first. */
const FILES: readonly (readonly [string, string, string])[] = [
  ['claudeCode', 'a paste', jsonl(claude(LARGE), answered)],
  ['claudeCode', 'an image before the keys', jsonl(claude([IMAGE, { type: 'text', text: 'See.' }], false), answered)],
  ['claudeCode', 'lines of progress', jsonl(...PROGRESS, claude('Hi'), answered)],
  [
    'claudeCode',
    'torn lines',
    `{"type":"user","message":{"role":"user","content":"${LARGE}\n{"a":{"b":[1,\n{"a":1\n${jsonl(claude('Hi'), answered)}`,
  ],
  [
    'codex',
    'long base instructions',
    jsonl(
      { type: 'session_meta', payload: { base_instructions: { text: LARGE } } },
      { type: 'response_item', payload: item('user', 'Hi') },
    ),
  ],
  ['codex', 'a large first item', jsonl({ id: 'x', instructions: LARGE }, item('user', LARGE))],
  [
    'pi',
    'a paste',
    jsonl({ id: 'x', cwd: LARGE, type: 'session' }, { type: 'message', id: '1', message: said('user', 'Hi') }),
  ],
  ['kimi', 'a paste', jsonl(said('user', LARGE), { role: '_checkpoint', id: 0 })],
  ['kimiWire', 'a paste', jsonl({ timestamp: 1, message: { payload: { user_input: LARGE }, type: 'TurnBegin' } })],
  ['normal', 'a paste', jsonl(said('user', LARGE), said('assistant', 'Yes.'))],
  [
    'normalList',
    'a paste',
    JSON.stringify([said('user', LARGE), { ...said('assistant', null), tool_calls: [] }], null, 1),
  ],
  ['cline', 'a paste', JSON.stringify([{ content: [{ type: 'text', text: `<task>${LARGE}</task>` }], role: 'user' }])],
  [
    'cline',
    'a list that comes before its version',
    JSON.stringify({ messages: [said('user', LARGE)], version: 2 }, null, 2),
  ],
  [
    'cline',
    'a list that is cut off',
    `[{"role":"user","content":"<task>Hi</task>"},{"role":"assistant","content":"${LARGE}`,
  ],
];

describe('recognising a recorded session', { tags: ['long'] }, () => {
  it.each(FILES)('%s: %s', async (format, _, text) => {
    for (const each of [text, `\uFEFF${text}`, text.replaceAll('\n', '\r\n')]) {
      expect(recognise(each)).toEqual({ format });
      expect((await readImport(each.replace('\uFEFF', ''))).messages.length).toBeGreaterThan(0);
      expect(readRecorded(each).filter(({ role }) => role === 'user')).toHaveLength(1);
    }
  });

  it('does not depend on how the file is cut into pieces', () => {
    for (const [format, , text] of FILES) {
      const recogniser = new Recogniser();
      // Wherever a piece ends, in a name, a number, an escape or a text.
      const pieces = [...text.slice(0, 2_000), text.slice(2_000)];
      for (const piece of pieces) if (recogniser.push(piece)) break;
      expect(recogniser.end()).toEqual({ format });
    }
  });

  it.each([
    ['a log', '2026-01-01 the server listens\n'],
    ['lines of JSON', '{"level":"info","text":"the server listens"}\n'],
    ['one object', '{"a":1,'],
    ['one list', '[[{"a":[1,{"b":2}]}],'],
    ['brackets', '[{'],
    ['escapes', '\\"'],
    ['torn lines', '{"\n'],
    ['one long text', 'iVBORw0KGgo'],
    ['a binary file', '\0\u0001\u0002PK'],
    ['empty lines', '\n'],
  ])('an enormous file of %s is refused, and little of it is looked at', (_, part) => {
    const recogniser = new Recogniser();
    const piece = part.repeat(Math.ceil(65_536 / part.length));
    recogniser.push('{"text":"');
    let pieces = 0;
    while (!recogniser.push(piece)) pieces++;
    expect(recogniser.end()).toBe(null);
    expect(pieces * piece.length).toBeLessThan(130_000_000);
  });

  it('decides before the end of a first line that is longer than all that is looked at', () => {
    const recogniser = new Recogniser();
    recogniser.push('{"type":"user","uuid":"1","message":{"role":"user","content":[{"type":"image","source":{"data":"');
    while (!recogniser.push('abcd'.repeat(16_384))) expect(recogniser).toBeDefined();
    expect(recogniser.end()).toEqual({ format: 'claudeCode' });
  });

  it('a list of chat messages is not taken for a session of Cline', async () => {
    const call = { id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } };
    const list = [
      said('user', 'Hi'),
      { ...said('assistant', ''), tool_calls: [call] },
      { ...said('tool', 'here'), tool_call_id: 'a' },
    ];
    const read = await readImport(JSON.stringify(list));
    expect([read.format, read.messages]).toEqual(['normalList', ['user: Hi', 'assistant:  +read({})', 'tool: here']]);
  });
});
