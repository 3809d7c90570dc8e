/**
 * The short list of commands that only read. An option is either listed here or the command is not on the list, so
 * abbreviated, unknown and later options are all questions. Options that write, start programs, follow links, read a
 * list of files or send anything are not listed.
 */

import { type Words, words } from '../../words.ts';

/** The files and folders that a command on the list would touch. Paths are as written, relative to the folder in which it runs. */
export interface Reading {
  /** Files and folders whose text or names it shows. */
  readonly paths: readonly string[];
  /** It would read what is in a folder among them, and follow the links there. */
  readonly onlyFiles: boolean;
  /** Folders of which it reads every file. */
  readonly trees: readonly { readonly path: string; readonly hidden: HiddenNames }[];
  /**
   * The folder in which git looks for its repository, whether it shows the text of tracked files, and the paths that it
   * takes to be in the repository: of two that are not, it would compare the files.
   */
  readonly repository: { readonly folder: string; readonly shows: boolean; readonly paths: readonly string[] } | null;
  /** A program of the disk and none of the shell. */
  readonly program: string | null;
}

/**
 * Which of the names that begin with a dot are searched: all, or those that one of the patterns means and what the
 * folder's own lists of ignored names take out again.
 */
export type HiddenNames = 'all' | readonly string[];

type ReadingVerdict =
  | { readonly kind: 'reads'; readonly reading: Reading }
  /** `why` is a sentence about a command of the list; null for any other command. */
  | { readonly kind: 'other'; readonly why: Words | null };

interface Spec {
  /** Without a value. Letters can be combined. */
  readonly flags?: string;
  /** With a value that is text or a number. */
  readonly values?: string;
  /** Long options that may have a value after `=`. */
  readonly maybe?: string;
  /** `-20` is a number of lines. */
  readonly number?: true;
  readonly operands: Operands;
  /** Further conditions. */
  readonly check?: (given: Given) => boolean;
}

type Operands =
  /** Paths; `search`: after a pattern, unless an option gave it. */
  | 'paths'
  | 'search'
  | 'text'
  | 'none'
  /** Revisions and paths of git. */
  | 'git';

interface Given {
  /** As written, each with its value; combined letters are separate. */
  readonly options: readonly { readonly name: string; readonly value: string | null }[];
  readonly operands: readonly string[];
  /** The first word after the program or the command of git. */
  readonly first: string | undefined;
  readonly piped: boolean;
}

const has = ({ options }: Given, names: string) => options.some(({ name }) => names.split(' ').includes(name));

const LINES = { values: '-n -c --lines --bytes', flags: '-q -v -z --quiet --silent --verbose', number: true } as const;
const CONTEXT = '-A -B -C -m --after-context --before-context --context --max-count';

