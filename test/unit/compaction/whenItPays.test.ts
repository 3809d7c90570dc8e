/**
 * Compaction before the limit, where the cache is of no use any more: the product's agent with the defaults of `layered`,
 * against a server that keeps a prompt cache.
 */

import { afterEach, describe, expect, it } from 'vitest';
import { readCompactionSettings } from '../../../src/core/compaction/settings/compactionSettings.ts';
import type { CompactionEntry } from '../../../src/core/journal/entry.ts';
import { eventRow } from '../../../src/core/transcript/eventRow.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { testClock } from '../../support/ports/testClock.ts';
import {
  closeServers,
  FILE,
  type ReadingOptions,
  type ReadingSession,
  readingSession,
  WINDOW,
} from '../../support/readingSession.ts';

afterEach(closeServers);

const MINUTE = 60_000;
/** Of the window: above it the strategy compacts where that costs nothing in cache. */
const SOFT = 0.47;

const layered = (options: ReadingOptions = {}) =>
  readingSession({ files: BIG, ...options, settings: { strategy: 'layered', ...options.settings } });

/** Few requests read it: carrying it on has not cost much yet. */
const BIG = { 'big.txt': `${FILE}\n`.repeat(3) };

/** Turns until the context is above the soft threshold, and below the limit. */
async function fill(s: ReadingSession): Promise<void> {
  while (s.compactor.gauge.reading.tokens <= SOFT * WINDOW) await s.read(1, 'big.txt');
  expect(s.compactions()).toEqual([]);
  expect(s.compactor.gauge.reading.tokens).toBeLessThan(s.compactor.gauge.mark?.at ?? 0);
}

/** What the row of the newest compaction says of why it ran. */
function reason(s: ReadingSession): string {
  const entry = s.compactions().at(-1) as CompactionEntry;
  const row = eventRow('e', entry, s.journal.context);
  return row.type === 'compaction' ? inEnglish(row.triggerName) : row.type;
}

describe('layered compacts at once, far below the limit,', { tags: ['B8'] }, () => {
  it('when nobody asked for longer than providers keep their cache', async () => {
    const s = await layered();
    await fill(s);
    s.clock.advance(4 * MINUTE);
    await s.read(0);
    expect(s.compactions()).toEqual([]);
    s.clock.advance(12 * MINUTE);
    const before = s.turns().length;
    await s.read(0);
    expect(s.compactions()).toMatchObject([{ strategy: 'layered', early: { why: 'idle', idleMs: 12 * MINUTE } }]);
    expect(reason(s)).toBe("before the limit: idle for 12 min, and the provider's cache was cold");
    // Before the request, which therefore is the small one.
    expect(s.turns().length).toBe(before + 1);
    expect(s.compactor.gauge.reading.tokens).toBeLessThan(SOFT * WINDOW);
  });

  it('when nobody asked for longer than this provider keeps it', async () => {
    const s = await layered({ cacheLivesMs: 120 * MINUTE });
    await fill(s);
    s.clock.advance(100 * MINUTE);
    await s.read(0);
    expect(s.compactions()).toEqual([]);
    s.clock.advance(130 * MINUTE);
    await s.read(0);
    expect(reason(s)).toBe('before the limit: idle for 130 min, and the provider keeps its cache for 120 min');
  });

  it('when another model is chosen', async () => {
    const s = await layered();
    await fill(s);
    await s.agent.configure('other');
    await s.read(0);
    expect(s.compactions()).toMatchObject([{ strategy: 'layered', early: { why: 'model' } }]);
    expect(reason(s)).toBe('before the limit: another model was chosen, and has nothing of it in its cache');
  });

  it('when a session is opened again after that time, and not when it is opened again at once', async () => {
    const clock = testClock();
    const first = await layered({ clock });
    await fill(first);
    clock.advance(MINUTE);
    const soon = await layered({ clock, lines: first.store.lines });
    await soon.read(0);
    expect(soon.compactions()).toEqual([]);
    clock.advance(3 * 60 * MINUTE);
    const later = await layered({ clock, lines: soon.store.lines });
    await later.read(0);
    expect(later.compactions()).toMatchObject([{ strategy: 'layered', early: { why: 'resumed' } }]);
    expect(reason(later)).toBe(
      "before the limit: the session was opened again after 180 min, and the provider's cache was cold",
    );
  });

  it('when the context was changed, so that the cache no longer fits', async () => {
    const s = await layered();
    await fill(s);
    await s.journal.append({ type: 'pinned', ids: [s.newest()] });
    await s.read(0);
    expect(s.compactions()).toMatchObject([{ early: { why: 'changed' } }]);
    expect(reason(s)).toBe("before the limit: the context had changed, and was no longer in the provider's cache");
  });
});

