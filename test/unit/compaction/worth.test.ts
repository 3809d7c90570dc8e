import { expect, it } from 'vitest';
import type { PastMessage } from '../../../src/api/index.ts';
import { Cover } from '../../../src/core/compaction/strategies/layered/cover.ts';
import { Pace } from '../../../src/core/compaction/strategies/layered/pace.ts';
import { type NameUse, SessionIndex } from '../../../src/core/compaction/strategies/layered/sessionIndex.ts';
import { worthOfName } from '../../../src/core/compaction/strategies/layered/worth.ts';

/** Of a name that a call used once, so many tokens ago. */
function worthAfter(ago: number): number {
  const index = new SessionIndex();
  const tokens = 2_000_000;
  const use: NameUse = {
    name: 'retryLimit',
    isPath: false,
    last: tokens - ago,
    mentions: 2,
    calls: 1,
    said: false,
    asked: false,
  };
  return worthOfName(use, Object.assign(Object.create(index), { tokens, touched: new Set<string>() }));
}

it('layered: what was left long ago makes room: twice as long ago is worth less than half', () => {
  for (const ago of [300_000, 600_000]) expect(worthAfter(2 * ago)).toBeLessThan(worthAfter(ago) / 2);
  // What is within reach of the work in hand is told apart by its age alone, gently.
  expect(worthAfter(100_000)).toBeGreaterThan(worthAfter(50_000) / 2);
});

const OUTPUT = [
  'exit code 1',
  '✖ retries twice before it gives up (6.41647ms)',
  '  AssertionError [ERR_ASSERTION]: retryLimit: Expected values to be strictly equal: 3 !== 2',
  '  duration_ms: 6.41647',
  '  duration_ms: 1204.118375',
  '# Duration: 1.34s at 12:04:55',
  'started at 2026-01-15T09:30:00.123Z 0x7ffeefbff5c8',
  'const retryDelay = 300; // src/retry.ts:4',
].join('\n');

/** The lines of one call's result that notes keep. */
async function keptOf(name: string, input: object, text: string): Promise<string[]> {
  const index = new SessionIndex();
  const messages = [
    {
      id: 'm1',
      role: 'assistant',
      text: '',
      tokens: 20,
      toolCalls: [{ id: 'c', name, arguments: JSON.stringify(input) }],
    },
    { id: 'm2', role: 'tool', text, tokens: 100, toolCallId: 'c', toolName: name },
  ];
  for (const message of messages) index.add(message as unknown as PastMessage);
  const chosen = await new Cover(index, 0).choose(
    index.sources.slice(1),
    [],
    { least: 1e-6, room: 1_000 },
    new Pace(async () => {}),
  );
  return chosen.lines.map((line) => line.text);
}

it('layered: output that only holds values of one run is worth nothing, the failure beside it is', async () => {
  expect((await keptOf('run_command', { command: 'npm test' }, OUTPUT)).sort()).toEqual([
    'AssertionError [ERR_ASSERTION]: retryLimit: Expected values to be strictly equal: 3 !== 2',
    'const retryDelay = 300; // src/retry.ts:4',
    '✖ retries twice before it gives up (6.41647ms)',
  ]);
});

it('layered: in a file such a line is code like any other', async () => {
  const file = 'const duration = 300;\nduration_ms: 6.41647';
  expect(await keptOf('read_file', { path: 'src/retry.ts' }, file)).toContain('duration_ms: 6.41647');
});

/** An index of calls, each with its result; the ids count from 0. */
function indexOf(...calls: readonly (readonly [name: string, input: object, result: string])[]): SessionIndex {
  const index = new SessionIndex();
  for (const [i, [name, input, text]] of calls.entries()) {
    const toolCalls = [{ id: `c${i}`, name, arguments: JSON.stringify(input) }];
    const both = [
      { id: `a${i}`, role: 'assistant', text: '', tokens: 20, toolCalls },
      { id: `r${i}`, role: 'tool', text, tokens: 100, toolCallId: `c${i}`, toolName: name },
    ];
    for (const message of both) index.add(message as unknown as PastMessage);
  }
  return index;
}

it('layered: a commit makes what was last said before it worth less', () => {
  const read = ['read_file', { path: 'src/retry.ts' }, 'const retryLimit = 3;'] as const;
  const look = (command: string) => indexOf(read, ['run_command', { command }, 'ok']);
  const worth = (index: SessionIndex) =>
    worthOfName(index.names.find(({ name }) => name === 'retryLimit') as NameUse, index);
  expect(worth(look('git commit -m x'))).toBeLessThan(worth(look('git status -s xx')));
});

it('layered: with room for two lines, the neighbour of the best goes before an equal one elsewhere', async () => {
  const lines = ['wait for another attempt!', 'x', 'return retryLimit(attempt);', 'wait for the next attempt'];
  const index = indexOf(
    ['read_file', { path: 'src/retry.ts' }, lines.join('\n')],
    ['search_text', { pattern: 'retryLimit' }, 'x'],
  );
  const sources = index.sources.slice(1, 2);
  const chosen = await new Cover(index, 0).choose(sources, [], { least: 1e-6, room: 30 }, new Pace(async () => {}));
  expect(chosen.lines.map(({ text }) => text).slice(0, 2)).toEqual(lines.slice(2));
});
