import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { CompactionContext, StrategyFactory, StrategyPorts } from '../../../../src/api/index.ts';
import { BOUNDARIES } from '../../../../src/core/compaction/conformance/boundaries.ts';
import { checkConformance } from '../../../../src/core/compaction/conformance/checkConformance.ts';
import { assertConforms, checkStrategy } from '../../../../src/core/compaction/conformance/kit.ts';
import type { KitOptions } from '../../../../src/core/compaction/conformance/kitOptions.ts';

type Compact = (context: CompactionContext) => unknown;

const strategy = (compact: Compact): StrategyFactory =>
  ({ needs: [], create: () => ({ compact }) }) as unknown as StrategyFactory;
const note = (text: string) => ({ role: 'user', kind: 'summary', text }) as const;

/** Keeps what is protected, and asks the model about the rest. */
const summing: StrategyFactory<'llm'> = {
  needs: ['llm'],
  create: ({ llm }) => ({
    compact: async ({ history }) => {
      const kept = new Set(history.flatMap((message) => (message.protected ? [message.block] : [])));
      if (history.every(({ block }) => kept.has(block))) return null;
      const prompt = history.map((message) => message.text).join('\n');
      const { text } = await llm.complete({ prompt: prompt.slice(0, llm.maxInputTokens).toWellFormed() });
      return [note(text), ...history.filter(({ block }) => kept.has(block))];
    },
  }),
};

/** Turns, and no deadline ever. */
const atOnce = (ms: number, callback: () => void) => {
  if (ms === 0) setImmediate(callback);
  return () => undefined;
};

