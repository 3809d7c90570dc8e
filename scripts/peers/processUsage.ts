/** Processor time and memory of the processes that this one started, as Linux reports them; null elsewhere. */

import { existsSync, globSync, readFileSync } from 'node:fs';

export interface Usage {
  /** Of all processes that have ended and were waited for, in seconds. */
  readonly cpuSeconds: number;
  /** The most that all processes had at one moment, in bytes, sampled four times a second. */
  readonly memory: number;
}

const SAMPLE_MS = 250;
/** Ticks of a second, which Linux fixes for programs. */
const TICKS = 100;

/** Begins to measure; the function that it returns ends that. */
export function watchUsage(): () => Usage | null {
  if (!existsSync('/proc/self/stat')) return () => null;
  const before = ticksOfChildren();
  let memory = 0;
  const timer = setInterval(() => {
    memory = Math.max(memory, memoryOfChildren());
  }, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    return { cpuSeconds: (ticksOfChildren() - before) / TICKS, memory };
  };
}

/** The fields of `stat` behind the name, which may hold anything: the state is the first, the parent the second. */
function fieldsOf(process: string): readonly string[] {
  const stat = readFileSync(`/proc/${process}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** In user and system mode, of children and theirs. */
function ticksOfChildren(): number {
  const fields = fieldsOf('self');
  return Number(fields[13]) + Number(fields[14]);
}

function memoryOfChildren(): number {
  const parents = new Map<string, string>();
  for (const id of globSync('[0-9]*', { cwd: '/proc' })) {
    try {
      parents.set(id, fieldsOf(id)[1] ?? '');
    } catch {
      // It has ended meanwhile.
    }
  }
  const isBelow = (id: string | undefined): boolean =>
    id !== undefined && id !== '0' && (id === `${process.pid}` || isBelow(parents.get(id)));
  return [...parents].filter(([, parent]) => isBelow(parent)).reduce((sum, [id]) => sum + residentMemory(id), 0);
}

function residentMemory(id: string): number {
  try {
    const status = readFileSync(`/proc/${id}/status`, 'utf8');
    return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