const SPECS: Readonly<Record<string, Spec>> = {
  cat: { flags: '-A -b -e -E -n -s -t -T -u -v --number --show-all', operands: 'paths' },
  nl: { values: '-b -d -f -h -i -l -n -s -v -w', flags: '-p', operands: 'paths' },
  head: { ...LINES, operands: 'paths' },
  tail: { ...LINES, operands: 'paths' },
  wc: { flags: '-c -l -L -m -w --bytes --chars --lines --words', operands: 'paths' },
  tac: { operands: 'paths' },
  rev: { operands: 'paths' },
  cut: {
    flags: '-n -s -z --complement --only-delimited',
    values: '-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter',
    operands: 'paths',
  },
  tr: { flags: '-c -C -d -s -t --complement --delete --squeeze-repeats', operands: 'text' },
  uniq: {
    flags: '-c -d -i -u --count --repeated --unique --ignore-case',
    values: '-f -s -w',
    operands: 'paths',
    check: ({ operands }) => operands.length <= 1,
  },
  sort: {
    flags:
      '-b -c -d -f -g -h -i -M -n -r -R -s -u -V -z --unique --reverse --numeric-sort --human-numeric-sort --version-sort',
    values: '-k -t --key --field-separator',
    operands: 'paths',
  },
  paste: { flags: '-s -z', values: '-d', operands: 'paths' },
  comm: { flags: '-1 -2 -3', operands: 'paths' },
  cmp: { flags: '-b -l -s', values: '-n', operands: 'paths' },
  diff: {
    flags: '-a -b -B -c -E -i -q -s -t -u -w -y --brief --unified --side-by-side --ignore-all-space',
    values: '-U -C -W',
    operands: 'paths',
  },
  column: { flags: '-t', values: '-s -o', operands: 'paths' },
  sed: {
    flags: '-n --quiet --silent',
    operands: 'search',
    check: (given) =>
      has(given, '-n --quiet --silent') && /^(?:(?:\d+|\$)(?:,(?:\d+|\$))?p(?:; *|$))+$/u.test(given.operands[0] ?? ''),
  },
  awk: { values: '-F', operands: 'search', check: ({ operands }) => AWK.test(operands[0] ?? '') },
  grep: {
    flags:
      '-a -b -c -E -F -G -h -H -i -I -l -L -n -o -P -q -r -s -v -w -x -y -z --count --extended-regexp --fixed-strings --basic-regexp --perl-regexp --no-filename --with-filename --ignore-case --files-with-matches --files-without-match --line-number --only-matching --quiet --silent --recursive --no-messages --invert-match --word-regexp --line-regexp --text',
    values: `${CONTEXT} -e --regexp --include --exclude --exclude-dir --binary-files`,
    maybe: '--color --colour',
    number: true,
    operands: 'search',
  },
  rg: {
    flags:
      '-c -F -H -h -i -I -l -n -N -o -P -p -q -s -S -U -v -w -x --case-sensitive --column --count --count-matches --files --files-with-matches --files-without-match --fixed-strings --heading --hidden --ignore-case --invert-match --json --line-number --line-regexp --multiline --multiline-dotall --no-column --no-filename --no-heading --no-line-number --no-messages --only-matching --pcre2 --pretty --quiet --smart-case --stats --text --trim --type-list --vimgrep --with-filename --word-regexp --crlf --null --max-columns-preview --no-config',
    values: `${CONTEXT} -e -g -M -t -T -d -r --regexp --glob --iglob --max-columns --type --type-not --max-depth --maxdepth --max-filesize --color --colors --sort --sortr --replace --engine --context-separator --threads -j`,
    operands: 'search',
  },
  ls: {
    flags:
      '-1 -a -A -B -c -C -d -f -F -g -G -h -i -k -l -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v -w -x -X --all --almost-all --classify --directory --full-time --group-directories-first --human-readable --recursive --reverse --size',
    maybe: '--color --sort --time --time-style --format --indicator-style',
    operands: 'paths',
  },
  tree: {
    flags: '-a -d -f -h -i -p -s -D -F -r -t -U --dirsfirst --noreport --prune --gitignore',
    values: '-L -I -P',
    operands: 'paths',
  },
  du: {
    flags: '-a -b -c -h -k -m -s -x --all --bytes --human-readable --summarize --total --apparent-size',
    values: '-d --max-depth',
    operands: 'paths',
  },
  stat: { flags: '-t -x', values: '-c --format --printf', operands: 'paths' },
  file: { flags: '-b -i -I --brief --mime --mime-type --mime-encoding', operands: 'paths' },
  realpath: { flags: '-e -m -q -s', operands: 'paths' },
  find: { operands: 'paths' },
  jq: {
    flags:
      '-c -e -j -M -n -r -s -S --compact-output --exit-status --join-output --monochrome-output --raw-output --slurp --sort-keys --null-input',
    operands: 'search',
    check: ({ operands }) =>
      !/\b(?:import|include|env|input_filename|modulemeta|get_search_list)\b|\$(?:ENV|__prog)/u.test(operands[0] ?? ''),
  },
  basename: { flags: '-a', values: '-s', operands: 'text' },
  dirname: { operands: 'text' },
  pwd: { flags: '-L -P', operands: 'none' },
  which: { flags: '-a', operands: 'text' },
  echo: { operands: 'text' },
  printf: {
    operands: 'text',
    check: ({ operands }) => /^(?!-)(?:[^%]|%[-0-9.]*[sdixcbq%])*$/u.test(operands[0] ?? ''),
  },
  true: { operands: 'none' },
  false: { operands: 'none' },
  uname: { flags: '-a -m -n -o -p -r -s -v', operands: 'none' },
  whoami: { operands: 'none' },
  nproc: { operands: 'none' },
  date: {
    flags: '-u --utc',
    operands: 'text',
    check: ({ operands }) => operands.every((each) => each.startsWith('+')),
  },
};

