/**
 * The sandbox of this window's open folders, as a person's setting wants it. It is opened when a command first needs it,
 * and its code is loaded only then.
 */

import { join } from 'node:path';
import { ToolError } from '../../core/errors.ts';
import { inEnglish } from '../../core/words.ts';
import type { Confinement, NewNames } from '../../core/workspace/shell.ts';
import { readFolder } from '../storage/disk/storageError.ts';
import { textOf } from './guardedWalk.ts';
import type { Sandbox, SandboxOptions, SandboxState } from './sandbox.ts';
import type { LeftBehind } from './sandboxRuns.ts';

/** `commands`: those of the agent; `all`: hooks and MCP servers of this machine, too. */
export type WantedSandbox = 'off' | 'commands' | 'all';

export interface CommandSandbox {
  confinement(): Promise<Confinement>;
  /** Opened whatever is wanted: the same sandbox until the folders change. */
  open(): Promise<SandboxState>;
  readonly wanted: () => WantedSandbox;
  /** A command ran outside of it. */
  onDidRunOutside(): void;
  /** The names that a command left behind, as a person is asked about them; null when there is nothing to decide. */
  newNames(left: LeftBehind): NewNames | null;
  /** Reports what was left behind where no call can ask: by a hook, or by a command whose window was killed. */
  report(left: LeftBehind): void;
  /** Reports what commands of windows that were killed left behind, and removes their covers. */
  lookAfterKilled(): Promise<void>;
}

interface SandboxEvents {
  readonly onDidRunOutside?: () => void;
  readonly onDidLeaveBehind?: (left: LeftBehind, names: NewNames | null) => void;
}

export function createCommandSandbox(
  options: SandboxOptions,
  wanted: () => WantedSandbox,
  { onDidRunOutside = () => undefined, onDidLeaveBehind = () => undefined }: SandboxEvents = {},
): CommandSandbox {
  let opened: Promise<SandboxState> | null = null;
  const open = async () => {
    opened ??= import('./sandbox.ts').then(({ openSandbox }) => openSandbox(options));
    const state = await opened;
    // A person may install it meanwhile.
    if (state.kind === 'absent') opened = null;
    return state;
  };
  const newNames = ({ names }: LeftBehind): NewNames | null =>
    names.length === 0
      ? null
      : {
          paths: names.map(({ path }) => textOf(path)),
          place: asideFolder(options.storage),
          async setAside() {
            const { setAside } = await import('./sandboxRuns.ts');
            const moved = await setAside(names, asideFolder(options.storage));
            return moved.filter(({ kept }) => kept === null).map(({ path }) => textOf(path));
          },
        };
  const report = (left: LeftBehind) => {
    if (left.names.length > 0 || left.unseen !== null) onDidLeaveBehind(left, newNames(left));
  };
  return {
    open,
    wanted,
    onDidRunOutside,
    newNames,
    report,
    async lookAfterKilled() {
      if ((await readFolder(options.storage)).length === 0) return;
      const { SandboxRuns } = await import('./sandboxRuns.ts');
      report(await new SandboxRuns(options.storage).findOrphans());
    },
    async confinement() {
      if (wanted() === 'off') return 'off';
      const state = await open();
      return state.kind === 'ready' ? 'ready' : { absent: state.reason };
    },
  };
}

const asideFolder = (storage: string) => join(storage, 'aside');

/** Throws where it is switched off or not there: a command that was not asked about runs in it or not at all. */
export async function requireSandbox(sandbox: CommandSandbox | undefined): Promise<Sandbox> {
  if (!sandbox || sandbox.wanted() === 'off')
    throw new ToolError('The sandbox was switched off. Run the command again.');
  const state = await sandbox.open();
  if (state.kind === 'absent') throw new ToolError(`The command did not run. ${inEnglish(state.reason)}`);
  return state.sandbox;
}

/** For a hook or an MCP server: undefined where the person wants it outside. */
export async function sandboxForAll(sandbox: CommandSandbox | undefined): Promise<Sandbox | undefined> {
  return sandbox?.wanted() === 'all' ? requireSandbox(sandbox) : undefined;
}
