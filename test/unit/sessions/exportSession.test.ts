import { describe, expect, it, test } from 'vitest';
import { exportJson, exportMarkdown, exportNormalForm } from '../../../src/core/sessions/exportSession.ts';
import { importRecorded } from '../../../src/core/sessions/importRecorded.ts';
import { newImportReport } from '../../../src/core/sessions/recorded.ts';
import { openCleaner } from '../../../src/node/secrets/openCleaner.ts';
import { memoryJournal } from '../../support/ports/memoryStore.ts';
import { VENDORS, WRITTEN } from '../../support/secrets/corpus.ts';
import { generateSession } from '../../support/sessions/generateSession.ts';

async function journalFrom(text: string) {
  const { journal } = await memoryJournal();
  async function* lines() {
    yield* text.split('\n');
  }
  await importRecorded('normal', lines(), newImportReport(), async () => journal);
  return journal;
}

describe('export', () => {
  it('in the normal form reads back as the same entries', async () => {
    const journal = await journalFrom(generateSession({ messages: 80 }));
    const again = await journalFrom([...exportNormalForm(journal)].join(''));
    const entries = journal.path();
    // It also says when each message was said.
    expect(again.path()).toEqual(
      entries.map((entry) => (entry.type === 'message' ? { ...entry, saidAt: entry.time } : entry)),
    );
  });

  it('as JSON holds the branch with its facts', async () => {
    const journal = await journalFrom(generateSession({ messages: 10 }));
    await journal.append({ type: 'title', title: 'A "title"' });
    const document = JSON.parse([...exportJson(journal)].join('')) as { title: string; entries: unknown[] };
    expect(document).toMatchObject({
      format: 'palimpsest-session',
      version: 1,
      title: 'A "title"',
      session: { id: 'test' },
    });
    expect(document.entries).toEqual(JSON.parse(JSON.stringify(journal.path())));
  });

  it('as Markdown is for reading, and no text inside can end its frame', async () => {
    const { journal } = await memoryJournal();
    await journal.append({ type: 'message', message: { role: 'user', kind: 'user', text: 'Hello' }, tokens: 1 });
    const toolCalls = [{ id: 'c', name: 'read_file', arguments: '{"path":"a.md"}' }];
    await journal.append({ type: 'message', message: { role: 'assistant', text: 'I look.', toolCalls }, tokens: 1 });
    await journal.append({
      type: 'message',
      message: { role: 'tool', toolCallId: 'c', toolName: 'read<file>', text: '```\n````js\nx', isError: true },
      tokens: 1,
    });
    await journal.append({ type: 'title', title: 'Two\nlines' });
    const time = '2026-01-01T12:00:00.000Z';
    expect([...exportMarkdown(journal)].join('')).toBe(
      [
        '# Two lines',
        `## You, ${time}`,
        'Hello',
        `## Agent, ${time}`,
        'I look.',
        '**read_file**',
        '```json\n{"path":"a.md"}\n```',
        '<details><summary>Result of read&#60;file&#62; (failed)</summary>',
        '`````\n```\n````js\nx\n`````',
        '</details>',
        '',
      ].join('\n\n'),
    );
  });
});

it('Markdown survives what the journal survives: very many backticks, and fields of another version', async () => {
  const { journal } = await memoryJournal();
  const text = '` '.repeat(200_000);
  const message = { role: 'tool', toolCallId: 'c', toolName: 'look', text } as const;
  await journal.append({ type: 'message', message, tokens: 1 });
  await journal.append({
    type: 'message',
    message: { ...message, toolName: undefined as never, text: 'later' },
    tokens: 1,
  });
  await journal.append({ type: 'message', message: { role: 'user', kind: 'user', text: 'the end' }, tokens: 1 });
  const markdown = [...exportMarkdown(journal)].join('');
  expect(markdown).toContain(text);
  expect(markdown).toContain('later');
  expect(markdown).toContain('the end');
});

test.each([
  ['Markdown', exportMarkdown],
  ['JSON', exportJson],
  ['chat completions', exportNormalForm],
])('no secret leaves in %s', async (_, write) => {
  const { journal } = await memoryJournal();
  const secrets = [...VENDORS, ...WRITTEN];
  for (const [nth, [name, text]] of secrets.entries()) {
    const toolCalls = [{ id: `c${nth}`, name: 'run_command', arguments: JSON.stringify({ command: text }) }];
    await journal.append({
      type: 'message',
      message: { role: 'user', kind: 'user', text: `${name}:\n${text}` },
      tokens: 1,
    });
    await journal.append({ type: 'message', message: { role: 'assistant', text, toolCalls }, tokens: 1 });
    await journal.append({
      type: 'message',
      message: { role: 'tool', toolCallId: `c${nth}`, toolName: 'run_command', text },
      tokens: 1,
    });
  }
  const { cleanValue } = await openCleaner();
  const found = (text: string) =>
    secrets.filter(([, , secret]) => text.includes(JSON.stringify(secret).slice(1, -1))).map(([name]) => name);
  expect(found([...write(journal)].join('')).length).toBeGreaterThan(100);
  expect(found([...write(journal, cleanValue)].join(''))).toEqual([]);
});
