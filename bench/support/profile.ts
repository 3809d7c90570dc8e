/** Which share of the processor time of some work was spent in one function, itself or what it calls. By V8's sampling. */

import { type Profiler, Session } from 'node:inspector/promises';

const IDLE = '(idle)';

/** `share` of a function by its name: from 0 to 1, of all samples in which anything ran. Throws for one that never ran. */
export async function profiled<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly share: (name: string) => number }> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.start');
  const result = await work();
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  return { result, share: (name) => shareOf(profile, name) };
}

function shareOf({ nodes, samples = [] }: Profiler.Profile, name: string): number {
  const inside = new Set<number>();
  const idle = new Set<number>();
  const below = new Map(nodes.map(({ id, children = [] }) => [id, children]));
  const enter = (id: number): void => {
    inside.add(id);
    for (const child of below.get(id) ?? []) enter(child);
  };
  for (const { id, callFrame } of nodes) {
    if (callFrame.functionName === name) enter(id);
    if (callFrame.functionName === IDLE) idle.add(id);
  }
  if (inside.size === 0) throw new Error(`${name} never ran`);
  return samples.filter((id) => inside.has(id)).length / samples.filter((id) => !idle.has(id)).length;
}
