import { describe, expect, it } from 'vitest';
import { StrategyRegistry } from '../../../src/core/compaction/hosting/registry.ts';
import { sharesOf, USUAL_SHARES } from '../../../src/core/cost/priceShares.ts';
import type { Price } from '../../../src/core/money.ts';
import { generateCodingSession } from '../../../src/lab/generateCodingSession.ts';
import type { RecordedCompaction, RecordedSession } from '../../../src/lab/session.ts';
import { describeAutopsy } from '../../../src/node/lab/describeAutopsy.ts';
import { runAutopsy } from '../../../src/node/lab/runAutopsy.ts';
import { readCompactions } from '../../../src/node/lab/storedSession.ts';
import { pageText } from '../../../src/node/pages/pageText.ts';
import { t } from '../../support/inEnglish.ts';
import { memoryJournal } from '../../support/ports/memoryStore.ts';
import { calls, filler, result, says, session, user } from '../../support/sessions/labSession.ts';

const NEVER = new AbortController().signal;
const LINE = 'export function computeTotal(orders: Order[]): number {';
const FILE = `import { Order } from './order';\n${LINE}\n  return orders.reduce(addUp, 0);\n}\n`;
const read = (id: string) => calls(id, 'read_file', '{"path":"src/totals.ts"}');
const edit = (id: string) =>
  calls(id, 'edit_file', JSON.stringify({ path: 'src/totals.ts', old_string: LINE, new_string: 'nothing' }));

/** Six messages, a compaction, then the same file is read again and edited. */
const messages = [
  user('Mend the totals.'),
  read('1'),
  result('1', FILE),
  calls('2', 'run_command', '{"command":"npm test"}'),
  result('2', `3 failed in ${'x'.repeat(400)}`),
  says('I see.'),
  read('3'),
  result('3', FILE),
  edit('4'),
  result('4', 'done'),
  calls('5', 'run_command', '{"command":"npm test"}'),
  result('5', '0 failed'),
  says('Mended.'),
];
const recorded = (summary: string): RecordedSession => ({
  ...session(...messages),
  compactions: [{ after: 6, summary, by: 'other-agent' }],
});

const autopsyOf = (given: RecordedSession, strategies: readonly string[] = []) =>
  runAutopsy(given, strategies, new StrategyRegistry(), NEVER);

