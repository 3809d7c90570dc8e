/** Complaints about models and money: who writes the summary, what the cache loses, and another model in the session. */

import { entriesOf } from '../support/journals.ts';
import { ask, send, waitUntilIdle } from '../support/panel.ts';
import { lastTurn } from '../support/requests.ts';
import { quickPick, runCommand } from '../support/workbench.ts';
import { expect, note, reading, saying, test, WINDOW } from './complaint.ts';

test('a cheaper model elsewhere writes the summary', { tag: ['@everyday', '@complaint:9'] }, async ({
  serve,
  open,
  capture,
}) => {
  const dear = await serve('dear');
  const cheap = await serve('cheap');
  cheap.summary = saying('A summary by the cheap model.');
  const host = await open({
    'palimpsest.endpoints': [
      { id: 'one', baseUrl: dear.server.baseUrl, models: [{ name: 'dear', contextWindow: WINDOW }] },
      { id: 'elsewhere', baseUrl: cheap.server.baseUrl, models: [{ name: 'cheap', contextWindow: 100_000 }] },
    ],
    'palimpsest.model': 'dear@one',
    'palimpsest.compaction.summary.model': 'cheap@elsewhere',
  });
  const { panel } = host;
  dear.planned.push(...[0, 1, 2, 3, 4, 5].map(reading), saying('All are read.'));
  await ask(panel, 'Read the notes.');
  await expect.poll(() => entriesOf(host, 'compaction')[0]?.summaryModel).toBe('cheap');
  await capture('complaint-09-cheaper-elsewhere');
  expect(dear.server.requests.every(({ body }) => body.model === 'dear')).toBe(true);
  expect(dear.server.requests.some(({ text }) => text.includes('A summary by the cheap model.'))).toBe(true);
  expect(cheap.server.requests.length).toBe(entriesOf(host, 'compaction').filter((made) => made.summaryModel).length);
});

test('the prefix that is cached changes with a compaction and with nothing else', {
  tag: ['@everyday', '@complaint:11'],
}, async ({ begin }) => {
  const { model, host, read } = await begin();
  await read('Read some notes.', [0, 1], 'Two are read.');
  await read('And more.', [2, 3, 4], 'Three more.');
  await read('And the rest.', [5, 6, 7], 'The rest.');
  await read('Thank you.', [], 'You are welcome.');
  const compactions = entriesOf(host, 'compaction').length;
  expect(compactions).toBeGreaterThan(0);
  const sent = model.server.requests
    .filter(({ body }) => body.tools !== undefined && body.tool_choice !== 'none')
    .map(({ body }) => ({
      tools: JSON.stringify(body.tools),
      messages: (body.messages as object[]).map((each) => JSON.stringify(each)),
    }));
  const goesOn = sent.slice(1).map((request, i) => {
    const earlier = sent[i]?.messages ?? [];
    return earlier.every((message, at) => message === request.messages[at]);
  });
  expect(goesOn.filter((does) => !does)).toHaveLength(compactions);
  expect(new Set(sent.map(({ tools }) => tools)).size, 'the tools stand before everything else').toBe(1);
});

test('another model, of another kind of endpoint, goes on with the session', {
  tag: ['@everyday', '@complaint:14'],
}, async ({ serve, open, capture }) => {
  const first = await serve('first');
  const second = await serve('second');
  const host = await open({
    'palimpsest.endpoints': [
      { id: 'chat', baseUrl: first.server.baseUrl, models: ['first'] },
      { id: 'responses', baseUrl: second.server.baseUrl, dialect: 'responses', models: ['second'] },
    ],
    'palimpsest.model': 'first@chat',
    'palimpsest.contextWindow': 100_000,
  });
  const { page, panel } = host;
  first.planned.push(
    { ...reading(0), reasoning: { field: 'reasoning_content', text: 'A thought of the first.' } } as ReturnType<
      typeof reading
    >,
    saying('The first has read it.'),
  );
  await ask(panel, 'Read a note.');
  await send(panel, '/compact');
  await panel.locator('.row.compaction').waitFor();
  await waitUntilIdle(panel);
  await runCommand(page, 'Palimpsest: Choose Model…');
  await quickPick(page, 'second').click();
  await panel.getByRole('button', { name: 'Model: second' }).waitFor();
  second.planned.push(reading(1), saying('The second has read on.'));
  await ask(panel, 'Go on.');
  await panel.locator('.row.assistant', { hasText: 'The second has read on.' }).waitFor();
  await capture('complaint-14-another-model');
  const told = second.server.requests.at(-1)?.text ?? '';
  expect(told).toContain('Read a note.');
  expect(told).toContain(note(1));

  await runCommand(page, 'Palimpsest: Choose Model…');
  await quickPick(page, 'first').click();
  await panel.getByRole('button', { name: 'Model: first' }).waitFor();
  first.planned.push(saying('And the first again.'));
  await ask(panel, 'And you?');
  expect(lastTurn(first.server).text).toContain('The second has read on.');
  expect([...first.server.failures, ...second.server.failures]).toEqual([]);
});
