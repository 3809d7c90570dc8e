import { describe, expect, it } from 'vitest';
import { StrategyRegistry } from '../../../../src/core/compaction/hosting/registry.ts';
import { BUILT_IN_STRATEGIES } from '../../../../src/core/compaction/strategies/builtIn.ts';
import type { Price } from '../../../../src/core/money.ts';
import { verbatim } from '../../../../src/core/words.ts';
import { comparePreviews } from '../../../../src/node/preview/comparePreviews.ts';
import { readProspects } from '../../../../src/node/preview/previewCosts.ts';
import type { PageCell, PageTable } from '../../../../src/protocol/pages.ts';
import {
  calls,
  compactionHarness,
  going,
  type HarnessOptions,
  says,
  user,
  words,
} from '../../../support/compactionHarness.ts';
import { t } from '../../../support/inEnglish.ts';

const LONG = [0, 5, 10, 15].flatMap((first) => [
  user('go on'),
  ...Array.from({ length: 5 }, (_, i) => calls(['read_file', words(300, `r${first + i}`)])),
  says('ok'),
]);

/** Per million tokens: a token of input costs one millionth. */
const PRICE: Price = { input: 1, cacheRead: 0.1, output: 10, currency: 'USD', source: 'settings' };

const shown = (cell: PageCell | undefined) => (typeof cell === 'object' ? cell.text : (cell ?? ''));

async function compared(options: HarnessOptions = {}) {
  const h = await compactionHarness({ history: LONG, price: PRICE, window: 20_000, ...options });
  const registry = options.registry ?? new StrategyRegistry();
  type Outcome = Awaited<ReturnType<typeof h.compactor.consent.estimate>>;
  const strategies: { id: string; label: string; act: string; outcome: Outcome }[] = [];
  for (const { id, label } of registry.list())
    strategies.push({
      id,
      label,
      act: `try ${id}`,
      outcome: await h.compactor.consent.estimate({ strategy: id }, going),
    });
  const conversation = h as unknown as Parameters<typeof readProspects>[0];
  const draw = () => {
    const prospects = readProspects(conversation, h.clock.now());
    // The harness reads reasons out.
    const rows = strategies.map(({ outcome, ...each }) => ({
      ...each,
      outcome: 'reason' in outcome ? { ...outcome, reason: verbatim(outcome.reason) } : outcome,
      untried: '',
    }));
    const [table, ...notes] = comparePreviews('Preview', rows, prospects, t);
    return {
      table: table as PageTable,
      notes: notes.map((block) => (block.kind === 'text' ? block.text : '')),
      row: (label: string) => (table as PageTable).rows.find(([name]) => shown(name) === label)?.map(shown) ?? [],
    };
  };
  return { h, strategies, draw };
}