describe('an autopsy', { tags: ['B6'] }, () => {
  it('tells what left, what was needed later and was gone, and what came again', async () => {
    const { compactions, unknown } = await autopsyOf(recorded('They work on src/totals.ts.'));
    expect(unknown).toEqual([]);
    const [one] = compactions;
    expect(one).toMatchObject({ nth: 1, after: 6, by: 'other-agent', steps: 4, left: { messages: 6, results: 2 } });
    expect(one?.left.files).toEqual(['src/totals.ts']);
    // The path is in the summary. The line came back only because the file was read again.
    const lost = one?.lost.map(({ kind, text, message, step, said }) => ({ kind, text, message, step, said }));
    expect(lost).toEqual([
      { kind: 'line', text: LINE, message: 8, step: 5, said: 2 },
      { kind: 'identifier', text: 'computeTotal', message: 8, step: 5, said: 2 },
    ]);
    expect(one?.needs).toBe(3);
    expect(one?.repeats.map(({ message, call, tool, what }) => [message, call, tool, what])).toEqual([
      [6, 0, 'read_file', 'src/totals.ts'],
      [10, 2, 'run_command', '{"command":"npm test"}'],
    ]);
  });

  it('finds nothing gone where the summary has it, and needs no more than once', async () => {
    const { compactions } = await autopsyOf(recorded(`In src/totals.ts: ${LINE}`));
    expect(compactions[0]?.lost).toEqual([]);
    expect(compactions[0]?.needs).toBe(3);
  });

  it('counts a compaction whose result was not recorded as unknown', async () => {
    expect(await autopsyOf(recorded(''))).toMatchObject({
      compactions: [],
      unknown: [{ nth: 1, after: expect.any(Number) }],
    });
  });

  it('holds strategies against the same needs, in the room of the same cost', { tags: ['long'] }, async () => {
    const generated = session(...generateCodingSession({ seed: 3, messages: 400 }));
    const after = generated.messages.findIndex(({ role }, at) => at > 250 && role === 'assistant');
    const summary = 'They talked about many things. '.repeat(100);
    const strategies = ['layered', 'tool-result-hiding'];
    const { compactions } = await autopsyOf({ ...generated, compactions: [{ after, summary }] }, strategies);
    const [one] = compactions;
    expect(one?.rivals.map(({ strategy }) => strategy)).toEqual(strategies);
    const asItWas = (one?.needs ?? 0) - (one?.lost.length ?? 0);
    for (const { kept, lost, tokensAfter } of one?.rivals ?? []) {
      expect(kept + lost.length).toBe(one?.needs);
      expect(tokensAfter).toBeLessThanOrEqual(one?.cost.room ?? 0);
    }
    expect(one?.rivals[0]?.kept).toBeGreaterThan(asItWas);
  });

  /** 10,000 tokens leave after message 3; then so many answers, the next compaction, and five more. */
  const long = (answers: number, more: Partial<RecordedCompaction> = {}): RecordedSession => ({
    ...session(
      user('Go.'),
      says(filler(5_000)),
      says(filler(5_000)),
      ...Array.from({ length: answers + 5 }, () => says('on')),
    ),
    compactions: [
      { after: 3, summary: 'x'.repeat(4_000), by: 'other-agent', ...more },
      { after: 3 + answers, summary: 'y'.repeat(4_000), by: 'other-agent' },
    ],
  });
  const pageOf = async (given: RecordedSession) =>
    pageText(describeAutopsy({ autopsy: await autopsyOf(given), labels: new Map(), actions: [] }, t));

  it('compares the price with what was saved until the next compaction', async () => {
    // 1,000 tokens of summary written at 5, 18,000 read at 0.1, 1,000 read anew at 1.15; each request saves 0.1 × 9,000.
    const { paysAfter = 0 } = (await autopsyOf(long(3))).compactions[0]?.cost ?? {};
    expect(paysAfter).toBe(Math.ceil((5 * 1_004 + 0.1 * 18_010 + 1.15 * 1_004) / (0.1 * (10_005 - 1_004))));
    const [early, late] = [await pageOf(long(3)), await pageOf(long(20))];
    expect(early).toContain(
      `It did not pay for itself. Requests that it would have needed: ${paysAfter}. Requests until the next compaction: 3.`,
    );
    expect(late).toContain(
      `Requests until it had paid for itself: ${paysAfter}. Requests until the next compaction: 20.`,
    );
    expect(early).toContain('Paid for themselves before the next one, their undoing or the end: 0 of 2.');
    expect(late).toContain('Paid for themselves before the next one, their undoing or the end: 1 of 2.');
  });

  it('marks a compaction that was undone, and judges it by the requests until then', async () => {
    const text = await pageOf(long(20, { until: 5 }));
    expect(text).toContain('Compaction 1, after message 3, undone');
    expect(text).toContain('Requests until it was undone: 2.');
    expect(text).toContain('Undone: 1.');
  });

  it('becomes a page that says in its first lines what was lost', async () => {
    const autopsy = await autopsyOf(recorded('They work on src/totals.ts.'), ['layered']);
    const text = pageText(describeAutopsy({ autopsy, labels: new Map([['layered', 'Layered']]), actions: [] }, t));
    expect(text).toContain(
      'Compactions: 1. Paths, names and lines that the agent needed again: 3, of these gone: 2. Read or run again at once: 2,',
    );
    expect(text).toMatch(/As it happened\s+\|\s+33% \|\s+2 \|/);
    expect(text).toMatch(/\| +5 \| line \| export function computeTotal/);
  });

  it('names who compacted only where the recording does', async () => {
    const given = recorded('They work.');
    const [compaction] = given.compactions ?? [];
    const pageOf = async (by: string) => {
      const autopsy = await autopsyOf({ ...given, compactions: compaction ? [{ ...compaction, by }] : [] });
      return pageText(describeAutopsy({ autopsy, labels: new Map(), actions: [] }, t));
    };
    expect(await pageOf('other-agent')).toContain('other-agent');
    expect(await pageOf('recorded')).not.toMatch(/\bBy\b/);
  });
});

it('compactions of a journal are read with the context that each left, and until when', async () => {
  const { journal } = await memoryJournal();
  const item = { kind: 'systemPrompt' as const, origin: 'built-in', text: 'You help.', tokens: 1 };
  await journal.append({ type: 'header', items: [item], tools: [], tokens: 1 });
  const say = (text: string) =>
    journal.append({ type: 'message', message: { role: 'user', kind: 'user', text }, tokens: 1 });
  const first = await say('one');
  const base = await say('two');
  const compaction = await journal.append({
    type: 'compaction',
    base: base.seq,
    plan: [
      { op: 'drop', ids: [`m${first.seq}`] },
      { op: 'insert', message: { role: 'user', kind: 'summary', text: 'Notes.' }, tokens: 1 },
    ],
    strategy: 'mine',
    trigger: 'manual',
    tokensBefore: 4,
    tokensAfter: 2,
    durationMs: 0,
    attempt: 1,
  });
  await say('three');
  await journal.append({ type: 'compactionUndone', target: compaction.seq });
  await say('four');
  const [found, ...others] = readCompactions(journal);
  expect(others).toEqual([]);
  expect(found).toMatchObject({ after: 3, summary: 'Notes.', by: 'mine', until: 4 });
  expect(found?.context).toEqual([
    0,
    { index: null, message: { role: 'user', content: expect.stringContaining('Notes.') } },
    2,
  ]);
});

