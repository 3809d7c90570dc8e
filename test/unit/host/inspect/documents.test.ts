import { describe, expect, it } from 'vitest';
import type { Message } from '../../../../src/core/context/message.ts';
import { type ModelView, scaleTo } from '../../../../src/core/context/modelView.ts';
import type { TimelineRow } from '../../../../src/core/cost/cacheTimeline.ts';
import { NO_SPENDING } from '../../../../src/core/cost/spending.ts';
import { NO_STATISTICS } from '../../../../src/core/journal/statistics.ts';
import { describeStatistics } from '../../../../src/host/inspect/contextPage.ts';
import { describeRequests } from '../../../../src/host/inspect/showCacheTimeline.ts';
import { describeModelView } from '../../../../src/host/inspect/showModelView.ts';
import { describeSessionSize } from '../../../../src/host/inspect/showSessionSize.ts';
import { alignTable, fenced, toCell } from '../../../../src/node/pages/blocks.ts';
import { pageText } from '../../../../src/node/pages/pageText.ts';
import { summarisePreview } from '../../../../src/node/preview/summarisePreview.ts';
import { t } from '../../../support/inEnglish.ts';

describe('tables of read-only documents', () => {
  it('line up, and numbers stand to the right', () => {
    expect(
      alignTable(
        [{ title: 'What' }, { title: 'N', align: 'right' }],
        [
          ['hidden', '7'],
          ['kept', '1,200'],
        ],
      ),
    ).toEqual(['| What   |     N |', '| ------ | ----: |', '| hidden |     7 |', '| kept   | 1,200 |']);
  });

  it('line up where letters are two columns wide', () => {
    expect(alignTable([{ title: '消息' }, { title: 'N', align: 'right' }], [['隐藏：x', '7']])).toEqual([
      '| 消息    |   N |',
      '| ------- | --: |',
      '| 隐藏：x |   7 |',
    ]);
  });

  it('take a text of a session as one line that cannot make a column', () => {
    expect(toCell('a |\n b', 10)).toBe('a ¦ b');
    expect(toCell('0123456789', 5)).toBe('0123…');
  });

  it('fence a text with more backticks than it has', () => {
    expect(fenced('````\nx\n````')).toEqual(['`````text', '````\nx\n````', '`````']);
  });
});

describe('a preview', () => {
  it('says in a line what would go and what would come', { tags: ['B2'] }, () => {
    const fates = [
      { fate: 'hidden', messages: 2, inPart: 0 },
      { fate: 'read', messages: 5, inPart: 2 },
      { fate: 'unread', messages: 1, inPart: 0 },
    ] as const;
    expect(summarisePreview({ fates }, t)).toBe(
      '2 hidden · 5 read by the summary, 2 of them in part · 1 dropped unread',
    );
    expect(summarisePreview({ fates: [] }, t)).toBe('');
  });
});

