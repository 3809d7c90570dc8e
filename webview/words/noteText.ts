/** What notices and D-Mails say, in the panel's language where the journal holds the fact and not only words. Pure. */

import { t } from '@vscode/l10n';
import type { RestoredFiles, RowOf, Skipped } from '../../src/protocol/rows.ts';

export function noticeText({ fact, text, detail }: RowOf<'notice'>): {
  readonly text: string;
  readonly detail: string;
} {
  switch (fact?.kind) {
    case undefined:
      return { text, detail };
    case 'wentBack':
      return {
        text: t('Went back to checkpoint {0}. What came after it is kept as a branch.', fact.checkpoint),
        detail,
      };
    case 'cleared':
      return { text: t('The conversation was cleared. What was said is kept as a branch.'), detail };
    case 'edited':
      return { text: t('The earlier version of this message, and what came after it, is kept.'), detail };
    case 'compactionFailed':
      return { text: t('Compaction with {0} failed: {1}.', fact.strategy, fact.reason), detail };
    case 'restored':
      return { text: countFiles(fact), detail: nameFiles(fact) };
  }
}

export function dmailDetail({ files, detail }: RowOf<'dmail'>): string {
  if (files === undefined) return detail;
  if (files === null) return t('Files were left as they are.');
  return [countFiles(files), nameFiles(files)].filter(Boolean).join('\n');
}

function countFiles({ count, left }: RestoredFiles): string {
  if (left === 0) return count === 1 ? t('One file was restored.') : t('{0} files were restored.', count);
  return t('{0} files were restored, {1} were left as they are.', count, left);
}

function nameFiles({ count, restored, left, skipped }: RestoredFiles): string {
  const lines = [...restored, ...skipped.map((each) => `${each.path}: ${whyLeft(each)}`)];
  return [...lines, ...(count + left > lines.length ? ['…'] : [])].join('\n');
}

function whyLeft({ why, reason, lack }: Skipped): string {
  switch (why) {
    case 'changedSince':
      return t('somebody else changed it since, so it was left as it is');
    case 'unknown':
      return t('it cannot be told who changed it last, so it was left as it is');
    case 'changedMeanwhile':
      return t('it changed after the preview, so it was left as it is');
    case 'guarded':
      return t('it configures an agent or a tool, so it is written only when you were asked');
    // What the disk or an earlier look said about this one file.
    case 'lost':
      return t('it cannot be restored: {0}', lack ? nameLack(lack) : reason);
    case 'failed':
      return t('it was left as it is: {0}', lack ? nameLack(lack) : reason);
  }
}

function nameLack(lack: NonNullable<Skipped['lack']>): string {
  switch (lack.kind) {
    case 'tooLarge':
      return t('it has {0} bytes; files over {1} bytes are not kept', lack.size, lack.limit);
    case 'notRead':
      return t('there was too much to read before the command ran');
    case 'cleared':
      return t('what it held was cleared: it was too old, or checkpoints kept too much');
  }
}
