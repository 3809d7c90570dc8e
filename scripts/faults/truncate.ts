/** A journal cut at every byte, and cut with its last sectors lost: whole lines stay, the next append works. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GateOptions, GateResult } from './runFaults.ts';
import { lineOf, openSample, readSample, sampleLines } from './sample.ts';

const SECTOR = 512;
/** Lines of a large journal are long, as results of tools are: their number, not their length, is what takes time. */
const LINES = 40;

export async function truncateEverywhere({ memory, sizes }: GateOptions): Promise<GateResult> {
  const lines = await sampleLines(Math.min(LINES, Math.ceil(sizes.truncated / 200)), sizes.truncated);
  const whole = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const ends = lines.map((_, i) => Buffer.byteLength(lines.slice(0, i + 1).join('\n')));
  const path = join(memory, 'journal.jsonl');
  const violations: string[] = [];
  let tried = 0;
  /** `expected`: what is acknowledged and whole on disk, every byte of a line there, its break left out. */
  const check = async (content: Buffer, expected: readonly string[], what: string) => {
    tried++;
    await writeFile(path, content);
    const { journal } = await openSample(path);
    const found = journal.entries.map(lineOf);
    if (found.join('\n') !== expected.join('\n')) {
      violations.push(`${what}: ${expected.length} lines are whole, ${found.length} were read`);
    }
    await journal.append({ type: 'note', level: 'info', text: 'after' });
    await journal.close();
    const { entries, report } = await readSample(path);
    if (entries.length !== expected.length + 1 || report.tornBytes > 0) {
      violations.push(`${what}: the line appended after it was lost`);
    }
  };
  const first = ends[0] ?? 0;
  for (let cut = first; cut <= whole.length; cut++) {
    const content = whole.subarray(0, cut);
    const left = lines.slice(0, ends.filter((end) => end <= cut).length);
    await check(content, left, `cut at byte ${cut}`);
  }
  for (let sector = Math.ceil((first + 1) / SECTOR); sector * SECTOR < whole.length; sector++) {
    const [from, to] = [sector * SECTOR, Math.min(whole.length, (sector + 1) * SECTOR)];
    const replay = Buffer.from(whole).fill(0, from, to);
    // A line is gone when one of its bytes is, or the break before or after it: a lost break makes one line of two.
    const left = lines.filter((line, i) => {
      const end = ends[i] ?? 0;
      const start = end - Buffer.byteLength(line);
      return end < from || start - 1 >= to;
    });
    await check(replay, left, `sector ${sector} lost`);
  }
  return { name: 'truncation at every byte, lost sectors', tried, violations };
}
