import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lowerContext } from '../../../src/core/context/lower.ts';
import type { TreeEntry } from '../../../src/core/journal/entry.ts';
import type { Journal } from '../../../src/core/journal/journal.ts';
import { importRecorded, MISSING_RESULT } from '../../../src/core/sessions/importRecorded.ts';
import { type ImportReport, newImportReport } from '../../../src/core/sessions/recorded.ts';
import { memoryJournal } from '../../support/ports/memoryStore.ts';
import { generateSession } from '../../support/sessions/generateSession.ts';
import { findRecordedSessions, readRecording } from '../../support/sessions/recordedSessions.ts';
import { pairingFault } from '../journal/reference.ts';

async function read(text: string): Promise<{ entries: TreeEntry[]; report: ImportReport; journal: Journal }> {
  const report = newImportReport();
  const { journal } = await memoryJournal();
  async function* lines() {
    yield* text.split('\n');
  }
  await importRecorded('normal', lines(), report, async () => journal);
  return { entries: [...journal.path()], report, journal };
}

const line = (value: unknown) => `${JSON.stringify(value)}\n`;
const call = (...ids: string[]) =>
  line({
    role: 'assistant',
    content: null,
    tool_calls: ids.map((id) => ({ id, function: { name: 'ls', arguments: '{}' } })),
  });
const result = (tool_call_id: string, content = 'ok') => line({ role: 'tool', tool_call_id, content });
const messages = (entries: readonly TreeEntry[]) =>
  entries.flatMap((entry) => (entry.type === 'message' ? [entry.message] : []));

describe('import of the normal form', () => {
  it('turns leading system messages into the header and later ones into reminders', async () => {
    const { entries } = await read(
      line({ role: 'system', content: 'be brief' }) +
        line({ role: 'developer', content: 'rules' }) +
        line({ role: 'user', content: 'hi' }) +
        line({ role: 'system', content: 'mode changed' }),
    );
    expect(entries).toMatchObject([
      { type: 'header', items: [{ text: 'be brief' }, { text: 'rules' }], tools: [] },
      { type: 'message', message: { kind: 'user', text: 'hi' } },
      { type: 'message', message: { kind: 'reminder', text: 'mode changed' } },
    ]);
  });

  it.each([
    ['<system-reminder>x</system-reminder>', 'reminder'],
    ['<command-name>/clear</command-name>', 'reminder'],
    ['# AGENTS.md instructions for /x', 'reminder'],
    ['This session is being continued from a previous conversation that ran out', 'summary'],
    ['<uploaded_files>\n/testbed\n</uploaded_files>\nFix it', 'user'],
    ['<current_datetime>2026</current_datetime>\n\ngo on', 'user'],
  ])('reads %j as %s', async (content, kind) => {
    expect(messages((await read(line({ role: 'user', content }))).entries)).toMatchObject([{ kind }]);
  });

  it('keeps reasoning, errors and text in parts', async () => {
    const { entries } = await read(
      line({ role: 'assistant', content: [{ type: 'text', text: 'a' }, { type: 'image_url' }], reasoning: 'because' }) +
        call('1') +
        line({ role: 'tool', tool_call_id: '1', content: 'no', is_error: true }),
    );
    expect(messages(entries)).toEqual([
      { role: 'assistant', text: 'a\n[image_url]', reasoning: { field: 'reasoning', text: 'because' } },
      { role: 'assistant', text: '', toolCalls: [{ id: '1', name: 'ls', arguments: '{}' }] },
      { role: 'tool', toolCallId: '1', toolName: 'ls', text: 'no', isError: true },
    ]);
  });

  it('closes missing results, leaves out stray ones and renames calls whose id came before', async () => {
    const { entries, report } = await read(
      result('stray') +
        call('1', '2') +
        result('2') +
        line({ role: 'user', content: 'hi' }) +
        result('1') +
        call('1') +
        result('1', 'again'),
    );
    expect(
      messages(entries).map((message) => (message.role === 'tool' ? [message.toolCallId, message.text] : message.role)),
    ).toEqual(['assistant', ['2', 'ok'], ['1', MISSING_RESULT], 'user', 'assistant', ['1-2', 'again']]);
    expect(report).toMatchObject({ messages: 6, missingResults: 1, strayResults: 2, renamedCalls: 1 });
  });

  it('names bad lines by number and reads on, also when the file is cut off', async () => {
    const { entries, report } = await read(
      `${line({ role: 'user', content: 'hi' })}{"role":"wizard"}\n\n{"role":"assistant","con`,
    );
    expect(messages(entries).length).toBe(1);
    expect(report.badLines).toEqual([
      { line: 2, reason: expect.stringContaining('role') },
      { line: 4, reason: 'not JSON' },
    ]);
  });

  const inputs: [string, () => string][] = [
    ...[1, 2, 3].map((seed): [string, () => string] => [
      `generated ${seed}`,
      () => generateSession({ seed, messages: 200 }),
    ]),
    ...findRecordedSessions().map((path): [string, () => string] => [basename(path), () => readRecording(path)]),
  ];
  it.each(inputs)('reads %s whole, into a valid history', async (_name, text) => {
    const { journal, report } = await read(text());
    expect(report.badLines).toEqual([]);
    expect(pairingFault(lowerContext(journal.context))).toBe(null);
    const count = text()
      .split('\n')
      .filter((each) => each !== '' && !each.includes('"role":"system"')).length;
    expect(report.messages).toBeGreaterThanOrEqual(count);
  });
});
