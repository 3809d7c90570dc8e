/**
 * One run: an agent goes through the scripted session. `runSession.ts ORDER RESULT` reads the order from one file and writes
 * the result to the other. It is a process of its own, because server and agent share a network that nothing else has.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../../src/core/errors.ts';
import { findAgents } from './agents/agents.ts';
import { MODEL } from './answers.ts';
import { cleanEnvironment, endOnSignals, runProgram } from './contain.ts';
import { lastLines } from './installAgents.ts';
import { type Usage, watchUsage } from './processUsage.ts';
import { type RequestRecord, startScriptedServer } from './scriptedServer.ts';
import { type Edit, type ScriptedSession, writeSession } from './session.ts';
import type { SummaryKind } from './summary.ts';
import { openTokenizer } from './tokenizer.ts';

export interface RunOrder {
  /** The agent's id, and the settings of the core's strategies. */
  readonly agent: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly program: string;
  readonly window: number;
  readonly summaries: SummaryKind;
  readonly seed: number;
  /** An empty folder for this run. */
  readonly folder: string;
}

export interface RunResult {
  /** Why its figures say nothing; null when it went through the whole session. */
  readonly fault: string | null;
  readonly records: readonly RequestRecord[];
  readonly usage: Usage | null;
}

/** Of each part, which takes an agent half a minute to two. */
export const MOST_MS_OF_PART = 8 * 60_000;

export async function runSession(order: RunOrder): Promise<RunResult> {
  const { window, summaries, folder, program } = order;
  const [agent] = findAgents(order.agent, order.settings);
  if (!agent) throw new Error('No agent was named');
  const session = writeSession(order.seed);
  const [home, workspace, keepIn] = [join(folder, 'home'), join(folder, 'workspace'), join(folder, 'requests')];
  for (const each of [join(home, 'tmp'), workspace, keepIn]) mkdirSync(each, { recursive: true });
  writeAll(workspace, session.files);
  const env = cleanEnvironment(home);
  const run = (command: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    runProgram(command, { cwd: workspace, env: { ...env, ...more }, timeoutMs: MOST_MS_OF_PART });
  await commitAll(run);

  const isDone = ({ path, after }: Edit) => readFileSync(join(workspace, path), 'utf8').includes(after);
  const server = await startScriptedServer({
    session,
    summaries,
    folder: workspace,
    window,
    keepIn,
    tokens: openTokenizer(),
    isDone,
  });
  const prepared = agent.prepare({ program, home, workspace, url: server.url, model: MODEL, window });
  writeAll(home, new Map(Object.entries(prepared.files)));
  const endWatch = watchUsage();
  let fault: string | null = null;
  let due = 0;
  for (const [part, { prompt, steps }] of session.parts.entries()) {
    const { output, code, isTooLong } = await run(prepared.command(prompt, part), prepared.env);
    writeFileSync(join(folder, `output-${part + 1}.txt`), output);
    due += steps.length;
    if (server.steps === due) continue;
    const why = isTooLong
      ? `part ${part + 1} took more than ${MOST_MS_OF_PART / 60_000} minutes`
      : `exit code ${code}, ${lastLines(output)}`;
    fault = `stopped at step ${server.steps} of 63: ${server.fault ?? why}`;
    break;
  }
  const usage = endWatch();
  server.stop();
  return { fault: fault ?? findUndone(session, isDone), records: server.records, usage };
}

function writeAll(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

/** Agents look for a repository, and some of them for a clean one. */
async function commitAll(run: (command: readonly string[]) => Promise<unknown>): Promise<void> {
  const person = ['-c', 'user.name=person', '-c', 'user.email=person@localhost'];
  await run(['git', 'init', '-q']);
  await run(['git', 'add', '.']);
  await run(['git', ...person, 'commit', '-qm', 'Begin']);
}

/** A session whose edits failed is another session. Null when all were done. */
function findUndone({ parts }: ScriptedSession, isDone: (edit: Edit) => boolean): string | null {
  const edits = parts.flatMap(({ steps }) => steps.filter((step) => step.kind === 'edit'));
  const done = edits.filter(isDone);
  return done.length === edits.length ? null : `only ${done.length} of ${edits.length} edits were done`;
}

if (import.meta.main) {
  endOnSignals();
  const [orderFile = '', resultFile = ''] = process.argv.slice(2);
  const result = await runSession(JSON.parse(readFileSync(orderFile, 'utf8'))).catch(
    (thrown: unknown): RunResult => ({ fault: messageOf(thrown), records: [], usage: null }),
  );
  writeFileSync(resultFile, JSON.stringify(result));
  process.exit();
}
