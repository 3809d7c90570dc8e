/**
 * Finds out whether a mention names something that exists, without reading it, to warn a person before they send. Also
 * makes mentions for them: of paths that fit what they type, and of the lines that they have selected.
 */

import { ToolError } from '../errors.ts';
import { isSecretPath } from '../secrets/secretPaths.ts';
import { estimateMessage } from '../tokens/estimate.ts';
import { type Words, words } from '../words.ts';
import type { FileFacts, Files } from '../workspace/files.ts';
import {
  findMentions,
  type Mention,
  type MentionPorts,
  type MentionSources,
  type MentionTarget,
  type NamedPlace,
  placesOf,
  writeMention,
} from './mention.ts';

export type FoundThing =
  | Exclude<MentionTarget, { kind: 'path' }>
  | { readonly kind: 'place'; readonly place: NamedPlace; readonly facts: FileFacts };

export type Located =
  /** `secret`: its text is sent to a model only after a warning to the person. */
  | { readonly kind: 'found'; readonly thing: FoundThing; readonly secret: boolean }
  | { readonly kind: 'missing'; readonly reason: Words }
  /** The words were not meant as a mention. */
  | { readonly kind: 'plain' };

const found = (thing: FoundThing): Located => ({ kind: 'found', thing, secret: false });

const missing = (reason: Words): Located => ({ kind: 'missing', reason });

export async function locateMention(
  { name, deliberate, target }: Mention,
  { files, language, git }: MentionPorts,
  sources: MentionSources,
): Promise<Located> {
  switch (target.kind) {
    case 'problems':
      return language ? found(target) : missing(words('{0} needs an open folder.', `@${name}`));
    case 'changes':
      return git ? found(target) : missing(words('{0} needs git and a folder that you trust.', `@${name}`));
    case 'terminal':
      if (!sources.terminal) return { kind: 'plain' };
      return sources.terminal.hasOutput
        ? found(target)
        : missing(
            words(
              'No command has been seen in a terminal yet. Its output is known when it is run in a terminal with shell integration.',
            ),
          );
    case 'terminal:selection':
      return sources.terminal ? found(target) : { kind: 'plain' };
    case 'session':
      return sources.session ? found(target) : { kind: 'plain' };
    case 'symbol':
      return language ? found(target) : { kind: 'plain' };
    case 'resource':
      if (!sources.mcp) return { kind: 'plain' };
      return sources.mcp.knows(target.server)
        ? found(target)
        : missing(words('There is no MCP server {0} that may run.', target.server));
    case 'path':
      return locatePath(target.path, deliberate, files);
  }
}

async function locatePath(path: string, deliberate: boolean, files: Files): Promise<Located> {
  if (files.root === null) {
    return deliberate ? missing(words('No folder is open, so there is no {0}.', path)) : { kind: 'plain' };
  }
  let isClosed = false;
  for (const place of placesOf(path)) {
    const facts = await resolve(place.path, files);
    isClosed = facts === 'closed';
    if (facts === 'closed' || !facts.exists) continue;
    const wants = place.lines ?? place.symbol;
    if (facts.type === 'other') return missing(words('{0} is neither a file nor a folder.', facts.shown));
    if (facts.type === 'folder' && wants !== null) continue;
    const secret = facts.guarded || isSecretPath(facts.shown) || isSecretPath(facts.real);
    return { kind: 'found', thing: { kind: 'place', place, facts }, secret };
  }
  if (!deliberate) return { kind: 'plain' };
  return missing(
    isClosed
      ? words('{0} is not in the open folder, or it is where nothing is read.', path)
      : words('There is no file or folder {0}.', path),
  );
}

/** `closed`: the path leads out of the workspace, or to something that no tool reads. */
async function resolve(path: string, files: Files): Promise<FileFacts | 'closed'> {
  try {
    return await files.resolve(path);
  } catch (thrown) {
    if (thrown instanceof ToolError) return 'closed';
    throw thrown;
  }
}

interface RankedPaths {
  /** In order of use, newest first. They precede others that match equally well. */
  readonly recent?: readonly string[];
  readonly most: number;
}

/** Orders paths by how well they match the typed text: names before folders, whole parts before scattered letters. */
export function rankPaths(paths: readonly string[], typed: string, { recent = [], most }: RankedPaths): string[] {
  const sought = typed.toLowerCase();
  const used = new Map(recent.map((path, at) => [path, at]));
  const ranked = paths.flatMap((path) => {
    const match = matchPath(path.toLowerCase(), sought);
    return match === 0 ? [] : [{ path, match, age: used.get(path) ?? recent.length }];
  });
  ranked.sort(
    (a, b) => b.match - a.match || a.age - b.age || a.path.length - b.path.length || (a.path < b.path ? -1 : 1),
  );
  return ranked.slice(0, most).map(({ path }) => path);
}

/** 0 for no match; more is better. Both are in lower case. */
function matchPath(path: string, sought: string): number {
  if (sought === '') return 1;
  const name = path.replace(/\/$/u, '').replace(/^.*\//u, '');
  if (name === sought || path === sought) return 7;
  if (name.startsWith(sought) || path.startsWith(sought)) return 6;
  if (name.includes(sought)) return 5;
  if (path.includes(sought)) return 4;
  if (isScattered(name, sought)) return 3;
  return isScattered(path, sought) ? 2 : 0;
}

/** True when the letters occur in it in this order. */
function isScattered(text: string, sought: string): boolean {
  let at = 0;
  for (const letter of sought) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** Both are counted from 1 and included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

export interface SelectedLines {
  /** As written in a message. */
  readonly mention: string;
  /** The same for a person: the file and its lines. */
  readonly name: string;
  /** Estimate of the message that will hold the lines. */
  readonly tokens: number;
}

/** The end of a path that names these lines. */
export function writeLines({ first, last }: LineRange): string {
  return last === first ? `:${last}` : `:${first}-${last}`;
}

interface SelectedText {
  readonly lines: LineRange;
  /** Of these lines. */
  readonly text: string;
  /** Lines of the file. */
  readonly total: number;
}

/**
 * The lines that a person has selected in the editor, as a mention that goes along with their message. Null for a file that
 * is read only after a warning, or not at all. `path` is the workspace's own form, and `maxTokens` the limit of one
 * mention.
 */
export async function describeSelected(
  path: string,
  { lines, text, total }: SelectedText,
  ports: MentionPorts,
  maxTokens: number,
): Promise<SelectedLines | null> {
  const name = path + writeLines(lines);
  const mention = writeMention(name);
  const [found] = findMentions(mention);
  const located = found ? await locateMention(found, ports, {}) : null;
  if (located?.kind !== 'found' || located.secret) return null;
  if (located.thing.kind !== 'place' || located.thing.place.lines === null) return null;
  const { first, last } = lines;
  const rest = last < total ? `, read on with offset ${last + 1}` : '';
  const read = `${mention}\n\n${path}: lines ${first}-${last} of ${total}${rest}\n${text}`;
  const tokens = estimateMessage({ role: 'user', kind: 'mention', text: read, mention });
  return { mention, name, tokens: Math.min(tokens, maxTokens) };
}
