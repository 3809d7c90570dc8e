/**
 * The files that a command removed, moved or put back, by the words of one that was made: `rm`, `mv`, and what git does of
 * that kind. Only the part of the line counts that ran for certain, and only words that name one thing.
 */

import { type LinePart, readLine } from '../tools/commands/readLine.ts';
import { plainPath } from './filesInCalls.ts';

export type CommandUse =
  /** `path` may be a folder; `.` is all below the folder in which it ran. */
  | { readonly does: 'deletes'; readonly path: string }
  | { readonly does: 'restores'; readonly path: string }
  | { readonly does: 'moves'; readonly path: string; readonly to: string };

/** Puts the changes of files aside for a while, or brings the last ones back. */
export type Stashing = { readonly does: 'stashes'; readonly path: string } | { readonly does: 'unstashes' };

type Use = CommandUse | Stashing;

const CONCERNED = /\b(?:rm|unlink|mv|git|Remove-Item|Move-Item)\b/i;

/** They run the program that follows, as it is. */
const WRAPPERS: ReadonlySet<string> = new Set(['sudo', 'command']);

/** `line`: as it was given, with its line breaks. */
export const usesOfCommand = (line: string): readonly CommandUse[] =>
  usesIn(line).flatMap((use) => (use.does === 'stashes' || use.does === 'unstashes' ? [] : [use]));

/** Apart from the uses of files, because changes that were put aside mostly come back soon. */
export const stashingsIn = (line: string): readonly Stashing[] =>
  line.includes('stash')
    ? usesIn(line).flatMap((use) => (use.does === 'stashes' || use.does === 'unstashes' ? [use] : []))
    : [];

function usesIn(line: string): readonly Use[] {
  if (!CONCERNED.test(line)) return [];
  const read = readLine(line);
  if (read.kind !== 'parts') return [];
  const parts = afterLastDoubt(read.parts);
  let folder = '';
  const uses: Use[] = [];
  for (const [at, part] of read.parts.entries()) {
    const [program, target] = part.argv;
    if (program === 'cd') folder = target === undefined ? '' : within(folder, target);
    else if (parts.includes(part) && !read.parts[at + 1]?.piped) uses.push(...usesOf(part, folder));
  }
  return uses;
}

/** The exit code tells of the last of the commands that follow each other whatever happens. */
function afterLastDoubt(parts: readonly LinePart[]): readonly LinePart[] {
  const last = parts.findLastIndex(({ joined }) => joined === ';' || joined === '||');
  return parts[last]?.joined === '||' ? [] : parts.slice(Math.max(0, last));
}

