import { describe, expect, it } from 'vitest';
import { LOWERING_VERSION, lowerContext } from '../../../src/core/context/lower.ts';
import { listRequests, viewNext, viewRequest } from '../../../src/core/context/modelView.ts';
import { addStatistics, countCompactions, NO_STATISTICS } from '../../../src/core/journal/statistics.ts';
import { calls, compactionHarness, going, says, user, words } from '../../support/compactionHarness.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';

const history = [
  user('go'),
  ...Array.from({ length: 7 }, (_, i) => calls(['read_file', words(200, `r${i}`)])),
  says('ok'),
];

describe('a preview', () => {
  it('says what would go and what stays, and changes nothing', { tags: ['B2'] }, async () => {
    const h = await compactionHarness({ history, settings: { strategy: 'tool-result-hiding' } });
    const before = h.view();
    const entries = h.journal.entries.length;
    const preview = await h.compactor.consent.preview({}, going);
    if (preview.kind !== 'preview') throw new Error(preview.reason);
    expect(preview.items.filter(({ fate }) => fate === 'hidden').map(({ id }) => id)).toEqual(['m4', 'm6']);
    expect(preview.tokensAfter).toBeLessThan(preview.tokensBefore);
    expect(h.view()).toEqual(before);
    expect(h.journal.entries).toHaveLength(entries);
  });

  it('of another strategy, with its summary and what that cost; then applied as it was shown', {
    tags: ['B2'],
  }, async () => {
    const h = await compactionHarness({ history, summaries: ['the notes'] });
    const preview = await h.compactor.consent.preview({ strategy: 'llm-summary' }, going);
    if (preview.kind !== 'preview') throw new Error(preview.reason);
    expect(preview.inserted).toEqual(['the notes']);
    expect(preview.usage).toMatchObject({ input: 100, output: 10 });
    expect(await h.compactor.apply(preview)).toMatchObject({ kind: 'compacted', entry: { strategy: 'llm-summary' } });
    expect(h.view()[0]).toBe('user: the notes');
    expect(h.model.requests).toHaveLength(1);
  });

  it('is not applied to a conversation that was reshaped meanwhile', { tags: ['B2'] }, async () => {
    const h = await compactionHarness({ history, settings: { strategy: 'tool-result-hiding' } });
    const preview = await h.compactor.consent.preview({}, going);
    if (preview.kind !== 'preview') throw new Error(preview.reason);
    await h.compactor.compact({ trigger: 'manual' }, going);
    expect((await h.compactor.apply(preview)).kind).toBe('none');
  });

  it('an undo gives back the size from before, a redo takes it again, and neither goes further', {
    tags: ['B1'],
  }, async () => {
    const h = await compactionHarness({ history, settings: { strategy: 'tool-result-hiding' } });
    const before = h.compactor.gauge.reading.tokens;
    expect(await h.compactor.undo()).toBe(false);
    await h.compactor.compact({ trigger: 'manual' }, going);
    const after = h.compactor.gauge.reading.tokens;
    expect([await h.compactor.undo(), h.compactor.gauge.reading.tokens]).toEqual([true, before]);
    expect(await h.compactor.undo()).toBe(false);
    expect([await h.compactor.redo(), h.compactor.gauge.reading.tokens]).toEqual([true, after]);
    expect(await h.compactor.redo()).toBe(false);
  });
});

describe('statistics', () => {
  it('count compactions, tokens saved and what summaries cost, undone ones not as saved', {
    tags: ['N8'],
  }, async () => {
    const h = await compactionHarness({ history, settings: { strategy: 'tool-result-hiding' }, summaries: ['notes'] });
    await h.compactor.compact({ trigger: 'manual' }, going);
    const hidden = countCompactions(h.journal.entries);
    expect(hidden).toMatchObject({ compactions: 1, undone: 0, failed: 0 });
    expect(hidden.tokensSaved).toBeGreaterThan(300);
    await h.compactor.undo();
    expect(countCompactions(h.journal.entries)).toMatchObject({ compactions: 1, undone: 1, tokensSaved: 0 });
    h.set({ strategy: 'llm-summary' });
    await h.compactor.compact({ trigger: 'manual' }, going);
    const both = countCompactions(h.journal.entries);
    expect(both).toMatchObject({ compactions: 2, summaryUsage: { input: 100, output: 10 } });
    expect(Object.keys(both.byStrategy)).toEqual(['tool-result-hiding', 'llm-summary']);
    expect(addStatistics(NO_STATISTICS, both)).toEqual(both);
    expect(addStatistics(both, both).tokensSaved).toBe(2 * both.tokensSaved);
  });
});

describe('what the model sees', () => {
  it('any request is rebuilt exactly as it was sent, each part with tokens and origin', { tags: ['B12'] }, async () => {
    const crypto = testCrypto();
    const h = await compactionHarness({ history, settings: { strategy: 'tool-result-hiding' } });
    const request = { model: 'test', messages: lowerContext(h.journal.context), tools: [] };
    const { seq } = await h.journal.append({
      type: 'request',
      purpose: 'turn',
      model: 'test',
      bodySha256: await crypto.sha256(new TextEncoder().encode(JSON.stringify(request))),
      loweringVersion: LOWERING_VERSION,
      messages: request.messages.length,
    });
    await h.compactor.compact({ trigger: 'manual' }, going);
    expect(listRequests(h.journal).map((entry) => entry.seq)).toEqual([seq]);
    const view = await viewRequest(h.journal, seq, { crypto, blobs: h.blobs });
    expect(view?.exact).toBe(true);
    expect(view?.parts.map(({ text }) => text)[2]).toBe(words(200, 'r0'));
    const next = viewNext(h.journal);
    expect(next.exact).toBeNull();
    expect(next.parts[2]).toMatchObject({ role: 'tool', origin: 'm4 (toolResult, hidden)' });
    expect(next.tokens).toBeLessThan(view?.tokens ?? 0);
    expect(await viewRequest(h.journal, 0, { crypto, blobs: h.blobs })).toBeNull();
  });

  it('a request for a summary is recorded as one, kept as it was sent, and shown so', { tags: ['B12'] }, async () => {
    const crypto = testCrypto();
    const h = await compactionHarness({ history, summaries: ['', 'notes'], settings: { 'summary.retries': 1 } });
    const running = h.compactor.compact({ trigger: 'manual' }, going);
    await h.fireTimers(1_000);
    expect(await running).toMatchObject({ kind: 'compacted' });
    const requests = listRequests(h.journal);
    expect(requests.map(({ purpose, messages }) => [purpose, messages])).toEqual([
      ['summary', 2],
      ['summary', 2],
    ]);
    for (const [i, { seq }] of requests.entries()) {
      const view = await viewRequest(h.journal, seq, { crypto, blobs: h.blobs });
      expect(view?.exact).toBe(true);
      expect(view?.parts.map(({ text }) => text)).toEqual(h.model.requests[i]?.messages.map(({ text }) => text));
    }
    expect(h.journal.context.activeCompactions).toHaveLength(1);
  });

  it('a preview that asks a model records that, too', { tags: ['B12'] }, async () => {
    const h = await compactionHarness({ history, summaries: ['notes'] });
    const preview = await h.compactor.consent.preview({}, going);
    if (preview.kind !== 'preview') throw new Error(preview.reason);
    expect(listRequests(h.journal).map(({ purpose }) => purpose)).toEqual(['summary']);
    expect((await h.compactor.apply(preview)).kind).toBe('compacted');
  });
});
