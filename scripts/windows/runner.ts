/**
 * Stands in for vitest where its native part cannot be loaded: collects the tests of bundled files and runs them one after
 * the other. `expect` and `vi` are vitest's own. It knows what the tests of this project use, and no more.
 */

import { format } from 'node:util';
// @ts-expect-error The bundler knows where the real one lies.
import { chai, expectTypeOf, expect as realExpect, vi } from 'real-vitest';

// Its helpers ask their worker for settings.
Object.assign(globalThis, { __vitest_worker__: { config: {} } });

type Body = (...given: readonly unknown[]) => unknown;

interface Suite {
  readonly name: string;
  readonly parent: Suite | null;
  readonly skipped: boolean;
  readonly tests: Test[];
  readonly suites: Suite[];
  readonly hooks: Readonly<Record<'beforeAll' | 'beforeEach' | 'afterEach' | 'afterAll', Body[]>>;
}

interface Test {
  readonly name: string;
  readonly body: Body;
  readonly skipped: boolean;
}

export interface Outcome {
  /** With those of the groups that hold it. */
  readonly name: string;
  readonly result: 'passed' | 'skipped' | 'failed';
  readonly error?: string;
}

const suiteOf = (name: string, parent: Suite | null, skipped = false): Suite => ({
  name,
  parent,
  tests: [],
  suites: [],
  skipped: skipped || (parent?.skipped ?? false),
  hooks: { beforeAll: [], beforeEach: [], afterEach: [], afterAll: [] },
});

let current: Suite = suiteOf('', null);
let finished: Body[] = [];

const bodyOf = (given: readonly unknown[]) => given.find((each): each is Body => typeof each === 'function');

function addTest(skipped: boolean, name: string, ...given: readonly unknown[]): void {
  const body = bodyOf(given);
  current.tests.push({ name, body: body ?? (() => undefined), skipped: skipped || !body });
}

function addSuite(skipped: boolean, name: string, ...given: readonly unknown[]): void {
  const suite = suiteOf(name, current, skipped);
  const around = current;
  around.suites.push(suite);
  current = suite;
  bodyOf(given)?.();
  current = around;
}

type Add = (skipped: boolean, name: string, ...given: readonly unknown[]) => void;

/** With the forms that tests are written in. */
function declarer(add: Add, skipped = false): unknown {
  const declare = (name: string, ...given: readonly unknown[]) => add(skipped, name, ...given);
  const each =
    (rows: readonly unknown[]) =>
    (name: string, ...given: readonly unknown[]) => {
      const body = bodyOf(given);
      for (const [nth, row] of rows.entries()) {
        const values = Array.isArray(row) ? row : [row];
        add(skipped, nameOf(name, values, nth), () => body?.(...values));
      }
    };
  return Object.assign(declare, {
    each,
    runIf: (condition: unknown) => declarer(add, skipped || !condition),
    skipIf: (condition: unknown) => declarer(add, skipped || Boolean(condition)),
  });
}

function nameOf(name: string, values: readonly unknown[], nth: number): string {
  const places = name.match(/%[sdifjoO]/g)?.length ?? 0;
  const filled = places === 0 ? name : format(name, ...values.slice(0, places));
  const [first] = values;
  return filled
    .replaceAll('%#', String(nth))
    .replace(/\$(\w+)/g, (whole, key) =>
      typeof first === 'object' && first !== null && key in first
        ? String((first as Record<string, unknown>)[key])
        : whole,
    );
}

export const test = declarer(addTest);
export const it = test;
export const describe = declarer(addSuite);
export const beforeAll = (body: Body) => void current.hooks.beforeAll.push(body);
export const beforeEach = (body: Body) => void current.hooks.beforeEach.push(body);
export const afterEach = (body: Body) => void current.hooks.afterEach.push(body);
export const afterAll = (body: Body) => void current.hooks.afterAll.push(body);
export const onTestFinished = (body: Body) => void finished.push(body);
export { chai, expectTypeOf, vi };

const POLL_MS = 50;
const LONGEST_POLL_MS = 5_000;