describe('layered leaves the context as it is', { tags: ['B8'] }, () => {
  it.each<[string, ReadingOptions, number]>([
    ['where that is switched off', { settings: { 'layered.whenItPays': false } }, 60],
    ['while the cache is warm', {}, 4],
  ])('%s', async (_where, options, minutes) => {
    const s = await layered(options);
    await fill(s);
    s.clock.advance(minutes * MINUTE);
    await s.read(0);
    expect(s.compactions()).toEqual([]);
  });

  it('far below the soft threshold, however cold the cache is', async () => {
    const s = await layered();
    await s.read(2);
    s.clock.advance(60 * MINUTE);
    await s.read(0);
    await s.agent.configure('other');
    await s.read(0);
    expect(s.compactions()).toEqual([]);
  });

  it('once more where it was compacted a moment ago and is opened again', async () => {
    const s = await layered();
    await fill(s);
    s.clock.advance(12 * MINUTE);
    await s.read(0);
    expect(s.compactions()).toHaveLength(1);
    s.clock.advance(12 * MINUTE);
    const later = await layered({ clock: s.clock, lines: s.store.lines });
    await later.read(0);
    expect(later.compactions()).toHaveLength(1);
  });

  it('after an undo, until the person has written', async () => {
    const s = await layered();
    await fill(s);
    s.clock.advance(12 * MINUTE);
    await s.read(0);
    await s.compactor.undo();
    expect((await s.compactor.trigger.beforeCall(new AbortController().signal)).kind).toBe('none');
    expect(s.compactions()).toHaveLength(1);
  });
});

it('where the endpoint reports no cache, carrying on is paid in full, and compacting pays much sooner', {
  tags: ['B8'],
}, async () => {
  const requests = async (caches: boolean) => {
    const s = await layered({ caches });
    while (s.compactor.gauge.reading.tokens <= SOFT * WINDOW) await s.read(1, 'big.txt');
    const before = s.turns().length;
    while (s.compactions().length === 0 && s.turns().length < before + 60) await s.read(0);
    expect(s.compactions()).toMatchObject([{ early: { why: 'strategy' } }]);
    expect(s.compactor.gauge.cache.says).toBe(caches ? 'reported' : 'none');
    return s.turns().length - before;
  };
  // What is read costs ten times as much where no cache is reported, so a tenth of the requests is enough: half is far off.
  expect(await requests(false)).toBeLessThan((await requests(true)) / 2);
});

describe('when it pays is set by strategy', { tags: ['B8'] }, () => {
  const rules = (whenItPays: Readonly<Record<string, string>>) => ({ 'trigger.whenItPays': whenItPays });

  it('after how long no cache is taken to hold the prompt, and from which share of the window on', {
    tags: ['B8'],
  }, async () => {
    const patient = await layered({ settings: rules({ layered: 'idleMinutes 30' }) });
    await fill(patient);
    patient.clock.advance(12 * MINUTE);
    await patient.read(0);
    expect(patient.compactions()).toEqual([]);
    patient.clock.advance(31 * MINUTE);
    await patient.read(0);
    expect(patient.compactions()).toMatchObject([{ early: { why: 'idle', idleMs: 31 * MINUTE } }]);
    const full = await layered({ settings: rules({ '*': 'share 0.75' }) });
    await fill(full);
    full.clock.advance(60 * MINUTE);
    await full.read(0);
    expect(full.compactions()).toEqual([]);
  });

  it.each(['llm-summary', 'tool-result-hiding', 'selective'])(
    '%s can have it too, and has it only where that is set',
    { tags: ['B8', 'long'] },
    async (strategy) => {
      for (const whenItPays of [{}, { [strategy]: 'share 0.47' }]) {
        const s = await layered({ settings: { strategy, ...rules(whenItPays) } });
        while (s.compactor.gauge.reading.tokens <= 0.55 * WINDOW) await s.read(2);
        s.clock.advance(12 * MINUTE);
        await s.read(0);
        const made = s.compactions().map(({ early }) => early?.why);
        expect(made).toEqual(Object.keys(whenItPays).length > 0 ? ['idle'] : []);
      }
    },
  );

  /** Requests until carrying the context on has cost more than compacting it. */
  async function requestsUntilItPays(
    price: NonNullable<ReadingOptions['price']> | null,
    rule: string,
  ): Promise<number> {
    const s = await layered({ price, settings: rules({ layered: rule }) });
    await fill(s);
    const before = s.turns().length;
    while (s.compactions().length === 0 && s.turns().length < before + 60) await s.read(0);
    expect(s.compactions()).toMatchObject([{ early: { why: 'strategy' } }]);
    return s.turns().length - before;
  }

  it('what carrying on costs goes by the known price of the model, and how much it may cost by the rule', {
    tags: ['B8', 'long'],
  }, async () => {
    const usual = 'factor 3';
    const cheap = await requestsUntilItPays({ input: 1, output: 2, cacheRead: 0.1 }, usual);
    const dear = await requestsUntilItPays({ input: 1, output: 2, cacheRead: 0.5 }, usual);
    // Five times as dear a reading needs a fifth of the requests, and a third of the factor a third: half is far off both.
    expect(dear).toBeLessThan(cheap / 2);
    // Without a price: a tenth for what is cached. This server reports no writing, so none has a price of its own.
    const unknown = await requestsUntilItPays(null, usual);
    expect(unknown).toBe(await requestsUntilItPays({ input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 }, usual));
    expect(await requestsUntilItPays({ input: 1, output: 2, cacheRead: 0.1 }, 'factor 1')).toBeLessThan(cheap / 2);
  });

  it('a rule that cannot be read is named, and the usual one is in force', { tags: ['B8'] }, () => {
    const { settings, problems } = readCompactionSettings((key) => ({
      value: key === 'compaction.trigger.whenItPays' ? { layered: 'speed 3' } : undefined,
      explicit: key === 'compaction.trigger.whenItPays',
    }));
    expect(problems.map(({ key }) => key)).toEqual(['palimpsest.compaction.trigger.whenItPays']);
    expect(settings.pays).toEqual({ share: 0.47, factor: 3, idleMinutes: 5 });
  });
});
