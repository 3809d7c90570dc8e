/** `palimpsest-lab check`: the conformance kit on the strategy of a file in any language, its report printed and written as JSON. */

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { ConformanceReport } from '../api/conformance.ts';
import { checkStrategy } from '../core/compaction/conformance/kit.ts';
import { describeBroken } from '../core/compaction/conformance/report.ts';
import { formatPercent } from '../core/figures.ts';
import { openStrategy } from '../node/strategyFiles/openStrategy.ts';
import { checkPlace, readCount } from './arguments.ts';
import { readOwnSets } from './strategies.ts';

/** As many as meet every boundary: a program is started for each call, hundreds of times in all. */
const CASES = 20;
const SEED = 1;

/** True when no rule is broken. Throws an `Error` whose message can be shown. */
export async function checkFile(args: readonly string[]): Promise<boolean> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      cases: { type: 'string', default: String(CASES) },
      seed: { type: 'string', default: String(SEED) },
      only: { type: 'string' },
      set: { type: 'string', multiple: true, default: [] },
      json: { type: 'string' },
    },
  });
  const [path] = positionals;
  if (path === undefined || positionals.length > 1) throw new Error('check takes one file, which holds a strategy.');
  const { only, json } = values;
  const cases = readCount('--cases', values.cases, 0, 'conversations');
  const seed = readCount('--seed', values.seed, 0, 'the seed');
  if (json !== undefined) checkPlace(json);
  const strategy = await openStrategy(path, readOwnSets(values.set, path));
  const report = await checkStrategy(strategy, { cases, seed, ...(only === undefined ? {} : { only }) });
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`${describe(path, report)}\n`);
  return report.broken.length === 0;
}

function describe(path: string, report: ConformanceReport): string {
  const { broken, met, time, left, notSmaller, repaired, ...figures } = report;
  const percent = formatPercent(100 * left);
  const unmet = Object.entries(met).flatMap(([name, times]) => (times === 0 ? [name] : []));
  const rows = [
    ...Object.entries({ ...figures, notSmaller: notSmaller.length, repaired: repaired.length, left: percent }),
    ['time', `${(time.total / 1_000).toFixed(1)} s in its calls, the longest ${Math.round(time.longest)} ms`],
    ['not met', unmet.join(', ') || 'none'],
  ];
  return [
    broken.length === 0 ? `${path} keeps the rules.` : describeBroken(report, asOptions),
    ...rows.map(([name, value]) => `  ${name}: ${value}`),
    ...(report.compactions === 0 && broken.length === 0
      ? ['It compacted nothing: give settings at which it has something to do, with --set.']
      : []),
  ].join('\n');
}

/** The options of the command line that run one case alone. */
const asOptions = (seed: number, only: string): string => `--seed ${seed} --only '${only}'`;
