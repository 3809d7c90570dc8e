/**
 * Finds out what there is to know of a command line: its parts, where each runs, what the person allowed, and whether what
 * it reads lies inside the open folders. From that it is decided whether a person is asked. Runs and changes nothing.
 */

import { ToolError } from '../../errors.ts';
import { isSecretPath } from '../../secrets/secretPaths.ts';
import { type Words, words } from '../../words.ts';
import type { FileFacts, Files } from '../../workspace/files.ts';
import { readGitBashPath } from '../../workspace/wholePaths.ts';
import { type CommandRule, type CommandRules, isRule, keyOfRule, readPlainCommand } from '../commandRules.ts';
import { showInOneLine } from '../text/showHidden.ts';
import type { CommandDisk } from './commandDisk.ts';
import { openWords } from './openWords.ts';
import { isFilter, judgeReading, type Reading, takesPatterns } from './readingCommands.ts';
import { type LinePart, type ReadLine, readLine } from './readLine.ts';

/** Why one part of a line needs no question. */
type PartGround =
  /** The person allowed exactly these words in this folder, permanently or for this session. */
  | 'always'
  | 'session'
  /** It is on the list of commands that only read, and the person allowed that list. */
  | 'reads'
  /** It only shortens, sorts or counts the output of the command before it, or goes into an open folder. */
  | 'harmless';

interface CommandPart {
  readonly argv: readonly string[];
  /** As written, without redirections. */
  readonly text: string;
  /** Where it runs; absolute. */
  readonly folder: string;
  /** Null if it is not allowed yet. */
  readonly ground: PartGround | null;
  /** The permission that would cover exactly this part; null if it may be allowed only once. */
  readonly rule: CommandRule | null;
  /** The list of commands that only read would cover it. */
  readonly reads: boolean;
  /** Why more than a permission is missing, such as what it reads; null if it is merely not allowed yet. */
  readonly fault: Words | null;
}

/** The facts about a command line. */
export type KnownCommand =
  | { readonly kind: 'parts'; readonly parts: readonly CommandPart[] }
  /** `why`: a short phrase, such as "command substitution". */
  | { readonly kind: 'unclear'; readonly why: Words };

interface CommandQuestion {
  readonly command: string;
  /** Absolute: an open folder. */
  readonly folder: string;
  readonly background: boolean;
  /** The shell reads lines as POSIX says. All others read only plain words alike. */
  readonly posix: boolean;
}

export interface CommandPorts {
  readonly files: Pick<Files, 'root' | 'folders' | 'resolve'>;
  readonly rules: CommandRules;
  /** Whether a rule holds for this session, by its key. */
  readonly isGranted: (key: string) => boolean;
  /** Null where nothing can be known of the disk. */
  readonly disk: CommandDisk | null;
}

export async function knowCommand(
  { command, folder, background, posix }: CommandQuestion,
  ports: CommandPorts,
): Promise<KnownCommand> {
  const line = posix ? readLine(command) : readPlainLine(command);
  if (line.kind === 'unclear') return line;
  const parts: CommandPart[] = [];
  let place: Place = { name: folder, real: (await resolve(folder, ports.files))?.real ?? null };
  const mayMove = movesSurely(line.parts);
  for (const [at, part] of line.parts.entries()) {
    // At either side of a pipe, it would move only itself.
    const piped = part.piped || line.parts[at + 1]?.piped === true;
    const moved = posix && part.argv[0] === 'cd' ? await moveTo({ ...part, piped }, place, ports.files) : null;
    if (moved) {
      const fault = moved.fault ?? (mayMove ? null : words('It changes the folder halfway, and may not get there.'));
      parts.push({ ...plain(part, place.name), ground: fault === null ? 'harmless' : null, fault });
      if (moved.place) place = moved.place;
    } else parts.push(await judgePart(part, place, background, posix ? ports : { ...ports, disk: null }));
  }
  return { kind: 'parts', parts };
}

