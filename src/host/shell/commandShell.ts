/**
 * Which shell runs commands, and how a line is handed to it so that exactly this line runs, whole. Windows has several,
 * and none that is always there and always best. The system is a parameter. Pure but for `exists`.
 */

import { win32 } from 'node:path';
import { findProgram, readPath, readVariable, type System } from './findProgram.ts';

export interface CommandShell {
  readonly kind: 'posix' | 'gitBash' | 'powershell' | 'cmd';
  /** As people know it. */
  readonly name: string;
  /** Absolute. */
  readonly file: string;
}

/** Those of Windows that can be chosen, the ones that are taken first in front. */
export const WINDOWS_SHELLS = ['gitBash', 'pwsh', 'powershell', 'cmd'] as const;
export type WindowsShell = (typeof WINDOWS_SHELLS)[number];

/** `wanted` is a value of the setting; where it says none of Windows, or one that is not there, the first that is found. */
export function findShell(system: System, wanted: string): CommandShell {
  if (system.platform !== 'win32') {
    const [bash, sh] = ['/bin/bash', '/bin/sh'];
    return system.exists(bash) ? { kind: 'posix', name: 'bash', file: bash } : { kind: 'posix', name: 'sh', file: sh };
  }
  const order = [...WINDOWS_SHELLS].sort((a, b) => Number(b === wanted) - Number(a === wanted));
  return order.map((each) => FIND[each](system)).find((found) => found !== null) ?? cmdOf(system);
}

/**
 * Hooks get their input through a pipe, which PowerShell keeps for itself: on Windows they run in Git Bash or in cmd.
 */
export function findHookShell(system: System, wanted: string): CommandShell {
  const found = findShell(system, wanted);
  return found.kind === 'powershell' ? (FIND.gitBash(system) ?? cmdOf(system)) : found;
}

const FIND: Readonly<Record<WindowsShell, (system: System) => CommandShell | null>> = {
  gitBash: findGitBash,
  pwsh: findPowerShell7,
  powershell: (system) => {
    const file = win32.join(systemFolder(system), 'WindowsPowerShell\\v1.0\\powershell.exe');
    return system.exists(file) ? { kind: 'powershell', name: 'Windows PowerShell 5', file } : null;
  },
  cmd: cmdOf,
};

/** An absolute path: Windows would look for a bare name in the current folder first, and `ComSpec` may say anything. */
export const systemFolder = (system: System) =>
  win32.join(readVariable(system, 'SystemRoot') ?? 'C:\\Windows', 'System32');

function cmdOf(system: System): CommandShell {
  return { kind: 'cmd', name: 'cmd', file: win32.join(systemFolder(system), 'cmd.exe') };
}

/** Never the `bash.exe` of the system folder, which opens a Linux beside Windows. */
function findGitBash(system: System): CommandShell | null {
  const under = (name: string, ...rest: readonly string[]) => {
    const folder = readVariable(system, name);
    return folder === undefined ? [] : [win32.join(folder, ...rest)];
  };
  const beside = readPath(system).filter((folder) => system.exists(win32.join(folder, 'git.exe')));
  const roots = [
    ...under('ProgramFiles', 'Git'),
    ...under('ProgramW6432', 'Git'),
    ...under('ProgramFiles(x86)', 'Git'),
    ...under('LocalAppData', 'Programs', 'Git'),
    ...under('UserProfile', 'scoop', 'apps', 'git', 'current'),
    // Git lies in `cmd`, `bin` or `mingw64\bin` of its own folder.
    ...beside.flatMap((folder) => [win32.dirname(folder), win32.dirname(win32.dirname(folder))]),
  ];
  const file = roots.map((root) => win32.join(root, 'bin', 'bash.exe')).find(system.exists);
  return file === undefined ? null : { kind: 'gitBash', name: 'Git Bash', file };
}

function findPowerShell7(system: System): CommandShell | null {
  const installed = ['ProgramFiles', 'ProgramW6432']
    .flatMap((name) => readVariable(system, name) ?? [])
    .map((folder) => win32.join(folder, 'PowerShell', '7', 'pwsh.exe'))
    .find(system.exists);
  const file = installed ?? findProgram('pwsh.exe', 'C:\\', system);
  return file === null ? null : { kind: 'powershell', name: 'PowerShell 7', file };
}

const SYSTEMS: Partial<Record<NodeJS.Platform, string>> = { win32: 'Windows', darwin: 'macOS', linux: 'Linux' };

/** For the model, in one line that stays the same for as long as the shell does. */
export function describeShell({ kind, name }: CommandShell, platform: NodeJS.Platform): string {
  const where = `Commands run in ${name} on ${SYSTEMS[platform] ?? platform}`;
  switch (kind) {
    case 'posix':
      return `${where}.`;
    case 'gitBash':
      return `${where}: write bash, and paths with forward slashes.`;
    case 'powershell':
      return name.endsWith('5') ? `${where}, which has no && and no ||.` : `${where}.`;
    case 'cmd':
      return `${where}, each a single line.`;
  }
}

