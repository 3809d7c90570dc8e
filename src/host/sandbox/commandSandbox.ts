/**
 * The sandbox of this window's open folders, as a person's setting wants it. It is opened when a command first needs it,
 * and its code is loaded only then.
 */

import { ToolError } from '../../core/errors.ts';
import type { Confinement, ShellResult } from '../../core/ports.ts';
import { inEnglish, type Words, words } from '../../core/words.ts';
import type { SetAside } from './guardNames.ts';
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

// Whether a sandbox refused something to a command that failed. Programs say it in their own words, so this is a judgement:
// it only decides whether a person is asked, never whether something is allowed.

const SIGNS: readonly (readonly [RegExp, Words])[] = [
  [/Read-only file system|EROFS/iu, words('writing outside of the open folders or to a guarded name')],
  [
    /Network is unreachable|ENETUNREACH|EAI_AGAIN|ENOTFOUND|name resolution|Could not resolve|Name or service not known|Connection refused|ECONNREFUSED|nodename nor servname/iu,
    words('the network'),
  ],
  [/Operation not permitted|EPERM|Permission denied|EACCES/iu, words('a right that it does not give')],
];
const HIDDEN = words('a program or a file that it does not show');
const NOT_FOUND = 127;

/** Null when nothing points at the sandbox. */
export function explainRefusal(
  { ended, exitCode, output }: Pick<ShellResult, 'ended' | 'exitCode' | 'output'>,
  taken: readonly SetAside[],
): Words | null {
  if (taken.length > 0) {
    const names = taken.map(({ path, kept }) => (kept === null ? path : `${path} → ${kept}`)).join(', ');
    return words(
      'The command wrote guarded names in the sandbox, which were taken out of the folder again: {0}. All else that it did is done. If you allow it, it runs again from the start, outside of the sandbox.',
      names.slice(0, 1_000),
    );
  }
  if (ended !== 'exit' || exitCode === 0) return null;
  const sign = SIGNS.find(([pattern]) => pattern.test(output))?.[1] ?? (exitCode === NOT_FOUND ? HIDDEN : null);
  if (sign === null) return null;
  return words(
    'The sandbox refused {0}. The command has already half run. If you allow it, it runs again from the start, outside of the sandbox.',
    sign,
  );
}
