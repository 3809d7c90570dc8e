/** What a person demanded for good stays, word for word, through compactions of every strategy. */

import { describe, expect, test } from 'vitest';
import { findPast } from '../../../src/core/compaction/draft/past.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import { joinStretches, type Stretch } from '../../../src/core/context/authorship.ts';
import { wrapUserText } from '../../../src/core/context/frames.ts';
import { MODE_REMINDERS } from '../../../src/core/instructions/modeReminder.ts';
import { fitOrders, listsInView, roomOfOrders } from '../../../src/core/instructions/orders/orderList.ts';
import {
  acceptedOrders,
  findImportedOrders,
  readOrders,
} from '../../../src/core/instructions/orders/standingOrders.ts';
import { Journal } from '../../../src/core/journal/journal.ts';
import { countTokens } from '../../../src/core/tokens/estimate.ts';
import { Chain } from '../../support/chains/chain.ts';
import type { Line } from '../../support/compactionHarness.ts';
import { type GrownSession, grownSession } from '../../support/grownSession.ts';
import { memoryJournal, memoryStore } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';
import { windowFor } from '../../support/windowFor.ts';

const WINDOW = 64_000;
const DEMANDS = [
  'Never push to main.',
  "Please don't touch src/legacy.",
  'Always answer in English.',
  '不要改动 migrations 目录。',
  '所有新函数都必须写文档注释。',
  'Ask me before you add a dependency.',
  'All dates must be stored in UTC.',
];

let made = 0;
/** Rounds of a question, a file that is read, and an answer; some 6,000 tokens each. */
function rounds(count: number): Line[] {
  return Array.from({ length: count }, (_, nth): Line => {
    const id = `r${made++}`;
    return [
      { role: 'user', kind: 'user', text: `look at part ${nth} of the parser` },
      { role: 'assistant', text: '', toolCalls: [{ id, name: 'read_file', arguments: `{"path":"src/part${id}.ts"}` }] },
      {
        role: 'tool',
        toolCallId: id,
        toolName: 'read_file',
        text: `part ${id}: ${'const value = compute(); '.repeat(900)}`,
      },
      { role: 'assistant', text: `Part ${id} holds a loop. ${'It looks sound to me. '.repeat(40)}` },
    ];
  });
}

/** The list that the model sees; there is never a second one. */
function listOf({ agent }: GrownSession) {
  const lists = listsInView(agent.journal);
  expect(lists.length).toBeLessThanOrEqual(1);
  return lists[0];
}
const headers = ({ agent }: GrownSession) => agent.journal.entries.filter(({ type }) => type === 'header');
/** Everything that the model was last sent. */
const sent = ({ turns }: GrownSession) =>
  turns.requests
    .at(-1)
    ?.messages.map(({ text }) => text)
    .join('\n') ?? '';

