/**
 * One run: the agent of `palimpsest-core` with the product's own tools works on a task in a copy of its files, then the check
 * decides. Invariant: the folders of tasks and results are out of reach of the agent's files and, in the sandbox, of its
 * commands, and the check's own files come only after the agent and its processes have ended, into a copy of what it left.
 */

import { mkdtempSync, realpathSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAgent, OWN, type OwnStrategy } from '../../core/agent/createAgent.ts';
import { DEFAULT_AGENT_SETTINGS } from '../../core/agent/settings.ts';
import type { NoModel, TurnOutcome } from '../../core/agent/turnOutcome.ts';
import { costInOne } from '../../core/cost/spending.ts';
import { messageOf } from '../../core/errors.ts';
import type { Journal } from '../../core/journal/journal.ts';
import type { ModelChoice } from '../../core/model/modelChoice.ts';
import { Stop } from '../../core/stop.ts';
import type { Approver } from '../../core/tools/approvals.ts';
import { stripControls } from '../../core/tools/text/stripControls.ts';
import { TOOLS } from '../../core/tools/toolList.ts';
import { inEnglish } from '../../core/words.ts';
import type { Shell } from '../../core/workspace/shell.ts';
import { RunAccount } from '../../lab/runAccount.ts';
import type { TaskEnd, TaskRun } from '../../lab/tasks/taskRun.ts';
import { findOnPath } from '../../node/files/findRipgrep.ts';
import { openWorkspaceFiles } from '../../node/files/workspaceFiles.ts';
import { type CommandSandbox, createCommandSandbox } from '../../node/sandbox/commandSandbox.ts';
import { createChildShell } from '../../node/shell/childShell.ts';
import { nodeCrypto } from '../../node/storage/disk/fileBlobStore.ts';
import { rm } from '../../node/storage/disk/patientDisk.ts';
import { SessionStore } from '../../node/storage/sessions/sessionStore.ts';
import { systemTimers } from '../../providers/timers.ts';
import { copyFiles, layOver, renewFiles } from './layFiles.ts';
import type { Task } from './readTasks.ts';
import { WORK_PREFIX } from './results.ts';

export interface RunSetting {
  readonly model: ModelChoice;
  /** A built-in strategy is named in the settings. */
  readonly strategy: OwnStrategy | undefined;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly section: Readonly<Record<string, unknown>>;
  readonly steps: number;
  /** In the currency of the model's price; 0 without a limit. */
  readonly money: number;
  readonly milliseconds: number;
  /** False: commands run outside of any sandbox, as the person said. */
  readonly sandbox: boolean;
  /** Absolute folders that no agent may see: those of tasks and results. */
  readonly denied: readonly string[];
  /** Absolute: holds the run's session. */
  readonly sessions: string;
}

interface RunOutcome extends Omit<TaskRun, 'task' | 'strategy' | 'attempt'> {
  /** Its folder in `sessions`. */
  readonly session: string;
}

/** Commands of agents run in it. `open`: the folder that they work in, real and absolute. */
export function openTaskSandbox(open: string, storage: string, denied: readonly string[]): CommandSandbox {
  const options = {
    folders: [open],
    home: homedir(),
    denied: [...denied, storage],
    temporary: tmpdir(),
    storage,
    environment: process.env,
    allowedVariables: () => [],
  };
  return createCommandSandbox(options, () => 'commands');
}

/**
 * `onWork` is told the folder for temporary files, which is removed in the end. Rejects with the signal's reason when it is
 * aborted, and where the session cannot be written.
 */
export async function runTask(
  task: Task,
  setting: RunSetting,
  signal: AbortSignal,
  onWork: (folder: string) => () => void,
): Promise<RunOutcome> {
  const work = realpathSync(mkdtempSync(join(tmpdir(), WORK_PREFIX)));
  const forget = onWork(work);
  try {
    const open = join(work, 'files');
    copyFiles(task.files, open);
    const sandbox = setting.sandbox ? openTaskSandbox(open, join(work, 'sandbox'), setting.denied) : undefined;
    const environment = { folder: open, environment: process.env, endsDaemons: true };
    const shell = createChildShell({ ...environment, ...(sandbox ? { sandbox } : {}) });
    const worked = await workOn(task, open, shell, setting, signal);
    const end = worked.end ?? (await checkWork(task, open, shell, sandbox !== undefined, signal));
    return { ...worked, end };
  } finally {
    // A folder that the agent has locked may stay; the system clears its temporary files.
    await rm(work, { recursive: true, force: true }).catch(() => undefined);
    forget();
  }
}

