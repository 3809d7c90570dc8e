/** The scripted demo with the product's own loop, tools and compactor, in memory. */

import { describe, expect, test } from 'vitest';
import type { ChatMessage, ModelEvent, ModelRequest } from '../../../src/core/model/modelClient.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { createDemoClient } from '../../../src/providers/demo/demoClient.ts';
import { writeScriptedSummary } from '../../../src/providers/demo/demoHistory.ts';
import { type DemoHarnessOptions, demoHarness } from '../../support/demoHarness.ts';
import { HandTimers } from '../../support/ports/handTimers.ts';

const demo = () => createDemoClient({ pieceDelayMs: 0 });

/** A small project, like the sample workspace. */
const FILES = {
  'README.md': '# Queue\n\nThis project delivers messages from a queue.\n\nRun the tests with npm test.\n',
  'docs/retry.md': '# Retry\n\nThe wait doubles after every failure of the same message.\n'.repeat(4),
  'src/queue.js':
    'export function enqueue(queue, message) {\n  queue.push(message);\n  return queue.length;\n}\n'.repeat(12),
  'src/retry.js':
    'export const FIRST_WAIT = 100;\nexport const waitAfter = (failures) => FIRST_WAIT * failures;\n'.repeat(12),
  'src/clock.js': 'export const now = () => Date.now();\n'.repeat(20),
  'package.json': '{ "name": "queue", "type": "module" }\n',
};

const start = (options: DemoHarnessOptions = {}) => demoHarness(demo(), { files: FILES, ...options });

const isLast = (step: string) => /^\w+ (\d+)\/\1$/.test(step);

describe('the tour', () => {
  test('fills the context until it is compacted, and ends with the undo of that', {
    tags: ['item:1'],
  }, async () => {
    const agent = await start();
    expect(await agent.send('Hello')).toEqual({ kind: 'done' });
    // Nobody can be asked here, so that it does not stop at the second.
    expect([...new Set(agent.steps().map((step) => step.split(' +')[0]))]).toEqual(['Tour 1/3', 'Tour 3/3']);
    expect(agent.compactions()).toBe(1);
    expect(lastAnswer(agent.journal)).toContain('Press ↶');
    expect(agent.approvals).toEqual([]);
    // The compaction is the newest thing that can be undone, and undoing it gives all of it back.
    const before = agent.journal.context.conversation.length;
    expect(await agent.compactor.undo()).toBe(true);
    expect(agent.journal.context.conversation.length).toBeGreaterThanOrEqual(before);
    expect(agent.journal.context.activeCompactions).toEqual([]);
  });

  test('in a window that it cannot fill, says how to compact by hand', async () => {
    const agent = await start({ window: 100_000 });
    expect(await agent.send('Hello')).toEqual({ kind: 'done' });
    expect(agent.steps()).toEqual([
      'Tour 1/3 +list_files',
      'Tour 1/3 +list_files +list_files',
      ...Array(6).fill('Tour 1/3 +read_file'),
      ...Array(4).fill('Tour 1/3 +search_text'),
      'Tour 3/3',
    ]);
    expect(lastAnswer(agent.journal)).toContain('type /compact');
  });

  test('shows the rest on demand: the real tools, and one edit to approve', async () => {
    const agent = await start({ window: 100_000 });
    await agent.send('Hello');
    const tour = agent.steps().length;
    expect(await agent.send('More…')).toEqual({ kind: 'done' });
    expect(agent.steps().slice(tour)).toEqual([
      'Script 1/8 +list_files',
      'Script 2/8 +read_file',
      'Script 3/8 +search_text',
      'Script 4/8 +read_file +read_file',
      'Script 5/8 +read_file',
      'Script 6/8 +edit_file',
      'Script 7/8 +read_file',
      'Script 8/8',
    ]);
    expect(agent.approvals.map(({ toolName, title }) => [toolName, title])).toEqual([['edit_file', 'README.md']]);
    expect(agent.files.textOf('README.md')).toContain('from a queue. (noted by the scripted demo)\n');
  });

  test('no tool call of it fails', async () => {
    const agent = await start({ window: 100_000 });
    await agent.send('Hello');
    await agent.send('And once more');
    const failed = agent.journal.entries.filter(
      (entry) => entry.type === 'message' && entry.message.role === 'tool' && entry.message.isError,
    );
    expect(failed).toEqual([]);
  });

  test('a declined edit is said to be declined, and the script goes on to its end', async () => {
    const agent = await start({ window: 100_000, answer: { kind: 'deny' } });
    await agent.send('Hello');
    expect(await agent.send('More…')).toEqual({ kind: 'done' });
    expect(agent.steps().at(-1)).toBe('Script 8/8');
    expect(agent.files.textOf('README.md')).toBe(FILES['README.md']);
    expect(lastAnswer(agent.journal)).toContain('The proposed change to README.md was not made.');
  });

  test('an empty folder gets a new file proposed', async () => {
    const agent = await start({ files: {} });
    await agent.send('Hello');
    expect(await agent.send('More…')).toEqual({ kind: 'done' });
    expect(agent.approvals.map(({ toolName, title }) => [toolName, title])).toEqual([
      ['write_file', 'palimpsest-demo.md'],
    ]);
  });

  test('without a folder it says so and stops', async () => {
    const agent = await start({ files: {}, trust: 'noFolder' });
    expect(await agent.send('Hello')).toEqual({ kind: 'done' });
    expect(lastAnswer(agent.journal)).toContain('No folder is open');
    expect(agent.approvals).toEqual([]);
  });

  test('in an untrusted workspace it only reads', async () => {
    const agent = await start({ trust: 'untrusted', window: 100_000 });
    await agent.send('Hello');
    expect(await agent.send('Run something')).toEqual({ kind: 'done' });
    expect(agent.approvals).toEqual([]);
    expect(lastAnswer(agent.journal)).toContain('the agent may only read');
  });

  test('a command is proposed only when the message asks for one', async () => {
    const agent = await start({ window: 100_000, answer: { kind: 'deny' } });
    await agent.send('Hello');
    await agent.send('Please run `npm test`');
    expect(agent.approvals.map(({ detail }) => detail.kind)).toEqual(['edit', 'command']);
    expect(agent.approvals.at(-1)?.detail).toMatchObject({ command: 'npm test' });
  });
});

