/** Several windows compete for one session, are killed and come back; and clocks jump by years. */

import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeCrypto } from '../../src/node/storage/disk/fileBlobStore.ts';
import { lockSession } from '../../src/node/storage/sessions/sessionLock.ts';
import { SessionStore } from '../../src/node/storage/sessions/sessionStore.ts';
import { readSummary } from '../../src/node/storage/sessions/sessionSummary.ts';
import { bundleChild, runChild } from './children.ts';
import type { GateOptions, GateResult } from './gate.ts';
import { textOf } from './mark.ts';
import { readSample } from './sample.ts';

const WINDOWS = 4;
/**
 * Reopening takes longer the more was written, so a session changes hands this often and then makes room for the next.
 */
const LIVES_OF_A_SESSION = 10;

/**
 * Four processes wait for the lock or take it from each other, append, and are killed, again and again. No line is
 * mangled, and no acknowledged one is lost.
 */
export async function competeForSessions({ folder, sizes }: GateOptions): Promise<GateResult> {
  const violations: string[] = [];
  const contender = await bundleChild('contender', folder);
  let kills = 0;
  for (let first = 0; first < sizes.lives; first += LIVES_OF_A_SESSION) {
    const session = join(folder, String(first));
    await mkdir(session);
    const said = await Promise.all(
      Array.from({ length: WINDOWS }, async (_, window) => {
        const texts: string[] = [];
        for (let life = first; life < Math.min(sizes.lives, first + LIVES_OF_A_SESSION); life++) {
          const death = await runChild(contender, [session, String(window), String(life)]);
          if (death.code !== null) violations.push(`window ${window}, life ${life}: ended with ${death.code}`);
          else kills++;
          texts.push(...death.said.map((line) => textOf(`${window} ${life}`, Number(line.split(' ')[1]))));
        }
        return texts;
      }),
    );
    const acknowledged = said.flat();
    const { entries, report } = await readSample(join(session, 'journal.jsonl'));
    const found = new Set(entries.flatMap((entry) => (entry.type === 'note' ? [entry.text] : [])));
    const lost = acknowledged.filter((text) => !found.has(text)).length;
    if (lost > 0) violations.push(`session ${first}: ${lost} of ${acknowledged.length} acknowledged entries lost`);
    const mangled = report.damaged.filter(({ reason }) => reason !== 'doubled').length;
    if (mangled > 0) violations.push(`session ${first}: ${mangled} lines mangled`);
    if (acknowledged.length === 0) violations.push(`session ${first}: nobody ever got the lock`);
    await rm(session, { recursive: true });
  }
  return { name: 'several writers, killed, waiting and taking over', tried: kills, violations };
}

const YEARS = 365.25 * 86_400_000;

/** A clock that is ten years off, in either direction, changes neither order nor ownership. */
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
  if (problem !== null || messages !== 0) violations.push(`the session is listed wrong: ${JSON.stringify(problem)}`);
  if (!(await readFile(join(session, 'journal.jsonl'), 'utf8')).endsWith('\n'))
    violations.push('the last line is torn');
  return { name: 'clocks ten years off', tried, violations };
}
