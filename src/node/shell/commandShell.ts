/**
 * The shell that runs commands, and how it receives a line so that exactly this whole line runs. Windows has several
 * shells, and none is always there and always best. The system is a parameter. Pure except for `exists`.
 */

import { win32 } from 'node:path';
import { findProgram, readPath, readVariable, type System } from './findProgram.ts';

export interface CommandShell {
  readonly kind: 'posix' | 'gitBash' | 'powershell' | 'cmd';
  /** The name that people know. */
  readonly name: string;
  /** Absolute. */
  readonly file: string;
}

/** Shells for Windows, in order of preference. */
const WINDOWS_SHELLS = ['gitBash', 'pwsh', 'powershell', 'cmd'] as const;
type WindowsShell = (typeof WINDOWS_SHELLS)[number];

/** `wanted` is a value of the setting; if that shell is unknown or missing, the first one found is used. */
export function findShell(system: System, wanted: string): CommandShell {
  if (system.platform !== 'win32') {
    const [bash, sh] = ['/bin/bash', '/bin/sh'];
    return system.exists(bash) ? { kind: 'posix', name: 'bash', file: bash } : { kind: 'posix', name: 'sh', file: sh };
  }
  const order = [...WINDOWS_SHELLS].sort((a, b) => Number(b === wanted) - Number(a === wanted));
  return order.map((each) => FIND[each](system)).find((found) => found !== null) ?? cmdOf(system);
}

/** Hooks read their input from a pipe, which PowerShell consumes itself: on Windows they run in Git Bash or cmd. */
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

/** True when lines are read as POSIX says. */
export const readsPosix = ({ kind }: CommandShell): boolean => kind === 'posix' || kind === 'gitBash';

/** An absolute path: Windows would look for a bare name in the current folder first, and `ComSpec` is not trusted. */
export const systemFolder = (system: System) =>
  win32.join(readVariable(system, 'SystemRoot') ?? 'C:\\Windows', 'System32');

function cmdOf(system: System): CommandShell {
  return { kind: 'cmd', name: 'cmd', file: win32.join(systemFolder(system), 'cmd.exe') };
}

/** Never the `bash.exe` of the system folder, which starts a Linux subsystem. */
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
    // Git is in `cmd`, `bin` or `mingw64\bin` of its own folder.
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

/** For the model, in one line that stays the same as long as the shell does. */
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

/** Why the shell would not run this command unchanged, in words for the model; null when it would. */
export function refuseCommand(shell: CommandShell, command: string, folder: string): string | null {
  return refuseLength(shell, command) ?? (shell.kind === 'cmd' ? refuseInCmd(command, folder) : null);
}

const ANOTHER = 'A person can choose Git Bash or PowerShell instead, by the setting palimpsest.agent.shell.';

function refuseInCmd(command: string, folder: string): string | null {
  if (/[\r\n]/.test(command.trimEnd())) {
    return `Commands run in cmd here, which would run only the first line of several. Join them with &&, or write them into a file and run that. ${ANOTHER}`;
  }
  // cmd would continue in the Windows folder.
  if (/^[\\/]{2}/.test(folder)) {
    return `Commands run in cmd here, which cannot work in a folder of the network (${folder}). ${ANOTHER}`;
  }
  return null;
}

/** The limit of cmd, minus the prefix of a command. */
const LONGEST_CMD = 8_000;
/** The limit of Windows for a command line, and for a variable with its name, minus the character that ends it. */
const LONGEST_ON_WINDOWS = 32_766;
/** The limit of Linux for one argument of a program, minus the byte that ends it. Other systems take more. */
const LONGEST_ARGUMENT = 128 * 1024 - 1;

function refuseLength(shell: CommandShell, command: string): string | null {
  const { length, most, of } = measure(shell, command);
  if (length <= most) return null;
  const another = shell.kind === 'cmd' ? ` ${ANOTHER}` : '';
  return `Commands run in ${shell.name} here, which takes at most ${most} ${of}; this one has ${length}. Write the command into a file and run that.${another}`;
}