async function workOn(
  task: Task,
  open: string,
  shell: Shell,
  setting: RunSetting,
  signal: AbortSignal,
): Promise<Omit<RunOutcome, 'end'> & { readonly end: TaskEnd | null }> {
  const system = { clock: { now: Date.now }, crypto: nodeCrypto, timers: systemTimers, log: () => undefined };
  const store = new SessionStore({ folder: setting.sessions, workspace: null, engine: 'palimpsest/lab', ...system });
  const { id, journal, blobs } = await store.create();
  try {
    const { strategy, settings, section, steps, money } = setting;
    const ripgrep = await findOnPath('rg', { path: process.env.PATH ?? '', workspaceFolders: [open] });
    const files = await openWorkspaceFiles({
      folders: [{ name: 'files', path: open }],
      denied: setting.denied,
      ripgrep: async () => ripgrep,
    });
    const account = new RunAccount(strategy ? OWN : String(settings.strategy));
    const agent = await createAgent({
      model: setting.model,
      tools: ripgrep === null ? TOOLS.filter(({ name }) => !SEARCHING.has(name)) : TOOLS,
      workspace: { files, shell },
      journal,
      blobs,
      system,
      approver: setting.sandbox ? IN_SANDBOX : ANYWHERE,
      settings: { agent: { ...DEFAULT_AGENT_SETTINGS.agent, stepLimit: steps, costLimit: money } },
      compaction: { settings, section, ...(strategy ? { strategy } : {}) },
      events: { onCompaction: (signal) => account.follow(signal) },
    });
    const stop = new AbortController();
    const cancel = () => stop.abort(signal.reason);
    signal.addEventListener('abort', cancel);
    const timer = setTimeout(() => stop.abort(new Stop('timeLimit')), setting.milliseconds);
    try {
      const end = await agent.send(task.prompt, stop.signal).then(endOf, describeFault);
      signal.throwIfAborted();
      return { ...countIn(journal), runs: account.counts, session: id, end };
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      agent.dispose();
    }
  } finally {
    await journal.close();
  }
}

/** Without ripgrep they find nothing; commands can search. */
const SEARCHING: ReadonlySet<string> = new Set(['search_text', 'find_files']);

const ANYWHERE: Approver = { ask: async () => ({ kind: 'allow', remember: 'no' }) };

/** Commands in the sandbox are not asked about. */
const IN_SANDBOX: Approver = {
  ask: async ({ toolClass }) =>
    toolClass === 'run'
      ? { kind: 'unasked', reason: 'Nobody is there to allow it outside of the sandbox.' }
      : { kind: 'allow', remember: 'no' },
};

function countIn(
  journal: Journal,
): Pick<RunOutcome, 'requests' | 'input' | 'cached' | 'output' | 'cost' | 'compactions'> {
  const { requests, usage, ...costs } = journal.spending;
  let compactions = 0;
  for (const _ of journal.ofType('compaction')) compactions++;
  const { input, cached, output } = usage;
  return { requests, input, cached, output, cost: costInOne(costs).cost ?? null, compactions };
}

/** Null when the agent says that it is done, so that the check decides. */
function endOf(outcome: TurnOutcome | NoModel): TaskEnd | null {
  switch (outcome.kind) {
    case 'done':
      return null;
    case 'paused': {
      const by = outcome.limit === 'cost' ? 'money' : (outcome.limit ?? 'context');
      return { kind: 'failed', by, detail: inEnglish(outcome.reason) };
    }
    case 'failed':
      return outcome.error.kind === 'overflow'
        ? { kind: 'failed', by: 'context', detail: outcome.error.message }
        : { kind: 'error', detail: outcome.error.message };
    case 'noModel':
      return { kind: 'error', detail: inEnglish(outcome.problem) };
    case 'stopped':
      return outcome.by === 'timeLimit'
        ? { kind: 'failed', by: 'time', detail: '' }
        : { kind: 'error', detail: new Stop(outcome.by).message };
    case 'newSession':
      return { kind: 'error', detail: 'The turn ended for a new session.' };
  }
}

const describeFault = (thrown: unknown): TaskEnd => ({ kind: 'error', detail: messageOf(thrown) });

/** Characters of the check's output that are kept: its end. */
const KEPT_OUTPUT = 2_000;

async function checkWork(
  task: Task,
  open: string,
  shell: Shell,
  confined: boolean,
  signal: AbortSignal,
): Promise<TaskEnd> {
  try {
    renewFiles(open, `${open}-left`);
    if (task.checkFiles !== null) await layOver(task.checkFiles, open);
  } catch (thrown) {
    const detail = `The files of the check could not be laid over what the agent left: ${messageOf(thrown)}`;
    return { kind: 'failed', by: 'check', detail };
  }
  const options = { timeoutMs: task.checkMs, onOutput: () => undefined, ...(confined ? { confined } : {}) };
  const { ended, exitCode, output, notRun, refused } = await shell.run(task.check, options, signal);
  signal.throwIfAborted();
  if (notRun) return { kind: 'error', detail: `The check did not run. ${inEnglish(refused ?? [])}` };
  const said = stripControls(output).trimEnd().slice(-KEPT_OUTPUT).toWellFormed();
  if (ended === 'timeout') return { kind: 'failed', by: 'hungCheck', detail: said };
  if (exitCode === 0) return { kind: 'solved' };
  return { kind: 'failed', by: 'check', detail: `exit code ${exitCode ?? 'none'}\n${said}` };
}
