/**
 * `npm run faults [-- times]`: breaks the storage in every way we know and counts what was lost, at the sizes of a
 * checked run or at `times` those sizes. Two gates run at a time, each in its own process. Fails when anything
 * acknowledged was lost.
 */

import { fork } from 'node:child_process';
import { checkedSizes, type GateResult } from './faults/gate.ts';
import { GATE_NAMES, type GateName, runGate } from './faults/runFaults.ts';

const AT_A_TIME = 2;
const [, script = '', argument = '1', gate] = process.argv;
const times = Number(argument);
if (!(times > 0)) throw new Error(`How many times the usual sizes must be a number above 0, not ${argument}`);

if (gate === undefined) {
  const waiting = [...GATE_NAMES];
  const failed: string[] = [];
  await Promise.all(
    Array.from({ length: AT_A_TIME }, async () => {
      for (let name = waiting.shift(); name; name = waiting.shift()) {
        const begun = performance.now();
        const result = await runInProcess(name);
        print(result, (performance.now() - begun) / 1_000);
        if (result.violations.length > 0) failed.push(name);
      }
    }),
  );
  if (failed.length > 0) process.exitCode = 1;
} else {
  process.send?.(await runGate(gate as GateName, checkedSizes(times)));
}

function runInProcess(name: GateName): Promise<GateResult> {
  return new Promise((resolve, reject) => {
    const child = fork(script, [argument, name]);
    let result: GateResult | null = null;
    child.on('message', (message) => {
      result = message as GateResult;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (result && code === 0) resolve(result);
      else reject(new Error(`The gate ${name} ended with ${code}`));
    });
  });
}

function print({ name, tried, violations }: GateResult, seconds: number): void {
  const verdict = violations.length === 0 ? 'ok   ' : 'WRONG';
  const counts = `${tried.toLocaleString('en')} tried, ${violations.length} wrong`;
  console.log(`${verdict} ${name}: ${counts} (${seconds.toFixed(0)} s)`);
  for (const violation of violations.slice(0, 5)) console.log(`      ${violation}`);
}
