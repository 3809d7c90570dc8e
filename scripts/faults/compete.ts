/** Several windows on one session, killed and coming back; and clocks that jump by years. */

import { fork } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeCrypto } from '../../src/host/storage/nodeCrypto.ts';
import { lockSession } from '../../src/host/storage/sessionLock.ts';
import { SessionStore } from '../../src/host/storage/sessionStore.ts';
import { readSummary } from '../../src/host/storage/sessionSummary.ts';
import type { GateOptions, GateResult } from './runFaults.ts';
import { openSample } from './sample.ts';

const CONTENDER = join(import.meta.dirname, 'contender.ts');
const WINDOWS = 4;

/** Four processes take the lock from each other, append, and are killed: no line is mangled, no acknowledged one lost. */
export async function competeForSessions({ folder, scale }: GateOptions): Promise<GateResult> {
  const violations: string[] = [];
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'journal.jsonl');
  const wanted = Math.round(60 * scale);
  const acknowledged: string[] = [];
  await Promise.all(
    Array.from({ length: WINDOWS }, async (_, window) => {
      for (let life = 0; acknowledged.length < wanted && life < 40 * scale; life++) {
        acknowledged.push(...(await contend(folder, window, life)));
      }
    }),
  );
  const { journal, report } = await openSample(path);
  const found = new Set(journal.entries.flatMap((entry) => (entry.type === 'note' ? [entry.text] : [])));
  const lost = acknowledged.filter((text) => !found.has(text));
  if (lost.length > 0) violations.push(`${lost.length} acknowledged entries lost`);
  const mangled = report.damaged.filter(({ reason }) => reason !== 'doubled');
  if (mangled.length > 0) violations.push(`${mangled.length} lines mangled`);
  if (acknowledged.length === 0) violations.push('nobody ever got the lock');
  await journal.close();
  return { name: 'several writers, killed and stale locks', tried: acknowledged.length, violations };
}

function contend(folder: string, window: number, life: number): Promise<string[]> {
  const acknowledged: string[] = [];
  return new Promise((resolve, reject) => {
    const child = fork(CONTENDER, [folder, String(window), String(life)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), 4_000);
    child.on('message', (message) => {
      if (typeof message === 'string') acknowledged.push(message);
    });
    child.on('error', reject);
    child.on('close', () => {
      clearTimeout(timer);
      resolve(acknowledged);
    });
  });
}

const YEARS = 365.25 * 86_400_000;

/** A clock ten years off, in both directions, changes neither order nor ownership. */
export async function turnClocks({ folder }: GateOptions): Promise<GateResult> {
  const violations: string[] = [];
  let tried = 0;
  let now = Date.UTC(2026, 0, 1);
  const clock = { now: () => now };
  const store = new SessionStore({ folder, workspace: null, engine: 'faults', clock, crypto: nodeCrypto });
  const { id, journal, folder: session } = await store.create();
  const texts: string[] = [];
  for (const jump of [0, 10, -20, 10, -10, 10]) {
    now += jump * YEARS;
    tried++;
    const text = `after a jump of ${jump} years`;
    texts.push(text);
    await journal.append({ type: 'note', level: 'info', text });
  }
  await journal.close();
  const again = await store.open(id);
  const found = again.journal.path().flatMap((entry) => (entry.type === 'note' ? [entry.text] : []));
  await again.journal.close();
  if (found.join() !== texts.join()) violations.push('the order of entries changed with the clock');
  const outcome = await lockSession({ folder: session, onWanted: async () => false });
  if (outcome.kind !== 'owned') violations.push('a free session could not be locked');
  else await outcome.lock.release();
  const { messages, problem } = await readSummary(id, session, 'journal.jsonl');
  if (problem !== '' || messages !== 0) violations.push(`the session is listed wrong: ${problem}`);
  if (!(await readFile(join(session, 'journal.jsonl'), 'utf8')).endsWith('\n'))
    violations.push('the last line is torn');
  return { name: 'clocks ten years off', tried, violations };
}
