/**
 * How a changed file looks in the list, what opens for it, and what the person and the model are told of the list and of
 * what was taken back.
 */

import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { Changes } from '../../core/checkpoints/changeList.ts';
import type { ChangedFile } from '../../core/checkpoints/compared.ts';
import { type Chosen, hasLines, takenBack } from '../../core/checkpoints/review.ts';
import { diffTexts } from '../../core/tools/text/diffTexts.ts';
import { words } from '../../core/words.ts';
import { showInformation } from '../notices/notify.ts';

export const BASE_SCHEME = 'palimpsest-base';

/** A file in the list. */
export interface Resource extends vscode.SourceControlResourceState {
  readonly file: ChangedFile;
  /** Both sides of its comparison; null where it is no text. */
  readonly sides: readonly [vscode.Uri, vscode.Uri] | null;
}

/** The address of what the file is compared with. */
export const baseOf = (uri: vscode.Uri) => vscode.Uri.from({ scheme: BASE_SCHEME, path: uri.path });
/** Stands for the missing side of a file that is new or gone. */
const nothingAt = (uri: vscode.Uri) => baseOf(uri).with({ query: 'nothing' });

export function describeFile(file: ChangedFile, uri: vscode.Uri): Resource {
  const { path, before, now, conflict, renamedFrom } = file;
  const kind = kindOf(file);
  const title = vscode.l10n.t('{0} (before ↔ now)', basename(path));
  const sides = file.lines && ([before ? baseOf(uri) : nothingAt(uri), now ? uri : nothingAt(uri)] as const);
  const facts = [
    renamedFrom === null ? path : vscode.l10n.t('{0} (was {1})', path, renamedFrom),
    ...describeKind(file),
    ...(file.lines ? [`+${file.lines.added} −${file.lines.removed}`] : [vscode.l10n.t('not text')]),
    ...(conflict === 'changedSince' ? [vscode.l10n.t('someone else has changed it since the agent did')] : []),
    ...(conflict === 'unknown' ? [vscode.l10n.t('it is unknown who changed it last')] : []),
  ];
  const iconPath = conflict ? new vscode.ThemeIcon('warning', WARNING) : new vscode.ThemeIcon(ICONS[kind]);
  return {
    file,
    sides,
    resourceUri: uri,
    contextValue: kind,
    command: sides
      ? { command: 'vscode.diff', title, arguments: [...sides, title, { preview: true }] }
      : { command: 'vscode.open', title, arguments: [uri] },
    decorations: { tooltip: facts.join(' · '), strikeThrough: !now, faded: !file.lines, iconPath },
  };
}

const WARNING = new vscode.ThemeColor('list.warningForeground');

type Kind = keyof typeof ICONS;
const ICONS = {
  new: 'diff-added',
  deleted: 'diff-removed',
  renamed: 'diff-renamed',
  changed: 'diff-modified',
} as const;

function kindOf({ before, now, renamedFrom }: ChangedFile): Kind {
  return renamedFrom !== null ? 'renamed' : !before ? 'new' : !now ? 'deleted' : 'changed';
}

function describeKind({ before, now }: ChangedFile): string[] {
  if (!before) return [vscode.l10n.t('new')];
  if (!now) return [vscode.l10n.t('deleted')];
  if (before.executable === now.executable) return [];
  return [now.executable ? vscode.l10n.t('became a program') : vscode.l10n.t('is a program no more')];
}

/** Tells what the list cannot show. */
export function describeGaps({ changed, unknown, incomplete }: Changes, session: boolean): void {
  if (unknown.length > 0) {
    const named = unknown.slice(0, 5).join(', ');
    void showInformation(vscode.l10n.t('Some files cannot be compared with their earlier contents: {0}', named));
  } else if (incomplete) {
    void showInformation(
      session
        ? vscode.l10n.t(
            'A command ran where not every file could be checked, so it may have changed more than is listed here.',
          )
        : vscode.l10n.t('More files differ from the last commit than are listed here.'),
    );
  } else if (changed.length === 0) {
    void showInformation(
      session
        ? vscode.l10n.t('Nothing differs in the files that this session has touched.')
        : vscode.l10n.t('Nothing differs from the last commit.'),
    );
  }
}

/** For the person. */
export function describeTaken([first, ...others]: readonly Chosen[]) {
  if (others.length > 0)
    return words('The changes to {0} files were taken back. The model is told.', others.length + 1);
  const path = first?.file.path ?? '';
  return first?.changes
    ? words('A change to {0} was taken back. The model is told.', path)
    : words('The changes to {0} were taken back. The model is told.', path);
}

/** Characters of a patch that the model is told, for all files together. */
const LONGEST_TOLD = 6_000;
const MOST_NAMED = 100;

type TextOf = (path: string, bytes: Uint8Array) => Promise<string | null>;

/** For the model: each file in words, and then patches as far as they fit. */
export async function tellTaken(taken: readonly Chosen[], textOf: TextOf): Promise<string> {
  const lines = taken.slice(0, MOST_NAMED).map(describeOne);
  if (taken.length > MOST_NAMED) lines.push(`- and ${taken.length - MOST_NAMED} more files`);
  const patches: string[] = [];
  let room = LONGEST_TOLD;
  for (const [at, each] of taken.entries()) {
    const patch = await patchOf(each, textOf);
    if (patch === null) continue;
    if (patch.length > room) {
      patches.push(`(${taken.length - at} more are not shown. Read the files.)`);
      break;
    }
    room -= patch.length;
    patches.push(patch);
  }
  const shown = patches.length > 0 ? ['From what was there to what the files hold now:', ...patches] : [];
  return ['The user took back changes to files:', ...lines, ...shown].join('\n');
}

function describeOne({ file, changes }: Chosen): string {
  const { path, renamedFrom, before, now } = file;
  if (changes) {
    const where = changes.slice(0, MOST_NAMED).map(({ after: { from, count } }) => {
      if (count === 0) return `after line ${from}`;
      return count === 1 ? `line ${from + 1}` : `lines ${from + 1}–${from + count}`;
    });
    return `- ${path}: the ${changes.length === 1 ? 'change' : 'changes'} at ${where.join(', ')}`;
  }
  if (renamedFrom !== null) return `- ${path}: it is ${renamedFrom} again, as it was before`;
  if (!before) return `- ${path}: it was new and is deleted`;
  if (!now) return `- ${path}: it was deleted and is there again`;
  return `- ${path}: all changes`;
}

/** Null where there is nothing to show. */
async function patchOf(chosen: Chosen, textOf: TextOf): Promise<string | null> {
  const { file, changes } = chosen;
  const { path, before, now } = file;
  const back = takenBack(chosen);
  if (!before || !now || !back || !hasLines(file)) return null;
  const [from, to] = [await textOf(path, now.bytes), await textOf(path, back.bytes)];
  if (from === null || to === null || from === to) return null;
  return `${file.renamedFrom !== null && changes === null ? file.renamedFrom : path}\n${diffTexts(from, to).diff}`;
}