describe('what the model sees', () => {
  const request = { messages: [], tools: [] };
  const part = { role: 'user' as const, origin: 'm4 (user)', tokens: 12, text: 'Hello\n  there', item: null };
  const tool = (name: string, tokens: number) => ({
    role: 'tools' as const,
    origin: name,
    tokens,
    text: JSON.stringify({ name, description: `It does ${name}.` }),
    item: null,
  });
  const viewOf = (given: Partial<ModelView>): ModelView => ({
    parts: [],
    tokens: 0,
    kinds: [],
    exact: null,
    request,
    ...given,
  });
  const textOf = (view: ModelView, given: Partial<Parameters<typeof describeModelView>[1]> = {}) =>
    pageText(describeModelView(view, { title: 'Request 1', ...given }, t));

  it('has each part word for word, with its tokens and its origin', { tags: ['B12'] }, () => {
    const text = textOf(viewOf({ parts: [part], tokens: 12, exact: true }), { facts: ['Sent to x.'] });
    expect(text).toContain('The model was sent 0 messages, 1 other part and 0 tools: 12 tokens.');
    expect(text).toContain('### Told to the model · 12 tokens · Hello there');
    expect(text).toContain('m4 (user)\n\n```text\nHello\n  there\n```');
    expect(text).toContain('Sent to x.');
  });

  it('counts as messages what people said, and the rest of the request apart', () => {
    const calls = [{ id: 'c1', name: 'read_file', arguments: '{}' }];
    const messages: readonly Message[] = [
      { role: 'user', kind: 'user', text: 'Look' },
      { role: 'user', kind: 'reminder', text: 'The mode is act.' },
      { role: 'assistant', text: '', toolCalls: calls },
      { role: 'tool', toolCallId: 'c1', toolName: 'read_file', text: 'text' },
      { role: 'assistant', text: 'It is.' },
    ];
    const parts = messages.map((message) => {
      const { role, text } = message;
      const kind = role === 'user' ? message.kind : role === 'tool' ? ('toolResult' as const) : role;
      return { ...part, role, text, item: { kind, message, hidden: false, pinned: false } };
    });
    const system = { ...part, role: 'system' as const, text: 'Work.' };
    expect(textOf(viewOf({ parts: [system, ...parts, tool('a', 1)], tokens: 73, exact: true }))).toContain(
      'The model was sent 2 messages, 4 other parts and 1 tool: 73 tokens.',
    );
  });

  it('has the names and figures of the meter, and what is left of the window', { tags: ['B12'] }, () => {
    const kinds = [
      { name: 'tools' as const, tokens: 300 },
      { name: 'user' as const, tokens: 100 },
    ];
    const view = viewOf({ parts: [tool('a', 300), { ...part, tokens: 100 }], tokens: 400, kinds });
    const text = textOf(view, { window: 1_000, reserve: 200, trigger: 800 });
    expect(text).toContain('The model will be sent 0 messages, 1 other part and 1 tool: 400 of 1,000 tokens.');
    const rows = [...text.matchAll(/^\| (\w[^|]*?) +\| +([\d,]+) \| +(\d+%) \|$/gmu)].map(([, ...cells]) => cells);
    expect(rows).toEqual([
      ['Tools', '300', '30%'],
      ['Your messages', '100', '10%'],
      ['Free', '400', '40%'],
      ['Kept for the answer', '200', '20%'],
    ]);
  });

  it('lists the tools by their size, with what each says of itself', { tags: ['B12'] }, () => {
    const text = textOf(viewOf({ parts: [tool('small', 10), tool('big', 90)], tokens: 100 }));
    expect(text).toContain('## Tools · 2 · 100 tokens');
    expect(text.indexOf('big · 90 tokens · It does big.')).toBeGreaterThan(0);
    expect(text.indexOf('big · 90 tokens')).toBeLessThan(text.indexOf('small · 10 tokens'));
  });

  it('says what changed since the request before it', { tags: ['B12'] }, () => {
    const [one, two] = [part, { ...part, text: 'More', tokens: 5 }];
    const grown = viewOf({ parts: [one, two], tokens: 17 });
    expect(textOf(grown, { before: { parts: [one] } })).toContain(
      'New since the request before it: 1 part, 5 tokens. The rest is the same.',
    );
    expect(textOf(grown, { before: { parts: [one] } })).toContain('5 tokens · new in this request · More');
    expect(textOf(grown, { before: grown })).toContain('Nothing has changed since the request before it.');
    const cut = textOf(viewOf({ parts: [two], tokens: 5 }), { before: { parts: [one, one, two] } });
    expect(cut).toContain('New since the request before it: 0 parts, 0 tokens. Gone or changed: 2 parts, 24 tokens.');
    expect(cut).toContain('Gone or changed since the request before it · 2');
  });

  it('says whether it is what was sent', { tags: ['B12'] }, () => {
    const said = (exact: boolean | null) => textOf(viewOf({ exact }));
    expect(said(true)).toContain('this is what was sent');
    expect(said(false)).toContain('does not match');
    expect(said(null)).toContain('Nothing was sent');
  });

  it('F: its parts add up to what the meter shows, and its tools to what it says of them', () => {
    const parts = [tool('a', 10), tool('b', 20), { ...part, tokens: 30 }];
    const kinds = [
      { name: 'tools' as const, tokens: 33 },
      { name: 'user' as const, tokens: 27 },
    ];
    const scaled = scaleTo(viewOf({ parts, tokens: 60, kinds }), 101);
    expect(scaled.kinds.map(({ tokens }) => tokens)).toEqual([56, 45]);
    expect([scaled.tokens, scaled.parts.map(({ tokens }) => tokens)]).toEqual([101, [19, 37, 45]]);
  });
});

