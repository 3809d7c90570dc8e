/** Shells of every system, found and started as data; what can run here runs. */

import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createChildShell } from '../../../../src/node/shell/childShell.ts';
import {
  type CommandShell,
  describeShell,
  findHookShell,
  findShell,
  lacksProgram,
  refuseCommand,
  startShell,
} from '../../../../src/node/shell/commandShell.ts';
import { findProgram, type System } from '../../../../src/node/shell/findProgram.ts';
import { createWorkbench, prepareOnly, useTool } from '../../tools/useTool.ts';

const CMD = 'C:\\Windows\\System32\\cmd.exe';
const POWERSHELL = 'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe';
const PWSH = 'C:\\Program Files\\PowerShell\\7\\pwsh.exe';
const GIT_BASH = 'C:\\Program Files\\Git\\bin\\bash.exe';

/** With these files, whose names may be in any case. */
function windows(files: readonly string[], environment: Readonly<Record<string, string>> = {}): System {
  const there = new Set([CMD, ...files].map((file) => file.toLowerCase()));
  const own = { SystemRoot: 'C:\\Windows', ProgramFiles: 'C:\\Program Files', Path: 'C:\\Windows\\System32' };
  return {
    platform: 'win32',
    environment: { ...own, ...environment },
    exists: (path) => there.has(path.toLowerCase()),
  };
}

const linux = (...files: readonly string[]): System => ({
  platform: 'linux',
  environment: { PATH: '/usr/bin:.' },
  exists: (path) => files.includes(path),
});

describe('the shell', () => {
  test.each<readonly [string, readonly string[], string, string, string]>([
    ['everything is there', [GIT_BASH, PWSH, POWERSHELL], 'process', 'Git Bash', GIT_BASH],
    ['no Git', [PWSH, POWERSHELL], 'process', 'PowerShell 7', PWSH],
    ['as Windows comes', [POWERSHELL], 'process', 'Windows PowerShell 5', POWERSHELL],
    ['nothing else', [], 'process', 'cmd', CMD],
    ['chosen', [GIT_BASH, PWSH, POWERSHELL], 'powershell', 'Windows PowerShell 5', POWERSHELL],
    ['cmd chosen', [GIT_BASH], 'cmd', 'cmd', CMD],
    ['chosen and not there', [POWERSHELL], 'gitBash', 'Windows PowerShell 5', POWERSHELL],
    ['a terminal chosen, which Windows has none of here', [GIT_BASH, PWSH], 'terminal', 'Git Bash', GIT_BASH],
    ['Linux beside Windows is not Git Bash', ['C:\\Windows\\System32\\bash.exe'], 'gitBash', 'cmd', CMD],
  ])('of Windows: %s', (_, files, wanted, name, file) => {
    expect(findShell(windows(files), wanted)).toMatchObject({ name, file });
  });

  test.each([
    ['D:\\Tools\\Git\\cmd', 'D:\\Tools\\Git\\bin\\bash.exe'],
    ['D:\\Tools\\Git\\mingw64\\bin', 'D:\\Tools\\Git\\bin\\bash.exe'],
  ])('Git is found by the PATH: %s', (folder, bash) => {
    const system = windows([`${folder}\\git.exe`, bash], { Path: `C:\\Windows\\System32;"${folder}"` });
    expect(findShell(system, '')).toEqual({ kind: 'gitBash', name: 'Git Bash', file: bash });
  });

  test('of other systems is bash, else sh, whatever was chosen for Windows', () => {
    expect(findShell(linux('/bin/bash', '/bin/sh'), 'pwsh').file).toBe('/bin/bash');
    expect(findShell(linux('/bin/sh'), '')).toEqual({ kind: 'posix', name: 'sh', file: '/bin/sh' });
  });

  test('of hooks leaves their input alone', () => {
    expect(findHookShell(windows([GIT_BASH, PWSH]), 'pwsh').name).toBe('Git Bash');
    expect(findHookShell(windows([PWSH, POWERSHELL]), '').name).toBe('cmd');
  });

  test.each<readonly [string, NodeJS.Platform, string]>([
    ['process', 'linux', 'Commands run in bash on Linux.'],
    ['process', 'darwin', 'Commands run in bash on macOS.'],
    ['process', 'win32', 'Commands run in Git Bash on Windows: write bash, and paths with forward slashes.'],
    ['pwsh', 'win32', 'Commands run in PowerShell 7 on Windows.'],
    ['powershell', 'win32', 'Commands run in Windows PowerShell 5 on Windows, which has no && and no ||.'],
    ['cmd', 'win32', 'Commands run in cmd on Windows, each a single line.'],
  ])('is told to the model: %s on %s', (wanted, platform, line) => {
    const system = platform === 'win32' ? windows([GIT_BASH, PWSH, POWERSHELL]) : linux('/bin/bash');
    expect(describeShell(findShell(system, wanted), platform)).toBe(line);
  });
});

