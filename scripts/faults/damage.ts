/** Damages a journal: no changed record may be taken for what was written. */

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeBytes } from '../../src/core/journal/codec.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import { nodeCrypto } from '../../src/node/storage/disk/fileBlobStore.ts';
import type { GateOptions, GateResult } from './gate.ts';
import { lineOf, openSample, sampleLines } from './sample.ts';

/** Flips every single bit of line after line, then flips, swaps and inserts bytes at random, until enough was tried. */
export async function damageBits({ sizes }: GateOptions): Promise<GateResult> {
  // More lines than are ever needed: each is damaged in about three thousand ways.
  const lines = (await sampleLines(Math.ceil(sizes.flips / 2_000))).map((line) => Buffer.from(line));
  const random = seededRandom(7);
  const violations: string[] = [];
  let tried = 0;
  const check = (bytes: Buffer, original: Buffer, what: string) => {
    if (bytes.equals(original)) return;
    tried++;
    const decoded = decodeBytes(Buffer.from(bytes), nodeCrypto);
    if (decoded.kind === 'entry' && lineOf(decoded.entry) !== original.toString())
      violations.push(`${what} was accepted`);
  };
  for (const line of lines) {
    if (tried >= sizes.flips) break;
    for (let bit = 0; bit < line.length * 8; bit++) check(flip(line, bit), line, `bit ${bit}`);
    for (let i = 0; i < 400; i++) {
      const at = () => Math.floor(random() * line.length);
      check(flip(flip(line, at() * 8 + 3), at() * 8 + 5), line, 'a double flip');
      const cut = at();
      const byte = Buffer.from([Math.floor(random() * 256)]);
      check(Buffer.concat([line.subarray(0, cut), byte, line.subarray(cut)]), line, 'an inserted byte');
      check(Buffer.concat([line.subarray(0, cut), line.subarray(cut + 1)]), line, 'a missing byte');
      check(Buffer.concat([line.subarray(0, cut), byte, line.subarray(cut + 1)]), line, 'a changed byte');
    }
  }
  return { name: 'flipped bits, lost and inserted bytes', tried, violations };
}

function flip(line: Buffer, bit: number): Buffer {
  const copy = Buffer.from(line);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}

/** Garbage between lines and in place of lines: the others load, and foreign lines are counted. */
export async function damageLines({ memory, sizes }: GateOptions): Promise<GateResult> {
  const lines = await sampleLines(12);
  const path = join(memory, 'journal.jsonl');
  const random = seededRandom(11);
  const violations: string[] = [];
  let tried = 0;
  while (tried < sizes.garbage) {
    for (const [name, garbage] of GARBAGE) {
      tried++;
      const at = 1 + Math.floor(random() * (lines.length - 1));
      const replaced = random() < 0.5;
      const pieces = lines.map((line) => Buffer.from(`${line}\n`));
      pieces.splice(at, replaced ? 1 : 0, Buffer.from(garbage(Buffer.from(lines[at] ?? ''))), Buffer.from('\n'));
      await writeFile(path, Buffer.concat(pieces));
      const { journal, report } = await openSample(path);
      const found = new Set(journal.entries.map(lineOf));
      const lost = lines.filter((line, index) => !(replaced && index === at) && !found.has(line));
      const foreign = [...found].filter((line) => !lines.includes(line));
      if (lost.length > 0) violations.push(`${name}: ${lost.length} other lines were lost`);
      if (foreign.length > 0) violations.push(`${name}: ${foreign.length} lines nobody wrote were accepted`);
      if (replaced && report.damaged.length === 0 && found.size < lines.length)
        violations.push(`${name}: nothing was reported`);
      await journal.close();
      if (!(await opensAsLarge(path, found))) violations.push(`${name}: opened as a large journal it is another one`);
    }
  }
  return { name: 'garbage, invalid UTF-8, NUL, BOM, CRLF, lone surrogates', tried, violations };
}

/** Large journals are not read whole, and must give the same result. */
async function opensAsLarge(path: string, expected: ReadonlySet<string>): Promise<boolean> {
  for (const derived of ['index', 'rows']) await rm(`${path}.${derived}`, { force: true });
  const { journal } = await openSample(path, 0);
  const found = journal.entries.map(lineOf);
  await journal.close();
  return found.length === expected.size && found.every((line) => expected.has(line));
}

const GARBAGE: readonly (readonly [string, (line: Buffer) => Uint8Array])[] = [
  [
    'random bytes',
    (line) => Buffer.from([...line].map((byte, i) => (byte * 31 + i * 7) & 0xff).filter((byte) => byte !== 10)),
  ],
  [
    'invalid UTF-8',
    (line) => Buffer.concat([line.subarray(0, 40), Buffer.from([0xc3, 0x28, 0xff]), line.subarray(40)]),
  ],
  ['NUL', (line) => Buffer.concat([Buffer.alloc(64), line])],
  ['a byte order mark', (line) => Buffer.concat([Buffer.from('\ufeff'), line])],
  ['a carriage return', (line) => Buffer.concat([line, Buffer.from('\r')])],
  [
    'a lone surrogate',
    (line) => Buffer.concat([line.subarray(0, 60), Buffer.from([0xed, 0xa0, 0x80]), line.subarray(60)]),
  ],
  ['another program’s line', () => Buffer.from('{"role":"user","content":"hi"}')],
  ['half a line', (line) => line.subarray(0, line.length >> 1)],
  ['two lines in one', (line) => Buffer.concat([line, line])],
  ['nothing', () => Buffer.alloc(0)],
];