/** Only prints fields of the lines that it is given. */
const AWK =
  /^(?:(?:NR *[<>=]=? *\d+|!?\/[^/\n]*\/|\$\d+ *[=!]~ *\/[^/\n]*\/) *(?:&& *)?)*(?:\{ *print(?:(?: *,? *)(?:\$(?:\d+|NF)|"[^"\\]*"))*;? *\})?$/u;

/** Understood by the shell itself. */
const BUILT_IN = new Set(['echo', 'printf', 'pwd', 'true', 'false']);

const DIFF =
  '-a -b -p -u -w -z -R --cached --check --cc --exit-code --full-index --histogram --ignore-all-space --ignore-blank-lines --ignore-space-change --ignore-space-at-eol --merge-base --minimal --name-only --name-status --no-color --no-ext-diff --no-patch --no-prefix --no-renames --no-textconv --numstat --patch --patch-with-stat --patience --pickaxe-regex --quiet --raw --relative --shortstat --staged --summary --text --compact-summary --dirstat';
const DIFF_MAYBE = '--color --stat --word-diff --find-renames --find-copies --abbrev -M -C';
const LOG =
  '-i -s --abbrev-commit --all --all-match --author-date-order --branches --cherry-mark --cherry-pick --date-order --decorate --first-parent --follow --full-history --graph --left-right --merges --no-abbrev-commit --no-decorate --no-merges --no-notes --oneline --parents --remotes --reverse --root --simplify-by-decoration --source --tags --topo-order --walk-reflogs -g';
const LOG_VALUES = '-n --max-count --skip --author --committer --grep --since --until --after --before --date';
const LOG_MAYBE = `${DIFF_MAYBE} --decorate --format --pretty`;
const ONE_LETTER = '-U -S -G --diff-filter';

const REVISIONS = { operands: 'git' } as const;

/** Commands of git. Its options that stand in front of the command are read by `readGit`. */
const GIT: Readonly<Record<string, Spec>> = {
  status: {
    ...REVISIONS,
    flags: '-b -s -z --ahead-behind --branch --long --no-ahead-behind --no-renames --short --show-stash',
    maybe: '-u --porcelain --untracked-files --ignored',
  },
  diff: { ...REVISIONS, flags: DIFF, maybe: DIFF_MAYBE, values: `${ONE_LETTER} --unified` },
  log: {
    ...REVISIONS,
    flags: `${DIFF} ${LOG}`,
    maybe: LOG_MAYBE,
    values: `${ONE_LETTER} ${LOG_VALUES} --unified`,
    number: true,
  },
  show: { ...REVISIONS, flags: `${DIFF} ${LOG}`, maybe: LOG_MAYBE, values: `${ONE_LETTER} --date --unified` },
  blame: {
    ...REVISIONS,
    flags: '-b -c -e -f -l -n -s -t -w --line-porcelain --porcelain --show-email --show-name --show-number',
    values: '-L',
    maybe: '--abbrev --date',
  },
  'rev-parse': {
    ...REVISIONS,
    flags:
      '--abbrev-ref --absolute-git-dir --git-common-dir --git-dir --is-bare-repository --is-inside-work-tree --quiet -q --show-prefix --show-toplevel --symbolic-full-name --verify',
    maybe: '--short --abbrev-ref',
  },
  'rev-list': {
    ...REVISIONS,
    flags: '--all --count --first-parent --left-right --merges --no-merges --oneline --reverse',
    values: '-n --max-count --since --until --author --grep',
    number: true,
  },
  'ls-files': {
    ...REVISIONS,
    flags:
      '-c -d -m -o -s -t -u -z --cached --deleted --error-unmatch --exclude-standard --full-name --modified --others --stage --unmerged',
  },
  'ls-tree': { ...REVISIONS, flags: '-d -l -r -t -z --full-name --full-tree --long --name-only --name-status' },
  'cat-file': { ...REVISIONS, flags: '-e -p -s -t' },
  'merge-base': { ...REVISIONS, flags: '-a --all --is-ancestor --fork-point' },
  'name-rev': { ...REVISIONS, flags: '--name-only --tags' },
  describe: { ...REVISIONS, flags: '--all --always --dirty --long --tags --exact-match', maybe: '--abbrev --match' },
  shortlog: { ...REVISIONS, flags: '-e -n -s', check: ({ operands }) => operands.length > 0 },
  'show-ref': { ...REVISIONS, flags: '--head --heads --tags --verify -q' },
  cherry: { ...REVISIONS, flags: '-v' },
  'count-objects': { operands: 'none', flags: '-H -v' },
  'check-ignore': { ...REVISIONS, flags: '-n -q -v' },
  grep: {
    ...REVISIONS,
    flags:
      '-c -E -F -G -h -H -i -I -l -L -n -o -P -q -v -w --cached --count --extended-regexp --files-with-matches --fixed-strings --heading --ignore-case --line-number --name-only --only-matching --perl-regexp --word-regexp',
    values: `-e ${CONTEXT}`,
  },
  branch: {
    flags: '-a -r -v -vv --all --list --remotes --show-current --verbose --no-color --ignore-case',
    values: '--contains --merged --no-merged --points-at --sort --format',
    operands: 'text',
    check: (given) => given.operands.length === 0 || has(given, '--list'),
  },
  tag: {
    flags: '-l --list',
    values: '--contains --merged --points-at --sort --format',
    operands: 'text',
    check: (given) => given.operands.length === 0 || has(given, '--list -l'),
  },
  remote: { flags: '-v --verbose', operands: 'none' },
  stash: {
    flags: `${DIFF} --oneline`,
    maybe: DIFF_MAYBE,
    operands: 'text',
    // `-u` would be all files that git does not know.
    check: (given) => {
      const [verb, ...rest] = given.operands;
      const lists = verb === 'list' && rest.length === 0;
      return given.first === verb && !has(given, '-u') && (lists || (verb === 'show' && rest.length <= 1));
    },
  },
  worktree: {
    flags: '--porcelain -v',
    operands: 'text',
    check: ({ first, operands }) => first === 'list' && operands.length === 1,
  },
  reflog: {
    flags: '--all --oneline --no-abbrev',
    values: '-n --date --format',
    number: true,
    operands: 'text',
    check: ({ first, operands: [verb, ...rest] }) => verb === undefined || (first === 'show' && rest.length <= 1),
  },
  'for-each-ref': { values: '--sort --format --count --contains --merged --points-at', operands: 'text' },
  version: { operands: 'none' },
};

/** `find`: what only names files. Everything else, such as `-exec` and `-delete`, is not on the list. */
const FIND_TESTS = new Set(
  '-empty -print -print0 -prune -not -o -a -or -and ! -depth -mount -xdev -true -false -ls -daystart -noleaf -readable -writable -executable'.split(
    ' ',
  ),
);
const FIND_VALUES = new Set(
  '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -maxdepth -mindepth -size -mtime -mmin -atime -amin -ctime -cmin -perm -user -group -links -printf'.split(
    ' ',
  ),
);

/** Programs that only shorten, sort or count what another command writes. */
const FILTERS = new Set('head tail grep wc sort uniq cut tr cat nl rev tac column'.split(' '));

const NOTHING: Reading = { paths: [], onlyFiles: false, trees: [], repository: null, program: null };
const OTHER: ReadingVerdict = { kind: 'other', why: null };

/** `piped`: it reads what another command writes. */
export function judgeReading(argv: readonly string[], piped: boolean): ReadingVerdict {
  const [program = '', ...rest] = argv;
  if (program === 'git') return readGit(rest, piped);
  if (program === 'find') return readFind(rest);
  if (program === 'test') return readTest(rest);
  const spec = Object.hasOwn(SPECS, program) ? SPECS[program] : undefined;
  if (!spec) return OTHER;
  const given = program === 'echo' || program === 'printf' ? asText(rest) : readOptions(rest, spec, piped);
  if (typeof given === 'string') return notListed(program, given);
  if (!fits(spec, given)) return OTHER;
  const found = pathsOf(program, spec, given);
  return reads({ ...found, program: BUILT_IN.has(program) ? null : program });
}

/**
 * Whether patterns for file names at these places of `argv` can only become paths that it reads, however many names match
 * and in whatever order. Words that begin with a dash stay as they are.
 */
export function takesPatterns(argv: readonly string[], patterns: readonly number[]): boolean {
  const spec = Object.hasOwn(SPECS, argv[0] ?? '') ? SPECS[argv[0] ?? ''] : undefined;
  if (spec?.operands !== 'paths' && spec?.operands !== 'search') return false;
  const isPattern = (at: number) => patterns.includes(at) && !argv[at]?.startsWith('-');
  const given = readOptions(argv.map((word, at) => (isPattern(at) ? PATTERN : word)).slice(1), spec, false);
  if (typeof given === 'string' || given.options.some(({ value }) => value === PATTERN)) return false;
  return spec.operands === 'paths' || given.operands[0] !== PATTERN;
}

/** Equal to no word. */
const PATTERN = '\u0000';

/** It reads only what another command writes, so it needs no permission. */
export function isFilter(argv: readonly string[]): boolean {
  if (!FILTERS.has(argv[0] ?? '')) return false;
  const verdict = judgeReading(argv, true);
  return verdict.kind === 'reads' && verdict.reading.paths.length === 0 && verdict.reading.trees.length === 0;
}

function fits(spec: Spec, given: Given): boolean {
  if (spec.operands === 'none' && given.operands.length > 0) return false;
  return spec.check?.(given) ?? true;
}

function asText(operands: readonly string[]): Given {
  return { options: [], operands, first: operands[0], piped: false };
}

function notListed(program: string, option: string): ReadingVerdict {
  return {
    kind: 'other',
    why: words('{0} is on the list of commands that only read, but not with {1}.', program, option),
  };
}

function pathsOf(program: string, spec: Spec, given: Given): Partial<Reading> {
  const { operands, piped } = given;
  switch (spec.operands) {
    case 'none':
    case 'text':
    case 'git':
      return NOTHING;
    case 'paths':
      return { paths: operands.filter((each) => each !== '-'), onlyFiles: program === 'diff' };
    case 'search': {
      const patternless = has(given, '-e --regexp --files --type-list');
      const paths = (patternless ? operands : operands.slice(1)).filter((each) => each !== '-');
      const recursive = program === 'rg' || has(given, '-r --recursive');
      if (!recursive) return { paths };
      const hidden = program === 'rg' ? hiddenForRipgrep(given) : 'all';
      // Without a path rg reads the pipe, or else the folder.
      const roots = paths.length > 0 ? paths : piped && program === 'rg' ? [] : ['.'];
      const names = has(given, '--files --type-list');
      return { paths: roots, trees: names ? [] : roots.map((path) => ({ path, hidden })) };
    }
  }
}

/** Patterns of names and types of files search hidden files that they mean. */
function hiddenForRipgrep(given: Given): HiddenNames {
  if (has(given, '--hidden')) return 'all';
  return given.options.flatMap(({ name, value }) => {
    if (value === null) return [];
    if (name === '-t' || name === '--type') return TYPES[value]?.split(' ') ?? ['*'];
    return ['-g', '--glob', '--iglob'].includes(name) && !value.startsWith('!') ? [value] : [];
  });
}

/** Usual types of files with their names, as ripgrep has them. */
const TYPES: Readonly<Record<string, string | undefined>> = {
  c: '*.c *.h *.*.in *.cats',
  cpp: '*.?pp *.?xx *.c *.cc *.h *.hh *.*.in *.inl',
  cs: '*.cs',
  csharp: '*.cs',
  css: '*.css *.scss',
  go: '*.go',
  html: '*.ejs *.htm *.html',
  java: '*.java *.jsp *.jspx *.properties',
  js: '*.cjs *.js *.jsx *.mjs *.vue',
  json: '*.json *.sarif composer.lock',
  kotlin: '*.kt *.kts',
  markdown: '*.markdown *.md *.mdown *.mdwn *.mdx *.mkd *.mkdn',
  md: '*.markdown *.md *.mdown *.mdwn *.mdx *.mkd *.mkdn',
  php: '*.php *.php? *.pht *.phtml',
  py: '*.py *.pyi',
  python: '*.py *.pyi',
  ruby: '*.gemspec *.rake *.rb *.rbw .irbrc gemfile rakefile config.ru',
  rust: '*.rs',
  sql: '*.psql *.sql',
  svelte: '*.svelte *.svelte.ts',
  swift: '*.swift',
  toml: '*.toml cargo.lock',
  ts: '*.cts *.mts *.ts *.tsx',
  typescript: '*.cts *.mts *.ts *.tsx',
  txt: '*.txt',
  vue: '*.vue',
  xml: '*.dtd *.rng *.sch *.xhtml *.xjb *.xml *.xml.dist *.xsd *.xsl *.xslt',
  yaml: '*.yaml *.yml',
};

/** The given options and operands, or the option that is not listed. Options count up to `--`, wherever they stand. */
function readOptions(args: readonly string[], spec: Spec, piped: boolean): Given | string {
  const flags = new Set(spec.flags?.split(' '));
  const values = new Set(spec.values?.split(' '));
  const maybe = new Set(spec.maybe?.split(' '));
  const options: { name: string; value: string | null }[] = [];
  const operands: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '--') {
      operands.push(...args.slice(at + 1));
      break;
    }
    if (arg === '-' || !arg.startsWith('-')) {
      operands.push(arg);
      continue;
    }
    if (spec.number && /^-\d+$/u.test(arg)) {
      options.push({ name: '-n', value: arg.slice(1) });
      continue;
    }
    const equals = arg.startsWith('--') ? arg.indexOf('=') : -1;
    const name = equals < 0 ? arg : arg.slice(0, equals);
    if (equals >= 0) {
      if (!values.has(name) && !maybe.has(name)) return name;
      options.push({ name, value: arg.slice(equals + 1) });
    } else if (flags.has(arg) || maybe.has(arg)) options.push({ name: arg, value: null });
    else if (values.has(arg)) {
      const value = args[++at];
      if (value === undefined) return arg;
      options.push({ name: arg, value });
    } else if (arg.startsWith('--')) return arg;
    else {
      const read = readLetters(arg, flags, values, maybe);
      if (read === null) return arg;
      if (read.wants) {
        const value = args[++at];
        if (value === undefined) return arg;
        options.push(...read.options, { name: read.wants, value });
      } else options.push(...read.options);
    }
  }
  return { options, operands, first: args[0], piped };
}

/** `-rn`, `-A3`, `-rnA 3`; `wants` is the letter whose value is the next word. */
function readLetters(
  arg: string,
  flags: ReadonlySet<string>,
  values: ReadonlySet<string>,
  maybe: ReadonlySet<string>,
): { readonly options: readonly { name: string; value: string | null }[]; readonly wants?: string } | null {
  const options: { name: string; value: string | null }[] = [];
  for (let at = 1; at < arg.length; at++) {
    const name = `-${arg[at]}`;
    const rest = arg.slice(at + 1);
    if (flags.has(name)) options.push({ name, value: null });
    else if (values.has(name))
      return rest === '' ? { options, wants: name } : { options: [...options, { name, value: rest }] };
    else if (maybe.has(name)) return { options: [...options, { name, value: rest === '' ? null : rest }] };
    else return null;
  }
  return { options };
}

function readGit(args: readonly string[], piped: boolean): ReadingVerdict {
  let folder = '.';
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '--no-pager') continue;
    if (arg === '-C' && folder === '.' && args[at + 1] !== undefined) {
      folder = args[++at] ?? '.';
      continue;
    }
    break;
  }
  const [verb = '', ...rest] = args.slice(at);
  if (verb === '--version' && rest.length === 0) return reads({ program: 'git' });
  if (verb.startsWith('-')) return notListed('git', verb);
  const spec = Object.hasOwn(GIT, verb) ? GIT[verb] : undefined;
  if (!spec) return OTHER;
  const given = readOptions(rest, spec, piped);
  if (typeof given === 'string') return notListed(`git ${verb}`, given);
  // `%G…` and `%(signature)` have a signature checked by another program.
  const shown = given.options.filter(({ name }) => name === '--format' || name === '--pretty' || name === '--sort');
  if (shown.some(({ value }) => /%[^a-zA-Z]*G|signature/u.test(value ?? '')))
    return notListed(`git ${verb}`, '--format');
  if (!fits(spec, given)) return OTHER;
  const operands = verb === 'grep' && !has(given, '-e') ? given.operands.slice(1) : given.operands;
  const named = spec.operands === 'git' ? operands.flatMap(pathsOfOperand) : [];
  const inside = named
    .filter((each) => each !== '')
    .map((each) => (folder === '.' || each.startsWith('/') ? each : `${folder}/${each}`));
  return reads({
    paths: [folder, ...inside],
    repository: { folder, shows: showsText(verb, given), paths: inside },
    program: 'git',
  });
}