describe('statistics', () => {
  const statistics = {
    ...NO_STATISTICS,
    compactions: 3,
    undone: 1,
    tokensSaved: 4_000,
    byStrategy: { selective: { compactions: 3, tokensSaved: 4_000 } },
  };

  it('stand for the session beside those of all sessions, by strategy too', { tags: ['N8'] }, () => {
    const session = { title: 'Retry test', statistics };
    const facts = { session, all: statistics, sessions: 2, unread: [], labelOf: () => 'Selective' };
    const text = pageText(describeStatistics(facts, t));
    expect(text).toContain('| Tokens freed         |        4,000 |            4,000 |');
    expect(text).toContain('| Freed per compaction |        2,000 |            2,000 |');
    expect(text).toContain('| Selective |    3 |      4,000 |   3 |          4,000 |');
  });

  it('show what other programs did apart, where there is any of it', { tags: ['N8'] }, () => {
    const facts = { session: null, sessions: 1, unread: [], labelOf: String };
    const elsewhere = { compactions: 2, tokensSaved: 9_000 };
    const text = pageText(describeStatistics({ ...facts, all: { ...statistics, elsewhere } }, t));
    expect(text).toMatch(/\| Compactions +\| +3 \|/);
    expect(text).toMatch(
      /## By other programs, imported\n+.*\n.*\n\| Compactions +\| +2 \|\n\| Tokens freed +\| +9,000 \|/,
    );
    expect(pageText(describeStatistics({ ...facts, all: statistics }, t))).not.toContain('other programs');
  });

  it('leave out what never happened, and every group without a figure', () => {
    const spending = {
      ...NO_STATISTICS.spending,
      requests: 2,
      usage: { input: 900, cached: 0, output: 40, reasoning: 0 },
    };
    const all = { ...NO_STATISTICS, spending };
    const text = pageText(describeStatistics({ session: null, all, sessions: 1, unread: [], labelOf: String }, t));
    expect(text).toContain('Nothing has been compacted yet.');
    expect([...text.matchAll(/^## (.*)$/gmu)].map(([, title]) => title)).toEqual([
      'Requests and their cost',
      'By strategy',
    ]);
    expect([...text.matchAll(/^\| ([A-Z][^|]*?) +\|/gmu)].map(([, name]) => name)).toEqual([
      'Requests',
      'Tokens read',
      'Tokens written',
    ]);
  });

  it('name what could not be read', { tags: ['N8'] }, () => {
    const facts = { session: null, all: NO_STATISTICS, sessions: 0, unread: ['x: no permission'], labelOf: String };
    expect(pageText(describeStatistics(facts, t))).toContain('## Not counted\n\n- x: no permission');
  });
});

describe('the timeline of the cache', () => {
  const price = { currency: 'USD', input: 2, output: 10, cacheRead: 0.2, source: 'table', asOf: '2026-11-05' } as const;
  const row = (seq: number, more: Partial<TimelineRow>): TimelineRow => ({
    seq,
    time: 0,
    purpose: 'turn',
    model: 'm|1',
    usage: null,
    cost: null,
    price: null,
    breaks: [],
    again: null,
    againCost: null,
    ...more,
  });
  const usage = { input: 9_000, cached: 4_000, output: 20, reasoning: 0 };
  const describe_ = (rows: readonly TimelineRow[]) =>
    pageText({
      title: 'A',
      subtitle: '',
      blocks: describeRequests({ rows, spending: NO_SPENDING, labelOf: (id) => `<${id}>`, when: () => 'then' }, t),
    });

  it('says where the prefix broke and why, and what is not known as that', { tags: ['B15'] }, () => {
    const breaks = [{ kind: 'compaction', seq: 4, strategy: 'llm-summary' } as const, { kind: 'header' } as const];
    const againCost = { amount: 0.009, currency: 'USD' };
    const text = describe_([
      row(1, {}),
      row(5, { usage, price, cost: { amount: 0.02, currency: 'USD' }, breaks, again: 5_000, againCost }),
    ]);
    const cause = 'compaction (<llm-summary>); system prompt or tools changed';
    expect(text).toContain(`| 2 · then |      5,000 |     $0.009 | ${cause} |`);
    expect(text).toContain(`broken: ${cause}`);
    expect(text).toMatch(/\| then \| +– \| +– \| +– \| +– \| +– \| +– \| a turn \|/);
    expect(text).toMatch(
      /\| \$2.00 \| +\$0.20 \| +– \| \$10.00 \| m¦1 +\| the built-in price table, as of 2026-11-05 \|/,
    );
    expect(text).not.toContain('m¦1: ');
    expect(text).not.toContain('Cost:');
  });

  it('never calls a price unknown that stands above: only requests that were counted without one are named', () => {
    const priced = row(5, { usage, price, cost: { amount: 0.02, currency: 'USD' } });
    const others = [row(6, { usage }), row(7, { usage, model: 'other' }), row(8, { model: 'never-answered' })];
    const text = describe_([priced, ...others]);
    expect(text).toContain('- m¦1: some of its requests were made before this price was known.');
    expect(text).toContain('- other: the price of its tokens is unknown.');
    expect(text).not.toContain('m¦1: the price of its tokens is unknown');
    expect(text).not.toContain('- never-answered');
  });

  it('draws each request: what came from the cache, what was read again, and why', () => {
    const breaks = [{ kind: 'header' } as const];
    const rows = [row(1, { usage: { ...usage, cached: 0 } }), row(2, {}), row(3, { usage, breaks, again: 5_000 })];
    const blocks = describeRequests({ rows, spending: NO_SPENDING, labelOf: String, when: () => 'then' }, t);
    const chart = blocks.find((block) => block.kind === 'chart');
    if (chart?.kind !== 'chart') throw new Error('There is no chart');
    expect(chart.series.map(({ label, points }) => [label, points])).toEqual([
      [
        'New',
        [
          [1, 9_000],
          [3, 0],
        ],
      ],
      [
        'From the cache',
        [
          [1, 0],
          [3, 4_000],
        ],
      ],
      [
        'Read again',
        [
          [1, 0],
          [3, 5_000],
        ],
      ],
    ]);
    expect(chart.marks).toEqual([{ x: 3, label: 'system prompt or tools changed', warning: true }]);
  });

  it('says of each compaction what its summary cost and what was read again because of it', { tags: ['C14'] }, () => {
    const facts = { parent: 3, base: 3, plan: [], trigger: 'manual', durationMs: 1, attempt: 1 } as const;
    const entry = {
      ...facts,
      seq: 4,
      time: '',
      type: 'compaction',
      strategy: 's',
      tokensBefore: 900,
      tokensAfter: 400,
    } as const;
    const breaks = [{ kind: 'compaction', seq: 4, strategy: 's' } as const];
    const made = [
      { ...entry, usage, cost: { amount: 0.5, currency: 'EUR' } },
      { ...entry, seq: 8 },
    ] as const;
    const mark = { at: 0.5, entry: made[0], active: true, undoes: 1, canRedo: false };
    const page = describeSessionSize(
      {
        title: 'A',
        timeline: { points: [], marks: [mark] },
        compactions: made,
        rows: [row(5, { usage, breaks, again: 100 })],
        tokens: 400,
        window: 0,
        trigger: null,
        chosen: null,
        labelOf: (id) => `<${id}>`,
        when: () => 'then',
        triggerName: String,
      },
      t,
    );
    const text = pageText(page);
    expect(text).toMatch(/\| +900 \| +400 \| +€0.50 \| +100 \| +– \| <s> +\| active +\| View +\|/);
    expect(text).toMatch(/\| +900 \| +400 \| +\| +– \| +– \| <s> +\| on another branch +\| +\|/);
    // The number above the list is that of its rows.
    expect(text).toContain('2, active: 1');
  });

  it('shows the newest of very many, and says so', () => {
    const text = describe_(Array.from({ length: 1_500 }, (_, seq) => row(seq, { usage })));
    expect(text).toContain('Showing the newest 1,000.');
    expect(text).toContain('|  501 |');
    expect(text).not.toContain('|  500 |');
    expect(text).toContain('Nowhere: each request began with the whole one before it.');
  });
});