/** The length that the system limits, in its own unit: of one argument, or of the whole line. */
function measure(
  shell: CommandShell,
  command: string,
): { readonly length: number; readonly most: number; readonly of: string } {
  switch (shell.kind) {
    case 'posix':
      return { length: Buffer.byteLength(command), most: LONGEST_ARGUMENT, of: 'bytes' };
    case 'gitBash':
      return {
        length: `${COMMAND}=${command}`.length,
        most: LONGEST_ON_WINDOWS,
        of: 'characters with what leads to it',
      };
    case 'powershell': {
      const { file, args } = startShell(shell, command);
      const length = [file, ...args].map(lengthQuoted).reduce((sum, each) => sum + each + 1, -1);
      return {
        length,
        most: LONGEST_ON_WINDOWS,
        of: 'characters with what leads to it and a backslash before each quote',
      };
    }
    case 'cmd':
      return { length: command.trimEnd().length, most: LONGEST_CMD, of: 'characters' };
  }
}

/** The length of an argument as Node writes it into a command line of Windows. */
function lengthQuoted(argument: string): number {
  if (argument !== '' && !/[\s"]/.test(argument)) return argument.length;
  // Backslashes before a quote are doubled, and the quote gets one.
  const added = [...`${argument}"`.matchAll(/(?<!\\)(\\*)"/g)].reduce(
    (sum, [, before = '']) => sum + before.length + 1,
    0,
  );
  return argument.length + added + 1;
}

export interface ShellStart {
  readonly file: string;
  readonly args: readonly string[];
  /** In addition to the command's own. */
  readonly environment: Readonly<Record<string, string>>;
  /** The arguments are passed without quoting. */
  readonly verbatim: boolean;
}

/** Exists only until the command begins. */
const COMMAND = 'PALIMPSEST_COMMAND';

/** MSYS parses a command line differently from Windows, so the command is not part of it. */
const GIT_BASH = `chcp.com 65001 >/dev/null 2>&1; _pal="$${COMMAND}"; unset ${COMMAND}; eval " unset _pal; $_pal"`;

/** Output in UTF-8, without progress bars. In constrained language mode, this fails harmlessly. */
const POWERSHELL_BEFORE =
  "$ProgressPreference='SilentlyContinue';try{[Console]::OutputEncoding=$OutputEncoding=[Text.UTF8Encoding]::new($false)}catch{};";

/** PowerShell itself returns 1 for every failure. */
const POWERSHELL_AFTER =
  "\nif($?){exit 0};if($Error.Count -and $Error[0].FullyQualifiedErrorId -eq 'CommandNotFoundException'){exit 127};if($LASTEXITCODE){exit $LASTEXITCODE};exit 1";

/** For commands that `refuseCommand` accepts. */
export function startShell({ kind, file }: CommandShell, command: string): ShellStart {
  const plain = { file, environment: {}, verbatim: false };
  switch (kind) {
    case 'posix':
      // After `--`, a command that begins with a dash is not taken for an option of the shell.
      return { ...plain, args: ['-c', '--', command] };
    case 'gitBash':
      return { ...plain, args: ['-c', GIT_BASH], environment: { [COMMAND]: command } };
    case 'powershell': {
      const script = `${POWERSHELL_BEFORE}${command}${POWERSHELL_AFTER}`;
      // Local scripts such as npm's may run, which Windows forbids by default.
      const options = ['-NoLogo', '-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'RemoteSigned'];
      return { ...plain, args: [...options, '-Command', script] };
    }
    case 'cmd': {
      // `ver` resets the exit code to 0 where the code page is unavailable.
      const line = `"chcp 65001 >nul 2>nul & ver >nul & ${command.trimEnd()}"`;
      return { file, args: ['/d', '/s', '/c', line], environment: {}, verbatim: true };
    }
  }
}

/** Commands built into cmd. */
const BUILT_INTO_CMD = new Set(
  'assoc break call cd chdir cls color copy date del dir echo endlocal erase exit for ftype goto if md mkdir mklink move path pause popd prompt pushd rd rem ren rename rmdir set setlocal shift start time title type ver verify vol'.split(
    ' ',
  ),
);

/** The exit code of bash-like shells for a missing program. */
const NOT_FOUND = 127;
const NOT_FOUND_BY_CMD = 9009;

/**
 * True when a command failed because its program is missing. cmd's exit code does not tell, so the command's first word
 * is searched for.
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
