/**
 * Writers killed at every failpoint and at random moments: a child process appends, says what was acknowledged, and dies
 * in the middle; whatever it said is in the file, the rest is whole or set aside, and the next append works.
 */

import { fork } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { GateOptions, GateResult } from './runFaults.ts';
import { openSample } from './sample.ts';

/** Where the child dies; see `writer.ts`. */
export const FAILPOINTS = [
  'beforeWrite',
  'halfWrite',
  'afterWrite',
  'beforeAck',
  'afterAck',
  'inSync',
  'inIndex',
  'inBlob',
  'random',
] as const;

const WRITER = join(import.meta.dirname, 'writer.ts');

export async function killWriters({ folder, scale }: GateOptions): Promise<GateResult> {
  const violations: string[] = [];
  let tried = 0;
  const path = join(folder, 'journal.jsonl');
  const rounds = Math.max(1, Math.round(2 * scale));
  for (const failpoint of FAILPOINTS) {
    await rm(path, { force: true });
    // The same file is written, killed and reopened again and again: damage would add up.
    const acknowledged = new Set<string>();
    for (let round = 0; round < rounds; round++) {
      tried++;
      for (const text of await runWriter(path, failpoint, round)) acknowledged.add(text);
      const { journal, report } = await openSample(path);
      const found = new Set(journal.entries.flatMap((entry) => (entry.type === 'note' ? [entry.text] : [])));
      const lost = [...acknowledged].filter((text) => !found.has(text));
      if (lost.length > 0) violations.push(`${failpoint}, round ${round}: ${lost.length} acknowledged entries lost`);
      if (report.damaged.length > 0)
        violations.push(`${failpoint}, round ${round}: ${report.damaged.length} damaged lines`);
      await journal.close();
    }
  }
  return { name: 'writers killed at every failpoint', tried, violations };
}

/** Texts that the child had acknowledged before it died. */
function runWriter(path: string, failpoint: string, round: number): Promise<string[]> {
  const acknowledged: string[] = [];
  return new Promise((resolve, reject) => {
    const child = fork(WRITER, [path, failpoint, String(round)], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    child.on('message', (message) => {
      if (typeof message === 'string') acknowledged.push(message);
    });
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      // 0 would mean that it reached its end without dying.
      if (code === 0) reject(new Error(`The writer did not die at ${failpoint}`));
      else resolve(acknowledged);
    });
  });
}
