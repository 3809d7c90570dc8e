/**
 * Writes what the lab measured of the built-in strategies into `labFigures.ts`: `npm run lab -- --summaries scripted --json
 * FILE`, then `node scripts/lab/writeFigures.ts FILE`. A strategy that the report does not name keeps the figures that it has.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_IN_STRATEGIES } from '../../src/core/compaction/strategies/builtIn.ts';
import { LAB_FIGURES, type LabFigures } from '../../src/core/compaction/strategies/labFigures.ts';
import type { LabReport } from '../../src/lab/makeReport.ts';
import { ROOT } from '../paths.ts';

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
      row && row.longRangeRecall !== null ? { kept: row.longRangeRecall, cost: row.costPercent } : LAB_FIGURES[id];
    if (!figures) return [];
    const [kept, cost] = [figures.kept, figures.cost].map((percent) => Math.round(percent * 10) / 10);
    return [`  ${/^\w+$/.test(id) ? id : `'${id}'`}: { kept: ${kept}, cost: ${cost} },\n`];
  });
  return text.replace(TABLE, () => lines.join(''));
}

if (import.meta.main) {
  const [file] = process.argv.slice(2);
  if (file === undefined) throw new Error('Name the file that npm run lab -- --json has written.');
  writeFileSync(PATH, withFigures(readFileSync(PATH, 'utf8'), JSON.parse(readFileSync(file, 'utf8')) as LabReport));
}
