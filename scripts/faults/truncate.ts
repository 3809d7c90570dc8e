/** A journal cut at every byte, and cut with its last sectors lost: whole lines stay, the next append works. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GateOptions, GateResult } from './runFaults.ts';
import { lineOf, openSample, sampleLines } from './sample.ts';

const SECTOR = 512;

export async function truncateEverywhere({ folder, scale }: GateOptions): Promise<GateResult> {
  const lines = await sampleLines(Math.max(3, Math.round(12 * scale)));
  const whole = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  const path = join(folder, 'journal.jsonl');
  const violations: string[] = [];
  let tried = 0;
  const check = async (content: Buffer, what: string) => {
    tried++;
    await writeFile(path, content);
    // What is acknowledged and whole on disk: every line whose bytes, break left out, are all there.
    const expected = lines.filter((line) => content.includes(line));
    const { journal } = await openSample(path);
    const found = new Set(journal.entries.map(lineOf));
    const lost = expected.filter((line) => !found.has(line));
    if (lost.length > 0) violations.push(`${what}: ${lost.length} whole lines were not read`);
    if (found.size > expected.length) violations.push(`${what}: more was read than is whole`);
    await journal.append({ type: 'note', level: 'info', text: 'after' });
    await journal.close();
    const again = await openSample(path);
    if (again.journal.entries.length !== expected.length + 1 || again.report.tornBytes > 0) {
      violations.push(`${what}: the line appended after it was lost`);
    }
    await again.journal.close();
  };
  const first = Buffer.byteLength(lines[0] ?? '');
  for (let cut = first; cut <= whole.length; cut++) await check(whole.subarray(0, cut), `cut at byte ${cut}`);
  for (let sector = Math.ceil((first + 1) / SECTOR); sector * SECTOR < whole.length; sector++) {
    const replay = Buffer.from(whole);
    replay.fill(0, sector * SECTOR, Math.min(whole.length, (sector + 1) * SECTOR));
    await check(replay, `sector ${sector} lost`);
  }
  return { name: 'truncation at every byte, lost sectors', tried, violations };
}