function readPlainLine(command: string): ReadLine {
  const argv = readPlainCommand(command);
  if (argv === null) return { kind: 'unclear', why: words('this shell reads only plain words like every other') };
  return { kind: 'parts', parts: [{ argv, patterns: [], text: argv.join(' '), piped: false, joined: null }] };
}

/** `real` is null where nothing is known about the folder. */
interface Place {
  readonly name: string;
  readonly real: string | null;
}

const plain = ({ argv, text }: LinePart, folder: string) => ({ argv, text, folder, rule: null, reads: false }) as const;

/** Each command after `cd` runs only if it succeeded, or all commands run one after another from the beginning. */
function movesSurely(parts: readonly LinePart[]): boolean {
  const all = parts.slice(1).map(({ joined }) => joined);
  if (all.every((each) => each === '&&' || each === '|')) return true;
  const last = parts.findLastIndex(({ argv }) => argv[0] === 'cd');
  return (
    all.slice(0, last).every((each) => each === ';' || each === '&&') &&
    parts.slice(0, last).every(({ argv }) => argv[0] === 'cd')
  );
}

async function moveTo(
  { argv, patterns, piped }: LinePart,
  from: Place,
  files: CommandPorts['files'],
): Promise<{ readonly place: Place | null; readonly fault: Words | null }> {
  const [, ...rest] = argv;
  const path = rest[0] === '--' ? rest[1] : rest[0];
  const refuse = (fault: Words) => ({ place: null, fault });
  if (
    piped ||
    patterns.length > 0 ||
    path === undefined ||
    rest.length > 2 ||
    (rest.length === 2 && rest[0] !== '--') ||
    path.startsWith('-')
  ) {
    return refuse(words('It changes the folder in a way that is not certain.'));
  }
  // The shell follows `..` by name, and the disk by what is there.
  const facts = await resolveFrom(from, path, files);
  if (!facts) return refuse(words('It leaves the open folders: {0}', showInOneLine(path)));
  if (facts.linked || facts.type !== 'folder' || (/(?:^|\/)\.\.(?:\/|$)/u.test(path) && from.real !== from.name)) {
    return refuse(words('It changes the folder in a way that is not certain.'));
  }
  return { place: await nameOf(facts.real, files), fault: null };
}

/** An open folder has the name under which it is open. */
async function nameOf(real: string, files: CommandPorts['files']): Promise<Place> {
  const open = files.folders?.map(({ path }) => path) ?? (files.root === null ? [] : [files.root]);
  for (const path of open) if ((await resolve(path, files))?.real === real) return { name: path, real };
  return { name: real, real };
}

async function judgePart(part: LinePart, place: Place, background: boolean, ports: CommandPorts): Promise<CommandPart> {
  const { argv, piped } = part;
  const exact: CommandRule = { argv, folder: place.name, ...(background ? { background: true } : {}) };
  const rule: CommandRule = { ...exact, argv: openWords(argv) };
  const known = { ...plain(part, place.name), fault: null };
  if (piped && part.patterns.length === 0 && isFilter(argv) && !background) return { ...known, ground: 'harmless' };
  // A program such as `node` runs what it is given to read, so a rule covers it only without a pipe.
  const allowable = !piped && part.patterns.length === 0 && isRule(rule) ? rule : null;
  const ground = allowable && (groundOf(allowable, ports) ?? (isRule(exact) ? groundOf(exact, ports) : null));
  if (ground) return { ...known, ground };
  const reading = background ? null : await judgeTouched(part, place, ports);
  if (reading === 'reads') {
    return { ...known, ground: ports.rules.allowsReading ? 'reads' : null, reads: true, rule: allowable };
  }
  const once = piped
    ? words('{0} would read what another command writes.', argv[0] ?? '')
    : words('It can be allowed only once: {0}', showInOneLine(part.text));
  return { ...known, ground: null, rule: allowable, fault: reading ?? (allowable === null ? once : null) };
}

