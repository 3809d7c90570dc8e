import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { bundleKit } from '../../../../scripts/api/bundleKit.ts';
import type { ConformanceReport } from '../../../../src/api/conformance.ts';
import { checkStrategy } from '../../../../src/core/compaction/conformance/kit.ts';
import { BUILT_IN_STRATEGIES } from '../../../../src/core/compaction/strategies/builtIn.ts';
import { defaultsOf } from '../../../support/chains/chain.ts';
import { FAULTS, TIMERS_LEFT } from './guideFaults.ts';
import { ODD } from './oddStrategies.ts';

/** A history of each special size is among so many cases, and each way back. */
const CASES = 8;

const folder = mkdtempSync(join(tmpdir(), 'guide-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  for (const timer of TIMERS_LEFT) clearTimeout(timer);
  TIMERS_LEFT.clear();
});

const toldOf = ({ broken, repaired }: ConformanceReport) => [
  ...new Set([...broken.map(({ rule }) => rule), ...repaired.map(({ why }) => why)]),
];

describe('the rules of the guide', () => {
  it('are broken in a hundred ways, each told once', { tags: ['B7'] }, () => {
    expect(FAULTS.length).toBeGreaterThanOrEqual(100);
    expect(new Set(FAULTS.map(({ name }) => name)).size).toBe(FAULTS.length);
  });

  it.each(FAULTS)(
    'the kit names it when a strategy $name',
    { tags: ['B7', 'long'] },
    async ({ rule, make, options }) => {
      const told = toldOf(await checkStrategy(make(), { cases: CASES, ...options }));
      expect(told.find((each) => rule.test(each)) ?? told).toMatch(rule);
    },
  );

  it('are broken by none of thirty odd strategies', { tags: ['B7'] }, () => {
    expect(ODD.length).toBeGreaterThanOrEqual(30);
  });

  it.each(ODD)('the kit does not blame a strategy that $name', { tags: ['B7', 'long'] }, async ({ make }) => {
    for (const seed of [1, 2]) expect((await checkStrategy(make(), { cases: CASES, seed })).broken).toEqual([]);
  });

  it.each(BUILT_IN_STRATEGIES)('nor $id', { tags: ['B7', 'long'] }, async ({ id, factory }) => {
    const { broken } = await checkStrategy(factory, { cases: 20, settings: defaultsOf(id).section });
    expect(broken).toEqual([]);
  });
});

describe('an error beside an answer', () => {
  it('is told with the stack of its author, where the strategy asked the model too', {
    tags: ['B7', 'long'],
  }, async () => {
    const late = (what: RegExp) => FAULTS.find(({ name }) => what.test(name))?.make();
    const thrown = await checkStrategy(late(/throws in a timer/) as never, { cases: 1 });
    expect(thrown.broken[0]).toMatchObject({
      where: 'the first session',
      rule: expect.stringMatching(/^an error that nobody caught: no luck\. Await what may fail/),
      stack: expect.stringMatching(/^Error: no luck\n[\s\S]*guideFaults\.ts/),
    });
    const asked = await checkStrategy(late(/does not wait for the model/) as never, { cases: 1 });
    expect(asked.broken[0]?.stack).toMatch(/Caused by: Error: llm\.complete was called here[\s\S]*guideFaults\.ts/);
  });
});

it('the kit of the package uses nothing that Node 20 does not have', { tags: ['B7', 'long'] }, async () => {
  await bundleKit(join(folder, 'conformance.mjs'));
  writeFileSync(
    join(folder, 'check.mjs'),
    `// What came after Node 20.
     for (const [owner, names] of [
       [Map, ['groupBy']],
       [Object, ['groupBy']],
       [Promise, ['withResolvers', 'try']],
       [Array, ['fromAsync']],
       [RegExp, ['escape']],
       [globalThis, ['Iterator', 'Float16Array', 'navigator', 'WebSocket', 'CloseEvent']],
       [Set.prototype, ['union', 'intersection', 'difference', 'symmetricDifference', 'isSubsetOf', 'isSupersetOf', 'isDisjointFrom']],
       [Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())), ['map', 'filter', 'take', 'drop', 'flatMap', 'reduce', 'toArray', 'forEach', 'some', 'every', 'find']],
     ]) for (const name of names) delete owner[name];
     const { assertConforms } = await import('./conformance.mjs');
     const layered = {
       needs: ['llm'],
       create: () => ({ compact: ({ builtins }) => builtins.run('layered') }),
     };
     const { compactions, broken } = await assertConforms(layered, { cases: 8 });
     console.log(JSON.stringify({ some: compactions > 0, broken }));`,
  );
  const output = execFileSync(process.execPath, ['check.mjs'], { cwd: folder, encoding: 'utf8' });
  expect(JSON.parse(output)).toEqual({ some: true, broken: [] });
});
