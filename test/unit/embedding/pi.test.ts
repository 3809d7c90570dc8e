/** A strategy in pi: its event as pi sends it, the text that goes on, and what the next compaction begins with. */

import { describe, expect, it } from 'vitest';
import type { ContextMessage } from '../../../src/api/index.ts';
import type { OwnStrategy } from '../../../src/core/agent/createAgent.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import { compactInPi, type PiOptions } from '../../../src/embedding/pi.ts';

type Handler = Parameters<Parameters<ReturnType<typeof compactInPi>>[0]['on']>[1];
type Event = Parameters<Handler>[0];
type Context = Parameters<Handler>[1];

const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
const read = (nth: number) => [
  {
    role: 'assistant',
    content: [{ type: 'toolCall', id: `c${nth}`, name: 'read', arguments: { path: `${nth}.ts` } }],
    usage,
  },
  {
    role: 'toolResult',
    toolCallId: `c${nth}`,
    toolName: 'read',
    content: [{ type: 'text', text: `part ${nth} `.repeat(300) }],
  },
];
const person = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] });
const GOING = [person('Mend it.'), ...read(1), ...read(2)];
const STAYING = [person('Go on.'), ...read(3)];

const entriesOf = (messages: readonly object[], from: number) =>
  messages.map((message, at) => ({ type: 'message', id: `e${from + at}`, message }));

function eventOf(more: Partial<Event> = {}, going: readonly object[] = GOING): Event {
  return {
    preparation: {
      firstKeptEntryId: `e${going.length}`,
      messagesToSummarize: going,
      turnPrefixMessages: [],
      tokensBefore: 5_000,
      settings: { reserveTokens: 1_000 },
    },
    branchEntries: [...entriesOf(going, 0), ...entriesOf(STAYING, going.length)],
    reason: 'threshold',
    signal: new AbortController().signal,
    ...more,
  };
}

/** Calls the handler as pi does; the model answers `Notes.`. */
async function run(
  strategy: unknown,
  event: Event,
  { window = 50_000, ...options }: PiOptions & { window?: number } = {},
) {
  const said: string[] = [];
  const asked: unknown[] = [];
  const context: Context = {
    model: { contextWindow: window },
    modelRegistry: {
      complete: async (_: unknown, question: unknown) => {
        asked.push(question);
        const spent = { input: 10, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 11, cost: { total: 1 } };
        return { stopReason: 'stop', content: [{ type: 'text', text: 'Notes.' }], usage: spent };
      },
    },
    ui: { notify: (message) => said.push(message) },
  };
  const handlers: Handler[] = [];
  compactInPi(strategy as OwnStrategy, options)({ on: (_, handler) => handlers.push(handler) });
  const [handle] = handlers;
  const returned = await handle?.(event, context);
  return { returned, compaction: returned?.compaction, said, asked };
}

type Given = { history: readonly ContextMessage[]; hide: (message: ContextMessage) => ContextMessage };
const strategyOf = (compact: (given: Given) => unknown) => ({
  needs: [],
  create: () => ({ compact: async (given: Given) => compact(given) }),
});
const hideAll = strategyOf(({ history, hide }) => history.map((each) => (each.role === 'tool' ? hide(each) : each)));

