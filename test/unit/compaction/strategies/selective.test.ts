import { describe, expect, it } from 'vitest';
import { readCompactionSettings } from '../../../../src/core/compaction/settings/compactionSettings.ts';
import { RULES, readRules } from '../../../../src/core/compaction/strategies/selectiveRules.ts';
import { ModelError } from '../../../../src/core/errors.ts';
import { countTokens } from '../../../../src/core/tokens/estimate.ts';
import { inEnglish } from '../../../../src/core/words.ts';
import { calls, type Line, says, user, words } from '../../../support/compactionHarness.ts';
import { type GrownSession, grownSession } from '../../../support/grownSession.ts';
import type { Step } from '../../../support/ports/scriptedModel.ts';

interface Grown {
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly summaries?: readonly Step[];
  /** Tokens of the next request before its message: an answer is added to make them so many. */
  readonly upTo?: number;
  readonly message?: string;
}

/** A turn of the agent after `history`, with the strategy set and nothing else but what a test names. */
async function grow(
  history: readonly Line[],
  { settings, summaries = [], upTo, message }: Grown = {},
): Promise<GrownSession> {
  const s = await grownSession({ history, settings: { strategy: 'selective', ...settings }, summaries });
  if (upTo) await s.add(says(words(upTo - s.size() - 4)));
  expect(await s.say(message)).toEqual({ kind: 'done' });
  return s;
}

/** What the rules took, by the log of each. */
const taken = ({ logs }: GrownSession) =>
  logs.filter((line) => line.endsWith(' removed')).map((line) => line.replace('info selective: ', ''));

/** The view by the first words of each message. */
const starts = (s: GrownSession) => s.view().map((line) => line.split(' ').slice(0, 2).join(' '));

