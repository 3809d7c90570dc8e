/** Cuts a journal at every byte, and loses its last sectors: whole lines stay, and the next append works. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GateOptions, GateResult } from './gate.ts';
import { lineOf, openSample, readSample, sampleLines } from './sample.ts';

const SECTOR = 512;
/** Lines of a large journal are as long as results of tools. Their number, not their length, takes time. */
const LINES = 40;

/** Most of the time is spent waiting for the disk, so several tries run at once. */
const AT_A_TIME = 4;

interface Damage {
  readonly content: Buffer;
  /** Numbers of the lines that are still whole. */
  readonly whole: readonly number[];
  readonly what: string;
}

export async function truncateEverywhere({ memory, sizes }: GateOptions): Promise<GateResult> {
  const lines = await sampleLines(Math.min(LINES, Math.ceil(sizes.truncated / 200)), sizes.truncated);
  const damages = damagesOf(lines);
  const violations: string[] = [];
  let tried = 0;
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async (_, lane) => {
      const path = join(memory, `${lane}.jsonl`);
      for (const damage of damages) {
        tried++;
        const wrong = await look(path, damage, lines);
        if (wrong) violations.push(`${damage.what}: ${wrong}`);
      }
    }),
  );
  return { name: 'truncation at every byte, lost sectors', tried, violations };
}

/** Cut at every byte after the first line; then with each sector lost. */
function* damagesOf(lines: readonly string[]): Generator<Damage> {
  const content = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  let end = -1;
  const places = lines.map((line) => {
    const start = end + 1;
    end = start + Buffer.byteLength(line);
    return { start, end };
  });
  const wholeWhere = (is: (place: { start: number; end: number }) => boolean) =>
    places.flatMap((place, i) => (is(place) ? [i] : []));
  const first = places[0]?.end ?? 0;
  for (let cut = first; cut <= content.length; cut++) {
    const whole = wholeWhere((place) => place.end <= cut);
    yield { content: content.subarray(0, cut), whole, what: `cut at byte ${cut}` };
  }
  for (let from = Math.ceil((first + 1) / SECTOR) * SECTOR; from < content.length; from += SECTOR) {
    const to = Math.min(content.length, from + SECTOR);
    // A line is gone when one of its bytes is, or the line break before or after it: a lost break joins two lines.
    const whole = wholeWhere((place) => place.end < from || place.start - 1 >= to);
    yield { content: Buffer.from(content).fill(0, from, to), whole, what: `sector at ${from} lost` };
  }
}

/** The fault in the journal opened after the damage, or after one more line was appended; null without one. */
async function look(path: string, { content, whole }: Damage, lines: readonly string[]): Promise<string | null> {
  writeFileSync(path, content);
  const { journal } = await openSample(path);
  const found = journal.entries.map(({ seq }) => seq);
  if (found.join() !== whole.join()) return `${whole.length} lines are whole, ${found.length} were read`;
  const newest = journal.entries.at(-1);
  if (newest && lineOf(newest) !== lines[newest.seq]) return 'its last line was read as something else';
  await journal.append({ type: 'note', level: 'info', text: 'after' });
  await journal.close();
  const { entries, report } = await readSample(path);
  return entries.length === whole.length + 1 && report.tornBytes === 0 ? null : 'the line appended after it was lost';
}