describe('in a small window', () => {
  const STRATEGIES = [
    'layered',
    'llm-summary',
    'tool-result-hiding',
    'hiding-then-summary',
    'selective',
    'prune-then-summary',
    'round-summary',
  ];

  test.each(STRATEGIES)('%s runs within two messages, and each turn still ends', async (strategy) => {
    const agent = await start({ settings: { strategy } });
    expect(await agent.send('Hello')).toEqual({ kind: 'done' });
    expect(await agent.send('Go on')).toEqual({ kind: 'done' });
    expect(agent.compactions()).toBeGreaterThan(0);
    expect(agent.files.textOf('README.md')).toContain('(noted by the scripted demo)');
    const steps = agent.steps();
    expect(steps.filter((step) => isLast(step)).length).toBe(2);
    const scripted = steps.filter((step) => !step.startsWith('Tour 1/3'));
    expect(new Set(scripted).size).toBe(scripted.length);
  });

  test('the same messages get the same answer', async () => {
    const agent = await start();
    await agent.send('Hello');
    const [one, two] = [await start(), await start()];
    await one.send('Hello');
    await two.send('Hello');
    expect(one.steps()).toEqual(two.steps());
    expect(one.steps()).toEqual(agent.steps());
  });
});

describe('labels', () => {
  test('every text of it says that it is scripted', async () => {
    const agent = await start({ commands: { 'npm test': { output: ['2 tests passed\n'] } } });
    await agent.send('Hello');
    await agent.send('Run `npm test` and edit something');
    const texts = agent.journal.entries.flatMap((entry) =>
      entry.type === 'message' && entry.message.role === 'assistant' ? [entry.message.text] : [],
    );
    expect(texts.filter((text) => !/^(?:Tour|Script) \d+\/\d+ [·∙] /.test(text))).toEqual([]);
    const summaries = agent.journal.context.conversation.filter(({ kind }) => kind === 'summary');
    // What the product wrote itself is not the script's.
    const written = summaries.filter(({ message }) => !/^(?:Kept lines|Ledger|\[palimpsest:)/.test(message.text));
    expect(written.length).toBeGreaterThan(0);
    expect(written.filter(({ message }) => !message.text.includes('Scripted demo'))).toEqual([]);
  });
});

describe('streaming', () => {
  const request: ModelRequest = { model: 'demo', messages: [{ role: 'user', text: 'Hi' }], tools: [] };

  test('pieces add up to the text; usage is estimated from the request', async () => {
    const events = await collect(demo().stream(request, new AbortController().signal));
    const done = events.at(-1);
    if (done?.type !== 'done') throw new Error('no end');
    const streamed = events.map((event) => (event.type === 'text' ? event.delta : '')).join('');
    expect(streamed).toBe(done.text);
    expect(done.usage?.input).toBeGreaterThan(0);
    expect(done.usage?.output).toBeGreaterThan(0);
  });

  test('it waits between two pieces, and stops in the middle', async () => {
    const timers = new HandTimers();
    const stop = new AbortController();
    const stream = createDemoClient({ pieceDelayMs: 12, timers }).stream(request, stop.signal)[Symbol.asyncIterator]();
    const first = stream.next();
    expect(timers.pending).toEqual([12]);
    timers.elapse();
    expect((await first).value).toMatchObject({ type: 'text' });
    const second = stream.next();
    stop.abort();
    await expect(second).rejects.toMatchObject({ kind: 'aborted' });
    expect(timers.pending).toEqual([]);
  });

  test('call ids differ from request to request', async () => {
    const tools = [{ name: 'list_files', description: '', parameters: {} }];
    const ids = new Set<string>();
    const histories: ChatMessage[][] = [
      [{ role: 'user', text: 'Hi' }],
      [{ role: 'user', text: 'Ho' }],
      [
        { role: 'system', text: 'x' },
        { role: 'user', text: 'Hi' },
      ],
    ];
    for (const messages of histories) {
      const events = await collect(demo().stream({ ...request, tools, messages }, new AbortController().signal));
      for (const event of events) if (event.type === 'done') for (const call of event.toolCalls) ids.add(call.id);
    }
    expect(ids.size).toBe(3);
  });
});

describe('summaries', () => {
  const CONVERSATION = [
    '<conversation>',
    '[user]\nFix the retry test',
    '[assistant]\nTour 6/16 · It reads.\n[calls read_file {"path":"src/retry.js"}]',
    '[result of read_file]\nsrc/retry.js: lines 1-2 of 2\nexport {}',
    '[assistant]\n[calls edit_file {"path":"src/retry.js","old_string":"a","new_string":"b"}]',
    '[error of edit_file]\nedit_file: old_string is not found in src/retry.js.',
    '[assistant]\n[calls run_command {"command":"npm test"}]',
    '</conversation>',
  ].join('\n\n');

  test('the six sections, filled from the prompt alone', { tags: ['M5'] }, () => {
    expect(writeScriptedSummary(`Answer with:\n<current_focus>…</current_focus>\n\n${CONVERSATION}`)).toBe(
      [
        '<current_focus>',
        'Scripted demo: this summary was written by a script that lists what the conversation names.',
        'The user asked:\n- Fix the retry test',
        'Newest step of the script: 6/16 · done.',
        '</current_focus>',
        '<environment>\nCommands named:\n- npm test\n</environment>',
        '<completed_tasks>\nFiles looked at:\n- src/retry.js\n</completed_tasks>',
        '<active_issues>\nErrors met:\n- edit_file: edit_file: old_string is not found in src/retry.js.\n</active_issues>',
        '<code_state>\nFiles proposed for change:\n- src/retry.js\n</code_state>',
        '<important_context>\nScripted demo; the facts above are copied from the conversation.\n</important_context>',
      ].join('\n'),
    );
  });

  test('inside summary tags when asked for', { tags: ['C5'] }, () => {
    expect(writeScriptedSummary(`Wrap it in <summary></summary> tags.\n\n${CONVERSATION}`)).toMatch(
      /^<summary>\nScripted demo: [\s\S]*src\/retry\.js[\s\S]*\n<\/summary>$/,
    );
  });

  test('as JSON when asked for; an earlier summary is merged, not lost', { tags: ['C15'] }, () => {
    const earlier = '<notes>\nThe user asked:\n- Write the queue\nFiles looked at:\n- src/queue.js\n</notes>';
    const prompt = `Answer with one JSON object:\n{"focus": "", "keyFacts": ["…"]}\n\n${earlier}\n\n${CONVERSATION}`;
    expect(JSON.parse(writeScriptedSummary(prompt))).toMatchObject({
      focus: expect.stringContaining('Fix the retry test'),
      completed: ['looked at src/queue.js', 'looked at src/retry.js'],
      environment: ['npm test'],
      keyFacts: ['src/queue.js', 'src/retry.js'],
    });
  });
});

function lastAnswer(journal: Awaited<ReturnType<typeof start>>['journal']): string {
  const last = journal.context.conversation.findLast(({ message }) => message.role === 'assistant');
  return last?.message.text ?? '';
}

async function collect(stream: AsyncIterable<ModelEvent>): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe('a stop', () => {
  const tools = ['ask_user', 'list_files', 'read_file', 'search_text'].map((name) => ({
    name,
    description: '',
    parameters: {},
  }));
  const stepAfter = async (step: number, ...more: ChatMessage[]) => {
    const client = createDemoClient({ pieceDelayMs: 0, translate: (said) => `«${inEnglish(said)}»` });
    const messages: ChatMessage[] = [
      { role: 'user', text: 'Show me' },
      { role: 'assistant', text: `Tour ${step}/3 · It reads.` },
      ...more,
    ];
    for await (const event of client.stream({ model: 'demo', messages, tools }, new AbortController().signal))
      if (event.type === 'done') return event.toolCalls[0];
    return undefined;
  };
  const notes = (step: number): ChatMessage => ({
    role: 'user',
    text: `<context-notes>Tour ${step}/3 · …</context-notes>`,
  });

  test('says what to look at, in the language of the person, and waits', async () => {
    const call = await stepAfter(1, notes(1));
    expect(call?.name).toBe('ask_user');
    expect(JSON.parse(call?.arguments ?? '{}')).toEqual({
      question: expect.stringMatching(/^«The row with two token counts above was a compaction/),
      choices: [{ label: '«Continue»' }],
    });
  });

  test('is made for a compaction once there is one to see, and once', async () => {
    expect((await stepAfter(1))?.arguments ?? '').not.toContain('was a compaction');
    expect(await stepAfter(2, notes(2))).toBeUndefined();
  });
});