describe('the conformance kit', () => {
  it('meets every boundary from 20 cases on, and counts it', { tags: ['B7', 'long'] }, async () => {
    const { met, broken } = await checkStrategy(summing, { cases: 20 });
    expect(broken).toEqual([]);
    const unmet = Object.entries(met).flatMap(([name, times]) => (times === 0 ? [name] : []));
    expect(unmet).toEqual(['modelContinues', 'modelCannotContinue']);
    const going = strategy(async ({ history, llm }) => {
      const answer =
        (await llm.continue?.({ covers: history, task: 'Sum up.' })) ?? (await llm.complete({ prompt: 'Sum up.' }));
      const blocks = new Set(history.flatMap((m) => (m.protected ? [m.block] : [])));
      const rest = history.filter(({ block }) => blocks.has(block));
      return rest.length === history.length ? null : [{ role: 'user', kind: 'summary', text: answer.text }, ...rest];
    });
    const continued = await checkStrategy({ ...going, needs: ['llm'] } as typeof summing, { cases: 20 });
    expect(continued.broken).toEqual([]);
    expect(Object.values(continued.met)).not.toContain(0);
    expect(Object.keys(met)).toEqual([...BOUNDARIES]);
  });

  it('its declared types name every boundary', { tags: ['B7'] }, () => {
    const declared = readFileSync('src/api/conformance.ts', 'utf8').matchAll(/^ {2}\| '(\w+)'/gm);
    expect([...declared].map(([, name]) => name)).toEqual([...BOUNDARIES]);
  });

  it('tells targets missed, calls and prompts of the model, and time', { tags: ['B7', 'long'] }, async () => {
    const { overTarget, compactions, modelCalls, promptTokens, time } = await checkStrategy(summing, { cases: 10 });
    expect(overTarget).toBeLessThan(compactions);
    expect(modelCalls).toBeGreaterThan(compactions);
    expect(promptTokens).toBeGreaterThan(modelCalls);
    expect(time.total).toBeGreaterThanOrEqual(time.longest);
    const once = await checkStrategy(
      strategy(({ history }) => history.filter((m, i) => i > 0 || m.protected)),
      { cases: 3 },
    );
    expect(once.overTarget).toBeGreaterThan(0);
    expect([once.modelCalls, once.promptTokens]).toEqual([0, 0]);
  });

  it('says what made a result too large', { tags: ['B7'] }, async () => {
    const { notSmaller } = await checkStrategy(
      strategy(({ history }) => [note('more '.repeat(50)), ...history]),
      { cases: 1 },
    );
    expect(notSmaller[0]).toEqual({
      where: 'generated 0, compaction 1',
      alone: { seed: 1, only: 'generated 0' },
      why: expect.stringMatching(
        /^\d+ tokens before and \d+ after, dropped messages had 0 \(0\), changed ones grew by 0 \(0\), new summaries have \d+ \(1\)$/,
      ),
    });
  });

  it('a broken case runs alone with the options that its report names, and breaks the same', {
    tags: ['B7'],
  }, async () => {
    const half = strategy(({ history }) => history.filter((message) => message.role !== 'tool'));
    const { broken } = await checkStrategy(half, { cases: 20, seed: 3 });
    const last = broken.findLast(({ alone }) => alone.only);
    expect(last?.alone).toEqual({ seed: 3, only: expect.stringMatching(/^generated \d+$/) });
    const alone = await checkStrategy(half, { ...last?.alone });
    expect(alone.broken).toEqual(broken.filter(({ alone: { only } }) => only === last?.alone.only));
  });

  it('shows the messages that a rule names, as given and as they came back', { tags: ['B7'] }, async () => {
    const edits = strategy(({ history }) =>
      history.map((message) => (message.protected ? { ...message, text: 'x' } : message)),
    );
    const { broken } = await checkStrategy(edits, { cases: 1 });
    const [offending] = broken[0]?.messages ?? [];
    expect(offending).toMatchObject({ given: { protected: true }, returned: { id: offending?.given?.id, text: 'x' } });
    const splits = strategy(({ history }) => history.filter((message) => message.role !== 'assistant'));
    const split = (await checkStrategy(splits, { cases: 3 })).broken.find(({ rule }) => rule.includes('the block of'));
    expect(split?.messages.length).toBeGreaterThan(1);
    expect(split?.messages[0]).toMatchObject({ given: { role: 'assistant' }, returned: undefined });
    const invents = strategy(({ history }) => [...history, { role: 'user', kind: 'user', text: 'and now delete it' }]);
    expect((await checkStrategy(invents, { cases: 1 })).broken[0]?.messages).toEqual([
      { given: null, returned: { role: 'user', kind: 'user', text: 'and now delete it' } },
    ]);
  });

  it('gives the stack and the causes of what was thrown', { tags: ['B7'] }, async () => {
    const throws = strategy(function shorten() {
      throw new Error('no luck', { cause: new RangeError('too far') });
    });
    const { broken } = await checkStrategy(throws, { cases: 1 });
    expect(broken[0]?.stack).toMatch(
      /^Error: no luck\n[\s\S]*at [\s\S]*shorten[\s\S]*kit\.test\.ts[\s\S]*\nCaused by: RangeError: too far\n/,
    );
    await expect(assertConforms(throws, { cases: 1 })).rejects.toThrow(
      /generated 0, compaction 1: it threw an error: no luck \(and \d+ more like it\)\n {2}run it alone with the options \{ seed: 1, only: 'generated 0' \}\n {2}Error: no luck/,
    );
  });

  it('what is thrown or returned may be a trap', { tags: ['B7'] }, async () => {
    const trap = () =>
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('trap');
          },
        },
      );
    const { broken } = await checkStrategy(
      strategy(() => Promise.reject(trap())),
      { cases: 1 },
    );
    expect(broken[0]?.rule).toMatch(/^it threw an error/);
    const lists = await checkStrategy(
      strategy(({ history }) => [...history.slice(1), trap()]),
      { cases: 1 },
    );
    expect(lists.broken[0]?.rule).toMatch(/could not be read/);
  });

  it.each<[string, unknown, RegExp]>([
    [
      'needs left out',
      { create: () => ({ compact: async () => null }) },
      /^its needs is not a list of port names \(llm, countTokens, log, settings\)$/,
    ],
    ['needs as a text', { needs: 'llm', create: () => ({ compact: async () => null }) }, /^its needs is not a list/],
    [
      'a misspelt port',
      { needs: ['lm'], create: () => ({ compact: async () => null }) },
      /^it needs lm, which is not a port; there are llm, /,
    ],
    [
      'a port that is not named',
      { needs: ['log'], create: ({ llm }: StrategyPorts) => ({ compact: () => llm.complete({ prompt: 'x' }) }) },
      /^it uses the port llm, which its needs does not name$/,
    ],
    [
      'a port that is not named, used later',
      { needs: [], create: (ports: StrategyPorts) => ({ compact: async () => ports.settings() }) },
      /it uses the port settings, which its needs does not name/,
    ],
    ['no create', { needs: [] }, /^its factory has no create function$/],
    ['nothing created', { needs: [], create: () => undefined }, /no strategy with a compact function/],
    [
      'a create that throws',
      {
        needs: [],
        create: () => {
          throw new Error('no luck');
        },
      },
      /^its factory failed: no luck$/,
    ],
  ])('names what is wrong with a factory: %s', { tags: ['B7'] }, async (_what, factory, rule) => {
    const { broken } = await checkStrategy(factory as StrategyFactory, { cases: 3 });
    expect(broken[0]?.rule).toMatch(rule);
  });

  it('a factory that cannot create is told once, with its stack', { tags: ['B7'] }, async () => {
    const factory: StrategyFactory = {
      needs: [],
      create: () => {
        throw new Error('no luck');
      },
    };
    expect((await checkStrategy(factory)).broken).toEqual([
      {
        where: 'create',
        alone: { seed: 1 },
        rule: 'its factory failed: no luck',
        messages: [],
        stack: expect.stringMatching(/^Error: no luck\n {4}at /),
      },
    ]);
  });

  it.each<[string, unknown, RegExp]>([
    ['a promise', Promise.resolve(summing), /is a promise\. Await it first/],
    ['a function', () => summing, /takes an object \{ needs, create \}/],
    ['undefined', undefined, /The factory is undefined/],
  ])('refuses what is no factory: %s', { tags: ['B7'] }, async (_what, factory, message) => {
    await expect(checkStrategy(factory as StrategyFactory)).rejects.toThrow(message);
  });

  it.each<[string, unknown, RegExp]>([
    [
      'cases that are no number',
      { cases: Number.NaN },
      /The option cases is NaN\. It must be a whole number, 0 or more\./,
    ],
    ['cases below 0', { cases: -1 }, /cases is -1/],
    ['half a seed', { seed: 1.5 }, /seed is 1\.5/],
    ['a misspelt option', { case: 3 }, /no option case: did you mean cases\?/],
    ['another misspelt option', { deadline: 3 }, /no option deadline: did you mean deadlineMs\?/],
    ['an unknown option', { verbose: true }, /no option verbose: it has cases, seed, only, /],
    ['an inherited name', { toString: 1 }, /no option toString/],
    ['a case that is none', { only: 'case 3' }, /only is "case 3"\. It must be the name of a case/],
    ['a recorded case that is not there', { only: 'recorded 0' }, /no case recorded 0: no histories are given/],
    [
      'one history instead of a list',
      { histories: [{ role: 'user', text: 'x' }] },
      /histories is a list\. It must be a list of histories/,
    ],
    ['settings that are a list', { settings: [] }, /settings is a list/],
    ['a blank answer', { answer: ' ' }, /answer is " "/],
    ['no time', { deadlineMs: 0 }, /deadlineMs is 0/],
  ])('names a wrong option: %s', { tags: ['B7'] }, async (_what, options, message) => {
    const refusal = checkStrategy(summing, options as KitOptions);
    await expect(refusal).rejects.toThrow(TypeError);
    await expect(refusal).rejects.toThrow(message);
  });

  it('work that never gives way is held against the deadline, though no timer can end it', {
    tags: ['B7'],
  }, async () => {
    let now = 0;
    const works = strategy(() => {
      now += 5_001;
      return null;
    });
    const machine = { timers: { after: atOnce }, now: () => now };
    const slow = await checkConformance(works as never, { cases: 1, deadlineMs: 5_000 }, machine);
    expect(slow.broken.map(({ rule }) => rule)).toEqual(['it did not answer within 5 seconds']);
    expect(slow.time).toEqual({ total: 5_001, longest: 5_001 });
    expect((await checkConformance(works as never, { cases: 1, deadlineMs: 6_000 }, machine)).broken).toEqual([]);
  });

  it('a call that never answers ends at the deadline', { tags: ['B7'] }, async () => {
    const never = strategy(() => new Promise(() => undefined));
    const machine = {
      timers: {
        after: (_ms: number, fire: () => void) => {
          queueMicrotask(fire);
          return () => undefined;
        },
      },
      now: () => 0,
    };
    const { broken } = await checkConformance(never as never, { cases: 1, deadlineMs: 5_000 }, machine);
    expect(broken[0]?.rule).toBe('it did not answer within 5 seconds');
  });
});
