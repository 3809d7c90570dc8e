/**
 * The effects of a call on files. The contents that were kept around it count; where none were, a call that was made did what
 * its result says, or else its arguments. A call that was not made did no more than was recorded.
 */

import type { FileChange, ToolCall, ToolMessage } from '../context/message.ts';
import type { FileImage } from '../journal/entry.ts';
import { stashingsIn, usesOfCommand } from './commandEffects.ts';
import { scriptOf } from './commandsInCalls.ts';
import { changesIn, plainPath } from './filesInCalls.ts';
import { isMade, readOutcome } from './outcome.ts';

export interface FileEffect {
  /** Of a command that names a folder, that folder. */
  readonly path: string;
  /** `restored`: put back as git has it. `changed` of `.`: files that were put back are as they were before. */
  readonly did: 'changed' | 'deleted' | 'moved' | 'restored';
  /** Of a moved file. */
  readonly to?: string;
}

/** `kept`: the files as the call left them, where contents were kept around it. */
export function effectsOf(call: ToolCall, result: ToolMessage, kept: readonly FileImage[] = []): readonly FileEffect[] {
  const left = kept.filter(({ before, after }) => after !== undefined && after !== before);
  if (left.length > 0) return fromImages(call, left);
  if (!isMade(result)) return [];
  if (result.change) return fromChange(call, result.change);
  return [...fromArguments(call), ...fromCommand(call, result)];
}

/** `folder` may be the file itself; `.` holds every file that is not named by its whole path. */
export const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(`${folder}/`) || (folder === '.' && !/^(?:\/|[A-Za-z]:|~|\.\.)/.test(path));

/** The files that a call changed, deleted or moved, under all of their names. */
export const namesIn = (effects: readonly FileEffect[]): readonly string[] => [
  ...new Set(effects.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to]))),
];

function fromImages(call: ToolCall, left: readonly FileImage[]): readonly FileEffect[] {
  const ends = new Map(left.map(({ path, after }) => [path, after]));
  const ofCommand = usesOfCommand(scriptOf(call) ?? '');
  const moves = [...changesIn(call), ...ofCommand].flatMap((use): FileEffect[] => {
    if (use.does !== 'moves') return [];
    const [path, to] = [plainPath(use.path), plainPath(use.to)];
    return ends.get(path) === null && ends.get(to) ? [{ path, did: 'moved', to }] : [];
  });
  const moved = new Set(namesIn(moves));
  const others = left.filter(({ path }) => !moved.has(path));
  return [
    ...moves,
    ...others.map(({ path, after }) => {
      if (after === null) return { path, did: 'deleted' } as const;
      const isRestored = ofCommand.some((use) => use.does === 'restores' && isWithin(path, use.path));
      return { path, did: isRestored ? 'restored' : 'changed' } as const;
    }),
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

const DOES = { deletes: 'deleted', restores: 'restored' } as const;

function fromCommand(call: ToolCall, result: ToolMessage): readonly FileEffect[] {
  const script = scriptOf(call);
  if (script === null || (readOutcome(result).exitCode ?? 0) !== 0) return [];
  const uses = usesOfCommand(script).map(
    (use): FileEffect =>
      use.does === 'moves' ? { path: use.path, did: 'moved', to: use.to } : { path: use.path, did: DOES[use.does] },
  );
  const stashings = stashingsIn(script).map(
    (use): FileEffect => (use.does === 'stashes' ? { path: use.path, did: 'restored' } : { path: '.', did: 'changed' }),
  );
  return [...uses, ...stashings];
}