/** What cmd takes, less what stands in front of a command. */
const LONGEST_CMD = 8_000;

/** Why the shell would not run this command as it stands, in words for the model; null when it would. */
export function refuseCommand({ kind }: CommandShell, command: string, folder: string): string | null {
  if (kind !== 'cmd') return null;
  const another = 'A person can choose Git Bash or PowerShell instead, by the setting palimpsest.agent.shell.';
  if (/[\r\n]/.test(command.trimEnd())) {
    return `Commands run in cmd here, which would run only the first line of several. Join them with &&, or write them into a file and run that. ${another}`;
  }
  if (command.length > LONGEST_CMD) {
    return `Commands run in cmd here, which takes at most ${LONGEST_CMD} characters. Write the command into a file and run that. ${another}`;
  }
  // It would go on in the folder of Windows.
  if (/^[\\/]{2}/.test(folder)) {
    return `Commands run in cmd here, which cannot work in a folder of the network (${folder}). ${another}`;
  }
  return null;
}

export interface ShellStart {
  readonly file: string;
  readonly args: readonly string[];
  /** In addition to the command's own. */
  readonly environment: Readonly<Record<string, string>>;
  /** The arguments are handed over as they stand. */
  readonly verbatim: boolean;
}

/** Exists only until the command begins. */
const COMMAND = 'PALIMPSEST_COMMAND';

/** What MSYS makes of the words of a command line is not what Windows does, so the command is none of them. */
const GIT_BASH = `chcp.com 65001 >/dev/null 2>&1; _pal="$${COMMAND}"; unset ${COMMAND}; eval " unset _pal; $_pal"`;

/** Output in UTF-8, and no bars of progress between it. Where the language is constrained, this fails without harm. */
const POWERSHELL_BEFORE =
  "$ProgressPreference='SilentlyContinue';try{[Console]::OutputEncoding=$OutputEncoding=[Text.UTF8Encoding]::new($false)}catch{};";

/** PowerShell itself tells 1 for every failure. */
const POWERSHELL_AFTER =
  "\nif($?){exit 0};if($Error.Count -and $Error[0].FullyQualifiedErrorId -eq 'CommandNotFoundException'){exit 127};if($LASTEXITCODE){exit $LASTEXITCODE};exit 1";

/** The command is one that `refuseCommand` does not refuse. */
export function startShell({ kind, file }: CommandShell, command: string): ShellStart {
  const plain = { file, environment: {}, verbatim: false };
  switch (kind) {
    case 'posix':
      // After `--`, a command that begins with a dash is a command and not an option of the shell.
      return { ...plain, args: ['-c', '--', command] };
    case 'gitBash':
      return { ...plain, args: ['-c', GIT_BASH], environment: { [COMMAND]: command } };
    case 'powershell': {
      const script = `${POWERSHELL_BEFORE}${command}${POWERSHELL_AFTER}`;
      // Scripts of the machine's own run, such as npm's, which Windows forbids where nobody has decided.
      const options = ['-NoLogo', '-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'RemoteSigned'];
      return { ...plain, args: [...options, '-Command', script] };
    }
    case 'cmd': {
      // `ver` makes the exit code 0 again where the code page is not to be had.
      const line = `"chcp 65001 >nul 2>nul & ver >nul & ${command.trimEnd()}"`;
      return { file, args: ['/d', '/s', '/c', line], environment: {}, verbatim: true };
    }
  }
}

/** What cmd runs itself. */
const BUILT_INTO_CMD = new Set(
  'assoc break call cd chdir cls color copy date del dir echo endlocal erase exit for ftype goto if md mkdir mklink move path pause popd prompt pushd rd rem ren rename rmdir set setlocal shift start time title type ver verify vol'.split(
    ' ',
  ),
);

/** What shells of the kind of bash say of a program that is not there. */
const NOT_FOUND = 127;
const NOT_FOUND_BY_CMD = 9009;

/**
 * Whether a command failed because the program that it names is not there. cmd does not say so by its exit code, so the
 * command's first word is looked for.
 */
export function lacksProgram(
  { kind }: CommandShell,
  {
    command,
    exitCode,
    folder,
  }: { readonly command: string; readonly exitCode: number | null; readonly folder: string },
  system: System,
): boolean {
  if (kind !== 'cmd') return exitCode === NOT_FOUND;
  if (exitCode === 0 || exitCode === null) return false;
  if (exitCode === NOT_FOUND_BY_CMD) return true;
  const [, quoted, plain] = /^\s*@?(?:"([^"]+)"|([^\s"&|<>()^%,;=]+)(?=[\s&|<>,;=]|$))/.exec(command) ?? [];
  const name = quoted ?? plain;
  if (name === undefined) return false;
  if (quoted === undefined && BUILT_INTO_CMD.has(name.toLowerCase().replace(/[./\\:].*$/, ''))) return false;
  return findProgram(name, folder, system) === null;
}
