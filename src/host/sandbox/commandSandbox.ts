/**
 * The sandbox of this window's open folders, as a person's setting wants it. It is opened when a command first needs it,
 * and its code is loaded only then.
 */

import { ToolError } from '../../core/errors.ts';
import type { Confinement } from '../../core/ports.ts';
import { inEnglish } from '../../core/words.ts';
import type { Sandbox, SandboxOptions, SandboxState } from './sandbox.ts';

/** `commands`: those of the agent; `all`: hooks and MCP servers of this machine, too. */
export type WantedSandbox = 'off' | 'commands' | 'all';

export interface CommandSandbox {
  confinement(): Promise<Confinement>;
  /** Opened whatever is wanted: the same sandbox until the folders change. */
  open(): Promise<SandboxState>;
  readonly wanted: () => WantedSandbox;
  /** A command ran outside of it. */
  onDidRunOutside(): void;
}

export function createCommandSandbox(
  options: SandboxOptions,
  wanted: () => WantedSandbox,
  onDidRunOutside: () => void = () => undefined,
): CommandSandbox {
  let opened: Promise<SandboxState> | null = null;
  const open = async () => {
    opened ??= import('./sandbox.ts').then(({ openSandbox }) => openSandbox(options));
    const state = await opened;
    // A person may install it meanwhile.
    if (state.kind === 'absent') opened = null;
    return state;
  };
  return {
    open,
    wanted,
    onDidRunOutside,
    async confinement() {
      if (wanted() === 'off') return 'off';
      const state = await open();
      return state.kind === 'ready' ? 'ready' : { absent: state.reason };
    },
  };
}

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
