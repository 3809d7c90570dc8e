/**
 * Which commands a person has allowed for good. A rule is one vector of a program and its arguments in one folder, and
 * covers nothing else.
 */

import { isGuarded } from './guardedNames.ts';

export interface CommandRule {
  /** The program and its arguments, as `readPlainCommand` makes them. */
  readonly argv: readonly string[];
  /** The absolute folder that it runs in. */
  readonly folder: string;
  /** It runs on after the call: allowed for that alone. */
  readonly background?: true;
}

/** Kept where neither a workspace nor the agent can write. */
export interface CommandRules {
  allows(rule: CommandRule): boolean;
  allow(rule: CommandRule): Promise<void>;
}

/** The same for the same rule, and different for any other. */
export function keyOfRule({ argv, folder, background }: CommandRule): string {
  return JSON.stringify([background === true, folder, ...argv]);
}

/**
 * Reads a command line that is nothing but a program and its arguments, so that a person may allow exactly that vector for
 * longer than once. Every word is made only of characters that no shell gives a meaning to; a line with anything else, a
 * program that runs other commands, or a guarded name has no vector and is asked about each time.
 */
const LONGEST_LINE = 300;
const MOST_WORDS = 30;

/** It can be neither an option, nor an assignment, nor a name that zsh or cmd.exe would expand. */
const PROGRAM = /^[A-Za-z0-9_./][A-Za-z0-9_./+-]*$/;

/** Without `=` in front, which zsh expands. */
const ARGUMENT = /^[A-Za-z0-9_./:@+,-][A-Za-z0-9_./:@+,=-]*$/;

/** Words of shells, and programs that run what their arguments or their input name. */
const WRAPPERS = new Set(
  [
    '. .. ! if then elif else fi for foreach while until repeat do done end case esac select function in time coproc',
    'nocorrect noglob command builtin exec eval source env export declare typeset local readonly set unset shopt setopt',
    'alias unalias trap hash enable cd pushd popd autoload bindkey emulate zmodload zsh-defer',
    'sudo doas su runuser run0 pkexec gosu nohup nice ionice chrt taskset timeout gtimeout time stdbuf setsid setpriv',
    'xargs gxargs parallel watch watchexec entr script expect unbuffer strace ltrace perf valgrind gdb lldb',
    'chroot unshare nsenter firejail bwrap proot fakeroot flatpak-spawn ssh mosh rsh at batch crontab systemd-run',
    'sh bash rbash dash ash ksh mksh zsh fish csh tcsh elvish nu xonsh busybox toybox pwsh powershell cmd command.com',
    'start call runas wsl wscript cscript mshta rundll32 forfiles conhost direnv dotenv',
  ].flatMap((line) => line.split(' ')),
);

/** The program and its arguments; null where there is any doubt about what a shell would make of the line. */
export function readPlainCommand(line: string): readonly string[] | null {
  if (line.length > LONGEST_LINE) return null;
  const words = line.split(' ').filter((word) => word !== '');
  const [program, ...rest] = words;
  if (program === undefined || words.length > MOST_WORDS) return null;
  if (!PROGRAM.test(program) || !rest.every((word) => ARGUMENT.test(word))) return null;
  if (isWrapper(program) || words.some(namesGuarded)) return null;
  return words;
}

function isWrapper(program: string): boolean {
  const name = program.slice(program.lastIndexOf('/') + 1).toLowerCase();
  return name === '' || WRAPPERS.has(name) || WRAPPERS.has(name.replace(/\.(?:exe|com|cmd|bat)$/, ''));
}

/** Also after an option's letter or name: `-f.git/config`, `--file=.vscode/settings.json`. */
function namesGuarded(word: string): boolean {
  const parts = [word, ...word.split(/[=:,@+]/), word.replace(/^-+[A-Za-z]/, ''), word.replace(/^-+/, '')];
  return parts.some((part) => part !== '' && isGuarded(part));
}