const SHELLS: readonly CommandShell[] = [
  { kind: 'posix', name: 'bash', file: '/bin/bash' },
  { kind: 'gitBash', name: 'Git Bash', file: GIT_BASH },
  { kind: 'powershell', name: 'PowerShell 7', file: PWSH },
  { kind: 'cmd', name: 'cmd', file: CMD },
];
const [, gitBash, , cmd] = SHELLS as readonly [CommandShell, CommandShell, CommandShell, CommandShell];

describe('a command', () => {
  test('runs whole or is refused, whatever it is', () => {
    const pieces = ['echo a', '\n', '"', "'", '%PATH%', '$x', '漢', '&&', '|', '^', '\\', '*.ts', ' ', '\t', '--x'];
    const command = fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 8 }).map((all) => all.join(''));
    fc.assert(
      fc.property(fc.constantFrom(...SHELLS), command, (shell, line) => {
        if (refuseCommand(shell, line, 'C:\\work') !== null) return;
        const { args, environment } = startShell(shell, line);
        const handed = [...args, ...Object.values(environment)].filter((each) => each.includes(line.trimEnd()));
        expect(handed).not.toEqual([]);
        if (shell.kind === 'cmd') expect(handed.join('')).not.toContain('\n');
      }),
    );
  });

  test('of several lines, a long one, and one in a folder of the network are refused where cmd would run another', () => {
    expect(refuseCommand(cmd, 'npm test\nnpm run build', 'C:\\work')).toMatch(/only the first line.*Git Bash/s);
    expect(refuseCommand(cmd, 'npm test\n', 'C:\\work')).toBeNull();
    expect(refuseCommand(cmd, 'x'.repeat(9_000), 'C:\\work')).toContain('at most 8000 characters');
    for (const folder of ['\\\\server\\share', '//server/share', '\\\\?\\UNC\\server\\share'])
      expect(refuseCommand(cmd, 'npm test', folder)).toContain('cannot work in a folder of the network');
    expect(refuseCommand(gitBash, 'npm test\nnpm run build', '\\\\server\\share')).toBeNull();
  });

  test('that is longer than its system takes is refused with what can be done', () => {
    const [posix, , powershell] = SHELLS as readonly [CommandShell, CommandShell, CommandShell, CommandShell];
    const advice = 'Write the command into a file and run that.';
    const longest = (shell: CommandShell, text: string) => {
      let [fits, over] = [0, 400_000];
      while (over - fits > 1) {
        const middle = (fits + over) >> 1;
        if (refuseCommand(shell, text.repeat(middle), 'C:\\work') === null) fits = middle;
        else over = middle;
      }
      expect(refuseCommand(shell, text.repeat(over), 'C:\\work')).toContain(advice);
      return fits;
    };
    expect(longest(posix, 'x')).toBe(131_071);
    expect(longest(posix, '漢')).toBe(43_690);
    expect(longest(gitBash, 'x')).toBe(32_766 - 'PALIMPSEST_COMMAND='.length);
    expect(longest(cmd, 'x')).toBe(8_000);
    const plain = longest(powershell, 'x');
    expect(longest(powershell, '"')).toBe(Math.floor(plain / 2));
    expect(longest(powershell, '\\')).toBe(plain);
    expect(longest(powershell, '\\"')).toBe(Math.floor(plain / 4));
    expect(refuseCommand(powershell, 'x'.repeat(40_000), 'C:\\work')).toMatch(
      /^Commands run in PowerShell 7 here, which takes at most 32766 characters.*this one has 40\d{3}\./,
    );
  });

  test('that is refused is not asked about', async () => {
    const shell = createChildShell({ folder: '/', environment: process.env, shell: () => cmd });
    const ports = { ...createWorkbench(), shell };
    await expect(prepareOnly(ports, 'run_command', { command: 'a\nb' })).rejects.toThrow('only the first line');
    expect(await useTool(ports, 'run_command', { command: 'a\nb', background: true })).toMatchObject({ isError: true });
  });

  test('of cmd and of PowerShell', () => {
    expect(startShell(cmd, 'dir "a b"\n')).toEqual({
      file: CMD,
      environment: {},
      verbatim: true,
      args: ['/d', '/s', '/c', '"chcp 65001 >nul 2>nul & ver >nul & dir "a b""'],
    });
    const { args, verbatim } = startShell({ kind: 'powershell', name: '', file: PWSH }, "echo @'\na\n'@");
    expect([args.slice(0, -1), verbatim]).toEqual([
      ['-NoLogo', '-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'RemoteSigned', '-Command'],
      false,
    ]);
    expect(args.at(-1)).toMatch(/^\$Prog.*UTF8Encoding.*;echo @'\na\n'@\nif\(\$\?\)\{exit 0\}/s);
  });

  test.runIf(process.platform !== 'win32').each([
    ['several lines', 'echo one\necho two', 'one\ntwo\n', 0],
    ['a pattern that fits', 'echo *', 'a.txt\n', 0],
    ['quotes', `printf '%s|' "a \\"b\\"" 'c'"'"'d'`, `a "b"|c'd|`, 0],
    ['a document', 'cat <<X\n$((1+1))\nX', '2\n', 0],
    ['its exit code', 'exit 7', '', 7],
    ['no trace of how it came', 'env | grep -c -e PALIMPSEST_COMMAND -e _pal; set | grep -c ^_pal=', '0\n0\n', 1],
  ])('of Git Bash, run by a bash: %s', (_, command, stdout, status) => {
    const folder = mkdtempSync(join(tmpdir(), 'palimpsest-bash-'));
    const { args, environment } = startShell(gitBash, command);
    spawnSync('touch', ['a.txt'], { cwd: folder });
    const ended = spawnSync('/bin/bash', args, {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ...environment },
    });
    expect({ stdout: ended.stdout, status: ended.status }).toEqual({ stdout, status });
  });
});

