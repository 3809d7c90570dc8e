import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { bundleKit } from '../../../scripts/api/bundleKit.ts';
import type { StrategyFactory, StrategyPorts } from '../../../src/api/index.ts';
import { assertConforms, checkStrategy, readRecorded } from '../../../src/core/compaction/conformance/kit.ts';
import { BUILT_IN_STRATEGIES } from '../../../src/core/compaction/strategies/builtIn.ts';
import { defaultsOf } from '../../support/chains/chain.ts';
import { findRecordedSessions, readRecording } from '../../support/sessions/recordedSessions.ts';

/** The sample extensions are plain JavaScript, as their authors write them. */
const sample = async (name: string, strategy: string): Promise<StrategyFactory<keyof StrategyPorts>> =>
  (await import(new URL(`../../extensions/${name}/strategy.js`, import.meta.url).href))[strategy];
const keepTests = await sample('keep-tests', 'keepTests');
const digest = await sample('digest', 'digest');

const folder = mkdtempSync(join(tmpdir(), 'kit-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the conformance kit', () => {
  it.each(BUILT_IN_STRATEGIES)('finds nothing wrong with $id', { tags: ['B7'] }, async ({ id, factory }) => {
    const { broken } = await checkStrategy(factory, { cases: 40, settings: defaultsOf(id).section });
    expect(broken).toEqual([]);
  });

  it('finds nothing wrong with the sample extensions', { tags: ['B7'] }, async () => {
    const report = await assertConforms(keepTests, { cases: 40 });
    expect(report.compactions).toBeGreaterThan(0);
    const { compactions, notSmaller } = await assertConforms(digest, { cases: 40, settings: { keepRounds: 1 } });
    expect(compactions).toBeGreaterThan(0);
    // A summary of next to nothing is longer than it: no fault of a strategy, and told apart.
    expect(notSmaller.length).toBeGreaterThan(0);
  });

  it('names the rule a strategy breaks, and where', { tags: ['B7'] }, async () => {
    const half: StrategyFactory = {
      needs: [],
      create: () => ({ compact: async ({ history }) => history.filter((m) => m.role !== 'tool') }),
    };
    const { broken } = await checkStrategy(half, { cases: 20 });
    expect(broken.find(({ rule }) => rule.includes('lost its end'))).toMatchObject({
      rule: expect.stringMatching(/^the block of m\d+ lost its end$/),
      where: expect.stringMatching(/^generated \d+, compaction \d/),
    });
    await expect(assertConforms(half, { cases: 20 })).rejects.toThrow(/breaks the rules in \d+ of its calls/);
  });

  const summary = (text: string) => ({ role: 'user', kind: 'summary', text }) as const;
  const faults: [string, StrategyFactory<'llm'>, RegExp][] = [
    [
      'asks a model it does not need',
      {
        needs: [],
        create: () => ({
          compact: async ({ llm }) => [summary((await llm.complete({ prompt: 'x' })).text)],
        }),
      },
      /does not declare that it needs llm/,
    ],
    [
      'needs what is not a port',
      { needs: ['shell' as never], create: () => ({ compact: async () => null }) },
      /is not a port/,
    ],
    [
      'asks with what is no text',
      {
        needs: ['llm'],
        create: ({ llm }) => ({
          compact: async () => [summary((await llm.complete({ prompt: 7 as unknown as string })).text)],
        }),
      },
      /all text/,
    ],
    [
      'makes a summary of a refusal',
      {
        needs: ['llm'],
        create: ({ llm }) => ({
          compact: async ({ history }) => {
            const answer = await llm.complete({ prompt: 'x' }).catch(() => ({ text: '' }));
            return [summary(answer.text), ...history.filter((message) => message.protected)];
          },
        }),
      },
      /is a summary with a blank text/,
    ],
    [
      'knows no second attempt',
      {
        needs: [],
        create: () => ({
          compact: async ({ attempt, history, hide }) => {
            if (attempt > 1) throw new Error('no idea');
            return history.map((message) => (message.role === 'tool' ? hide(message) : message));
          },
        }),
      },
      /it threw an error: no idea/,
    ],
    [
      'only ever grows',
      {
        needs: [],
        create: () => ({ compact: async ({ history }) => [summary('more '.repeat(90_000)), ...history] }),
      },
      /no result of it is smaller/,
    ],
  ];

  it.each(faults)('names it when a strategy %s', { tags: ['B7'] }, async (_what, factory, rule) => {
    const { broken } = await checkStrategy(factory, { cases: 20 });
    expect(broken.map((it) => it.rule)).toContainEqual(expect.stringMatching(rule));
  });

  it('calls a strategy again with what an undo brought back', { tags: ['B7'] }, async () => {
    let returned = 0;
    const watching: StrategyFactory = {
      needs: [],
      create: () => {
        const gone = new Set<string>();
        let before: string[] = [];
        return {
          compact: async ({ history }) => {
            const ids = history.map(({ id }) => id);
            returned += ids.filter((id) => gone.has(id)).length;
            for (const id of before) if (!ids.includes(id)) gone.add(id);
            before = ids;
            const blocks = new Set(history.filter((message) => message.protected).map(({ block }) => block));
            return history.filter(({ block, role }) => role === 'user' || blocks.has(block));
          },
        };
      },
    };
    expect((await checkStrategy(watching, { cases: 20 })).broken).toEqual([]);
    expect(returned).toBeGreaterThan(0);
  });

  it('a strategy that lets the refusal of a model through breaks no rule', { tags: ['B7'] }, async () => {
    const plain: StrategyFactory<'llm'> = {
      needs: ['llm'],
      create: ({ llm }) => ({
        compact: async ({ history }) => {
          const { text } = await llm.complete({ prompt: 'x' });
          return [summary(text), ...history.filter((message) => message.protected)];
        },
      }),
    };
    const { broken } = await checkStrategy(plain, { cases: 40 });
    expect(broken.filter(({ rule }) => !/lost its/.test(rule))).toEqual([]);
  });

  it('the same seed gives the same report', { tags: ['B7'] }, async () => {
    const { time: _, ...first } = await checkStrategy(keepTests, { cases: 10, seed: 7 });
    const { time: __, ...second } = await checkStrategy(keepTests, { cases: 10, seed: 7 });
    expect(first).toEqual(second);
  });

  it('runs in plain Node, without VS Code and without this repository', { tags: ['B7'] }, async () => {
    await bundleKit(join(folder, 'conformance.mjs'));
    writeFileSync(join(folder, 'strategy.mjs'), readFileSync(resolve('test/extensions/keep-tests/strategy.js')));
    writeFileSync(
      join(folder, 'check.mjs'),
      `import { assertConforms } from './conformance.mjs';
       import { keepTests } from './strategy.mjs';
       const { compactions, broken } = await assertConforms(keepTests, { cases: 20 });
       console.log(JSON.stringify({ some: compactions > 0, broken }));`,
    );
    const output = execFileSync(process.execPath, ['check.mjs'], { cwd: folder, encoding: 'utf8' });
    expect(JSON.parse(output)).toEqual({ some: true, broken: [] });
  });

  it('reads recorded conversations, and says which line is not JSON', { tags: ['B7'] }, () => {
    const lines = [
      { role: 'user', content: 'go' },
      { role: 'assistant', content: '', tool_calls: [{ id: 'a', function: { name: 'read', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: 'a', content: 'text' },
      { role: 'tool', tool_call_id: 'b', content: 'orphan' },
    ];
    expect(readRecorded(lines.map((line) => JSON.stringify(line)).join('\n'))).toEqual([
      { role: 'user', kind: 'user', text: 'go' },
      { role: 'assistant', text: '', toolCalls: [{ id: 'a', name: 'read', arguments: '{}' }] },
      { role: 'tool', toolCallId: 'a', toolName: 'read', text: 'text' },
    ]);
    expect(() => readRecorded('{}\nnot json')).toThrow(/^Line 2 of/);
  });
});

const recorded = findRecordedSessions();
/** The smallest few in every run, all of them in a full one. */
const chosen = process.env.PALIMPSEST_FULL ? recorded : recorded.slice(0, 6);

describe.runIf(recorded.length > 0)('recorded sessions', () => {
  it.each(BUILT_IN_STRATEGIES)('$id breaks no rule on them', { tags: ['B7'] }, async ({ id, factory }) => {
    const histories = chosen.map((path) => readRecorded(readRecording(path)));
    const { broken, compactions } = await checkStrategy(factory, {
      cases: 0,
      histories,
      settings: defaultsOf(id).section,
    });
    expect(compactions).toBeGreaterThan(0);
    expect(broken).toEqual([]);
  });
});
