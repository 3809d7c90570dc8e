/**
 * Proves rows in as many processes as the machine has cores, each with a Vitest of its own that serves one row after the other:
 * the tests of one row are few, and leave the other cores idle.
 */

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../paths.ts';
import type { Proof } from './prove.ts';

/** The faults of all, in words. `tell` hears of each row as it is done, and whether it was proved. */
export async function proveAll(
  proofs: readonly Proof[],
  tell: (row: string, proved: boolean) => void,
): Promise<readonly string[]> {
  const waiting = [...proofs];
  const faults: string[] = [];
  const serve = async (): Promise<void> => {
    const prover = fork(join(ROOT, 'scripts/rows/prover.ts'), { cwd: ROOT });
    const ended = once(prover, 'exit');
    for (let proof = waiting.shift(); proof; proof = waiting.shift()) {
      const found = await ask(prover, proof, ended);
      faults.push(...found);
      tell(proof.row.row, found.length === 0);
    }
    if (prover.connected) prover.disconnect();
    await ended;
  };
  await Promise.all(Array.from({ length: availableParallelism() }, serve));
  return faults;
}

async function ask(prover: ChildProcess, proof: Proof, ended: Promise<unknown>): Promise<readonly string[]> {
  if (!prover.connected) return [`${proof.row.row}: not proved, because the process that proves has ended`];
  const answer = once(prover, 'message');
  prover.send(proof);
  const told = await Promise.race([answer, ended.then(() => null)]);
  return told === null ? [`${proof.row.row}: the process that proves ended with it`] : told[0];
}