describe('a program', () => {
  const system = windows(['C:\\npm\\npx.cmd', 'C:\\npm\\npx', 'C:\\work\\npx.cmd', 'C:\\work\\bin\\guard.exe'], {
    Path: '.;;C:\\npm;work',
  });

  test('is never one that lies in the current folder, and has an ending that runs', () => {
    expect(findProgram('npx', 'C:\\work', system)).toBe('C:\\npm\\npx.cmd');
    expect(findProgram('bin\\guard', 'C:\\work', system)).toBe('C:\\work\\bin\\guard.exe');
    expect(findProgram('guard', 'C:\\work', system)).toBeNull();
    expect(findProgram('ls', '/', { ...linux('/usr/bin/ls', './ls') })).toBe('/usr/bin/ls');
  });

  test.each<readonly [CommandShell, string, number, boolean]>([
    [gitBash, 'guard', 127, true],
    [gitBash, 'guard', 1, false],
    [cmd, 'guard --strict', 1, true],
    [cmd, '"C:\\Tools\\my guard.exe" a', 1, true],
    [cmd, 'guard', 9009, true],
    [cmd, 'npx guard', 1, false],
    [cmd, 'bin\\guard && exit 1', 1, false],
    [cmd, 'exit 1', 1, false],
    [cmd, 'cd.. && x', 1, false],
    [cmd, '(guard)', 1, false],
    [cmd, 'guard', 0, false],
  ])('that is not there is told from one that failed: %o %s', (shell, command, exitCode, lacks) => {
    expect(lacksProgram(shell, { command, exitCode, folder: 'C:\\work' }, system)).toBe(lacks);
  });
});
