/**
 * The commands that a person has allowed for longer than once. A rule is one vector of a program and its arguments in
 * one folder, and covers nothing else.
 */

import { isSecretPath } from '../secrets/secretPaths.ts';
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

/** In a rule: any text. No word of a command is equal to it, since none holds a control character. */
export const ANY = '\u0000';

interface Opening {
  /** Options whose value is only text. */
  readonly texts: string;
  /** Options without a value, behind which a path may stand. Undefined: paths are not left open. */
  readonly flags?: string;
}

const VITEST: Opening = { texts: '-t --testNamePattern', flags: 'run --run' };
const PYTEST: Opening = { texts: '-k', flags: '-v -vv -q -x -s' };

/** By the words that begin the command. */
const OPENINGS: Readonly<Record<string, Opening>> = {
  'git add': { texts: '', flags: '--' },
  'git commit': { texts: '-m -am --message' },
  'go test': { texts: '-run -skip', flags: '-v -race -short' },
  'go vet': { texts: '', flags: '' },
  pytest: PYTEST,
  'python -m pytest': PYTEST,
  'python3 -m pytest': PYTEST,
  vitest: VITEST,
  'npx vitest': VITEST,
  jest: VITEST,
  'npx jest': VITEST,
  'bun test': { texts: '-t --test-name-pattern', flags: '' },
  'npx playwright test': { texts: '-g --grep', flags: '' },
};

/**
 * The words with `ANY` in place of those that a lasting permission leaves open, because nothing but text or a name inside
 * the folder changes from call to call: a commit's message, the name of a test, the files to test or to stage. The same
 * words if there are none.
 */
export function openWords(argv: readonly string[]): readonly string[] {
  const [begin, { texts, flags }] = findOpening(argv) ?? ['', { texts: '' }];
  if (begin === '') return argv;
  const options = texts.split(' ');
  const from = begin.split(' ').length;
  const open = argv.slice(0, from);
  let mayOpen = flags !== undefined;
  for (let at = from; at < argv.length; at++) {
    const word = argv[at] ?? '';
    const equals = word.indexOf('=');
    if (mayOpen && isPath(word)) {
      if (open.at(-1) !== ANY) open.push(ANY);
      continue;
    }
    mayOpen = flags?.split(' ').includes(word) === true;
    if (equals > 0 && options.includes(word.slice(0, equals))) open.push(word.slice(0, equals + 1) + ANY);
    else open.push(word);
    const value = argv[at + 1];
    if (word === '' || !options.includes(word) || value === undefined) continue;
    open.push(value.startsWith('-') ? value : ANY);
    mayOpen = flags !== undefined;
    at++;
  }
  return open;
}

const findOpening = (argv: readonly string[]) =>
  Object.entries(OPENINGS).find(([begin]) => begin.split(' ').every((word, at) => argv[at] === word));

/** Below the folder and not all of it, without a pattern, and neither guarded nor likely to hold secrets. */
const isPath = (word: string) =>
  word === ANY ||
  (PATH.test(word) && !/^\.\/?$|(?:^|\/)\.\.(?:\/|$)/u.test(word) && !namesGuarded(word) && !isSecretPath(word));

const PATH = /^(?:\.\/)?[A-Za-z0-9_.][A-Za-z0-9_./@+, -]*(?:::[\w:]+)?$/u;
