/** What notices and D-Mails say, in the panel's language where the journal holds the fact and not only words. Pure. */

import type { RestoredFiles, RowOf, Skipped } from '../../src/protocol/rows.ts';
import { type Strings, strings } from './strings.ts';

type Notes = Strings['notes'];

export function noticeText(
  { fact, text, detail }: RowOf<'notice'>,
  notes: Notes = strings.notes,
): { readonly text: string; readonly detail: string } {
  switch (fact?.kind) {
    case undefined:
      return { text, detail };
    case 'wentBack':
      return { text: notes.wentBack(fact.checkpoint), detail };
    case 'cleared':
      return { text: notes.cleared, detail };
    case 'edited':
      return { text: notes.edited, detail };
    case 'compactionFailed':
      return { text: notes.compactionFailed(fact.strategy, fact.reason), detail };
    case 'restored':
      return { text: notes.restored(fact.count, fact.left), detail: nameFiles(fact, notes) };
  }
}

export function dmailDetail({ files, detail }: RowOf<'dmail'>, notes: Notes = strings.notes): string {
  if (files === undefined) return detail;
  if (files === null) return notes.filesLeft;
  return [notes.restored(files.count, files.left), nameFiles(files, notes)].filter(Boolean).join('\n');
}

function nameFiles({ count, restored, left, skipped }: RestoredFiles, notes: Notes): string {
  const lines = [...restored, ...skipped.map((each) => `${each.path}: ${whyLeft(each, notes)}`)];
  return [...lines, ...(count + left > lines.length ? ['…'] : [])].join('\n');
}

function whyLeft({ why, reason, lack }: Skipped, notes: Notes): string {
  switch (why) {
    case 'changedSince':
    case 'unknown':
    case 'changedMeanwhile':
    case 'guarded':
      return notes.left[why];
    // What the disk or an earlier look said about this one file.
    case 'lost':
    case 'failed':
      return notes.leftBecause[why](lack ? nameLack(lack, notes) : reason);
  }
}

function nameLack(lack: NonNullable<Skipped['lack']>, { lacks }: Notes): string {
  return lack.kind === 'tooLarge' ? lacks.tooLarge(lack.size, lack.limit) : lacks[lack.kind];
}
