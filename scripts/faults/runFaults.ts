/** Runs the gates of storage faults, and tells what each tried and what it found wrong. */

import { accessSync, constants, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { competeForSessions, turnClocks } from './compete.ts';
import { damageBits, damageLines } from './damage.ts';
import { failWrites } from './failWrites.ts';
import type { FaultSizes, GateOptions, GateResult } from './gate.ts';
import { killWriters } from './killWriters.ts';
import { truncateEverywhere } from './truncate.ts';

/** The slowest come first. */
export const GATES = {
  killWriters,
  competeForSessions,
  truncateEverywhere,
  damageBits,
  damageLines,
  failWrites,
  turnClocks,
} as const satisfies Record<string, (options: GateOptions) => Promise<GateResult>>;

export type GateName = keyof typeof GATES;
export const GATE_NAMES = Object.keys(GATES) as GateName[];

export async function runGate(name: GateName, sizes: FaultSizes): Promise<GateResult> {
  const folder = await mkdtemp(join(tmpdir(), PREFIX));
  const memory = await mkdtemp(join(memoryDisk() ?? tmpdir(), PREFIX));
  try {
    return await GATES[name]({ folder, memory, sizes });
  } finally {
    for (const each of [folder, memory]) rmSync(each, { recursive: true, force: true });
  }
}

const PREFIX = 'palimpsest-faults-';

function memoryDisk(): string | null {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return '/dev/shm';
  } catch {
    // This system has none: the common temporary folder is only slower.
    return null;
  }
}