function groundOf(rule: CommandRule, { rules, isGranted }: CommandPorts): PartGround | null {
  if (rules.allows(rule)) return 'always';
  return isGranted(keyOfRule(rule)) ? 'session' : null;
}

/** Whether it only reads inside the open folders; otherwise why not, or null for a command that is not on the list. */
async function judgeTouched(
  part: LinePart,
  place: Place,
  { files, disk }: CommandPorts,
): Promise<'reads' | Words | null> {
  const real = place.real;
  const ways = part.patterns.length === 0 ? [part.argv] : await expandPatterns(part, place, { files, disk });
  if (ways === null) return words('It has a pattern for file names: {0}', showInOneLine(part.text));
  for (const argv of ways) {
    const verdict = judgeReading(argv, part.piped);
    if (verdict.kind === 'other') return verdict.why;
    if (!disk || real === null) return null;
    const fault = await findFault(verdict.reading, { name: place.name, real }, files, disk);
    if (fault !== null) return fault;
  }
  return 'reads';
}

/**
 * The words that the program may be started with: as written, which some shells do where nothing matches, and with all
 * names that match. Null where that is not certain.
 */
async function expandPatterns(
  { argv, patterns }: LinePart,
  place: Place,
  { files, disk }: Pick<CommandPorts, 'files' | 'disk'>,
): Promise<readonly (readonly string[])[] | null> {
  if (!disk || place.real === null || !takesPatterns(argv, patterns)) return null;
  const expanded: string[] = [];
  for (const [at, word] of argv.entries()) {
    if (!patterns.includes(at)) {
      expanded.push(word);
      continue;
    }
    const fixed = word.slice(0, word.search(/[^/]*[*?]/u));
    const facts = await resolveFrom(place, fixed === '' ? '.' : fixed, files);
    if (!facts || facts.linked) return null;
    const names = await disk.expand(word, place.real);
    // A name that begins with a dash would be an option.
    if (names === null || names.some((name) => name.startsWith('-'))) return null;
    expanded.push(...(names.length > 0 ? names : [word]));
  }
  return [argv, expanded];
}

async function findFault(
  { paths, onlyFiles, trees, repository, program }: Reading,
  place: { readonly name: string; readonly real: string },
  files: CommandPorts['files'],
  disk: CommandDisk,
): Promise<Words | null> {
  if (program !== null && (await disk.isForeign(program, place.real))) {
    return words('The program {0} lies in the workspace.', program);
  }
  for (const path of paths) {
    const facts = await resolveFrom(place, path, files);
    if (!facts) return words('It reads outside the open folders: {0}', showInOneLine(path));
    if (mayHoldSecrets(facts) || isSecretPath(path)) return words('It may show secrets: {0}', showInOneLine(path));
    if (onlyFiles && facts.type === 'folder') return words('It reads the files of a folder: {0}', showInOneLine(path));
  }
  for (const { path, hidden } of trees) {
    const facts = await resolveFrom(place, path, files);
    if (!facts) return words('It reads outside the open folders: {0}', showInOneLine(path));
    if (facts.type !== 'folder') continue;
    const secret = await disk.secretUnder(facts.real, hidden);
    if (secret === 'tooMany') return words('It searches more files than can be checked for secrets.');
    if (secret) return words('It may show secrets: {0}', showInOneLine(secret.name));
  }
  return repository === null ? null : findRepositoryFault(repository, place, files, disk);
}

