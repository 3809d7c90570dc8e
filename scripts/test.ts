/**
 * `npm test [-- unit|properties|vscode|e2e [name]] [--full | --rest]`: runs the parts one after another and adds them up in
 * the last line. Of the scenarios of `e2e` it runs those tagged `@everyday`, of the units those not tagged `long`, and any that a
 * name finds; `--full` runs every test, `--rest` what a run without it left out. `--chains` and `--seed` say how many random chains of
 * compactions the properties make, and from what. Each test runs once; with `--again`, for a checking machine, what failed
 * runs once more, and what passed only then is named in front of the last line. Invariant: the whole fails when a part fails, cannot run, or runs no test.
 */

import { mkdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { RESULTS } from './paths.ts';
import { type Part, runPart, type Which } from './test/part.ts';
import { runE2e } from './test/runE2e.ts';
import { runVitest } from './test/runVitest.ts';
import { runVscode } from './test/runVscode.ts';

const USAGE = `npm test [-- [unit|properties|vscode|e2e [name]] [--full | --rest] [--again] [--chains N] [--seed N]]
CONTRIBUTING.md says what each of them runs.`;

const { values, positionals } = readArguments();
const [only, name] = positionals;
if (values.full) process.env.PALIMPSEST_FULL = '1';
const which: Which = values.full || name !== undefined ? 'all' : values.rest ? 'rest' : 'everyday';
for (const name of ['chains', 'seed'] as const) {
  const value = values[name];
  if (value === undefined) continue;
  if (!/^\d{1,9}$/.test(value)) {
    console.error(`--${name} needs a number`);
    process.exit(2);
  }
  process.env[`PALIMPSEST_${name.toUpperCase()}`] = value;
}

const PARTS: Readonly<Record<string, Part>> = {
  unit: runVitest('unit', which, which === 'everyday' ? 'skipped: what is tagged long' : ''),
  properties: runVitest(
    'properties',
    'all',
    process.env.PALIMPSEST_FULL ? 'every case' : 'a part of the cases; test:full has them all',
  ),
  vscode: runVscode,
  e2e: runE2e(which),
};

if (only !== undefined && !(only in PARTS)) {
  console.error(`there is no part '${only}': choose from ${Object.keys(PARTS).join(', ')}`);
  process.exit(2);
}

mkdirSync(RESULTS, { recursive: true });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

/** The parts of which an everyday run leaves something out. */
const HAS_REST = ['unit', 'e2e'];
const lines: string[] = [];
const unsteady: string[] = [];
const total = { passed: 0, failed: 0 };
for (const [title, part] of Object.entries(PARTS)) {
  if (only === undefined ? values.rest && !HAS_REST.includes(title) : title !== only) continue;
  console.log(`\n== ${title}`);
  const started = performance.now();
  const { passed, failed, skipped, note, unsteady: here } = await runPart(part, name ?? '', values.again);
  unsteady.push(...here.map((test) => `  ${title}: ${test}`));
  total.passed += passed;
  total.failed += failed;
  const skips = skipped > 0 ? `, ${skipped} skipped` : '';
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  lines.push(`${title}: ${passed} passed, ${failed} failed${skips} in ${seconds} s${note === '' ? '' : ` (${note})`}`);
}
if (unsteady.length > 0) lines.push('unsteady (failed at first, passed when run once more):', ...unsteady);
console.log(`\n${lines.join('\n')}\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;

function readArguments() {
  try {
    const given = parseArgs({
      allowPositionals: true,
      options: {
        full: { type: 'boolean', default: false },
        rest: { type: 'boolean', default: false },
        again: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        chains: { type: 'string' },
        seed: { type: 'string' },
      },
    });
    if (!given.values.help) return given;
    console.log(USAGE);
    process.exit(0);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${USAGE}`);
    process.exit(2);
  }
}