function usesOf({ argv, patterns }: LinePart, folder: string): readonly Use[] {
  const first = WRAPPERS.has(argv[0] ?? '') ? 1 : 0;
  const program = (argv[first] ?? '').replace(/^(?:\/usr)?\/bin\//, '').toLowerCase();
  const words = argv.filter((_, at) => at > first && !patterns.includes(at));
  switch (program) {
    case 'remove-item':
      return words.every(isPlainInPowerShell)
        ? namesOf(words).map((path) => ({ does: 'deletes', path: within(folder, path) }))
        : [];
    case 'move-item':
      return words.every(isPlainInPowerShell) && patterns.length === 0 ? moves(namesOf(words), folder) : [];
    case 'rm':
    case 'unlink':
      return namesOf(words).map((path) => ({ does: 'deletes', path: within(folder, path) }));
    case 'mv':
      return patterns.length > 0 || words.some(namesTarget) ? [] : moves(namesOf(words), folder);
    case 'git':
      return usesOfGit(words, folder, patterns.length > 0);
    default:
      return [];
  }
}

function usesOfGit(words: readonly string[], folder: string, hasPatterns: boolean): readonly Use[] {
  const [option, elsewhere] = words;
  if (option === '-C' && elsewhere !== undefined)
    return usesOfGit(words.slice(2), within(folder, elsewhere), hasPatterns);
  const [command = '', ...rest] = words;
  const put = (names: readonly string[]) =>
    names.map((path) => ({ does: 'restores', path: within(folder, path) }) as const);
  switch (command) {
    case 'rm':
      return rest.includes('--cached')
        ? []
        : namesOf(rest).map((path) => ({ does: 'deletes', path: within(folder, path) }));
    case 'mv':
      return hasPatterns ? [] : moves(namesOf(rest), folder);
    case 'checkout': {
      const dashes = rest.indexOf('--');
      if (dashes >= 0) return put(rest.slice(dashes + 1));
      // Without them the first word may be the name of a branch, and after some options so may the second.
      if (rest.length > 1 && !rest.some((word) => word.startsWith('-'))) return put(rest.slice(1));
      return put(rest.length === 1 && rest[0] === '.' ? ['.'] : []);
    }
    case 'restore':
      return rest.includes('--staged') && !rest.includes('--worktree') ? [] : put(namesOf(rest, ['-s', '--source']));
    case 'reset':
      return rest.includes('--hard') ? put(['.']) : [];
    case 'stash':
      return usesOfStash(rest).map((use) =>
        use.does === 'stashes' ? { ...use, path: within(folder, use.path) } : use,
      );
    default:
      return [];
  }
}

function usesOfStash(words: readonly string[]): readonly Stashing[] {
  const [verb = 'push'] = words;
  if (verb === 'pop' || verb === 'apply') return [{ does: 'unstashes' }];
  if (verb === 'save') return [{ does: 'stashes', path: '.' }];
  if (verb !== 'push' && !verb.startsWith('-')) return [];
  if (words.some((word) => /^(?:-p|--patch|-S|--staged|-k|--keep-index)$/.test(word))) return [];
  const names = namesOf(verb === 'push' ? words.slice(1) : words, ['-m', '--message']);
  return (names.length > 0 ? names : ['.']).map((path) => ({ does: 'stashes', path }));
}

/** `mv -t folder a b`. */
const namesTarget = (word: string): boolean => /^(?:-\w*t|--target-directory)/.test(word);

/** Other options choose among the files that are named. */
const isPlainInPowerShell = (word: string): boolean =>
  !word.startsWith('-') || /^-(?:recurse|force|path|literalpath|destination)$/i.test(word);

/** The words that are no options. `valued`: options whose value is the next word. */
function namesOf(words: readonly string[], valued: readonly string[] = []): readonly string[] {
  const dashes = words.indexOf('--');
  const before = dashes < 0 ? words : words.slice(0, dashes);
  const names = before.filter((word, at) => !word.startsWith('-') && !valued.includes(before[at - 1] ?? ''));
  return [...names, ...(dashes < 0 ? [] : words.slice(dashes + 1))];
}

function moves(names: readonly string[], folder: string): readonly CommandUse[] {
  const to = names.at(-1);
  if (names.length < 2 || to === undefined) return [];
  const isFolder = names.length > 2 || /[\\/]$|(?:^|[\\/])\.\.?$/.test(to);
  return names.slice(0, -1).map((path) => {
    const bare = path.slice(path.replace(/[\\/]+$/, '').lastIndexOf('/') + 1);
    const target = isFolder ? `${to.replace(/[\\/]+$/, '')}/${bare}` : to;
    return { does: 'moves', path: within(folder, path), to: within(folder, target) };
  });
}

/** A path as seen from where the command ran. */
function within(folder: string, path: string): string {
  const plain = plainPath(path).replace(/\/+$/, '');
  if (folder === '' || folder === '.' || /^(?:\/|[A-Za-z]:|~)/.test(plain)) return plain === '' ? '.' : plain;
  const segments = `${folder}/${plain}`.split('/');
  const kept: string[] = [];
  for (const segment of segments) {
    if (segment === '..' && kept.length > 0 && kept.at(-1) !== '..') kept.pop();
    else if (segment !== '.' && (segment !== '' || kept.length === 0)) kept.push(segment);
  }
  return kept.join('/') || '.';
}