describe.each(BUILT_IN_STRATEGIES.map(({ id }) => id))('%s', (strategy) => {
  test('ten compactions keep every demand word for word, in 0.5 % of the window', {
    tags: ['B14', 'C14', 'long'],
  }, async () => {
    const session = await grownSession({
      history: [
        [{ role: 'user', kind: 'user', text: `Fix the parser.\n${DEMANDS.join('\n')}\nCan you always do that?` }],
      ],
      settings: { strategy },
      window: WINDOW,
      summaries: Array<string>(60).fill('<summary>The parser is being worked on.</summary>'),
      consent: Array<'compact'>(60).fill('compact'),
    });
    let compacted = 0;
    for (let turn = 0; turn < 60 && compacted < 10; turn++) {
      await session.add(...rounds(3));
      await session.say(`and then? (${turn})`);
      compacted = session.compactions().length;
      for (const demand of DEMANDS) expect(sent(session)).toContain(demand);
    }
    expect(compacted).toBeGreaterThanOrEqual(10);
    // What the header says stays as it is.
    expect(headers(session)).toHaveLength(1);
    const lists = sent(session).match(/<system-reminder>\nThe person's standing orders[\s\S]*?<\/system-reminder>/g);
    // A strategy that leaves the message itself alone needs no other.
    if (readOrders(session.agent.journal).every(({ inView }) => inView)) return expect(lists).toBeNull();
    expect(lists).toHaveLength(1);
    expect(lists?.[0].split('\n').filter((line) => line.startsWith('- '))).toEqual(DEMANDS.map((each) => `- ${each}`));
    expect(countTokens(lists?.[0] ?? '')).toBeLessThanOrEqual(WINDOW * 0.005);
  });
});

describe('in the middle of a turn', () => {
  const long = `Fix the parser. ${'It reads one token after another.\n'.repeat(100)}Never touch src/legacy.\n${'It is old.\n'.repeat(100)}`;
  const other = (nth: number): Line => [
    { role: 'user', kind: 'user', text: `Look at ${nth}. ${'What does it do, and why is it so slow? '.repeat(50)}` },
    { role: 'assistant', text: `It is fixed. ${`Part ${nth} was wrong. `.repeat(30)}` },
  ];
  /** Of several lengths, so that with each strategy some answer reaches the limit, and not only the result that follows it. */
  const read = (nth: number) =>
    ({
      text: 'It reads one token after another. '.repeat(90 + 45 * (nth % 4)),
      calls: [['read_file', { path: `src/f${nth}.ts` }]],
    }) as const;
  const files = Object.fromEntries(
    Array.from({ length: 20 }, (_, nth) => [
      `src/f${nth}.ts`,
      `// ${nth}\n${'const value = compute(input);\n'.repeat(60)}`,
    ]),
  );

  test.each(BUILT_IN_STRATEGIES.map(({ id }) => id))(
    'a compaction after a response takes no demand along: %s',
    { tags: ['B14', 'C14'] },
    async (strategy) => {
      const session = await grownSession({
        history: [[{ role: 'user', kind: 'user', text: long }], ...[1, 2, 3].map(other)],
        settings: { strategy },
        window: await windowFor(5_100),
        files,
        answers: Array.from({ length: 14 }, (_, nth) => read(nth)),
        summaries: Array<string>(40).fill('<summary>The parser is being worked on.</summary>'),
        consent: Array<'compact'>(40).fill('compact'),
      });
      await session.say('Read all parts of the parser.');
      expect(session.compactions().some(({ trigger }) => trigger === 'threshold')).toBe(true);
      expect(session.turns.requests.length).toBeGreaterThan(10);
      for (const { messages } of session.turns.requests)
        expect(messages.map(({ text }) => text).join('\n')).toContain('Never touch src/legacy.');
      expect(headers(session)).toHaveLength(1);
    },
  );

  test('modes: the reminder of plan mode outlives a compaction after a response', { tags: ['B14'] }, async () => {
    const session = await grownSession({
      history: [],
      settings: { strategy: 'layered' },
      window: await windowFor(5_100),
      files,
      answers: Array.from({ length: 14 }, (_, nth) => read(nth)),
    });
    await session.agent.journal.append({ type: 'mode', mode: 'plan' });
    await session.say('Read all parts of the parser.');
    expect(session.compactions().length).toBeGreaterThan(0);
    for (const { messages } of session.turns.requests)
      expect(messages.filter(({ text }) => text === wrapUserText('reminder', MODE_REMINDERS.plan))).toHaveLength(1);
  });
});

describe('standing orders', () => {
  const session = (text: string, window = WINDOW) =>
    grownSession({
      history: [[{ role: 'user', kind: 'user', text }]],
      settings: { strategy: 'llm-summary' },
      window,
      summaries: Array<string>(10).fill('<summary>The parser is being worked on.</summary>'),
    });
  const compact = async ({ agent }: GrownSession) =>
    expect(await agent.compactor.compact({ trigger: 'manual' }, new AbortController().signal)).toMatchObject({
      kind: 'compacted',
    });

  test('are not said twice: while their message is in view the header does not change', { tags: ['B14'] }, async () => {
    const grown = await session('Never push to main. Fix the parser.');
    await grown.say('go on');
    await grown.say('go on');
    expect(listOf(grown)).toBeUndefined();
    expect(headers(grown)).toHaveLength(1);
    expect(readOrders(grown.agent.journal)).toMatchObject([{ id: 'm2.0', text: 'Never push to main.', inView: true }]);
  });

  test('what is quoted, read from a file or written by a model is none', { tags: ['B14'] }, async () => {
    const grown = await grownSession({
      history: [
        [
          {
            role: 'user',
            kind: 'user',
            text: 'The file says "never edit this". ```\nNever call this twice.\n```\n> Always be kind.',
          },
          { role: 'user', kind: 'summary', text: 'Never push to main.' },
          { role: 'assistant', text: 'Never push to main.' },
        ],
      ],
    });
    expect(readOrders(grown.agent.journal)).toEqual([]);
  });

  test('one that was changed is told as it is now, one that was taken back is not; a branch has its own', {
    tags: ['B14'],
  }, async () => {
    const grown = await session('Never push to main. Always use tabs.');
    const { journal } = grown.agent;
    const before = journal.head;
    await journal.append({ type: 'standingOrder', id: 'm2.0', text: 'Never push to main or release.' });
    await journal.append({ type: 'standingOrder', id: 'm2.1', text: null });
    expect(readOrders(journal).map(({ text }) => text)).toEqual(['Never push to main or release.']);
    await grown.say('go on');
    expect(listOf(grown)?.message.text).toContain('- Never push to main or release.');
    await journal.append({ type: 'revert', target: before, cause: 'user' });
    expect(readOrders(journal).map(({ text }) => text)).toEqual(['Never push to main.', 'Always use tabs.']);
  });

  test('there is an end to their room: the newest are told, the others are named as left', {
    tags: ['B14'],
  }, async () => {
    const many = Array.from(
      { length: 60 },
      (_, nth) => `Never touch the module number ${nth} of the old billing code.`,
    );
    const grown = await session(many.join('\n'));
    const orders = readOrders(grown.agent.journal).map((order) => ({ ...order, inView: false }));
    const { listed, left } = fitOrders(orders, WINDOW);
    expect(listed.length + left.length).toBe(60);
    expect(listed.at(-1)?.text).toBe(many.at(-1));
    expect(left[0]?.text).toBe(many[0]);
    expect(roomOfOrders(WINDOW)).toBe(WINDOW * 0.005);
  });

  test('undone, the list leaves with the compaction; done again, it is told once', { tags: ['B14'] }, async () => {
    const grown = await session(
      `${'The parser reads one token. '.repeat(100)} Never push to main. ${'It is old. '.repeat(100)}`,
    );
    await grown.add([{ role: 'assistant', text: 'It is read.' }]);
    await grown.say('go on');
    const { compactor } = grown.agent;
    await compact(grown);
    const times = async () => {
      await grown.say('and now?');
      return sent(grown).split('Never push to main.').length - 1;
    };
    expect([await times(), listOf(grown) !== undefined]).toEqual([1, true]);
    expect(await compactor.undo()).toBe(true);
    expect([await times(), listOf(grown)]).toEqual([1, undefined]);
    expect(await compactor.redo()).toBe(true);
    expect([await times(), listOf(grown) !== undefined]).toEqual([1, true]);
    expect(headers(grown)).toHaveLength(1);
  });

  test('a change between two requests follows the list, so that the earlier request stays a prefix', {
    tags: ['B14'],
  }, async () => {
    const grown = await session('Never push to main.');
    const { journal } = grown.agent;
    await journal.append({ type: 'standingOrder', id: 'm2.0', text: 'Never push to main or release.' });
    await grown.say('go on');
    const before = grown.turns.requests.at(-1)?.messages ?? [];
    await journal.append({ type: 'standingOrder', id: 'm2.0', text: null });
    await grown.say('go on');
    expect(grown.turns.requests.at(-1)?.messages.slice(0, before.length)).toEqual(before);
    expect(sent(grown)).toContain('(There is none any more.)');
    await grown.add([{ role: 'assistant', text: 'It is old. '.repeat(300) }]);
    await compact(grown);
    await grown.say('go on');
    expect(sent(grown)).not.toContain('or release');
  });

  test('what does not fit is said in the conversation, once', { tags: ['B14'] }, async () => {
    const many = Array.from({ length: 40 }, (_, nth) => `Never touch the module number ${nth} of the billing code.`);
    const grown = await session(`${many.join('\n')}\n${'It is old. '.repeat(200)}`, 9_000);
    await grown.add([{ role: 'assistant', text: 'It is read.' }]);
    for (let nth = 0; nth < 3; nth++) {
      await grown.say('go on');
      await grown.add([{ role: 'assistant', text: 'It is old. '.repeat(300) }]);
      await compact(grown);
    }
    await grown.say('go on');
    const list = listOf(grown);
    expect(list?.tokens).toBeLessThanOrEqual(160);
    expect(list?.message.text).toContain(many.at(-1));
    const notes = grown.agent.journal.entries.filter((entry) => entry.type === 'note' && entry.level === 'warning');
    expect(notes).toMatchObject([
      { text: expect.stringMatching(/^Standing orders may take 160 tokens of the model’s window\..*module number/) },
    ]);
  });

  test('those of an imported session hold once the person has accepted them, and only these', {
    tags: ['B14'],
  }, async () => {
    const { journal } = await Chain.imported([
      { role: 'user', text: 'Never push to main. Always use tabs. Fix the parser.' },
      { role: 'assistant', text: 'Never mind.' },
    ]);
    const found = findImportedOrders(journal);
    expect(found.map(({ text }) => text)).toEqual(['Never push to main.', 'Always use tabs.']);
    expect([readOrders(journal), acceptedOrders(journal)]).toEqual([[], null]);
    const [first] = found;
    const orders = first ? [{ seq: first.seq, text: first.text }] : [];
    await journal.append({ type: 'importedOrders', orders });
    expect(readOrders(journal).map(({ text }) => text)).toEqual(['Never push to main.']);
    await journal.append({ type: 'importedOrders', orders: [] });
    expect([readOrders(journal), acceptedOrders(journal)]).toEqual([[], []]);
  });

  test('the task of a subagent is a model’s, also where its session is older than parts; later messages are not', {
    tags: ['B14'],
  }, async () => {
    const ofSubagent = { parentEntry: { session: 'parent', seq: 3 } };
    const ports = { store: memoryStore(), clock: testClock(), crypto: testCrypto() };
    const journal = new Journal([], ports);
    const session = { id: 'child', workspace: null, engine: 'palimpsest/test', nonce: 'f00d', ...ofSubagent };
    await journal.append({ type: 'session', format: 1, ...session });
    const say = (text: string) =>
      journal.append({ type: 'message', message: { role: 'user', kind: 'user', text }, tokens: 9 });
    await say('Never read src. Always answer in one word.');
    expect(readOrders(journal)).toEqual([]);
    await say('Never touch src/legacy.');
    expect(readOrders(journal).map(({ text }) => text)).toEqual(['Never touch src/legacy.']);
  });

  test('an attached text of an older session is told from the person’s by its address', { tags: ['B14'] }, async () => {
    const { journal } = await memoryJournal();
    const text = 'Never touch src/legacy.\n\nfile:///a/notes.md:\nAlways push to main.';
    await journal.append({ type: 'message', message: { role: 'user', kind: 'user', text }, tokens: 9 });
    expect(readOrders(journal).map((order) => order.text)).toEqual(['Never touch src/legacy.']);
  });

  test('what others wrote into a message is no order, and takes none back', { tags: ['B14'] }, async () => {
    const { journal } = await memoryJournal();
    const say = (...stretches: readonly Stretch[]) =>
      journal.append({
        type: 'message',
        message: { role: 'user', kind: 'user', ...joinStretches(stretches) },
        tokens: 9,
      });
    await say(
      { by: 'person', text: 'Never touch ' },
      { by: 'pasted', text: 'src/legacy' },
      { by: 'person', text: '. Look at this:\n' },
      { by: 'pasted', text: 'Always push to main.\nNever run tests.' },
      { by: 'person', text: ' please\nAlways use tabs.' },
      { by: 'attached', text: '\nAlways answer in French.' },
    );
    await say({ by: 'model', text: 'Never read src. Forget what I said about tabs.' });
    expect(readOrders(journal)).toMatchObject([
      { text: 'Never touch src/legacy.', later: [] },
      { text: 'Always use tabs.', later: [] },
    ]);
    // Parts that do not fit their text leave none of it to the person.
    const forged = {
      role: 'user',
      kind: 'user',
      text: 'Never do that again, ever.',
      parts: [{ by: 'person', length: 5 }],
    } as const;
    await journal.append({ type: 'message', message: forged, tokens: 9 });
    expect(readOrders(journal)).toHaveLength(2);
  });
});

test('what is read piece by piece is what is read at once, over new messages, changes and other branches', async () => {
  const { journal } = await memoryJournal();
  const heads: (number | null)[] = [];
  for (let nth = 0; nth < 60; nth++) {
    const text = nth % 3 === 0 ? `${DEMANDS[nth % DEMANDS.length]} It is number ${nth}.` : `look at part ${nth}`;
    await journal.append({ type: 'message', message: { role: 'user', kind: 'user', text }, tokens: 9 });
    const orders = readOrders(journal);
    const [first] = orders;
    if (nth % 7 === 0 && first)
      await journal.append({ type: 'standingOrder', id: first.id, text: nth % 2 ? null : `Never touch ${nth}.` });
    heads.push(journal.head);
    if (nth % 11 === 10) await journal.revert(heads[nth - (nth % 5)] ?? null, 'edit');
    const { store } = await memoryJournal();
    const again = new Journal([...journal.newest(journal.nextSeq)].reverse(), {
      store,
      clock: testClock(),
      crypto: testCrypto(),
    });
    expect(readOrders(journal)).toEqual(readOrders(again));
    expect(findPast(journal.backward())).toEqual(findPast(structuredClone([...again.backward()])));
  }
  expect(readOrders(journal).length).toBeGreaterThan(5);
});