async function findRepositoryFault(
  { folder, shows, paths }: NonNullable<Reading['repository']>,
  place: { readonly name: string; readonly real: string },
  files: CommandPorts['files'],
  disk: CommandDisk,
): Promise<Words | null> {
  const real = (await resolveFrom(place, folder, files))?.real;
  if (real === undefined) return words('It reads outside the open folders: {0}', showInOneLine(folder));
  const { fault, top, secret } = await disk.repository(real);
  if (fault) return fault;
  if (top === null) return words('There is no repository of git in the folder.');
  if (!(await resolve(top, files))) return words('It reads outside the open folders: {0}', showInOneLine(top));
  for (const path of paths) {
    const named = (await resolveFrom(place, path, files))?.real;
    if (named === undefined || !isBelow(named, top)) {
      return words('It names a place outside its repository: {0}', showInOneLine(path));
    }
  }
  if (shows && secret !== null) return words('It may show secrets: {0}', showInOneLine(secret));
  return null;
}

const isBelow = (real: string, folder: string) =>
  real === folder || (/^[\\/]/u.test(real.slice(folder.length)) && real.startsWith(folder));

/** The insides of a repository hold addresses with passwords. */
const mayHoldSecrets = ({ shown, real }: FileFacts) =>
  isSecretPath(shown) || isSecretPath(real) || /(?:^|[\\/])\.git(?:[\\/]|$)/iu.test(`${shown}\n${real}`);

/** Null outside of the open folders, and where only the disk could tell. */
async function resolveFrom(place: Place, path: string, files: CommandPorts['files']): Promise<FileFacts | null> {
  if (place.real === null || path === '' || path.includes('\0')) return null;
  // Behind a link, `..` would lead to another place than by name.
  if (/[^./][^/]*\/+(?:[^/]*\/+)*\.\.(?:\/|$)/u.test(path)) return null;
  if (place.real.startsWith('/')) return resolve(path.startsWith('/') ? path : `${place.real}/${path}`, files);
  // On Windows, the shell is Git Bash.
  const read = readGitBashPath(path);
  if (read === null) return null;
  return resolve(/^[a-z]:[\\/]/iu.test(read) ? read : `${place.real}/${read}`, files);
}

async function resolve(path: string, files: CommandPorts['files']): Promise<FileFacts | null> {
  try {
    return await files.resolve(path);
  } catch (thrown) {
    if (thrown instanceof ToolError) return null;
    throw thrown;
  }
}

type CommandDecision =
  | { readonly kind: 'allow' }
  /** `because` is one sentence for the person. */
  | { readonly kind: 'ask'; readonly because: Words };

/**
 * Whether the command runs without a question. Pure. Whatever is not certain is a question, and each question says why it
 * is asked.
 */
export function decideCommand(known: KnownCommand): CommandDecision {
  if (known.kind === 'unclear') {
    return { kind: 'ask', because: words('It cannot be read with certainty: {0}.', known.why) };
  }
  const open = known.parts.filter(({ ground }) => ground === null);
  if (open.length === 0) return { kind: 'allow' };
  const faulty = open.find(({ fault }) => fault !== null);
  if (faulty?.fault) return { kind: 'ask', because: faulty.fault };
  if (onlyReads(known)) {
    return { kind: 'ask', because: words('It only reads. Commands that only read are not allowed yet.') };
  }
  return { kind: 'ask', because: explainOpen(known.parts.length) };
}

/** The card shows the command, and of a line of several which of them are not allowed: no copy of them is made here. */
const explainOpen = (parts: number): Words =>
  parts === 1 ? words('This command is not allowed yet.') : words('Not every command of this line is allowed yet.');

/** The permissions that would cover the whole line from now on; null if it may be allowed only once. */
export function rulesFor(known: KnownCommand): readonly CommandRule[] | null {
  if (known.kind === 'unclear') return null;
  const open = known.parts.filter(({ ground }) => ground === null);
  const rules = open.flatMap(({ rule }) => rule ?? []);
  return rules.length === open.length ? rules : null;
}

/** The list of commands that only read would cover what is not allowed yet. */
export function onlyReads(known: KnownCommand): boolean {
  if (known.kind === 'unclear') return false;
  const open = known.parts.filter(({ ground }) => ground === null);
  return open.length > 0 && open.every(({ reads }) => reads);
}
