/** An order that was taken back is never told as in force, and one in force is never lost, whatever left the context. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import { remindOfOrders } from '../../../src/core/instructions/orders/remindOfOrders.ts';
import { readOrders } from '../../../src/core/instructions/orders/standingOrders.ts';
import { messageId } from '../../../src/core/journal/entry.ts';
import type { Journal } from '../../../src/core/journal/journal.ts';
import type { Line } from '../../support/compactionHarness.ts';
import { type GrownSession, grownSession } from '../../support/grownSession.ts';
import { memoryJournal } from '../../support/ports/memoryStore.ts';
import { HISTORIES, type OrderHistory } from './orderHistories.ts';

const WINDOW = 64_000;

async function sessionOf(says: readonly string[]): Promise<Journal> {
  const { journal } = await memoryJournal();
  for (const text of says)
    await journal.append({ type: 'message', message: { role: 'user', kind: 'user', text }, tokens: 9 });
  return journal;
}

async function drop(journal: Journal, named: readonly string[]): Promise<void> {
  const visible = new Set(journal.context.conversation.map(({ id }) => id));
  const ids = named.filter((id) => visible.has(id));
  if (ids.length === 0) return;
  await journal.append({
    type: 'compaction',
    base: journal.head ?? 0,
    plan: [{ op: 'drop', ids }],
    strategy: 'test',
    trigger: 'manual',
    tokensBefore: 9,
    tokensAfter: 9,
    durationMs: 0,
    attempt: 1,
  });
}

const seen = (journal: Journal) => journal.context.conversation.map(({ message }) => message.text).join('\n');

/** What is wrong with a text in which the model reads of these orders; empty for nothing. */
function faults(text: string, { hold, over, once = [] }: OrderHistory): string[] {
  return [
    ...hold.filter((order) => !text.includes(order)).map((order) => `lost: ${order}`),
    ...over
      .filter(([order, by]) => text.includes(order) && text.lastIndexOf(by) < text.lastIndexOf(order))
      .map(([order]) => `told as in force: ${order}`),
    ...once.filter((order) => text.includes(`- ${order}\n`)).map((order) => `told twice: ${order}`),
  ];
}

describe('histories of orders', () => {
  test('there are enough of them', () => expect(HISTORIES.length).toBeGreaterThanOrEqual(75));

  test.each(HISTORIES.map((history) => [history.says.join(' | '), history] as const))(
    '%s',
    {
      tags: ['B14'],
    },
    async (_, history) => {
      const ids = history.says.map((_each, nth) => nth);
      // Every set of messages may leave, in one compaction or in two.
      await fc.assert(
        fc.asyncProperty(fc.subarray(ids), fc.subarray(ids), async (first, second) => {
          const journal = await sessionOf(history.says);
          const names = [...journal.context.conversation].map(({ id }) => id);
          for (const left of [first, second]) {
            await drop(
              journal,
              left.flatMap((nth) => names[nth] ?? []),
            );
            await remindOfOrders(journal, readOrders(journal), WINDOW, true);
            expect(faults(seen(journal), history)).toEqual([]);
          }
          // Without a new shape the list stays the same.
          const before = journal.head;
          await remindOfOrders(journal, readOrders(journal), WINDOW, false);
          expect(journal.head).toBe(before);
        }),
        { numRuns: 12, seed: 7 },
      );
    },
  );

  test('what is taken back while its order is in the list is not followed by the bare order', async () => {
    const journal = await sessionOf(['Never push to main.', 'Always use tabs.']);
    await drop(
      journal,
      journal.context.conversation.map(({ id }) => id),
    );
    await remindOfOrders(journal, readOrders(journal), WINDOW, true);
    const by = 'You may push to main now.';
    await journal.append({ type: 'message', message: { role: 'user', kind: 'user', text: by }, tokens: 9 });
    const change = { type: 'standingOrder', id: 'm1.0', text: 'Always use two tabs.' } as const;
    await journal.append({ ...change, id: readOrders(journal)[1]?.id ?? '' });
    await remindOfOrders(journal, readOrders(journal), WINDOW, false);
    const text = seen(journal);
    expect(text.lastIndexOf(by)).toBeGreaterThan(text.lastIndexOf('Never push to main.'));
    expect(text).toContain('Always use two tabs.');
  });

  test('one said again after the list is not told as gone', async () => {
    const journal = await sessionOf(['Never push to main.']);
    await drop(journal, [messageId(1)]);
    await remindOfOrders(journal, readOrders(journal), WINDOW, true);
    const message = { role: 'user', kind: 'user', text: 'Please never push to main.' } as const;
    await journal.append({ type: 'message', message, tokens: 9 });
    await remindOfOrders(journal, readOrders(journal), WINDOW, false);
    expect(seen(journal)).not.toContain('There is none');
  });
});

