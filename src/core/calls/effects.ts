/**
 * The effects of a call on files. The contents that were kept around it count; where none were, a call that was made did what
 * its result says, or else its arguments. A call that was not made did no more than was recorded.
 */

import type { FileChange, ToolCall, ToolMessage } from '../context/message.ts';
import type { FileImage } from '../journal/entry.ts';
import { changesIn, plainPath } from './filesInCalls.ts';
import { isMade } from './outcome.ts';

export interface FileEffect {
  readonly path: string;
  readonly did: 'changed' | 'deleted' | 'moved';
  /** Of a moved file. */
  readonly to?: string;
}

/** `kept`: the files as the call left them, where contents were kept around it. */
export function effectsOf(call: ToolCall, result: ToolMessage, kept: readonly FileImage[] = []): readonly FileEffect[] {
  const left = kept.filter(({ before, after }) => after !== undefined && after !== before);
  if (left.length > 0) return fromImages(call, left);
  if (!isMade(result)) return [];
  return result.change ? fromChange(call, result.change) : fromArguments(call);
}

/** The files that a call changed, deleted or moved, under all of their names. */
export const namesIn = (effects: readonly FileEffect[]): readonly string[] => [
  ...new Set(effects.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to]))),
];

function fromImages(call: ToolCall, left: readonly FileImage[]): readonly FileEffect[] {
  const ends = new Map(left.map(({ path, after }) => [path, after]));
  const moves = changesIn(call).flatMap((use): FileEffect[] => {
    if (use.does !== 'moves') return [];
    const [path, to] = [plainPath(use.path), plainPath(use.to)];
    return ends.get(path) === null && ends.get(to) ? [{ path, did: 'moved', to }] : [];
  });
  const moved = new Set(namesIn(moves));
  const others = left.filter(({ path }) => !moved.has(path));
  return [
    ...moves,
    ...others.map(({ path, after }) => ({ path, did: after === null ? 'deleted' : 'changed' }) as const),
  ];
}

function fromChange(call: ToolCall, { path, added, removed, creates }: FileChange): readonly FileEffect[] {
  const deletes = changesIn(call).some(({ does }) => does === 'deletes');
  if (deletes) return [{ path: plainPath(path), did: 'deleted' }];
  return added + removed > 0 || creates ? [{ path: plainPath(path), did: 'changed' }] : [];
}

function fromArguments(call: ToolCall): readonly FileEffect[] {
  return changesIn(call).map((use) => {
    const path = plainPath(use.path);
    if (use.does === 'moves') return { path, did: 'moved', to: plainPath(use.to) };
    return { path, did: use.does === 'deletes' ? 'deleted' : 'changed' };
  });
}
