import { describe, expect, it } from 'vitest';
import { readCompactionSettings } from '../../../../src/core/compaction/settings.ts';
import { RULES, readRules } from '../../../../src/core/compaction/strategies/selective/selectiveRules.ts';
import { countTokens } from '../../../../src/core/tokens/estimate.ts';
import { inEnglish } from '../../../../src/core/words.ts';
import type { Harness, Line } from '../../../support/compactionHarness.ts';
import { calls, compactionHarness, going, says, user, words } from '../../../support/compactionHarness.ts';

const off = { strategy: 'selective', 'verify.enabled': false, 'selective.fallbackToFullSummary': false };

/** The view after a compaction by hand down to `share` of the window of 10,000; long texts by their first word. */
async function select(history: readonly Line[], share: number, settings: Readonly<Record<string, unknown>> = {}) {
  const h = await compactionHarness({ history, settings: { ...off, targetRatio: share, ...settings } });
  await h.compactor.compact({ trigger: 'manual' }, going);
  return h.view().map((line) => line.split(' ').slice(0, 2).join(' '));
}

describe('the rule table', () => {
  it('C2: is the documented one, lowest priority first', () => {
    const shown = readRules({}).map((rule) => [
      rule.priority,
      rule.kind,
      rule.action === 'truncate' ? `truncate ${rule.keep}` : rule.action,
    ]);
    expect(shown).toEqual([
      [10, 'toolResult', 'truncate 5'],
      [20, 'skillPrompt', 'drop'],
      [30, 'assistant', 'truncate 5'],
      [40, 'skillMetadata', 'drop'],
      [50, 'user', 'truncate 5'],
      [80, 'summary', 'none'],
      [90, 'reminder', 'none'],
      [100, 'systemPrompt', 'none'],
      [100, 'memory', 'none'],
    ]);
    expect(Object.keys(RULES.default)).toHaveLength(9);
  });

  it('C2: can be changed by a flat object, and a rule that cannot be read takes nothing away', () => {
    const rules = readRules({ user: '5 drop', toolResult: 'whenever' });
    expect(rules[0]).toEqual({ kind: 'user', priority: 5, action: 'drop' });
    expect(rules.some(({ kind }) => kind === 'toolResult')).toBe(false);
  });

  it.each(['systemPrompt', 'memory'])('C2: a rule for %s is refused with the reason', (kind) => {
    const rules: Readonly<Record<string, string>> = { [kind]: '10 drop', user: '5 drop' };
    const { settings, problems } = readCompactionSettings(
      (key) => ({ value: key === 'compaction.selective.rules' ? rules : undefined, explicit: true }),
      () => ({}),
      'selective',
    );
    expect(problems.map(({ said }) => inEnglish(said))).toEqual([
      expect.stringMatching(
        /^The setting palimpsest\.compaction\.selective\.rules .* The system prompt and memory are never compacted: their rule can only be none\. The default/,
      ),
    ]);
    expect(settings.section.rules).toEqual(RULES.default);
  });
});

