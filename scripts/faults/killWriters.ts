/**
 * Kills writers at every failpoint and at random moments. A child process appends, says what was acknowledged, and dies
 * at some point. What it said is in the file, the rest is whole or set aside, and the next append works.
 */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { seededRandom } from '../../src/core/seededRandom.ts';
import { FileBlobStore } from '../../src/node/storage/disk/fileBlobStore.ts';
import { bundleChild, runChild } from './children.ts';
import type { GateOptions, GateResult } from './gate.ts';
import { bodyOf, textOf } from './mark.ts';
import { lineOf, openSample, readSample } from './sample.ts';

/** Where the child dies; see `writer.ts`. */
const FAILPOINTS = [
  'beforeWrite',
  'halfWrite',
  'afterWrite',
  'beforeAck',
  'afterAck',
  'beforeCut',
  'afterCut',
  'inSync',
  'inIndex',
  'inBlob',
  'inRepair',
  'inRedact',
  'random',
] as const;
type Failpoint = (typeof FAILPOINTS)[number];

/** These writers open their journals as the product does. */
const OPENED_AS_SHIPPED: ReadonlySet<Failpoint> = new Set(['inIndex', 'random']);

/** The same file is written, killed and reopened this often, so that damage would add up. */
const LIVES_OF_A_FILE = 8;
const AT_A_TIME = 2;

export async function killWriters({ folder, sizes }: GateOptions): Promise<GateResult> {
  const violations: string[] = [];
  const writer = await bundleChild('writer', folder);
  const rounds = Math.ceil(sizes.kills / FAILPOINTS.length);
  const waiting: { readonly failpoint: Failpoint; readonly from: number; readonly to: number }[] = [];
  for (let from = 0; from < rounds; from += LIVES_OF_A_FILE) {
    const to = Math.min(rounds, from + LIVES_OF_A_FILE);
    waiting.push(...FAILPOINTS.map((failpoint) => ({ failpoint, from, to })));
  }
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { failpoint, from, to } = next;
        const session = join(folder, `${failpoint}-${from}`);
        await mkdir(session);
        const lives = new Session(session, writer, failpoint);
        for (let round = from; round < to; round++) {
          const found = await lives.endAt(round);
          violations.push(...found.map((each) => `${failpoint}, round ${round}: ${each}`));
        }
        await rm(session, { recursive: true });
      }
    }),
  );
  return { name: 'writers killed at every failpoint', tried: rounds * FAILPOINTS.length, violations };
}

/** Each text says which life wrote it, and which of its entries it is. */
function isWhole(text: string): boolean {
  const [failpoint, round, i] = text.split(' ');
  return text === textOf(`${failpoint} ${round}`, Number(i));
}

/** A session and everything that was ever acknowledged in it. */
class Session {
  readonly #folder: string;
  readonly #writer: string;
  readonly #failpoint: Failpoint;
  readonly #texts = new Set<string>();
  readonly #bodies = new Set<number>();

  constructor(folder: string, writer: string, failpoint: Failpoint) {
    this.#folder = folder;
    this.#writer = writer;
    this.#failpoint = failpoint;
  }

  /** One life of a writer; returns what is wrong afterwards. */
  async endAt(round: number): Promise<string[]> {
    const ms = seededRandom(round)() * 12;
    const { said, code } = await runChild(
      this.#writer,
      [this.#folder, this.#failpoint, String(round)],
      this.#failpoint === 'inRepair' || this.#failpoint === 'inRedact' ? { word: 'rewriting', ms } : undefined,
    );
    for (const line of said) {
      const [mark, i] = line.split(' ');
      if (mark === 'entry') this.#texts.add(textOf(`${this.#failpoint} ${round}`, Number(i)));
      if (mark === 'body') this.#bodies.add(Number(i));
    }
    const violations = code === null ? [] : [`the writer was not killed, it ended with ${code}`];
    return [...violations, ...(await this.#look()), ...(await this.#lookForBodies())];
  }

  async #look(): Promise<string[]> {
    const path = join(this.#folder, 'journal.jsonl');
    if (!existsSync(path)) return this.#texts.size > 0 ? ['the journal is not there'] : [];
    const { entries, report } = await readSample(path);
    const violations: string[] = [];
    const found = new Set(entries.flatMap((entry) => (entry.type === 'note' ? [entry.text] : [])));
    const lost = [...this.#texts].filter((text) => !found.has(text)).length;
    if (lost > 0) violations.push(`${lost} acknowledged entries lost`);
    // Half of what was written is nowhere taken for the whole.
    const invented = [...found].filter((text) => !isWhole(text)).length;
    if (invented > 0) violations.push(`${invented} entries that nobody wrote`);
    // Damage that the writer itself left to be repaired does not count.
    const damaged = report.damaged.filter(({ length }) => length !== 'not a line of ours'.length).length;
    if (damaged > 0) violations.push(`${damaged} damaged lines`);
    if (report.gaps.length > 0) violations.push(`${report.gaps.length} gaps`);
    if (OPENED_AS_SHIPPED.has(this.#failpoint)) {
      const { journal } = await openSample(path, this.#failpoint === 'inIndex' ? 0 : undefined);
      if (journal.entries.map(lineOf).join('\n') !== entries.map(lineOf).join('\n')) {
        violations.push('opening leads to something else');
      }
      await journal.close();
    }
    return violations;
  }

  async #lookForBodies(): Promise<string[]> {
    const blobs = new FileBlobStore(join(this.#folder, 'blobs'));
    let lost = 0;
    for (const i of this.#bodies) {
      const name = createHash('sha256').update(bodyOf(i)).digest('hex');
      if ((await blobs.get(name)) === null) lost++;
    }
    return lost > 0 ? [`${lost} stored bodies lost`] : [];
  }
}
