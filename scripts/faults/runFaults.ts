/** The gates of storage faults, each with what it tried and what it found wrong. Deterministic for a given scale. */

import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { competeForSessions, turnClocks } from './compete.ts';
import { damageBits, damageLines } from './damage.ts';
import { failWrites } from './failWrites.ts';
import { killWriters } from './killWriters.ts';
import { truncateEverywhere } from './truncate.ts';

export interface GateResult {
  readonly name: string;
  readonly tried: number;
  /** One sentence each; empty when the gate holds. */
  readonly violations: readonly string[];
}

/** What each gate may use: a folder of its own, and how hard to look (1 is the size of a test run). */
export interface GateOptions {
  readonly folder: string;
  readonly scale: number;
}

const GATES: readonly ((options: GateOptions) => Promise<GateResult>)[] = [
  killWriters,
  truncateEverywhere,
  damageBits,
  damageLines,
  failWrites,
  competeForSessions,
  turnClocks,
];

export async function runFaults(scale: number): Promise<GateResult[]> {
  const results: GateResult[] = [];
  for (const gate of GATES) {
    const folder = await mkdtemp(join(tmpdir(), 'palimpsest-faults-'));
    try {
      results.push(await gate({ folder, scale }));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return results;
}
