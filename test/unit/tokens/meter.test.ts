import { describe, expect, it } from 'vitest';
import type { Message, Reasoning } from '../../../src/core/context/message.ts';
import { scaleTo, viewNext } from '../../../src/core/context/modelView.ts';
import { Calibration, CalibrationFollower } from '../../../src/core/tokens/calibrate.ts';
import { readMeter, readOwnCount, splitIntoParts } from '../../../src/core/tokens/meter.ts';
import { calls, compactionHarness, going, says, user, words } from '../../support/compactionHarness.ts';

const read = (h: Awaited<ReturnType<typeof compactionHarness>>) =>
  readMeter(h.journal.context, 'test', new Calibration());

const asks = (id: string, reasoning?: Reasoning): Message[] => [
  {
    role: 'assistant',
    text: '',
    toolCalls: [{ id, name: 'look', arguments: '{}' }],
    ...(reasoning ? { reasoning } : {}),
  },
];

describe('readMeter', () => {
  it('is the estimate of header and conversation before anything was reported', async () => {
    const h = await compactionHarness({ history: [user(words(50))] });
    expect(read(h)).toMatchObject({ tokens: 154, appended: 154, reported: null });
  });

  it('is the last report, the answer in it, and an estimate of what came after', async () => {
    const h = await compactionHarness({ history: [user('go'), says('answer')] });
    await h.used({ input: 1_000, cached: 900, output: 50, reasoning: 20 });
    expect(read(h)).toMatchObject({
      tokens: 1_030,
      appended: 0,
      reported: { input: 1_000, cached: 900 },
    });
    await h.add(user(words(96)));
    expect(read(h)).toMatchObject({ tokens: 1_130, appended: 100 });
  });

  it('keeps the reasoning of an answer that comes back with its calls', async () => {
    const h = await compactionHarness({ history: [user('go'), asks('a', { field: 'summary', text: '' })] });
    await h.used({ input: 1_000, output: 500, reasoning: 450 });
    expect(read(h)).toMatchObject({ tokens: 1_500, appended: 0 });
  });

  it('counts reasoning that nobody can read while its loop is open, and not as text', async () => {
    const items = [{ type: 'reasoning', encrypted_content: 'gAAA'.repeat(2_000) }];
    const origin = { endpoint: 'https://a', model: 'm' };
    const configured = { type: 'configured', ...origin, window: 0, strategy: 's', parameters: {} } as const;
    const result: Message[] = [{ role: 'tool', toolCallId: 'a', toolName: 'look', text: 'ok' }];
    const bare = await compactionHarness({ history: [user('go'), asks('a'), result] });
    const h = await compactionHarness({
      history: [user('go'), asks('a', { field: 'summary', text: '', items, origin }), result],
    });
    for (const { journal } of [bare, h]) await journal.append(configured);
    // 8,000 characters of base64 are 6,000 bytes, of which 650 are the encryption's own.
    expect(read(h).tokens - read(bare).tokens).toBe(Math.round(5_350 / 4));
    await h.add(says('done'));
    await bare.add(says('done'));
    expect(read(h).tokens).toBe(read(bare).tokens);
  });

  it('does not count the answer twice when it was appended after its report', async () => {
    const h = await compactionHarness({ history: [user('go')] });
    await h.used({ input: 1_000, output: 50 });
    await h.add(says('answer'));
    expect(read(h)).toMatchObject({ tokens: 1_050, appended: 0 });
  });

  it('goes on from what a compaction came to, so that its row, the meter and the view of the model say the same', async () => {
    const history = [user('go'), ...Array.from({ length: 7 }, () => calls(['read_file', words(200)]))];
    const settings = { strategy: 'tool-result-hiding' };
    const h = await compactionHarness({ history, settings, window: 100_000, header: 30_000 });
    await h.used({ input: 50_000, output: 10 });
    await h.compactor.compact({ trigger: 'manual' }, going);
    expect(h.compactor.gauge.reading).toMatchObject({ reported: null });
    const [entry] = h.journal.context.activeCompactions;
    const { tokens, factor } = h.compactor.gauge.reading;
    expect(tokens).toBe(entry?.tokensAfter);
    expect(scaleTo(viewNext(h.journal), tokens).tokens).toBe(tokens);
    await h.add(user(words(100)));
    expect(h.compactor.gauge.reading.tokens - tokens).toBe(
      Math.round(factor * (h.journal.context.conversation.at(-1)?.tokens ?? 0)),
    );
    // Undone, it goes on from what the context held before: nothing is estimated twice.
    const added = h.compactor.gauge.reading.tokens - tokens;
    await h.compactor.undo();
    expect(h.compactor.gauge.reading.tokens).toBe(50_010 + added);
    await h.compactor.redo();
    expect(h.compactor.gauge.reading.tokens).toBe(tokens + added);
  });

  it('is split alike over the kinds and the parts of a request', async () => {
    const result = words(300).replaceAll(' ', '\n');
    const history = [user('go'), ...Array.from({ length: 5 }, () => calls(['read_file', result])), says(words(40))];
    const h = await compactionHarness({ history });
    const { kinds, parts, tokens } = scaleTo(viewNext(h.journal), 12_345);
    const ofKind = (name: string) => kinds.find((kind) => kind.name === name)?.tokens;
    const ofRole = (role: string) => parts.reduce((sum, part) => sum + (part.role === role ? part.tokens : 0), 0);
    expect(tokens).toBe(12_345);
    expect([ofRole('assistant'), ofRole('tool')]).toEqual([ofKind('assistant'), ofKind('toolResults')]);
  });

  it('says before a move of the head what it will say after it', async () => {
    const history = [user('go'), ...Array.from({ length: 7 }, () => calls(['read_file', words(200)]))];
    const settings = { strategy: 'tool-result-hiding' };
    const h = await compactionHarness({ history, settings, window: 100_000, header: 30_000 });
    await h.used({ input: 50_000, output: 10 });
    const { head: reported } = h.journal;
    await h.compactor.compact({ trigger: 'manual' }, going);
    const { head: compacted } = h.journal;
    await h.add(user(words(100)));
    for (const head of [compacted, reported]) {
      const { tokens } = h.compactor.gauge.readingAt(head);
      await h.journal.revert(head, 'user');
      expect(h.compactor.gauge.reading.tokens).toBe(tokens);
    }
    expect(h.compactor.gauge.reading.tokens).toBe(50_010);
  });

  it('says what requests keep free for the answer, and that a request above it is too large', async () => {
    const h = await compactionHarness({ history: [user('go')], maxOutputTokens: 3_000 });
    expect(h.compactor.gauge.reserve).toBe(3_000);
    h.setWindow(0);
    expect(h.compactor.gauge.reserve).toBe(0);
  });

  it('its parts add up to it', { tags: ['B12'] }, async () => {
    const h = await compactionHarness({
      history: [user(words(40)), calls(['read_file', words(70)]), user('n', 'summary')],
    });
    await h.used({ input: 777, output: 0 });
    const reading = read(h);
    const parts = splitIntoParts(h.journal.context, reading);
    expect(parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(reading.tokens);
    expect(parts.map(({ name }) => name).sort()).toEqual(['assistant', 'summaries', 'toolResults', 'tools', 'user']);
  });

  it('characters / 2 and 4 a message looks at no report', { tags: ['P8'] }, async () => {
    const h = await compactionHarness({ history: [user('x'.repeat(100)), says('y'.repeat(50))] });
    await h.used({ input: 90_000 });
    expect(readOwnCount(h.journal.context.conversation, 'halfCharacters')).toBe(54 + 29);
  });

  it('1.5 a Chinese character, 1.3 an English word and 4 a message', { tags: ['P9'] }, async () => {
    // 6 characters and 2 words; then 10 words, of which a call's arguments have 3.
    const [call] = calls(['read_file', 'r', { path: 'a_b', n: 7 }]);
    const h = await compactionHarness({
      history: [user('请修复重试 retry loop。了'), says('fix it, then run all tests')],
    });
    if (call) await h.add([{ ...call, text: '' }]);
    const [asked = 0, said = 0, args = 0] = h.journal.context.conversation.map((item) =>
      readOwnCount([item], 'mixedText'),
    );
    expect([asked, said, args]).toEqual([4 + 9 + 3, 4 + 8, 4 + 5]);
    expect(readOwnCount(h.journal.context.conversation, 'mixedText')).toBe(asked + said + args);
  });
});

describe('calibration', () => {
  it('learns what a model makes of an estimate, from what requests grew by', async () => {
    const h = await compactionHarness({ history: [user('go')] });
    let input = 5_000;
    for (let i = 0; i < 6; i++) {
      await h.add(says('a'));
      await h.used({ input, output: 1 });
      await h.add(user(words(996)));
      input += 1_500;
    }
    const { factor } = h.compactor.gauge.reading;
    expect(factor).toBeGreaterThan(1.3);
    expect(factor).toBeLessThan(1.51);
    await h.add(user(words(996)));
    expect(h.compactor.gauge.reading.appended).toBeGreaterThan(2_600);
  });

  it('does not learn twice the growth from a count that stood still in between', async () => {
    const h = await compactionHarness({ history: [user('go')] });
    const { calibration } = h.compactor.gauge;
    for (const input of [8_000, 8_000, 9_000, 9_000, 10_000]) {
      await h.add(says('a'));
      await h.used({ input, output: 1 });
      await h.add(user(words(490)));
    }
    expect(calibration.factor('test')).toBeCloseTo(1, 1);
  });

  it('learns nothing from counts that are not believed', async () => {
    const h = await compactionHarness({ history: [user('go')] });
    const usage = { input: 1_000, cached: 0, output: 1, reasoning: 0 };
    // As a server reports that adds up what it was ever sent.
    for (const input of [8_000, 10_000, 12_000, 14_000]) {
      await h.add(says('a'));
      await h.journal.append({ type: 'usage', model: 'test', usage, estimated: true, doubted: { ...usage, input } });
      await h.add(user(words(996)));
    }
    expect(h.compactor.gauge.calibration.knows('test')).toBe(false);
  });

  it('a resumed session knows its factors', { tags: ['M9'] }, async () => {
    const h = await compactionHarness({ history: [user('go')] });
    for (const input of [1_000, 3_000, 5_000]) {
      await h.add(user(words(996)), says('a'));
      await h.used({ input, output: 1 });
    }
    const follower = new CalibrationFollower();
    for (const entry of h.journal.entries) follower.follow(entry);
    expect(follower.calibration.factor('test')).toBeCloseTo(h.compactor.gauge.reading.factor);
    expect(follower.calibration.factor('test')).toBeGreaterThan(1.4);
    expect(follower.calibration.factor('another')).toBe(1);
  });

  it('learns nothing from reasoning that no estimate counts, sent or taken out again', async () => {
    const h = await compactionHarness({ history: [user('go')] });
    const sealed = {
      field: 'summary',
      text: '',
      items: [{ type: 'reasoning', encrypted_content: 'gAAA'.repeat(900) }],
    };
    let input = 1_000;
    const step = async (n: number) => {
      await h.add(asks(`call ${n}`, sealed));
      await h.used({ input, output: 730, reasoning: 700 });
      const before = h.journal.entries.length;
      await h.add([{ role: 'tool', toolCallId: `call ${n}`, toolName: 'look', text: words(500) }]);
      input += 720 + (h.journal.entries[before] as { tokens: number }).tokens;
    };
    for (let n = 0; n < 6; n++) await step(n);
    // A person speaks again, and the provider takes out what was thought before.
    await h.add(says('done'));
    await h.used({ input, output: 10 });
    await h.add(user(words(3_000)));
    await h.add(says('yes'));
    await h.used({ input: input - 2_200, output: 10 });
    const follower = new CalibrationFollower();
    for (const entry of h.journal.entries) follower.follow(entry);
    expect(follower.calibration.factor('test')).toBeGreaterThan(0.9);
    expect(follower.calibration.factor('test')).toBeLessThan(1.1);
  });

  it('ignores misreports', () => {
    const calibration = new Calibration();
    calibration.observe('m', 1_000, 90_000);
    calibration.observe('m', 1_000, 0);
    calibration.observe('m', -5, 10);
    expect(calibration.factor('m')).toBe(1);
  });
});
