/**
 * The product's own agent in a world in memory that can say no, break, hang and be stopped, with the contents of files kept
 * around each call or not; and what really happened in that world, for comparison with what is said of it later.
 */

import type { Agent } from '../../src/core/agent/agent.ts';
import type { CheckpointFiles, FileStamp } from '../../src/core/checkpoints/fileKeeper.ts';
import { previewRestore, restoreFiles } from '../../src/core/checkpoints/restoreFiles.ts';
import { ToolError } from '../../src/core/errors.ts';
import type { ModelClient } from '../../src/core/model/modelClient.ts';
import { Stop } from '../../src/core/stop.ts';
import type { ApprovalAnswer } from '../../src/core/tools/approvals.ts';
import type { BackgroundCommand, BackgroundCommands } from '../../src/core/tools/tool.ts';
import type { Shell, ShellResult } from '../../src/core/workspace/shell.ts';
import { createMemoryFiles, type MemoryFiles } from './ports/memoryFiles.ts';
import { memoryBlobs } from './ports/memoryStore.ts';
import { testAgent } from './testAgent.ts';

/** How the next command goes. */
export interface Run {
  readonly exitCode?: number | null;
  readonly ended?: ShellResult['ended'];
  readonly output?: string;
  readonly changes?: () => void;
  /** It goes on until the person stops the turn. */
  readonly hangs?: boolean;
}

export interface OutcomeSession {
  readonly agent: Agent;
  readonly files: MemoryFiles;
  /** A turn in which the model makes these calls, then ends. */
  turn(calls: readonly (readonly [name: string, input: object])[], world?: World): Promise<void>;
  /** The command in the background that was started last ends so. */
  endBackground(id: string, end: NonNullable<BackgroundCommand['ended']>): void;
  readonly background: readonly BackgroundCommand[];
  /** Takes back what calls did to files since that entry. */
  restore(moment: number): Promise<void>;
}

export interface World {
  readonly answer?: ApprovalAnswer;
  readonly run?: Run;
  /** The next write of a file fails so. */
  readonly breaks?: Error;
}

const ALLOW: ApprovalAnswer = { kind: 'allow', remember: 'no' };

