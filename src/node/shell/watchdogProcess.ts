/**
 * The watchdog for Windows, a separate program: it reads which processes were started and which have ended, and ends
 * the others with all their descendants when its input ends.
 */

import { createInterface } from 'node:readline';
import { endWindowsTree, killTree, listWindowsProcesses } from './windowsTree.ts';

const watched = new Map<number, number>();

for await (const line of createInterface({ input: process.stdin })) {
  const [what, id, since] = line.split(' ');
  if (what === '+') watched.set(Number(id), Number(since));
  else watched.delete(Number(id));
}

/** Node starts a process within this time; a later one merely has the same number. */
const STARTED_MS = 2_000;
const all = watched.size > 0 ? await listWindowsProcesses() : [];
for (const [id, since] of watched) {
  const holder = all?.find((each) => each.id === id);
  if (all === null || (holder && holder.created < since + STARTED_MS)) await killTree(id);
  await endWindowsTree({ id, since, runs: () => false });
}
