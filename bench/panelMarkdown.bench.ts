/** F9: what a chunk of a streamed answer costs, whatever came before it. In a real browser. */

import { build } from 'esbuild';
import { ROOT } from '../scripts/paths.ts';
import { type Line, ratioLine } from './support/line.ts';
import type { measureMarkdown } from './support/markdownProbe.ts';
import { markdown, onPage } from './support/panelPage.ts';

export const id = 'F9';

const RUNS = 16;
/** Chunks of 8 characters in 8 KB. */
const CHUNKS = 1_024;

export async function run(): Promise<Line[]> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: ['bench/support/markdownProbe.ts'],
    bundle: true,
    format: 'iife',
    write: false,
    target: 'chrome138',
  });
  const probe = outputFiles[0]?.text ?? '';
  const text = markdown(140 * 1_024);
  const times = await onPage(async (page) => {
    await page.evaluate(probe);
    const measured: ReturnType<typeof measureMarkdown>[] = [];
    for (let n = 0; n < RUNS; n++)
      measured.push(
        await page.evaluate(
          (all) => (globalThis as unknown as { measureMarkdown: typeof measureMarkdown }).measureMarkdown(all),
          text,
        ),
      );
    return measured;
  });
  // The quickest run of each group of chunks: what else the machine does only ever adds.
  const least = (name: keyof (typeof times)[number]) =>
    (times[0]?.[name] ?? []).reduce((sum, _, group) => sum + Math.min(...times.map((run) => run[name][group] ?? 0)), 0);
  const growth = least('long') / least('short');
  const saved = least('whole') / (least('middle') / CHUNKS);
  return [
    ratioLine(id, 'a chunk of an answer of 128 KB, against one of 8 KB', growth, 1.2),
    {
      id,
      name: 'rendering 32 KB again, against the next chunk',
      figure: `${Math.round(saved)} ×`,
      goal: '≥ 50 ×',
      ok: saved >= 50,
    },
  ];
}