export async function outcomeSession(options: {
  readonly files: Readonly<Record<string, string>>;
  readonly compaction: Readonly<Record<string, unknown>>;
  readonly window: number;
  readonly keeps: boolean;
}): Promise<OutcomeSession> {
  let world: World = {};
  let abort = new AbortController();
  let calls: readonly (readonly [string, object])[] = [];
  let made = 0;
  const memory = createMemoryFiles(options.files);
  const names = new Set(Object.keys(options.files));
  const times = new Map<string, number>();
  let time = 0;
  const touch = (path: string) => {
    names.add(path);
    times.set(path, ++time);
  };
  const failing = () => {
    if (world.breaks) throw world.breaks;
  };
  const files: MemoryFiles = {
    ...memory,
    put: (path, content) => {
      touch(path);
      memory.put(path, content);
    },
    lose: (path) => {
      touch(path);
      memory.lose(path);
    },
    write: async (path, bytes, real) => {
      failing();
      touch(path);
      await memory.write(path, bytes, real);
    },
    remove: async (path, real) => {
      failing();
      touch(path);
      await memory.remove(path, real);
    },
    move: async (from, to) => {
      failing();
      touch(from.path);
      touch(to.path);
      await memory.move(from, to);
    },
  };
  const shell: Shell = {
    posix: () => true,
    async run(_, { onOutput }, signal) {
      const { exitCode = 0, ended = 'exit', output = '', changes, hangs } = world.run ?? {};
      onOutput(output);
      if (hangs) {
        const stopped = new Promise((done) => signal.addEventListener('abort', done));
        queueMicrotask(() => abort.abort(new Stop('person')));
        await stopped;
        return { exitCode: null, output, ended: 'aborted' };
      }
      changes?.();
      return { exitCode, output, ended };
    },
  };
  const all: { id: string; command: string; ended: BackgroundCommand['ended'] }[] = [];
  const read = async (id: string) => {
    const command = all.find((each) => each.id === id);
    return command ? { command: { ...command }, text: 'exit code 0', leftOut: 0 } : null;
  };
  const background: BackgroundCommands = {
    list: () => all,
    start: async (command) => {
      const id = `bg-${(0xa000 + all.length).toString(16)}`;
      all.push({ id, command, ended: world.run?.ended ? { ended: 'exit', exitCode: world.run.exitCode ?? 0 } : null });
      return (await read(id)) as never;
    },
    read,
    stop: async (id) => {
      const found = all.find((each) => each.id === id);
      if (found) found.ended ??= { ended: 'aborted', exitCode: null };
      return read(id);
    },
  };
  const client: ModelClient = {
    endpoint: 'world:',
    async *stream({ tools }) {
      const asked = tools?.length ? calls : [];
      calls = [];
      const toolCalls = asked.map(([name, input]) => ({ id: `c${made++}`, name, arguments: JSON.stringify(input) }));
      yield {
        type: 'done',
        text: asked.length > 0 ? '' : 'Nothing much.',
        toolCalls,
        finish: toolCalls.length > 0 ? 'toolCalls' : 'stop',
        usage: null,
      };
    },
  };
  const summaries: ModelClient = {
    endpoint: 'world:',
    async *stream() {
      yield { type: 'done', text: 'Nothing much.', toolCalls: [], finish: 'stop', usage: null };
    },
  };
  const choice = { client, model: 'scripted', window: options.window };
  const checkpointFiles = keepable(files, names, times);
  const { agent } = await testAgent(choice, {
    compaction: options.compaction,
    models: {
      initial: () => 'scripted',
      resolve: (_, purpose) => (purpose === 'summary' ? { ...choice, client: summaries } : choice),
    },
    workspace: { files, shell, background, trust: () => 'trusted' },
    person: { approver: { ask: async () => world.answer ?? ALLOW }, consent: async () => 'compact' },
    ...(options.keeps
      ? {
          checkpoints: {
            files: () => checkpointFiles,
            blobs: memoryBlobs(),
            keeps: () => true,
            hold: <T>(restore: () => Promise<T>) => restore(),
          },
        }
      : {}),
  });
  return {
    agent,
    files,
    background: all,
    async turn(asked, now = {}) {
      [calls, world, abort] = [asked, now, new AbortController()];
      await agent.send('Go on.', abort.signal);
    },
    endBackground: (id, end) => {
      const found = all.find((each) => each.id === id);
      if (found) found.ended = end;
    },
    async restore(moment) {
      const ports = agent.files?.restorePorts;
      if (!ports) throw new Error('Nothing was kept');
      const { steps } = await previewRestore(moment, ports);
      await restoreFiles(steps, new Set(steps.map(({ path }) => path)), ports);
    },
  };
}

/** The same files as checkpoints see them. */
function keepable(files: MemoryFiles, names: ReadonlySet<string>, times: ReadonlyMap<string, number>): CheckpointFiles {
  const bytesOf = (path: string) => {
    const text = files.textOf(path);
    return text === null ? null : new TextEncoder().encode(text);
  };
  return {
    nameOf: async (path) => (await files.resolve(path)).shown,
    textOf: async (_, bytes) => new TextDecoder().decode(bytes),
    newFolderOf: async () => null,
    read: async (path) => {
      const bytes = bytesOf(path);
      return bytes ? { kind: 'held', bytes, executable: false } : { kind: 'none' };
    },
    stamp: async () => null,
    ignored: async () => new Set(),
    copies: async () => async () => null,
    watchSaves: () => ({ saved: new Set(), end: () => undefined }),
    write: async (path, { bytes }) => files.put(path, bytes),
    remove: async (path) => files.lose(path),
    scan: async () => {
      const stamps = [...names].flatMap((path): [string, FileStamp][] => {
        const bytes = bytesOf(path);
        const at = times.get(path) ?? 0;
        return bytes ? [[path, { size: bytes.length, mtimeMs: at, ctimeMs: at }]] : [];
      });
      return { files: new Map(stamps), folders: new Set(), complete: true };
    },
  };
}

export const brokenDisk = () => Object.assign(new Error('EIO: i/o error, write'), { code: 'EIO' });
export const refusedAtRun = () => new ToolError('It changed meanwhile; nothing was written.');