describe('strategies compared before a compaction', () => {
  it('are all run without the model: nothing is sent, nothing is written', async () => {
    const { h, strategies, draw } = await compared();
    expect(strategies.map(({ id }) => id)).toEqual(BUILT_IN_STRATEGIES.map(({ id }) => id));
    const { table } = draw();
    expect(table.columns.map(({ title }) => title)).toEqual([
      'Strategy',
      'Tokens after',
      'Freed',
      'Summary',
      'Cost now',
      'Cost until full',
      'Requests',
      'What goes',
    ]);
    expect(table.rows).toHaveLength(1 + BUILT_IN_STRATEGIES.length);
    for (const row of table.rows) expect(row.map(shown).slice(1, 2)).toEqual([expect.stringMatching(/^(≈ )?[\d,]+$/)]);
    expect(h.model.requests).toEqual([]);
    expect(h.journal.entries.map(({ type }) => type)).not.toContain('request');
    expect(h.journal.entries.map(({ type }) => type)).not.toContain('summaryUsage');
  });

  it('have the figures of the compaction itself where none is asked', async () => {
    const { h, strategies, draw } = await compared({ settings: { strategy: 'tool-result-hiding' } });
    const [, after, freed, summary, , , , goes] = draw().row('Hide tool results');
    const made = await h.compactor.compact({ trigger: 'manual' }, going);
    if (made.kind !== 'compacted') throw new Error(made.kind);
    const { tokensBefore, tokensAfter } = made.entry;
    expect([after, freed, summary]).toEqual([
      tokensAfter.toLocaleString('en'),
      `${Math.round((100 * (tokensBefore - tokensAfter)) / tokensBefore)}%`,
      'none',
    ]);
    expect(goes).toBe('15 hidden');
    // It may be applied as it is: it is no estimate.
    expect(strategies.find(({ id }) => id === 'tool-result-hiding')?.outcome.kind).toBe('preview');
  });

  it('ask in the dry run as often and for as much as with the model, and say that it is an estimate', async () => {
    const { h, strategies, draw } = await compared({ settings: { strategy: 'llm-summary' }, summaries: [words(500)] });
    const [, after = '', , summary, costNow, , , goes] = draw().row('Summary');
    expect([after, summary, costNow]).toEqual([
      expect.stringMatching(/^≈ /),
      '1 request',
      expect.stringMatching(/^≈ \$/),
    ]);
    expect(draw().notes[0]).toMatch(/^≈ is an estimate .* about 600 tokens/);
    const estimate = strategies.find(({ id }) => id === 'llm-summary')?.outcome;
    if (estimate?.kind !== 'estimate') throw new Error(estimate?.kind);
    const made = await h.compactor.compact({ trigger: 'manual' }, going);
    if (made.kind !== 'compacted') throw new Error(made.kind);
    expect(h.model.requests).toHaveLength(1);
    const { entry } = made;
    expect(Math.abs(estimate.tokensAfter - entry.tokensAfter)).toBeLessThan(150);
    expect(goes).toMatch(/read by the summary/);
    const sent = h.model.requests[0]?.messages.map(({ text }) => text).join('') ?? '';
    expect(estimate.usage.input).toBeGreaterThan(sent.length / 8);
    const [cost] = estimate.costs.known;
    expect(cost?.amount).toBeCloseTo((estimate.usage.input + 10 * estimate.usage.output) / 1_000_000, 9);
  });

  it('leave no trace in the strategy that is in use', async () => {
    const made: string[] = [];
    const registry = new StrategyRegistry();
    registry.register({
      id: 'acme.tools/own',
      label: 'Own',
      description: '',
      publisher: null,
      factory: {
        needs: ['llm'],
        create: () => {
          made.push('created');
          return {
            compact: async ({ history }: { readonly history: readonly unknown[] }) => history.slice(-2),
            dispose: () => void made.push('disposed'),
          };
        },
      },
    } as unknown as Parameters<StrategyRegistry['register']>[0]);
    const h = await compactionHarness({ history: LONG, registry });
    await h.compactor.consent.estimate({ strategy: 'acme.tools/own' }, going);
    expect(made).toEqual(['created', 'disposed']);
    await h.compactor.consent.preview({ strategy: 'acme.tools/own' }, going);
    expect(made).toEqual(['created', 'disposed', 'created']);
  });

  it('cost the requests that still fit, of which one costs as much as was said', async () => {
    const { h, draw } = await compared();
    const { tokens } = h.compactor.gauge.reading;
    const [, size, , , now, untilFull, count] = draw().row('As it is now');
    expect([size, now]).toEqual([tokens.toLocaleString('en'), `$${(tokens / 1_000_000).toFixed(4)}`]);
    const mark = h.compactor.gauge.mark?.at ?? 0;
    const [, , per = ''] = /has ([\d,]+) tokens.*adds ([\d,]+)/.exec(draw().notes.at(-1) ?? '') ?? [];
    const requests = Math.ceil((mark - tokens) / Number(per.replace(',', '')));
    expect(untilFull).toMatch(/^\$[\d.]+$/);
    expect(count).toBe(String(requests));
    const [, , , , , , hidden] = draw().row('Hide tool results');
    expect(Number(hidden)).toBeGreaterThan(requests);
  });

  it('say how many requests fit where no price is known', async () => {
    const h = await compared({ price: undefined as unknown as Price });
    const { table, row } = h.draw();
    expect(table.columns.map(({ title }) => title)).toEqual([
      'Strategy',
      'Tokens after',
      'Freed',
      'Summary',
      'Until full',
      'What goes',
    ]);
    expect(row('As it is now').at(4)).toMatch(/^\d+ requests$/);
  });
});