/** A session of a model, with two answers before its compaction. */
async function compactedBy(answer: { readonly price?: unknown; readonly written?: number; readonly cached: number }) {
  const { journal } = await memoryJournal();
  const { price, cached, written = 0 } = answer;
  const model = { model: 'm', endpoint: 'https://models.example', window: 64_000, strategy: 'mine', parameters: {} };
  await journal.append({ type: 'configured', ...model });
  const text = 'export const total = 1;\n'.repeat(100);
  const first = await journal.append({ type: 'message', message: { role: 'user', kind: 'user', text }, tokens: 600 });
  for (let i = 0; i < 2; i++) {
    const message = { role: 'assistant' as const, text: 'I see.', calls: [] };
    await journal.append({ type: 'message', message, tokens: 2 });
    const usage = { input: 700, cached, written, output: 2, reasoning: 0 };
    await journal.append({ type: 'usage', model: 'm', usage, ...(price ? { price: price as Price } : {}) });
  }
  await journal.append({
    type: 'compaction',
    base: journal.head ?? 0,
    plan: [{ op: 'drop', ids: [`m${first.seq}`] }],
    strategy: 'mine',
    trigger: 'manual',
    tokensBefore: 604,
    tokensAfter: 4,
    durationMs: 0,
    attempt: 1,
    usage: { input: 600, cached: 100, output: 50, reasoning: 0 },
  });
  const [compaction] = readCompactions(journal);
  if (!compaction) throw new Error('There is no compaction.');
  return compaction;
}

const DEAR: Price = { currency: 'USD', input: 2, output: 20, cacheRead: 1, cacheWrite: 3, source: 'settings' };

it.each([
  { name: 'the price, with a cache that reports what it writes', answer: { price: DEAR, cached: 500, written: 200 } },
  { name: 'the price, with a cache that writes for nothing', answer: { price: DEAR, cached: 500 } },
  { name: 'the price, with an endpoint that caches nothing', answer: { price: DEAR, cached: 0 } },
  { name: 'the usual prices where none was recorded', answer: { cached: 500, written: 200 } },
  { name: 'the usual prices where the recorded one cannot be one', answer: { price: { input: -1 }, cached: 500 } },
])('an autopsy prices a compaction as the early rule does: by $name', async ({ answer }) => {
  const compaction = await compactedBy(answer);
  const { price, cached, written = 0 } = answer as { price?: unknown; cached: number; written?: number };
  const says = cached > 0 ? 'reported' : 'none';
  const facts = { says, writes: written > 0, usedAt: null, livesMs: null } as const;
  const shares = price === DEAR ? sharesOf(DEAR, facts) : USUAL_SHARES;
  const costOf = async (given: RecordedCompaction) => {
    const { compactions } = await autopsyOf({ ...session(...messages), compactions: [{ ...given, after: 6 }] });
    return compactions[0]?.cost;
  };
  const { shares: _, ...unpriced } = compaction;
  const [cost, usual] = [await costOf(compaction), await costOf(unpriced)];
  expect(cost?.summary).toBeCloseTo(100 * shares.cached + 500 * shares.uncached + 50 * shares.output);
  expect(usual?.savedPerRequest).toBeGreaterThan(0);
  expect(cost?.savedPerRequest).toBeCloseTo(((usual?.savedPerRequest ?? 0) * shares.cached) / USUAL_SHARES.cached);
});

it('a price of the model before does not price a compaction of the next one', async () => {
  const { journal } = await memoryJournal();
  const configured = { endpoint: 'https://models.example', window: 64_000, strategy: 'mine', parameters: {} };
  await journal.append({ type: 'configured', model: 'dear', ...configured });
  const first = await journal.append({
    type: 'message',
    message: { role: 'user', kind: 'user', text: 'one' },
    tokens: 1,
  });
  const usage = { input: 7, cached: 0, output: 2, reasoning: 0 };
  await journal.append({ type: 'usage', model: 'dear', usage, price: DEAR });
  await journal.append({ type: 'configured', model: 'other', ...configured });
  await journal.append({
    type: 'compaction',
    base: journal.head ?? 0,
    plan: [{ op: 'drop', ids: [`m${first.seq}`] }],
    strategy: 'mine',
    trigger: 'manual',
    tokensBefore: 1,
    tokensAfter: 0,
    durationMs: 0,
    attempt: 1,
  });
  expect(readCompactions(journal)[0]?.shares).toBeUndefined();
});
