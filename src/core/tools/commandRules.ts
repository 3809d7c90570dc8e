/**
 * The commands that a person has allowed for longer than once. A rule is one vector of a program and its arguments in
 * one folder, and covers nothing else.
 */

import { ANY, openWords } from './commands/openWords.ts';
import { namesGuarded } from './guardedNames.ts';

export interface CommandRule {
  /** The program and its arguments; `ANY` where the text is left open. */
  readonly argv: readonly string[];
  /** The absolute working folder. */
  readonly folder: string;
  /** It continues after the call; the rule covers only such calls. */
  readonly background?: true;
}

/** Stored where neither a workspace nor the agent can write. */
export interface CommandRules {
  allows(rule: CommandRule): boolean;
  allow(rule: CommandRule): Promise<void>;
  /** The commands on the list of those that only read run without a question. */
  readonly allowsReading: boolean;
  allowReading(): Promise<void>;
}

/** The same for equal rules, and different for all others. */
export function keyOfRule({ argv, folder, background }: CommandRule): string {
  return JSON.stringify([background === true, folder, ...argv]);
}

/** For a person: words that a shell would read differently are in quotes, and `…` stands for any text. */
export function writeWords(argv: readonly string[]): string {
  return argv.map(writeWord).join(' ');
}

function writeWord(word: string): string {
  if (word.endsWith(ANY)) return `${word.slice(0, -ANY.length)}…`;
  return ARGUMENT.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

const LONGEST_LINE = 300;
const MOST_WORDS = 30;

/** Cannot be an option, an assignment, or a name that zsh or cmd.exe would expand. */
const PROGRAM = /^[A-Za-z0-9_./][A-Za-z0-9_./+-]*$/;

/** Without `=` in front, which zsh expands. */
const ARGUMENT = /^[A-Za-z0-9_./:@+,-][A-Za-z0-9_./:@+,=-]*$/;

/** Shell keywords, and programs that run what their arguments or their input name. */
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

/**
 * Parses a command line that is only a program and its arguments, so that a person may permanently allow exactly that
 * vector. Every word consists of characters without meaning to any shell; a line with anything else, a program that
 * runs other commands, or a guarded name has no vector (null) and needs approval each time.
 */
export function readPlainCommand(line: string): readonly string[] | null {
  if (line.length > LONGEST_LINE) return null;
  const words = line.split(' ').filter((word) => word !== '');
  const [program, ...rest] = words;
  if (program === undefined || words.length > MOST_WORDS) return null;
  if (!PROGRAM.test(program) || !rest.every((word) => ARGUMENT.test(word))) return null;
  if (isWrapper(program) || words.some(namesGuarded)) return null;
  return words;
}

/**
 * Whether these words may be allowed for longer than once: the program is plain and runs no other command, and
 * no word names a guarded file. Other words may hold anything that can be seen, because they were read by the grammar
 * of the shell; only words that `openWords` leaves open may stand for any text.
 */
export function isRule({ argv: [program, ...rest], folder }: CommandRule): boolean {
  if (program === undefined || folder === '' || !PROGRAM.test(program) || isWrapper(program)) return false;
  if (rest.length >= MOST_WORDS || [program, ...rest].join(' ').length > LONGEST_LINE) return false;
  const opened = openWords([program, ...rest].map((word) => word.replace(ANY, 'x')));
  const written = rest.filter((word, at) => !(word.endsWith(ANY) && opened[at + 1] === word));
  return ![program, ...written].some(namesGuarded) && !written.some((word) => HIDDEN.test(word));
}

const HIDDEN = /^$|[[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]--[ ]]/v;

function isWrapper(program: string): boolean {
  const name = program.slice(program.lastIndexOf('/') + 1).toLowerCase();
  return name === '' || WRAPPERS.has(name) || WRAPPERS.has(name.replace(/\.(?:exe|com|cmd|bat)$/, ''));
}