describe('selective', () => {
  const filler = (name: string) => says(words(200, name));
  const mixed = [
    user('q0'),
    user(words(200, 'prompt'), 'skillPrompt'),
    user(words(200, 'metadata'), 'skillMetadata'),
    ...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(filler),
    ...['1', '2', '3', '4', '5', '6', '7'].map((n) => calls(['read_file', words(200, `r${n}`)])),
    user('q1'),
    user('q2'),
    user('q3'),
  ];

  it('C2: stops as soon as the target is reached', async () => {
    const more = Array.from({ length: 10 }, () => calls(['read_file', words(200, 'old')]));
    const left = await select([...mixed.slice(0, 10), ...more, ...mixed.slice(10)], 0.9);
    // Half is asked for: all but five tool blocks go (10), then the skill prompt (20), and that is enough.
    expect(left.filter((line) => line.startsWith('tool:'))).toHaveLength(5);
    expect(left.some((line) => line.startsWith('user: prompt'))).toBe(false);
    expect(left.filter((line) => /^assistant: \w/.test(line))).toHaveLength(7);
    expect(left).toContain('user: metadata');
  });

  it('C2: goes on in the order of the priorities', async () => {
    const left = await select(mixed, 0.01);
    expect(left.filter((line) => /^assistant: \w/.test(line))).toEqual(
      ['c', 'd', 'e', 'f', 'g'].map((n) => `assistant: ${n}`),
    );
    expect(left.some((line) => line.includes('metadata'))).toBe(false);
  });

  it('C2: keeps half as many when the first result was still too large', async () => {
    const big = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => calls(['read_file', words(560, name)]));
    const h = await compactionHarness({ history: [user('q0'), ...big, user('q1')], settings: off, window: 3_000 });
    expect(await h.compactor.beforeCall(going)).toMatchObject({ kind: 'compacted', entry: { attempt: 2 } });
    expect(h.view().filter((line) => line.startsWith('tool:'))).toHaveLength(2);
  });

  it('C3: keeps the newest 5 tool blocks and removes older ones whole', async () => {
    const left = await select(mixed, 0.01);
    expect(left.filter((line) => line.startsWith('tool:'))).toEqual(
      ['3', '4', '5', '6', '7'].map((n) => `tool: r${n}`),
    );
  });

  const sized = (tokens: number, json: number) => [
    user('q0'),
    calls(['write_file', words(tokens, 'r'), { text: words(json, 'w') }]),
    user('q1'),
    user('q2'),
  ];
  const cutAt = async (history: readonly Line[], settings = {}) => {
    const h = await compactionHarness({ history, settings: { ...off, targetRatio: 0.05, ...settings }, window: 4_000 });
    await h.compactor.compact({ trigger: 'manual' }, going);
    const [, call, result] = h.journal.context.conversation;
    const json = call?.message.role === 'assistant' ? (call.message.toolCalls?.[0]?.arguments ?? '') : '';
    return { json, result: result?.message.text ?? '' };
  };

  it('C3: results over 600 tokens in kept blocks are cut to a 200-token preview', async () => {
    expect((await cutAt(sized(600, 1))).result).toBe(words(600, 'r'));
    const { result } = await cutAt(sized(601, 1));
    expect(result).toMatch(/^(r ){199}r\s*\n\[… \d+ more characters were cut here by compaction; recall with id m4\]$/);
  });

  it('C3: arguments over 500 tokens are cut to a 200-token preview and stay JSON', async () => {
    const json = (n: number) => JSON.stringify({ text: words(n, 'w') });
    const most = Array.from({ length: 500 }, (_, n) => n).findLast((n) => countTokens(json(n)) <= 500) ?? 0;
    expect([countTokens(json(most)), countTokens(json(most + 1))]).toEqual([500, 501]);
    expect((await cutAt(sized(700, most))).json).toBe(json(most));
    const { preview, cutCharacters } = JSON.parse((await cutAt(sized(700, most + 1))).json);
    expect(countTokens(preview)).toBe(200);
    expect(countTokens(json(most + 1).slice(0, preview.length + 2))).toBe(201);
    expect(cutCharacters + preview.length).toBe(json(most + 1).length);
  });

  it('C3: a preview that would save nothing cuts nothing', async () => {
    const history = sized(620, 1);
    expect((await cutAt(history, { 'selective.previewTokens': 610 })).result).toBe(words(620, 'r'));
  });

  it('C13: each step says at the level info what it removed', async () => {
    const h = await compactionHarness({ history: mixed, settings: { ...off, targetRatio: 0.05 } });
    await h.compactor.compact({ trigger: 'manual' }, going);
    expect(h.logs.filter((line) => line.includes('removed'))).toEqual([
      'info selective: TRUNCATE tool blocks: 2 removed',
      'info selective: DROP skillPrompt: 1 removed',
      'info selective: TRUNCATE assistant: 2 removed',
      'info selective: DROP skillMetadata: 1 removed',
      'info selective: TRUNCATE user: 0 removed',
    ]);
  });

  it('C3: all three figures are settings', async () => {
    const settings = {
      'selective.resultThreshold': 100,
      'selective.argumentThreshold': 100,
      'selective.previewTokens': 10,
    };
    const { json, result } = await cutAt(sized(150, 150), settings);
    expect(result).toMatch(/^(r ){9}r\s*\n/);
    expect(JSON.parse(json)).toHaveProperty('preview');
  });

  it('C9: the newest 2 rounds keep their user and assistant messages', async () => {
    const rounds = [1, 2, 3, 4].flatMap((n) => [user(`q${n}`), ...[1, 2, 3].map((m) => says(words(60, `a${n}${m}`)))]);
    const rules = { ...RULES.default, assistant: '30 drop' };
    expect(await select(rounds, 0.01, { 'selective.rules': rules })).toEqual(
      expect.arrayContaining(['assistant: a31', 'assistant: a43']),
    );
    const left = await select(rounds, 0.01, { 'selective.rules': rules });
    expect(left.filter((line) => /assistant: a[12]/.test(line))).toEqual([]);
    const none = await select(rounds, 0.01, { 'selective.rules': rules, 'selective.protectRecentRounds': 0 });
    expect(none.some((line) => line.startsWith('assistant'))).toBe(false);
  });

  describe('above its trigger', () => {
    const history = [
      user('q0'),
      says(words(2_100, 'a')),
      says(words(2_100, 'b')),
      ...Array.from({ length: 8 }, (_, i) => calls(['read_file', words(500, `r${i}`)])),
      user('q1'),
    ];
    const settings = { strategy: 'selective', 'trigger.ratio': 0.8 };

    it('C16: stops as soon as the threshold is no longer exceeded, and asks no model', async () => {
      const h = await compactionHarness({ history, settings });
      const outcome = await h.compactor.beforeCall(going);
      if (outcome.kind !== 'compacted') throw new Error(outcome.kind);
      const { tokensBefore, tokensAfter } = outcome.entry;
      expect(tokensBefore).toBeGreaterThan(8_000);
      expect(tokensAfter).toBeLessThan(8_000);
      expect(tokensAfter).toBeGreaterThan(6_500);
      expect(h.model.requests).toEqual([]);
      expect(h.view().filter((line) => line.startsWith('tool:'))).toHaveLength(5);
    });

    it.each([
      ['the margin', 10_700, (c: Harness['compactor']) => c.beforeCall(going)],
      ['a coming message', 10_700, (c: Harness['compactor']) => c.beforeMessage(400, going)],
    ] as const)('C16: goes no further where only %s made it fire', async (_what, window, fire) => {
      const h = await compactionHarness({ history, settings, window });
      expect(h.compactor.reading.tokens).toBeLessThan(0.8 * window);
      expect(await fire(h.compactor)).toMatchObject({
        kind: 'compacted',
        entry: { strategy: 'selective', attempt: 1 },
      });
      expect(h.model.requests).toEqual([]);
    });

    it('C16: a threshold below what compactions aim at is reached at once', async () => {
      // It begins at 6,400 and aims at 8,000; the rules alone leave more than 6,400.
      const early = { ...settings, 'trigger.ratio': 0.4, targetRatio: 0.5 };
      const summaries = ['<summary>all of it</summary>'];
      const h = await compactionHarness({ history, settings: early, window: 16_000, summaries });
      const outcome = await h.compactor.beforeCall(going);
      expect(outcome).toMatchObject({ kind: 'compacted', entry: { strategy: 'selective', attempt: 1 } });
      expect(h.model.requests).toHaveLength(1);
    });

    it('C16: the next message does not compact again', async () => {
      const h = await compactionHarness({ history, settings });
      await h.compactor.beforeCall(going);
      await h.add(says('fine'), user('q2'));
      expect((await h.compactor.beforeCall(going)).kind).toBe('none');
    });

    it('C16: it can stop at the share of the window that compactions aim at', async () => {
      const summaries = ['<summary>a part</summary>', '<summary>all of it</summary>'];
      const h = await compactionHarness({
        history,
        settings: { ...settings, 'selective.stopAt': 'target' },
        summaries,
      });
      const outcome = await h.compactor.beforeCall(going);
      expect(outcome).toMatchObject({ kind: 'compacted' });
      expect(h.model.requests).toHaveLength(2);
      expect(h.view()[0]).toMatch(/^user: all of it/);
    });

    it('C5: summarises when the rules leave it above the threshold', async () => {
      const more = [...history.slice(0, 3), ...[1, 2].map((i) => says(words(2_000, `c${i}`))), ...history.slice(3)];
      const summaries = Array.from({ length: 5 }, () => '<summary>all of it</summary>');
      const h = await compactionHarness({ history: more, settings, summaries });
      await h.compactor.beforeCall(going);
      expect(h.view()[0]).toMatch(/^user: all of it/);
    });
  });

  const empty = 'Here it is: <summary>\n</summary>';

  it('C5: empty summary tags are asked for again', async () => {
    const settings = { strategy: 'selective', 'verify.enabled': false, targetRatio: 0.05 };
    const h = await compactionHarness({ history: mixed, settings, summaries: [empty, '<summary>at last</summary>'] });
    const done = h.compactor.compact({ trigger: 'manual' }, going);
    await h.fireTimers(1_000);
    await done;
    expect(h.model.requests).toHaveLength(2);
    expect(h.view()).toEqual(['user: at last', 'user: q3']);
  });

  it('C5: summary tags that stay empty count as a failure', async () => {
    const settings = { strategy: 'selective', targetRatio: 0.05, 'summary.retries': 0 };
    const h = await compactionHarness({ history: mixed, settings, summaries: [empty] });
    expect((await h.compactor.compact({ trigger: 'manual' }, going)).kind).toBe('compacted');
    const failures = h.journal.entries.filter(({ type }) => type === 'compactionFailed');
    expect(failures).toMatchObject([
      { reason: expect.stringContaining('The summary model left its <summary> tags empty') },
    ]);
  });

  it('C5: summarises the whole conversation into one item when the rules were not enough', async () => {
    const settings = { strategy: 'selective', 'verify.enabled': false, targetRatio: 0.05 };
    const h = await compactionHarness({ history: mixed, settings, summaries: ['<summary>all of it</summary>'] });
    await h.compactor.compact({ trigger: 'manual' }, going);
    expect(h.view()).toEqual(['user: all of it', 'user: q3']);
  });

  it('C5: fallbackToFullSummary switches that off', async () => {
    expect((await select(mixed, 0.05)).length).toBeGreaterThan(5);
  });

  it('C15: when the summary fails, what was dropped stays dropped, and the failure counts', async () => {
    const settings = { strategy: 'selective', targetRatio: 0.05, 'summary.retries': 0 };
    const h = await compactionHarness({ history: mixed, settings, summaries: [''] });
    expect((await h.compactor.compact({ trigger: 'manual' }, going)).kind).toBe('compacted');
    expect(h.view().length).toBeLessThan(20);
    expect(h.journal.entries.filter(({ type }) => type === 'compactionFailed')).toHaveLength(1);
  });
});