/** A round of some 3,000 tokens, with the words of a person before it. */
const round = (nth: number, says: string): Line => [
  { role: 'user', kind: 'user', text: `${says}\nLook at part ${nth} of the parser. ${'It is old code. '.repeat(30)}` },
  {
    role: 'assistant',
    text: '',
    toolCalls: [{ id: `r${nth}`, name: 'read_file', arguments: `{"path":"src/part${nth}.ts"}` }],
  },
  {
    role: 'tool',
    toolCallId: `r${nth}`,
    toolName: 'read_file',
    text: `part ${nth}: ${'const value = compute(); '.repeat(500)}`,
  },
  { role: 'assistant', text: `Part ${nth} holds a loop. ${'It looks sound to me. '.repeat(30)}` },
];

/** Of each of the languages of the table, a history whose orders do not meet those of the others. */
const CHOSEN = [
  'Never commit to main.',
  'Do not modify the migrations folder.',
  'Always answer in French.',
  'Always use tabs.',
  '添加依赖之前必须先问我。',
  '不要使用表情符号。',
  'Nunca toques la carpeta legacy.',
  'legacy フォルダは絶対に変更しないでください。',
].flatMap((order) => HISTORIES.find(({ says }) => says[0] === order) ?? []);

const sent = ({ turns }: GrownSession) =>
  turns.requests
    .at(-1)
    ?.messages.map(({ text }) => text)
    .join('\n') ?? '';

describe.each(BUILT_IN_STRATEGIES.map(({ id }) => id))('sixty rounds with %s', (strategy) => {
  test('an order taken back is never told as in force, and none in force is lost', {
    tags: ['B14', 'C14', 'long'],
  }, async () => {
    const kept = ['Always keep the changelog up to date.', '所有日期必须以 UTC 存储。'];
    /** What the person says in each round, and the histories that are complete by then. */
    const script = new Map<number, string>([
      [1, kept[0] ?? ''],
      [7, kept[1] ?? ''],
    ]);
    for (const [nth, { says }] of CHOSEN.entries()) {
      script.set(3 + nth * 3, says[0] ?? '');
      script.set(20 + nth * 3, says[2] ?? '');
    }
    const session = await grownSession({
      history: [],
      settings: { strategy },
      window: WINDOW,
      answers: Array<string>(80).fill('ok'),
      summaries: Array<string>(99).fill('<summary>The parser is being worked on.</summary>'),
      consent: Array<'compact'>(99).fill('compact'),
    });
    const heads: (number | null)[] = [];
    for (let nth = 0; nth < 60; nth++) {
      await session.add(round(nth, script.get(nth) ?? ''));
      // Undo, redo, and a branch that leaves the last round behind.
      if (nth % 17 === 11) await session.agent.compactor.undo();
      if (nth % 17 === 13) await session.agent.compactor.redo();
      heads.push(session.agent.journal.head);
      await session.say(`and then? (${nth})`);
      const complete = CHOSEN.filter((_, of) => 20 + of * 3 <= nth);
      const hold = nth < 7 ? (nth < 1 ? [] : kept.slice(0, 1)) : kept;
      const history = { says: [], hold, over: complete.flatMap(({ over }) => over) };
      expect(faults(sent(session), history), `round ${nth}`).toEqual([]);
      if (nth === 40) {
        await session.agent.journal.revert(heads[39] ?? null, 'user');
        await session.say('the other way');
        expect(faults(sent(session), history), 'branch').toEqual([]);
      }
    }
    expect(CHOSEN).toHaveLength(8);
    expect(session.compactions().length).toBeGreaterThanOrEqual(3);
  });
});