/** Vitest's own wants its worker. */
function poll(read: () => unknown, { timeout = LONGEST_POLL_MS, interval = POLL_MS } = {}): unknown {
  const attempt = (path: readonly string[]): unknown =>
    new Proxy(() => undefined, {
      get: (_, key) => attempt([...path, String(key)]),
      apply: async (_, __, given: readonly unknown[]) => {
        for (const end = performance.now() + Math.min(timeout, LONGEST_POLL_MS); ; ) {
          try {
            let matcher: unknown = realExpect(await read());
            for (const key of path.slice(0, -1)) matcher = Reflect.get(matcher as object, key);
            return await Reflect.get(matcher as object, path.at(-1) ?? '').apply(matcher, given);
          } catch (thrown) {
            if (performance.now() > end) throw thrown;
            await new Promise((resolve) => setTimeout(resolve, interval));
          }
        }
      },
    });
  return attempt([]);
}

export const expect = Object.assign(realExpect, { poll });

/** All of one file. What it declares is collected while it is loaded. */
export async function runFile(load: () => Promise<unknown>, limits: Limits): Promise<readonly Outcome[]> {
  current = suiteOf('', null);
  const root = current;
  const outcomes: Outcome[] = [];
  try {
    await load();
  } catch (thrown) {
    return [{ name: '(loading)', result: 'failed', error: describeError(thrown) }];
  }
  await runSuite(root, [], outcomes, limits);
  return outcomes;
}

interface Limits {
  readonly longestMs: number;
  /** A test that is not even begun: nothing shows it here. */
  readonly isIdle: (name: string) => boolean;
  /** Fired after each test. */
  readonly onDidRun: () => void;
}

async function runSuite(suite: Suite, above: readonly Suite[], outcomes: Outcome[], limits: Limits): Promise<void> {
  const { longestMs } = limits;
  const chain = [...above, suite];
  const names = chain.map(({ name }) => name).filter((name) => name !== '');
  const guard = async (what: string, bodies: readonly Body[]) => {
    try {
      for (const body of bodies) await within(longestMs, body);
      return true;
    } catch (thrown) {
      outcomes.push({ name: [...names, `(${what})`].join(' > '), result: 'failed', error: describeError(thrown) });
      return false;
    }
  };
  const isIdle = suite.skipped || !hasWork(suite);
  if (isIdle || (await guard('beforeAll', suite.hooks.beforeAll))) {
    for (const test of suite.tests) {
      const name = [...names, test.name].join(' > ');
      if (test.skipped || suite.skipped) outcomes.push({ name, result: 'skipped' });
      else if (limits.isIdle(name)) outcomes.push({ name, result: 'failed', error: 'not begun' });
      else outcomes.push({ name, ...(await runTest(test, chain, longestMs)) });
      limits.onDidRun();
    }
    for (const inner of suite.suites) await runSuite(inner, chain, outcomes, limits);
  }
  if (!isIdle) await guard('afterAll', suite.hooks.afterAll.toReversed());
}

const hasWork = ({ tests, suites }: Suite): boolean =>
  tests.some(({ skipped }) => !skipped) || suites.some((each) => !each.skipped && hasWork(each));

async function runTest({ body }: Test, chain: readonly Suite[], longestMs: number): Promise<Omit<Outcome, 'name'>> {
  finished = [];
  let failed: string | null = null;
  const attempt = async (bodies: readonly Body[]) => {
    try {
      for (const each of bodies) await within(longestMs, each);
    } catch (thrown) {
      failed ??= describeError(thrown);
    }
  };
  await attempt([...chain.flatMap(({ hooks }) => hooks.beforeEach), body]);
  for (const each of finished.toReversed()) await attempt([each]);
  for (const each of chain.toReversed().flatMap(({ hooks }) => hooks.afterEach.toReversed())) await attempt([each]);
  return failed === null ? { result: 'passed' } : { result: 'failed', error: failed };
}

async function within(ms: number, body: Body): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${ms / 1000} s`)), ms);
  });
  try {
    await Promise.race([Promise.resolve().then(body), late]);
  } finally {
    clearTimeout(timer);
  }
}

function describeError(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