describe('the rule table', () => {
  it('is the documented one, lowest priority first', { tags: ['C2'] }, () => {
    const shown = readRules({}).map((rule) => [
      rule.priority,
      rule.kind,
      rule.action === 'truncate' ? `truncate ${rule.keep}` : rule.action,
    ]);
    expect(shown).toEqual([
      [10, 'toolResult', 'truncate 5'],
      // For a kind that the documented table does not have.
      [15, 'mention', 'truncate 5'],
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

  it('can be changed by a flat object, and a rule that cannot be read takes nothing away', { tags: ['C2'] }, () => {
    const rules = readRules({ user: '5 drop', toolResult: 'whenever' });
    expect(rules[0]).toEqual({ kind: 'user', priority: 5, action: 'drop' });
    expect(rules.some(({ kind }) => kind === 'toolResult')).toBe(false);
  });

  it.each(['systemPrompt', 'memory'])('a rule for %s is refused with the reason', { tags: ['C2'] }, (kind) => {
    const rules: Readonly<Record<string, string>> = { [kind]: '10 drop', user: '5 drop' };
    const { settings, problems } = readCompactionSettings(
      (key) => ({ value: key === 'compaction.selective.rules' ? rules : undefined, explicit: true }),
      () => ({}),
      'selective',
    );
    expect(problems.map(({ message }) => inEnglish(message))).toEqual([
      expect.stringMatching(
        /^An entry in the setting palimpsest\.compaction\.selective\.rules .* The system prompt and memory are never compacted: their rule can only be none\. The other entries are used\./,
      ),
    ]);
    expect(settings.section.rules).toEqual({ user: '5 drop' });
  });
});

describe('selective', () => {
  const sizes = { user: 10, skillPrompt: 100, skillMetadata: 100, assistant: 100, toolResult: 100 };

  /** Of each kind enough for its rule, with so many tokens in each message, and two rounds behind them. */
  function mixed(size: Partial<typeof sizes>): Line[] {
    const of = { ...sizes, ...size };
    return [
      ...[1, 2, 3, 4, 5, 6, 7, 8].map((n) => user(words(of.user, `u${n}`))),
      user(words(of.skillPrompt, 'prompt'), 'skillPrompt'),
      user(words(of.skillMetadata, 'metadata'), 'skillMetadata'),
      ...[...'abcdefg'].map((name) => says(words(of.assistant, name))),
      ...[...'1234567'].map((n) => calls(['read_file', words(of.toolResult, `r${n}`)])),
      user('q1'),
      user('q2'),
      user('q3'),
    ];
  }

  const steps = [
    'TRUNCATE tool blocks: 2 removed',
    'DROP skillPrompt: 1 removed',
    'TRUNCATE assistant: 2 removed',
    'DROP skillMetadata: 1 removed',
    'TRUNCATE user: 4 removed',
  ];

  it.each([
    ['toolResult', 11_500, 1],
    ['skillPrompt', 80_000, 2],
    ['assistant', 11_500, 3],
    ['skillMetadata', 80_000, 4],
    ['user', 10_000, 5],
  ])(
    'goes by priority and stops once what was too much went, and says so: %s',
    { tags: ['C2', 'C13'] },
    async (kind, tokens, count) => {
      const s = await grow(mixed({ [kind]: tokens }));
      expect(taken(s)).toEqual(steps.slice(0, count));
      expect(s.compactions()).toMatchObject([{ strategy: 'selective', trigger: 'precheck', attempt: 1 }]);
      expect(s.summariser.requests).toEqual([]);
      const left = starts(s);
      const begin = (line: string) => left.filter((other) => other.startsWith(line)).length;
      expect([
        begin('tool: r'),
        begin('user: prompt'),
        begin('assistant: '),
        begin('user: metadata'),
        begin('user: u'),
      ]).toEqual([
        5,
        count < 2 ? 1 : 0,
        // With those that called the tools, and the one of this turn.
        (count < 3 ? 7 : 5) + 5 + 1,
        count < 4 ? 1 : 0,
        count < 5 ? 8 : 4,
      ]);
    },
  );

  it('of mentions the newest stay, whole', async () => {
    const mentions = [1, 2, 3, 4, 5, 6, 7].map((n) => user(words(n < 3 ? 40_000 : 50, `file${n}`), 'mention'));
    const s = await grow([...mentions, ...mixed({})]);
    expect(taken(s)).toEqual(['TRUNCATE tool blocks: 2 removed', 'TRUNCATE mention: 2 removed']);
    expect(starts(s).filter((line) => line.startsWith('user: file'))).toEqual([
      'user: file3',
      'user: file4',
      'user: file5',
      'user: file6',
      'user: file7',
    ]);
  });

  it('what no rule takes stays however full it is, and the summary follows', { tags: ['C2'] }, async () => {
    const summaries = ['<summary>all of it</summary>'];
    const kept = [user(words(40_000), 'reminder'), user(words(42_000), 'summary')];
    const s = await grow([...kept, ...mixed({})], { summaries });
    expect(taken(s)).toEqual(steps);
    expect(s.summariser.requests).toHaveLength(1);
  });

  it('keeps half as many when the first result was still too large', { tags: ['C2'] }, async () => {
    const error = new ModelError('auth', 'The key was refused.');
    const s = await grow(mixed({ assistant: 18_000 }), { summaries: Array(9).fill({ error }) });
    expect(s.compactions()).toMatchObject([{ attempt: 2 }]);
    expect(starts(s).filter((line) => /^assistant: [a-g]/.test(line))).toEqual(['assistant: f', 'assistant: g']);
    expect(starts(s).filter((line) => line.startsWith('tool:'))).toHaveLength(2);
  });

  it('keeps the newest 5 tool blocks and removes older ones whole', { tags: ['C3'] }, async () => {
    const pair = calls(['read_file', words(6_000, 'p')], ['read_file', words(6_000, 'q')]);
    const blocks = [...'123456'].map((n) => calls(['read_file', words(12_000, `r${n}`)]));
    const s = await grow([user('q0'), pair, ...blocks, user('q1')]);
    expect(taken(s)).toEqual(['TRUNCATE tool blocks: 2 removed']);
    expect(starts(s).filter((line) => line.startsWith('tool:'))).toEqual(
      ['2', '3', '4', '5', '6'].map((n) => `tool: r${n}`),
    );
    expect(s.view().filter((line) => line === 'assistant: ')).toHaveLength(5);
  });

  it('where no block is older than the newest 5, previews alone make the room', { tags: ['C3'] }, async () => {
    const s = await grow([user('q0'), ...[...'12345'].map((n) => calls(['read_file', words(17_000, `r${n}`)]))]);
    expect(taken(s)).toEqual(['TRUNCATE tool blocks: 0 removed']);
    expect(s.view().filter((line) => /^tool: r\d [\s\S]* more characters were cut here/.test(line))).toHaveLength(5);
    expect([s.compactions().length, s.summariser.requests]).toEqual([1, []]);
  });

  it('a rule that drops tool results takes every block, the newest too', { tags: ['C2', 'C3'] }, async () => {
    const rules = { ...RULES.default, toolResult: '10 drop' };
    const blocks = [...'123456'].map((n) => calls(['read_file', words(14_000, `r${n}`)]));
    const s = await grow([user('q0'), ...blocks, says('a'), user('q1')], { settings: { 'selective.rules': rules } });
    expect(taken(s)).toEqual(['DROP tool blocks: 6 removed']);
    expect(s.view()).toEqual(['user: q0', 'assistant: a', 'user: q1', 'user: go on', 'assistant: ok']);
  });

  const json = (n: number) => JSON.stringify({ text: words(n, 'w') });
  /** What is left of a kept block with a result and arguments of so many words; older blocks filled the window. */
  const cutAt = async (tokens: number, argument: number, settings = {}) => {
    const old = [...'123456'].map((n) => calls(['read_file', words(14_000, `r${n}`)]));
    const block = calls(['write_file', words(tokens, 'r'), { text: words(argument, 'w') }]);
    const s = await grow([user('q0'), ...old, block, user('q1'), user('q2')], { settings });
    const items = s.agent.journal.context.conversation;
    const at = items.findIndex(({ message }) => message.role === 'tool' && message.toolName === 'write_file');
    const [call, result] = [items[at - 1], items[at]];
    const left = call?.message.role === 'assistant' ? (call.message.toolCalls?.[0]?.arguments ?? '') : '';
    return { json: left, result: result?.message.text ?? '', id: result?.id };
  };

  it('results over 600 tokens in kept blocks are cut to a 200-token preview', { tags: ['C3'] }, async () => {
    expect((await cutAt(600, 1)).result).toBe(words(600, 'r'));
    const { result, id } = await cutAt(601, 1);
    expect(result).toMatch(
      /^(r ){199}r\s*\n\[… \d+ more characters were cut here by compaction; recall with id m\d+\]$/,
    );
    expect(result).toContain(`with id ${id}]`);
  });

  it('arguments over 500 tokens are cut to a 200-token preview and stay JSON', { tags: ['C3'] }, async () => {
    const most = Array.from({ length: 500 }, (_, n) => n).findLast((n) => countTokens(json(n)) <= 500) ?? 0;
    expect([countTokens(json(most)), countTokens(json(most + 1))]).toEqual([500, 501]);
    expect((await cutAt(700, most)).json).toBe(json(most));
    const { preview, cutCharacters } = JSON.parse((await cutAt(700, most + 1)).json);
    expect(countTokens(preview)).toBe(200);
    expect(countTokens(json(most + 1).slice(0, preview.length + 2))).toBe(201);
    expect(cutCharacters + preview.length).toBe(json(most + 1).length);
  });

  it('a preview that would save nothing cuts nothing', { tags: ['C3'] }, async () => {
    expect((await cutAt(620, 1, { 'selective.previewTokens': 610 })).result).toBe(words(620, 'r'));
  });

  it('all three figures are settings', { tags: ['C3'] }, async () => {
    const settings = {
      'selective.resultThreshold': 100,
      'selective.argumentThreshold': 100,
      'selective.previewTokens': 10,
    };
    const left = await cutAt(150, 150, settings);
    expect(left.result).toMatch(/^(r ){9}r\s*\n/);
    expect(JSON.parse(left.json)).toHaveProperty('preview');
  });

  it('the newest 2 rounds keep their assistant messages, and 5 older ones stay', { tags: ['C9'] }, async () => {
    const names = (rounds: string, settings = {}) =>
      grow(
        [...rounds].flatMap((n) => [user(`q${n}`), ...['a', 'b', 'c'].map((m) => says(words(4_600, `${m}${n}`)))]),
        { settings },
      ).then((s) => starts(s).flatMap((line) => /^assistant: ([abc]\d)/.exec(line)?.[1] ?? []));
    expect(await names('123456')).toEqual(['b3', 'c3', 'a4', 'b4', 'c4', 'a5', 'b5', 'c5', 'a6', 'b6', 'c6']);
    const none = { 'selective.protectRecentRounds': 0 };
    expect(await names('123456', none)).toEqual(['b5', 'c5', 'a6', 'b6', 'c6']);
  });

  describe('above its trigger', () => {
    const blocks = [user('q0'), ...Array.from({ length: 16 }, (_, i) => calls(['read_file', words(590, `r${i}`)]))];

    it('stops as soon as the threshold is no longer exceeded, and asks no model', { tags: ['C16'] }, async () => {
      const s = await grow(blocks, { upTo: 80_300 });
      expect(s.compactions()).toMatchObject([{ trigger: 'precheck', tokensBefore: 80_300 }]);
      // So much that the context can grow by 5 % of the window before the next one.
      expect(s.compactions()[0]?.tokensAfter).toBeLessThan(75_300);
      expect(s.compactions()[0]?.tokensAfter).toBeGreaterThan(73_000);
      expect(taken(s)).toEqual(['TRUNCATE tool blocks: 11 removed']);
      expect(s.summariser.requests).toEqual([]);
      expect(starts(s).filter((line) => line.startsWith('tool:'))).toHaveLength(5);
    });

    it.each([
      ['the margin', 79_600, 'go on'],
      ['a coming message', 79_700, words(400)],
    ])('goes no further where only %s made it fire', { tags: ['C16'] }, async (_what, upTo, message) => {
      const s = await grow(blocks, { upTo, message });
      expect(s.compactions()).toMatchObject([{ strategy: 'selective', trigger: 'precheck', attempt: 1 }]);
      expect(s.compactions()[0]?.tokensBefore).toBeLessThan(80_000);
      expect(s.summariser.requests).toEqual([]);
    });

    it('a threshold below what compactions aim at is reached at once', { tags: ['C16'] }, async () => {
      // It begins at 40,000 and aims at 50,000; the rules alone leave more than 40,000.
      const settings = { 'trigger.ratio': 0.4 };
      const s = await grow(blocks, { upTo: 48_000, settings, summaries: ['<summary>all of it</summary>'] });
      expect(s.compactions()).toMatchObject([{ strategy: 'selective', attempt: 1 }]);
      expect(s.summariser.requests).toHaveLength(1);
    });

    it('the next message does not compact again', { tags: ['C16'] }, async () => {
      const s = await grow(blocks, { upTo: 80_300 });
      await s.say('q2');
      expect(s.compactions()).toHaveLength(1);
    });

    it('it can stop at the share of the window that compactions aim at', { tags: ['C16'] }, async () => {
      const settings = { 'selective.stopAt': 'target' };
      const s = await grow(blocks, { upTo: 80_300, settings, summaries: ['<summary>all of it</summary>'] });
      expect(s.summariser.requests).toHaveLength(1);
      expect(s.view()[0]).toMatch(/^user: all of it/);
    });

    it('what the rules leave above the threshold becomes one item', { tags: ['C5'] }, async () => {
      const s = await grow([user('q0'), says('a'), user('q1'), user('q2')], {
        upTo: 85_000,
        summaries: ['Sure: <summary>all of it</summary>'],
      });
      expect(s.view()).toEqual([
        'user: all of it',
        expect.stringMatching(/^user: Ledger[\s\S]*- asked: q0/),
        'user: q2',
        'user: go on',
        'assistant: ok',
      ]);
      expect(s.failures()).toEqual([]);
    });

    it('fallbackToFullSummary switches that off', { tags: ['C5'] }, async () => {
      const history = [user('q0'), says('a'), user('q1'), user('q2')];
      const s = await grow(history, { upTo: 85_000, settings: { 'selective.fallbackToFullSummary': false } });
      expect([s.summariser.requests, s.compactions()]).toEqual([[], []]);
    });

    const empty = 'Here it is: <summary>\n</summary>';

    it('empty summary tags are asked for again', { tags: ['C5'] }, async () => {
      const s = await grow([user('q0')], { upTo: 85_000, summaries: [empty, '<summary>at last</summary>'] });
      expect(s.summariser.requests).toHaveLength(2);
      expect(s.view()[0]).toMatch(/^user: at last/);
      expect(s.failures()).toEqual([]);
    });

    it.each([
      ['selective', {}],
      ['prune-then-summary', { 'trigger.basis': 'estimate' }],
      ['hiding-then-summary', { 'hidingThenSummary.minimumReclaim': 50_000 }],
      ['llm-summary', {}],
      ['layered', { 'layered.whenItPays': false }],
    ])(
      'with %s a summary that stays empty costs three requests, and no more',
      { tags: ['C5'] },
      async (strategy, more) => {
        const groups = Array.from({ length: 9 }, (_, i) => calls(['read_file', words(900, `r${i}`)]));
        const history = [user('q0'), ...groups, user(words(900, 'prompt'), 'skillPrompt'), user('q1'), user('q2')];
        const s = await grow(history, { upTo: 96_000, settings: { strategy, ...more }, summaries: Array(9).fill('') });
        expect(s.summariser.requests).toHaveLength(3);
        expect(s.failures()).toHaveLength(1);
      },
    );

    it('summary tags that stay empty count as a failure', { tags: ['C5'] }, async () => {
      const s = await grow([user('q0')], { upTo: 85_000, summaries: Array(9).fill(empty) });
      expect(s.failures()).toMatchObject([
        { reason: expect.stringContaining('The summary model left its <summary> tags empty') },
      ]);
    });

    it('when the summary fails, what was dropped stays dropped, and the failure counts', {
      tags: ['C15'],
    }, async () => {
      // The rules leave too much. What they did stands, and the summary that failed is not asked for again.
      const s = await grow([user('q0'), user(words(3_000, 'prompt'), 'skillPrompt'), user('q1'), user('q2')], {
        upTo: 84_000,
        summaries: Array(9).fill(''),
      });
      expect(taken(s)).toContain('DROP skillPrompt: 1 removed');
      expect(s.view().map((line) => line.slice(0, 12))).toEqual([
        'user: q0',
        'user: q1',
        'user: q2',
        'assistant: w',
        'user: go on',
        'assistant: o',
      ]);
      expect(s.compactions()).toHaveLength(1);
      expect(s.failures()).toMatchObject([{ reason: expect.stringContaining('gave an empty answer') }]);
      expect(s.summariser.requests).toHaveLength(3);
    });

    it('stops right at the threshold, and the ledger takes what room there is', { tags: ['C16', 'C2'] }, async () => {
      const prompts = [user(words(5_010, 'prompt'), 'skillPrompt'), user(words(300, 'names'), 'skillMetadata')];
      const s = await grow([user('q0'), ...prompts, user('q1'), user('q2')], { upTo: 82_000 });
      // The prompt is enough by 100 tokens, so the rule after it takes nothing.
      expect(taken(s)).toEqual(['TRUNCATE tool blocks: 0 removed', 'DROP skillPrompt: 1 removed']);
      expect(s.summariser.requests).toEqual([]);
      expect(s.compactions()).toMatchObject([{ strategy: 'selective', attempt: 1 }]);
    });

    it('what frees just enough is made, although its ledger takes some of it back', {
      tags: ['C16', 'C2'],
    }, async () => {
      // The eight that go are a few tokens more than 5 % of the window.
      const read = (i: number) => calls(['read_file', words(600, `r${i}`), { path: `src/some/folder/file${i}.ts` }]);
      const s = await grow([user('q0'), ...Array.from({ length: 13 }, (_, i) => read(i))], { upTo: 80_300 });
      expect(taken(s)).toEqual(['TRUNCATE tool blocks: 8 removed']);
      expect(s.compactions()).toMatchObject([{ strategy: 'selective', attempt: 1 }]);
      expect(s.view().join()).toContain('- file read: src/some/folder/file0.ts');
      expect(s.compactions()[0]?.tokensAfter).toBeGreaterThan(75_300);
      expect(s.summariser.requests).toEqual([]);
    });

    it('by hand it is forced: every rule, and then the summary, far below the threshold', {
      tags: ['C16'],
    }, async () => {
      const history = [...blocks.slice(0, 13), user(words(600, 'prompt'), 'skillPrompt'), user('q1')];
      const run = async (settings: Readonly<Record<string, unknown>>) => {
        const s = await grownSession({
          history,
          settings: { strategy: 'selective', ...settings },
          summaries: ['<summary>all of it</summary>'],
        });
        const outcome = await s.agent.compactor.compact({ trigger: 'manual' }, new AbortController().signal);
        expect(outcome).toMatchObject({ kind: 'compacted', entry: { strategy: 'selective' } });
        return s;
      };
      const forced = await run({});
      expect(forced.agent.compactor.gauge.reading.tokens).toBeLessThan(10_000);
      expect(taken(forced)).toEqual([
        'TRUNCATE tool blocks: 7 removed',
        'DROP skillPrompt: 1 removed',
        'TRUNCATE assistant: 0 removed',
        'DROP skillMetadata: 0 removed',
        'TRUNCATE user: 0 removed',
      ]);
      expect(forced.summariser.requests).toHaveLength(1);
      expect(forced.view()[0]).toBe('user: all of it');
      // Where a share of the window was chosen, that is where it stops.
      const shared = await run({ 'selective.stopAt': 'target' });
      expect(taken(shared)).toEqual(['TRUNCATE tool blocks: 7 removed']);
      expect(shared.summariser.requests).toEqual([]);
    });
  });

  it('each phase tells the figures of its moment', { tags: ['C13'] }, async () => {
    const summaries = ['<summary>all of it</summary>'];
    const s = await grow([user('q0'), user(words(3_000, 'prompt'), 'skillPrompt'), user('q1'), user('q2')], {
      upTo: 90_000,
      summaries,
    });
    const [made] = s.compactions();
    const phases = s.events.flatMap((event) => (event.type === 'phase' ? [event] : []));
    // The rules took the skill prompt, its 4 tokens of framing and the 7 of its tags.
    const left = 90_000 - 3_011;
    expect(phases).toMatchObject([
      { type: 'phase', phase: 'selective_start', tokensBefore: 90_000, tokensAfter: 90_000 },
      { type: 'phase', phase: 'selective_done', tokensBefore: 90_000, tokensAfter: left },
      { type: 'phase', phase: 'summary_start', tokensBefore: left, tokensAfter: left },
      { type: 'phase', phase: 'summary_done', tokensBefore: left, tokensAfter: made?.tokensAfter },
    ]);
    expect(s.events.at(-1)).toMatchObject({ type: 'contextCompacted', tokensBefore: 90_000 });
    expect(s.logs.find((line) => line.includes('compaction begins'))).toMatch(
      /^info compaction begins: selective, precheck, current=90000, threshold=80000$/,
    );
  });
});
