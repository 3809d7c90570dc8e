import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { ROOT } from '../../../scripts/paths.ts';
import { describeTasks } from '../../../src/cli/tasks/describeTasks.ts';
import { seededRandom } from '../../../src/core/seededRandom.ts';
import { exactTest, tasksNeeded } from '../../../src/lab/tasks/pairedTest.ts';
import { planRuns } from '../../../src/lab/tasks/planRuns.ts';
import { makeTaskReport } from '../../../src/lab/tasks/taskReport.ts';
import type { TaskEnd, TaskRun } from '../../../src/lab/tasks/taskRun.ts';
import { pageText } from '../../../src/node/pages/pageText.ts';

const SOLVED: TaskEnd = { kind: 'solved' };
const LOST: TaskEnd = { kind: 'failed', by: 'check', detail: 'exit code 1' };
const ERROR: TaskEnd = { kind: 'error', detail: 'The server is down.' };
const SETTING = { strategies: ['layered', 'llm-summary'], model: 'm', window: 64_000, seed: 1, missing: 0 };

function runOf(task: string, strategy: string, end: TaskEnd, more: Partial<TaskRun> = {}): TaskRun {
  const cost = { amount: 0.5, currency: 'USD' };
  const runs = { due: 1, own: 1, others: [], warnings: [] };
  const counts = { requests: 10, input: 1000, cached: 500, output: 100, compactions: 1, cost, runs };
  return { task, strategy, attempt: 1, end, ...counts, ...more };
}

/** Ends of the two strategies, task by task. */
const pairs = (...ends: readonly (readonly [TaskEnd, TaskEnd])[]): TaskRun[] =>
  ends.flatMap(([one, other], at) => [runOf(`t${at}`, 'layered', one), runOf(`t${at}`, 'llm-summary', other)]);

describe('the order of runs', { tags: ['B6'] }, () => {
  const plan = { tasks: ['a', 'b', 'c', 'd'], strategies: ['x', 'y', 'z'], tries: 2, seed: 7 };

  it('has every round once with every strategy once, and is the same for a seed', () => {
    const rounds = planRuns(plan);
    expect(rounds.map(({ task, attempt }) => `${task}${attempt}`).sort()).toEqual([
      'a1',
      'a2',
      'b1',
      'b2',
      'c1',
      'c2',
      'd1',
      'd2',
    ]);
    for (const { strategies } of rounds) expect([...strategies].sort()).toEqual(plan.strategies);
    expect(planRuns(plan)).toEqual(rounds);
    expect(planRuns({ ...plan, seed: 8 })).not.toEqual(rounds);
    expect(new Set(rounds.map(({ strategies }) => strategies.join())).size).toBeGreaterThan(1);
  });
});

describe('the exact test', { tags: ['B6'] }, () => {
  test.each([
    [0, 0, 1],
    [1, 0, 1],
    [5, 0, 0.0625],
    [6, 0, 0.03125],
    [10, 2, 0.038574],
    [8, 8, 1],
  ])('gives for %i better and %i worse %f', (better, worse, p) => {
    expect(exactTest(better, worse)).toBeCloseTo(p, 6);
    expect(exactTest(worse, better)).toBe(exactTest(better, worse));
  });

  it('goes on by the normal curve where the terms are too small to be written', () => {
    expect(exactTest(560, 515)).toBeCloseTo(exactTest(559, 515), 1);
    expect(exactTest(700, 500)).toBeLessThan(1e-7);
  });
});

describe('how many tasks five points need', { tags: ['B6'] }, () => {
  const figures = [0.1, 0.2, 0.3].map((discordance) => tasksNeeded(0.05, discordance));

  it('is what Connor’s formula gives, and what the document says', () => {
    expect(figures).toEqual([312, 626, 940]);
    const document = readFileSync(join(ROOT, 'docs/benchmarks.md'), 'utf8');
    for (const [at, figure] of figures.entries()) expect(document).toContain(`| ${(at + 1) * 10}% | ${figure} |`);
  });

  it('finds such a difference about four times in five', () => {
    const random = seededRandom(3);
    const [discordance, tasks] = [0.2, figures[1] ?? 0];
    let found = 0;
    for (let study = 0; study < 1000; study++) {
      let [better, worse] = [0, 0];
      for (let task = 0; task < tasks; task++) {
        const drawn = random();
        if (drawn < (discordance + 0.05) / 2) better++;
        else if (drawn < discordance) worse++;
      }
      if (exactTest(better, worse) < 0.05) found++;
    }
    expect(found).toBeGreaterThan(740);
    expect(found).toBeLessThan(850);
  });
});

describe('the figures of tasks', { tags: ['B6'] }, () => {
  it('are of rounds that no strategy ended by an error, and name the others', () => {
    const runs = pairs([SOLVED, LOST], [SOLVED, ERROR], [LOST, LOST], [SOLVED, SOLVED]);
    const report = makeTaskReport(SETTING, runs);
    expect(report).toMatchObject({ tasks: 3, rounds: 3, leftOut: ['t1, try 1, llm-summary: The server is down.'] });
    expect(report.strategies.map(({ id, solved, errors }) => [id, solved, errors])).toEqual([
      ['layered', 2, 0],
      ['llm-summary', 1, 1],
    ]);
    expect(report.strategies[1]?.difference).toMatchObject({ better: 0, worse: 1, p: 1, neededForFive: 1045 });
    expect(report.strategies[1]?.difference?.solvedPercent?.[0]).toBeCloseTo(-33.33, 1);
  });

  it('do not depend on the order of the runs', () => {
    const runs = pairs([SOLVED, LOST], [LOST, SOLVED], [SOLVED, LOST], [SOLVED, SOLVED], [LOST, LOST]);
    expect(makeTaskReport(SETTING, runs.toReversed())).toEqual(makeTaskReport(SETTING, runs));
  });

  it('count several tries of a task as one task in the test', () => {
    const tries = [1, 2, 3].flatMap((attempt) => [
      runOf('t', 'layered', LOST, { attempt }),
      runOf('t', 'llm-summary', SOLVED, { attempt }),
    ]);
    const [, row] = makeTaskReport(SETTING, tries).strategies;
    expect(row?.difference).toMatchObject({ better: 1, worse: 0, p: 1, discordantPercent: 100 });
  });

  it('leave a cost open that one request does not tell', () => {
    const runs = [runOf('t', 'layered', SOLVED, { cost: null }), runOf('t', 'llm-summary', SOLVED)];
    const [one, other] = makeTaskReport(SETTING, runs).strategies;
    expect([one?.cost, other?.cost, other?.difference?.cost]).toEqual([null, 0.5, null]);
  });

  it('are shown with what they cannot say', () => {
    const runs = pairs([SOLVED, LOST], [SOLVED, SOLVED]).map((run) => ({ ...run, compactions: 0 }));
    const text = pageText(
      describeTasks(makeTaskReport({ ...SETTING, missing: 2 }, runs), ['odd: it has no task.json']),
    );
    for (const said of [
      /With only 2 tasks the figures say little/,
      /The context was compacted in 0 of 4 runs\. In the others strategies cannot differ/,
      /\| layered +\| +100\.0 \| +\$0\.50 \|/,
      /llm-summary: solved 1 of 2, 1 the check did not pass, compacted in 0 runs\./,
      /\| solved % +\| +−50\.0 \| −100\.0 to 0\.0 \|/,
      /more often and 1 task less often \(p = 1\.000\)\. That can be chance\. In 50\.0% of the rounds/,
      /- odd: it has no task\.json\n- 2 runs without a result yet/,
    ])
      expect(text).toMatch(said);
  });
});
