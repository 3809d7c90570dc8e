/** Which program recorded a session, and what of it no person said. */

import { describe, expect, it } from 'vitest';
import { recognise } from '../../../src/core/sessions/recognise.ts';
import { memoryJournal } from '../../support/ports/memoryStore.ts';
import { jsonl, readImport } from './readImport.ts';

describe('import of other programs’ sessions', () => {
  it('knows a journal of ours from sessions of pi, whose first line looks alike', async () => {
    const { journal, store } = await memoryJournal();
    await journal.append({ type: 'title', title: 'x' });
    expect(recognise(`${store.lines.join('\n')}\n`)).toEqual({ format: 'palimpsest', id: journal.session.id });
    expect(recognise(jsonl({ type: 'session', id: 's', version: 3 }))).toEqual({ format: 'pi' });
  });

  it('knows the normal form, and says of nothing else that it knows it', async () => {
    expect(recognise(jsonl({ role: 'user', content: 'hi' }))).toEqual({ format: 'normal' });
    for (const other of ['', 'hello', '{}', '[]', '{"level":"info"}\n{"msg":1}', '\0\u0001'])
      expect(recognise(other)).toBe(null);
  });

  it('says where a file is cut off and reads what is there', async () => {
    const claude = jsonl({ type: 'user', uuid: '1', parentUuid: null, message: { role: 'user', content: 'hi' } });
    const cut = await readImport(`${claude}\n{"type":"assist`);
    expect([cut.messages, cut.report.badLines]).toEqual([['user: hi'], [{ line: 2, reason: 'not JSON' }]]);
    const array = await readImport('[{"role":"user","content":"hi \\"[{\\""},\n{"role":"ass');
    expect([array.messages, array.report.badLines]).toEqual([
      ['user: hi "[{"'],
      [{ line: 2, reason: 'the list of messages does not end: the file is cut off' }],
    ]);
  });
});

it('Codex’s newer wrappings and Roo’s marker are no words of a person', async () => {
  const said = (text: string) => ({
    timestamp: 't',
    type: 'response_item',
    payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
  });
  const wrapped = ['<user_shell_command>ls', '<skill>\n<name>x', '<subagent_notification>done', 'my words'];
  const codex = await readImport(
    jsonl({ timestamp: 't', type: 'session_meta', payload: { id: '1' } }, ...wrapped.map(said)),
  );
  expect(codex.messages.map((text) => text.split(':')[0])).toEqual(['reminder', 'reminder', 'reminder', 'user']);
  const roo = await readImport(
    JSON.stringify([
      { role: 'user', content: 'my words' },
      { role: 'user', content: '[Sliding window truncation: 4 messages hidden]', isTruncationMarker: true },
    ]),
  );
  expect(roo.messages.map((text) => text.split(':')[0])).toEqual(['user', 'reminder']);
});