/** Options that show a patch, also beside others that only sum up. */
const PATCH = '-p -u --patch --cc -c -U --unified -S -G --word-diff --patch-with-stat --check';

/** The id of any object, which can be a file. */
const ID = /^[0-9a-f]{4,64}$/iu;

function showsText(verb: string, given: Given): boolean {
  const shows = has(given, PATCH);
  const summed = has(given, '--name-only --name-status --stat --numstat --shortstat --raw -s --no-patch --quiet');
  switch (verb) {
    case 'log':
    case 'stash':
      return shows;
    case 'diff':
      return shows || !summed;
    case 'show':
      return shows || !summed || given.operands.some((each) => ID.test(each));
    case 'cat-file':
      return !has(given, '-e -s -t');
    default:
      return verb === 'grep';
  }
}

/**
 * The paths that an operand can name: `HEAD:src/a.ts`, `:(exclude)src/a.ts`, `main..HEAD~2`, `src/a.ts`. A name of a
 * revision is taken for a path inside.
 */
function pathsOfOperand(operand: string): readonly string[] {
  const magic = /^:(?:\([a-z,]*\)|[!^/]+)?(?<path>.*)$/su.exec(operand)?.groups?.path;
  const colon = operand.indexOf(':');
  const path = magic ?? operand.slice(colon + 1);
  if (magic !== undefined || colon >= 0 || /^[./]|\/\.\./u.test(path)) return path === '' ? [] : [path];
  return path
    .split(/\.{2,3}/u)
    .map((side) => side.replace(/[~^][~^\d]*$/u, ''))
    .filter((side) => side !== '');
}

function readFind(args: readonly string[]): ReadingVerdict {
  const first = args.findIndex((arg) => arg.startsWith('-') || arg === '!' || arg === '(');
  const paths = first < 0 ? args : args.slice(0, first);
  const tests = first < 0 ? [] : args.slice(first);
  for (let at = 0; at < tests.length; at++) {
    const test = tests[at] ?? '';
    if (FIND_TESTS.has(test) || test === '(' || test === ')') continue;
    if (!FIND_VALUES.has(test)) return notListed('find', test);
    at++;
    if (tests[at] === undefined) return notListed('find', test);
  }
  return reads({ paths: paths.length > 0 ? paths : ['.'], program: 'find' });
}

/** `test -f path`. */
function readTest(args: readonly string[]): ReadingVerdict {
  const [test = '', path = ''] = args;
  if (args.length !== 2 || !/^-[defrswx]$/u.test(test)) return OTHER;
  return reads({ paths: [path] });
}

const reads = (touched: Partial<Reading>): ReadingVerdict => ({ kind: 'reads', reading: { ...NOTHING, ...touched } });
