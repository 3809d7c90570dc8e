/** A process of `proveAll`: proves each row that it is sent, answers with its faults, and ends when its parent lets go of it. */

import { type Proof, startProver } from './prove.ts';

const prover = await startProver();
process.on('message', async (proof: Proof) => {
  process.send?.(await prover.prove(proof));
});
process.once('disconnect', async () => {
  await prover.close();
  process.exit();
});
