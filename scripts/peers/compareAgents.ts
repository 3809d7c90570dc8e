/**
 * Installs agents and lets each go through the scripted session, one run at a time. Invariant: each agent asked for has a run for
 * each window and kind of summary, and one that could not run says why.
 */

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import type { Agent } from './agents/agent.ts';
import { cleanEnvironment, runContained } from './contain.ts';
import { type InstalledAgent, installAgent, lastLines } from './installAgents.ts';
import { MOST_MS_OF_PART, type RunOrder, type RunResult } from './runSession.ts';
import type { SummaryKind } from './summary.ts';
import type { Run } from './table.ts';

export interface Comparison {
  readonly agents: readonly Agent[];
  /** Of the core's strategies, below `palimpsest.compaction.`. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** In tokens. */
  readonly windows: readonly number[];
  readonly summaries: readonly SummaryKind[];
  readonly seed: number;
  /** How often each run is made. */
  readonly repeats: number;
  /** For the agents and the runs. */
  readonly folder: string;
  readonly onProgress: (what: string) => void;
}

export async function compareAgents(comparison: Comparison): Promise<Run[]> {
  const { agents, windows, summaries, repeats, folder, onProgress } = comparison;
  const runs: Run[] = [];
  /** By package, which several agents share; a text says why there is none. */
  const packages = new Map<string, InstalledAgent | string>();
  for (const agent of agents) {
    if (!packages.has(agent.package)) onProgress(`installing ${agent.package}`);
    const installed =
      packages.get(agent.package) ?? (await installAgent(agent, join(folder, 'installed')).catch(messageOf));
    packages.set(agent.package, installed);
    const title = typeof installed === 'string' ? agent.title : titleOf(agent, installed);
    for (const window of windows)
      for (const kind of summaries)
        for (let repeat = 1; repeat <= repeats; repeat++) {
          onProgress(`${title}, window ${window}, summary ${kind}`);
          const name = [agent.id, window, kind, repeat].join('-');
          const result =
            typeof installed === 'string'
              ? notRun(installed)
              : await run(comparison, agent, installed, { name, window, kind });
          runs.push({ title, window, summaries: kind, result });
        }
  }
  return runs;
}

async function run(
  { folder, settings, seed }: Comparison,
  { id }: Agent,
  { program }: InstalledAgent,
  { name, window, kind }: { name: string; window: number; kind: SummaryKind },
): Promise<RunResult> {
  const place = join(folder, 'runs', name);
  rmSync(place, { recursive: true, force: true });
  mkdirSync(join(place, 'tmp'), { recursive: true });
  const order: RunOrder = { agent: id, settings, program, window, summaries: kind, seed, folder: place };
  const [orderFile, resultFile] = [join(place, 'order.json'), join(place, 'result.json')];
  writeFileSync(orderFile, JSON.stringify(order));
  const command = [process.execPath, join(import.meta.dirname, 'runSession.ts'), orderFile, resultFile];
  const options = { cwd: place, env: cleanEnvironment(place), timeoutMs: 4 * MOST_MS_OF_PART };
  const { output } = await runContained(command, options);
  return existsSync(resultFile) ? JSON.parse(readFileSync(resultFile, 'utf8')) : notRun(lastLines(output));
}

const notRun = (fault: string): RunResult => ({ fault, records: [], usage: null });

/** The version beside the name, in front of a strategy. */
const titleOf = ({ title }: Agent, { version }: InstalledAgent): string => title.replace(/^[^,]+/, `$& ${version}`);
