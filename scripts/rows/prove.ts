/**
 * Changes the product and sees that a test of the row fails: with another default in the tables of settings, or with a
 * behaviour broken in the source as tests and their child processes load it; the file itself stays as it is. One Vitest
 * serves all proofs, so each costs only its tests. Invariant: nothing of one proof is left for the next.
 */

import { join } from 'node:path';
import { createVitest, type TestCase } from 'vitest/node';
import type { Setting } from '../../src/core/setting.ts';
import { ROOT } from '../paths.ts';
import { type BrokenFile, breakSource } from './breakSource.ts';
import { SETTINGS } from './checkTable.ts';
import type { Break, Row } from './table.ts';

export interface Proof {
  readonly row: Row;
  readonly breaks: readonly Break[];
  /** Those of its tests. */
  readonly files: readonly string[];
}

export interface Prover {
  /** In words: defaults that can change, and ways to break the row, that no test in `files` with its tag notices. */
  prove(proof: Proof): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function startProver(): Promise<Prover> {
  let broken: BrokenFile | null = null;
  const vitest = await createVitest(
    'test',
    {
      root: ROOT,
      watch: false,
      bail: 1,
      reporters: [{}],
      // A cached module would not be broken, and a broken one must not be cached.
      fsModuleCache: false,
      setupFiles: ['test/support/changeDefaults.ts'],
      // A behaviour that is broken may well make a test wait to the end.
      testTimeout: 60_000,
      hookTimeout: 60_000,
      expect: { poll: { timeout: 30_000 } },
    },
    { plugins: [breakSource(() => broken)] },
  );

  /** In words: that no test failed with this environment. */
  const run = async (row: string, files: readonly string[], name: string, value: unknown, what: string) => {
    process.env[name] = JSON.stringify(value);
    try {
      const { testModules } = await vitest.runTestSpecifications(
        files.flatMap((file) =>
          vitest.projects.map((project) => project.createSpecification(join(ROOT, file), { testTagsFilter: [row] })),
        ),
      );
      const ended = (state: string) => (test: TestCase) => test.result().state === state;
      const tests = testModules.flatMap(({ children }) => [...children.allTests()]);
      if (tests.some(ended('failed'))) return [];
      return [`${row}: ${tests.filter(ended('passed')).length} tests with its tag pass with ${what}`];
    } finally {
      delete process.env[name];
    }
  };

  return {
    async prove({ row: { row, defaults = {}, instead = {} }, breaks, files }) {
      const faults: string[] = [];
      for (const key of Object.keys(defaults)) {
        const other = instead[key] ?? changeDefault(SETTINGS.get(key) as Setting);
        const what = `${key} ${JSON.stringify(other)}`;
        faults.push(...(await run(row, files, 'PALIMPSEST_DEFAULTS', { [key]: other }, what)));
      }
      for (const each of breaks) {
        const path = join(ROOT, each.file);
        broken = each;
        vitest.invalidateFile(path);
        const what = `${JSON.stringify(each.by)} in ${each.file}`;
        faults.push(...(await run(row, files, 'PALIMPSEST_BREAK', each, what)));
        broken = null;
        vitest.invalidateFile(path);
      }
      return faults;
    },
    close: () => vitest.close(),
  };
}

/** The nearest value that the setting could have by default instead. */
function changeDefault({ schema, choices, default: byDefault }: Setting): unknown {
  if (choices) return Object.keys(choices).find((value) => value !== byDefault);
  if (typeof byDefault === 'boolean') return !byDefault;
  if (typeof byDefault === 'string') return `${byDefault}x`;
  if (Array.isArray(byDefault)) return byDefault.slice(0, -1);
  if (typeof byDefault === 'object' && byDefault !== null)
    return Object.fromEntries(Object.entries(byDefault).slice(1));
  const next = Number(byDefault) + 1;
  return schema.safeParse(next).success ? next : Number(byDefault) + 0.01;
}
