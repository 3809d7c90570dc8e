import { describe, expect, it } from 'vitest';
import { checkStrategy } from '../../../../src/core/compaction/conformance/kit.ts';
import { StrategyRegistry } from '../../../../src/core/compaction/hosting/registry.ts';
import { BUILT_IN_STRATEGIES } from '../../../../src/core/compaction/strategies/builtIn.ts';
import { selective } from '../../../../src/core/compaction/strategies/selective.ts';
import type { AnyFactory } from '../../../../src/core/compaction/strategies/strategyEntry.ts';
import type { Message } from '../../../../src/core/context/message.ts';
import { defaultsOf } from '../../../support/chains/chain.ts';
import { calls, compactionHarness, going, type Line, says, user, words } from '../../../support/compactionHarness.ts';
import { SABOTAGES, type SabotageRow } from './sabotages.ts';

/** The sample extensions are plain JavaScript, as their authors write them. */
const sample = async (name: string, strategy: string): Promise<AnyFactory> =>
  (await import(new URL(`../../../extensions/${name}/strategy.js`, import.meta.url).href))[strategy];

interface Honest {
  readonly id: string;
  readonly factory: AnyFactory;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Compactions that it makes at least of the histories of 20 seeds; 50 when left out. */
  readonly atLeast?: number;
}

const SAMPLES: readonly Honest[] = [
  { id: 'keep-tests', factory: await sample('keep-tests', 'keepTests'), settings: {} },
  { id: 'digest', factory: await sample('digest', 'digest'), settings: { keepRounds: 1 } },
];
const MORE_SAMPLES: readonly Honest[] = [
  { id: 'todo-keeper', factory: await sample('todo-keeper', 'todoKeeper'), settings: {} },
  { id: 'semantic-dedupe', factory: await sample('semantic-dedupe', 'semanticDedupe'), settings: {}, atLeast: 5 },
];
const BUILT_IN: readonly Honest[] = BUILT_IN_STRATEGIES.map(({ id, factory }) => ({
  id,
  factory,
  settings: defaultsOf(id).section,
}));
/** One that only hides, one that asks a model, and one that does all there is. */
const SABOTAGED: readonly Honest[] = [...SAMPLES, { id: selective.id, factory: selective.factory, settings: {} }];
/** Of generated histories; each is compacted five times. */
const CASES = 4;
const ID = 'sabo.teur/strategy';

const reasoned = (line: Line): Line =>
  line.map((m) =>
    m.role === 'assistant' ? { ...m, reasoning: { field: 'reasoning_content', text: 'The clock.' } } : m,
  );
const image = { mime: 'image/png', blob: 'a'.repeat(64), tokens: 80 };
const asking: Message = { role: 'user', kind: 'user', text: 'see this', attachments: [image] };
const path = { path: 'src/retry.ts' };
/** Three rounds, one message pinned, and a loop of reasoning that is still open. */
const HISTORY: readonly Line[] = [
  user('mend the retry test'),
  ...Array.from({ length: 7 }, () => calls(['read_file', words(200), path], ['run_command', words(60), path])),
  says('it reads the clock twice'),
  [asking],
  calls(['edit_file', 'changed', path]),
  says('mended'),
  user('and the others'),
  calls(['read_file', words(300), path]),
  says('they are fine'),
  [{ role: 'user', kind: 'user', text: 'run them once more', attachments: [image] }],
  reasoned(calls(['run_command', words(50), path])),
];
const PINNED = 'm24';

/** By hand it would go on to the summary, and what its rules had done before that would stand. */
const upToTarget: AnyFactory = {
  ...selective.factory,
  create: (ports) => {
    const { settings } = ports;
    return selective.factory.create({ ...ports, settings: () => ({ ...settings(), stopAt: 'target' }) });
  },
};

async function inProduct({ sabotage }: SabotageRow, { id, factory: honest, settings }: Honest) {
  const factory = id === selective.id ? upToTarget : honest;
  const entry = { id: ID, label: 'Saboteur', description: '', publisher: 'sabo', factory: sabotage(factory) };
  const h = await compactionHarness({
    history: HISTORY,
    registry: new StrategyRegistry([...BUILT_IN_STRATEGIES, entry]),
    settings: { strategy: 'contributed', contributedStrategy: ID, ...settings },
    summaries: Array.from({ length: 20 }, () => 'Notes of what was done.'),
  });
  await h.journal.append({ type: 'pinned', ids: [PINNED] });
  const before = JSON.stringify(h.journal.context.conversation);
  const outcome = await h.compactor.compact({ trigger: 'manual' }, going);
  const notes = h.journal.entries.flatMap((entry) => (entry.type === 'note' ? [entry.text] : []));
  const replaced = notes.find((text) => text.startsWith(`The compaction strategy ${ID} cannot be used`));
  return { outcome, replaced, unchanged: JSON.stringify(h.journal.context.conversation) === before };
}

describe('sabotage', () => {
  it('there are at least 60 kinds of it, each told once', { tags: ['B7'] }, () => {
    expect(SABOTAGES.length).toBeGreaterThanOrEqual(60);
    expect(new Set(SABOTAGES.map(({ name }) => name)).size).toBe(SABOTAGES.length);
  });

  it.each(SABOTAGED)(
    'of $id is found by the product, each kind by its rule',
    { tags: ['B7', 'long'] },
    async (honest) => {
      for (const row of SABOTAGES) {
        const { outcome, replaced, unchanged } = await inProduct(row, honest);
        if (replaced !== undefined) {
          // What cannot be created gives its place to the default at once.
          expect(replaced, row.name).toMatch(row.rule);
          expect(outcome, row.name).toMatchObject({ entry: { strategy: 'layered' } });
        } else if (row.mended) {
          expect(outcome, row.name).toMatchObject({ kind: 'compacted' });
          const repairs = outcome.kind === 'compacted' ? (outcome.entry.repairs ?? []) : [];
          expect(repairs.join('\n'), row.name).toMatch(row.rule);
        } else {
          expect({ name: row.name, unchanged, ...outcome }).toEqual({
            name: row.name,
            unchanged: true,
            kind: 'failed',
            reason: expect.stringMatching(row.rule),
          });
        }
      }
    },
  );

  it.each(SABOTAGED)(
    'of $id is found by the kit, each kind by its rule',
    { tags: ['B7', 'long'] },
    async ({ factory, settings }) => {
      for (const { name, rule, sabotage, mended } of SABOTAGES) {
        const { broken, repaired } = await checkStrategy(sabotage(factory), { cases: CASES, settings });
        const said = mended ? repaired.map(({ why }) => why) : broken.map((each) => each.rule);
        expect({ name, said: said.find((each) => rule.test(each)) ?? said }).toEqual({
          name,
          said: expect.stringMatching(rule),
        });
      }
    },
  );

  it.each([...SAMPLES, ...MORE_SAMPLES])(
    'is not suspected of $id, in 20 seeds',
    { tags: ['B7', 'long'] },
    expectHonest,
  );
  it.each(BUILT_IN)('is not suspected of $id, in 20 seeds', { tags: ['B7', 'long'] }, expectHonest);
});

async function expectHonest({ factory, settings, atLeast = 50 }: Honest): Promise<void> {
  let compactions = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const report = await checkStrategy(factory, { cases: CASES, seed, settings });
    expect(report.broken).toEqual([]);
    compactions += report.compactions;
  }
  expect(compactions).toBeGreaterThan(atLeast);
}