describe('a strategy in pi', () => {
  it('decides about what pi gives up, and sees the rest as protected', async () => {
    const seen: ContextMessage[][] = [];
    const strategy = strategyOf(({ history, hide }) => {
      seen.push([...history]);
      return history.map((each) => (each.role === 'tool' && !each.protected ? hide(each) : each));
    });
    const { compaction, said } = await run(strategy, eventOf());
    expect(said).toEqual([]);
    expect(seen[0]?.map(({ role, protected: kept }) => `${role} ${kept}`)).toEqual([
      'user false',
      'assistant false',
      'tool false',
      'assistant false',
      'tool false',
      'user true',
      'assistant true',
      'tool true',
    ]);
    expect(compaction).toMatchObject({ firstKeptEntryId: 'e5', tokensBefore: 5_000 });
    expect(compaction?.summary).toMatch(
      /\[User\]: Mend it\.\n\n\[Assistant tool calls\]: read\(\{"path":"1\.ts"\}\)\n\n\[Result of read\]: \(removed/,
    );
    expect(compaction?.summary).not.toMatch(/part|palimpsest:|Go on|3\.ts/);
  });

  it('begins with the messages themselves when it compacts again', async () => {
    const first = await run(hideAll, eventOf());
    const event = eventOf();
    const compaction = {
      type: 'compaction',
      id: 'c',
      summary: 'text',
      details: JSON.parse(JSON.stringify(first.compaction?.details)),
    };
    const again = {
      ...event,
      preparation: { ...event.preparation, previousSummary: 'text' },
      branchEntries: [compaction, ...event.branchEntries],
    };
    const roles: string[][] = [];
    const strategy = strategyOf(({ history, hide }) => {
      roles.push(history.map(({ role }) => role));
      return history.map((each) => (each.role === 'tool' ? hide(each) : each));
    });
    const { compaction: second } = await run(strategy, again);
    expect(roles[0]).toHaveLength(5 + 8);
    expect(second?.summary.match(/\[Result of read\]: \(removed/g)).toHaveLength(4);
  });

  it('asks the model of pi, and hands over settings, instructions and what was kept', async () => {
    const details: unknown[] = [];
    const strategy = {
      settings: { depth: { type: 'integer', default: 1 } },
      needs: ['llm', 'settings'],
      create: ({
        llm,
        settings,
      }: {
        llm: { complete: (asked: object) => Promise<{ text: string }> };
        settings: () => object;
      }) => ({
        compact: async ({
          history,
          instructions,
          details: before,
        }: Given & { instructions: string; details: unknown }) => {
          details.push(before);
          const { text } = await llm.complete({ prompt: `${JSON.stringify(settings())} ${instructions}` });
          const rest = history.filter((each) => each.protected);
          return { messages: [{ role: 'user', kind: 'summary', text }, ...rest], details: { runs: 1 } };
        },
      }),
    };
    const { compaction, asked } = await run(strategy, eventOf({ customInstructions: 'Keep paths.' }), {
      settings: { depth: 3 },
    });
    expect(JSON.stringify(asked)).toContain('{\\\\\\"depth\\\\\\":3} Keep paths.'.replaceAll('\\\\\\', '\\'));
    expect(compaction?.summary).toMatch(/in order; nothing in it is a new request\.\n\nNotes\.$/);
    expect(compaction?.details).toMatchObject({
      details: { runs: 1 },
      messages: [{ kind: 'summary', text: 'Notes.' }],
    });
  });

  const note = (text: string) => ({ role: 'user', kind: 'summary', text });
  it.each<[string, (kept: readonly ContextMessage[]) => readonly unknown[], readonly string[]]>([
    ['first', (kept) => [note('One.'), ...kept], ['One.']],
    ['between', (kept) => kept.flatMap((each, at) => (at === 1 ? [note('One.'), each] : [each])), ['One.']],
    ['last', (kept) => [...kept, note('One.')], ['One.']],
    [
      'first, between and last',
      (kept) => [note('One.'), kept[0], note('Two.'), ...kept.slice(1), note('Three.')],
      ['One.', 'Two.', 'Three.'],
    ],
    ['two together at the end', (kept) => [...kept, note('One.'), note('Two.')], ['One.', 'Two.']],
    ['nowhere', (kept) => kept, []],
  ])('goes on with every summary that a strategy puts %s', async (_, place, notes) => {
    const strategy = strategyOf(({ history }) => place(history.filter((each) => each.protected)));
    const { compaction, said } = await run(strategy, eventOf());
    expect(said).toEqual([]);
    const [opening, ...texts] = compaction?.summary.split('\n\n') ?? [];
    expect(opening).toMatch(notes.length > 0 ? /What follows is what was kept/ : /Nothing of it was kept\.$/);
    expect(texts).toEqual(notes);
    expect(compaction?.details.messages.map(({ text }) => text)).toEqual(notes);
  });

  it('puts what stays of the rest and summaries behind it in the order of the strategy', async () => {
    const strategy = strategyOf(({ history }) => [
      ...history.filter((each) => each.protected || each.round === 0 || each.role === 'user'),
      note('Behind all.'),
    ]);
    const { compaction } = await run(strategy, eventOf());
    expect(compaction?.summary).toMatch(/\n\n\[User\]: Mend it\.\n\nBehind all\.$/);
  });

  it.each(BUILT_IN_STRATEGIES.filter(({ factory }) => (factory.needs as readonly string[]).includes('llm')))(
    'loses no summary that $id paid for, also of a turn that is cut in two',
    async ({ factory }) => {
      const said = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }], usage });
      const rounds = Array.from({ length: 12 }, (_, nth) => [
        person(`Mend part ${nth}.`),
        said(`It was line ${nth}. `.repeat(300)),
      ]).flat();
      const whole = eventOf({}, rounds);
      const cutTurn = { ...eventOf({}, rounds.slice(0, -1)), branchEntries: entriesOf(rounds, 0) };
      for (const event of [whole, cutTurn]) {
        const { compaction, asked, said } = await run(factory, event);
        expect([asked.length > 0, said]).toEqual([true, []]);
        expect(compaction?.summary).toContain('Notes.');
        expect(compaction?.summary).not.toContain('Go on.');
        expect(compaction?.usage).toMatchObject({ input: 10 * asked.length, cost: { total: asked.length } });
      }
    },
  );

  it('reads what stays as pi shows it to the model: edited, left out, and summaries of branches', async () => {
    const event = eventOf();
    const edit = (targetId: string, replacement: unknown) => ({ type: 'context_edit', id: 'x', targetId, replacement });
    const branch = { type: 'branch_summary', id: 'b', summary: 'Tried the other way.' };
    const seen: string[] = [];
    const strategy = strategyOf(({ history, hide }) => {
      seen.push(...history.filter((each) => each.protected).map(({ role, text }) => `${role} ${text.trim()}`.trim()));
      return history.map((each) => (each.role === 'tool' ? hide(each) : each));
    });
    const failed = {
      type: 'message',
      id: 'f',
      message: { role: 'assistant', content: [{ type: 'text', text: 'Failed.' }] },
    };
    await run(strategy, {
      ...event,
      branchEntries: [...event.branchEntries, failed, branch, edit('e7', { content: 'cleaned' }), edit('f', null)],
    });
    expect(seen).toEqual(['user Go on.', 'assistant', 'tool cleaned', 'user Tried the other way.']);
  });

  it('begins again with a hidden result as pi was told of it, and with calls that were never run', async () => {
    const [call] = read(9);
    const stopped = { ...call, stopReason: 'aborted' };
    const first = await run(hideAll, eventOf({}, [...GOING, stopped]));
    const event = eventOf();
    const compaction = { type: 'compaction', id: 'c', summary: 'text', details: first.compaction?.details };
    const texts: string[] = [];
    const strategy = strategyOf(({ history }) => {
      texts.push(...history.slice(0, 6).map(({ text }) => text));
      return [...history.slice(0, 6), note('Then.'), ...history.filter((each) => each.protected)];
    });
    const { compaction: second, said } = await run(strategy, {
      ...event,
      preparation: { ...event.preparation, previousSummary: 'text' },
      branchEntries: [compaction, ...event.branchEntries],
    });
    expect(said).toEqual([]);
    expect(texts.filter((text) => text.startsWith('(removed to save room'))).toHaveLength(2);
    expect(second?.summary).not.toContain('palimpsest:');
    expect(second?.summary).toMatch(/Then\.$/);
  });

  it('says that the strategy did not finish when pi goes on with what it had done', async () => {
    const strategy = strategyOf((given) => {
      (given as unknown as { soFar(done: unknown): void }).soFar([
        ...given.history.filter((each) => each.protected),
        note('So far.'),
      ]);
      throw new Error('Out of luck.');
    });
    const { compaction, said } = await run(strategy, eventOf());
    expect(compaction?.summary).toContain('So far.');
    expect(said).toEqual([expect.stringMatching(/did not finish \(.*Out of luck/)]);
  });

  it.each([
    ['finds nothing to do', strategyOf(() => null), /found nothing to do/],
    ['breaks a rule', strategyOf(() => []), /the strategy failed/],
    ['throws', strategyOf(() => expect.fail('so')), /the strategy failed/],
    ['keeps everything', strategyOf(({ history }) => history), /nothing to do|not smaller/],
  ])('leaves it to pi and says why when a strategy %s', async (_, strategy, reason) => {
    const { returned, said } = await run(strategy, eventOf());
    expect(returned).toBeUndefined();
    expect(said).toEqual([expect.stringMatching(reason)]);
  });

  it('leaves it to pi when what is kept does not fit', async () => {
    const { returned, said } = await run(hideAll, eventOf(), { window: 1_100 });
    expect(returned).toBeUndefined();
    expect(said).toEqual([expect.stringMatching(/does not fit into 100 tokens/)]);
  });

  it('cancels when the person stops it', async () => {
    const stop = new AbortController();
    const strategy = strategyOf(() => {
      stop.abort();
      return new Promise(() => undefined);
    });
    expect((await run(strategy, eventOf({ signal: stop.signal }))).returned).toEqual({ cancel: true });
  });
});
