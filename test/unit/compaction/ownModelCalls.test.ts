/** What a strategy may ask of models, and what it is told of the cache, of prices and of the built-in triggers. */

import { describe, expect, it } from 'vitest';
import type { BuiltInTriggers, CompactionContext, ContextReading, StrategyFactory } from '../../../src/api/index.ts';
import { StrategyRegistry } from '../../../src/core/compaction/hosting/registry.ts';
import { askWhen } from '../../../src/core/compaction/trigger/askStrategy.ts';
import { words } from '../../../src/core/words.ts';
import { calls, compactionHarness, says, user } from '../../support/compactionHarness.ts';
import { ScriptedModel } from '../../support/ports/scriptedModel.ts';

const { signal } = new AbortController();
const history = [user('first'), calls(['read_file', 'text '.repeat(2_000)]), says('read'), user('second'), says('ok')];
const ID = 'acme.tools/own';

/** Runs `compact` as a strategy of its own. */
async function run(
  answers: readonly string[],
  compact: (context: CompactionContext) => Promise<unknown>,
  more: Partial<Parameters<typeof compactionHarness>[0]> = {},
) {
  const registry = new StrategyRegistry();
  const factory = {
    needs: ['llm'],
    create: () => ({
      compact: async (context: CompactionContext) => {
        await compact(context);
        return context.history.slice(-1);
      },
    }),
  } as unknown as StrategyFactory<'llm'>;
  registry.register({ id: ID, label: 'Own', description: '', publisher: 'acme', factory } as never);
  const client = new ScriptedModel(answers.map((text) => ({ text })));
  const summaryModel = { client, model: 'small', window: 100_000 };
  const h = await compactionHarness({ history, registry, summaryModel, ...more });
  const outcome = await h.compactor.consent.preview({ strategy: ID }, signal);
  return { h, client, outcome };
}

const SCHEMA = {
  type: 'object',
  properties: { keep: { type: 'array', items: { type: 'string' } } },
  required: ['keep'],
};

describe('an answer by a JSON schema', { tags: ['B7'] }, () => {
  it('is a value that fits, whatever fence the model put around it', async () => {
    let got: unknown;
    const { client } = await run(['```json\n{"keep":["a.ts"]}\n```'], async ({ llm }) => {
      got = (await llm.complete({ prompt: 'Which files?', schema: SCHEMA })).value;
    });
    expect(got).toEqual({ keep: ['a.ts'] });
    expect(client.requests[0]?.messages.at(-1)?.text).toContain(JSON.stringify(SCHEMA));
  });

  it('is asked for once more, with what was wrong', async () => {
    let got: unknown;
    const { client } = await run(['{"keep":[1]}', '{"keep":[]}'], async ({ llm }) => {
      got = (await llm.complete({ prompt: 'Which files?', schema: SCHEMA })).value;
    });
    expect(got).toEqual({ keep: [] });
    expect(client.requests).toHaveLength(2);
    expect(client.requests[1]?.messages.at(-1)?.text).toContain('at keep.0: ');
  });

  it('that never fits is a fault of the model, in words', async () => {
    const { outcome } = await run(['Sure!', 'Here you are.'], ({ llm }) =>
      llm.complete({ prompt: 'Q', schema: SCHEMA }),
    );
    expect(outcome).toMatchObject({ kind: 'failed' });
    expect(JSON.stringify(outcome)).toContain('gave no JSON that fits the schema of the strategy, twice');
  });

  it.each([
    ['text', 'is no JSON schema'],
    [{ type: 'nonsense' }, 'cannot be used'],
    [{ description: 'x'.repeat(20_001) }, 'has more than 20000 characters'],
  ])('needs a schema that can be used: %j', async (schema, reason) => {
    await run([], async ({ llm }) => {
      await expect(llm.complete({ prompt: 'Q', schema: schema as never })).rejects.toThrow(reason);
    });
  });
});

describe('another model', { tags: ['B7'] }, () => {
  it('answers when the person has it, and is charged to the compaction', async () => {
    const large = new ScriptedModel([{ text: 'from large' }]);
    let text = '';
    const { h, client } = await run(
      [],
      async ({ llm }) => {
        ({ text } = await llm.complete({ prompt: 'Q', model: 'large' }));
      },
      { namedModel: (name: string) => ({ client: large, model: name, window: 50_000 }) },
    );
    expect(text).toBe('from large');
    expect(client.requests).toHaveLength(0);
    expect(h.journal.entries.filter(({ type }) => type === 'summaryUsage')).toMatchObject([{ model: 'large' }]);
  });

  it('that the person does not have is refused, with the reason', async () => {
    await run(
      [],
      async ({ llm }) => {
        const asked = llm.complete({ prompt: 'Q', model: 'huge' });
        await expect(asked).rejects.toMatchObject({ kind: 'notFound', message: 'You have no model called huge.' });
      },
      {
        namedModel: (name: string) => ({
          problem: words('You have no model called {0}.', name),
          action: 'chooseModel',
        }),
      },
    );
  });
});

describe('what a strategy is told', { tags: ['B7'] }, () => {
  it('is what the cache holds, and what tokens cost', async () => {
    let told: Pick<CompactionContext, 'cache' | 'prices'> | null = null;
    const price = { currency: 'USD', input: 3, output: 15, cacheRead: 0.3, source: 'settings' } as const;
    await run(
      [],
      async ({ cache, prices }) => {
        told = { cache, prices };
      },
      { price, window: 100_000 },
    );
    expect(told).toEqual({
      cache: { says: 'unknown', heldTokens: 0, usedAt: null, livesMs: null, last: null },
      prices: { currency: 'USD', input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3 },
    });
  });

  const reading: ContextReading = {
    moment: 'beforeCall',
    tokenCount: 60_000,
    comingTokens: 0,
    maxContextSize: 100_000,
    triggerTokens: 80_000,
    due: false,
    messages: 12,
    idleMs: 250_000,
    cacheLivesMs: 300_000,
    reported: { input: 59_000, cached: 50_000, output: 100 },
  };

  it.each<[string, (triggers: BuiltInTriggers) => boolean, boolean]>([
    ['the person’s settings', (triggers) => triggers.limit(), false],
    ['a ratio', (triggers) => triggers.limit({ ratio: 0.6 }), true],
    ['a ratio of less', (triggers) => triggers.limit({ ratio: 0.5, maxContextTokens: 130_000 }), true],
    ['a reserve', (triggers) => triggers.limit({ reserve: 30_000 }), false],
    ['messages', (triggers) => triggers.limit({ messages: 12 }), true],
    ['what pays, by its own rule', (triggers) => triggers.pays({ share: 0.2 }), true],
    ['what pays, by the usual rule', (triggers) => triggers.pays(), false],
    ['a cache that goes cold', (triggers) => triggers.cooling(), true],
  ])('can be asked by %s', (_, ask, expected) => {
    const strategy = {
      compact: async () => null,
      shouldCompact: (_: ContextReading, its: BuiltInTriggers) => ask(its),
    };
    const say = askWhen(strategy, { ...reading }, { now: () => 0 }, ({ share }) => share === 0.2);
    expect(say).toEqual({ kind: 'answered', compact: expected });
  });
});
