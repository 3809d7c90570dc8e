/**
 * Measures the built-in strategies with the lab and writes their figures into `labFigures.ts`: `node
 * scripts/lab/writeFigures.ts`. With FILE, which `npm run lab -- --json FILE` wrote, nothing is replayed, and a strategy
 * that the report does not name keeps the figures that it has.
 */

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../src/cli/command.ts';
import { BUILT_IN_STRATEGIES } from '../../src/core/compaction/strategies/builtIn.ts';
import { LAB_FIGURES, type LabFigures } from '../../src/core/compaction/strategies/labFigures.ts';
import type { LabReport } from '../../src/lab/makeReport.ts';
import { ROOT } from '../paths.ts';
import { findSessionFolder } from './recordedFolder.ts';

const PATH = join(ROOT, 'src/core/compaction/strategies/labFigures.ts');
/** The figures are those of this window. */
const WINDOW = 64_000;
const TABLE = /(?<=^export const LAB_FIGURES: [^\n]* = \{\n)[\s\S]*?(?=^\};)/m;

/** The text of `labFigures.ts` with the figures of a report. Throws for a report of another window. */
export function withFigures(text: string, { window, strategies }: Pick<LabReport, 'window' | 'strategies'>): string {
  if (window !== WINDOW) throw new Error(`The report is of a window of ${window} tokens: it must be of ${WINDOW}.`);
  const lines = BUILT_IN_STRATEGIES.flatMap(({ id }) => {
    const row = strategies.find((each) => each.id === id);
    const figures: LabFigures | undefined =
      row && row.longRangeRecall !== null
        ? { kept: row.longRangeRecall, cost: row.costWithRereadsPercent }
        : LAB_FIGURES[id];
    if (!figures) return [];
    const [kept, cost] = [figures.kept, figures.cost].map((percent) => Math.round(percent * 10) / 10);
    return [`  ${/^\w+$/.test(id) ? id : `'${id}'`}: { kept: ${kept}, cost: ${cost} },\n`];
  });
  return text.replace(TABLE, () => lines.join(''));
}

/** The report of a run with the defaults of the program. Throws without recorded sessions: generated ones say nothing of use. */
async function measure(): Promise<string> {
  const folder = findSessionFolder();
  if (folder === null) throw new Error('There are no recorded sessions: name their folder in PALIMPSEST_SESSIONS.');
  const path = join(mkdtempSync(join(tmpdir(), 'palimpsest-figures-')), 'report.json');
  const code = await runCommand(['--window', String(WINDOW), '--json', path], { folder });
  if (code !== 0) throw new Error('The lab did not end well.');
  return path;
}

if (import.meta.main) {
  const file = process.argv[2] ?? (await measure());
  writeFileSync(PATH, withFigures(readFileSync(PATH, 'utf8'), JSON.parse(readFileSync(file, 'utf8')) as LabReport));
}
