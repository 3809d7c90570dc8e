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

const CONCERNED = /\b(?:rm|unlink|mv|git)\b/;

/** `line`: as it was given, with its line breaks. */
export function usesOfCommand(line: string): readonly CommandUse[] {
  if (!CONCERNED.test(line)) return [];
  const read = readLine(line);
  if (read.kind !== 'parts') return [];
  const parts = afterLastDoubt(read.parts);
  let folder = '';
  const uses: CommandUse[] = [];
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

function usesOf({ argv, patterns }: LinePart, folder: string): readonly CommandUse[] {
  const [program = ''] = argv;
  const words = argv.filter((_, at) => !patterns.includes(at)).slice(1);
  switch (program) {
    case 'rm':
    case 'unlink':
      return namesOf(words).map((path) => ({ does: 'deletes', path: within(folder, path) }));
    case 'mv':
      return patterns.length > 0 ? [] : moves(namesOf(words), folder);
    case 'git':
      return usesOfGit(words, folder, patterns.length > 0);
    default:
      return [];
  }
}

function usesOfGit(words: readonly string[], folder: string, hasPatterns: boolean): readonly CommandUse[] {
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
      // Without them a word may be the name of a branch.
      return put(dashes >= 0 ? rest.slice(dashes + 1) : rest.length === 1 && rest[0] === '.' ? ['.'] : []);
    }
    case 'restore':
      return rest.includes('--staged') && !rest.includes('--worktree') ? [] : put(namesOf(rest, ['-s', '--source']));
    case 'reset':
      return rest.includes('--hard') ? put(['.']) : [];
    default:
      return [];
  }
}

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
  const isFolder = names.length > 2 || /[\\/]$/.test(to);
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
