/** What *Check*, *Repair* and *Redact* found and did, as pages with what can be done next. Pure. */

import { type Translate, tell } from '../../core/words.ts';
import type { Page, PageAction } from '../../protocol/pages.ts';
import { list, section, text } from '../pages/blocks.ts';
import { formatCount } from '../pages/textTable.ts';
import type { SessionCheck } from '../storage/sessions/checkSession.ts';
import type { RedactReport } from '../storage/sessions/redactSession.ts';
import type { RepairReport } from '../storage/sessions/repairSession.ts';

/** What the buttons of these pages do. */
export type CareAction = 'check' | 'repair' | 'redact' | 'openFile' | 'openKept';

export function describeCheck(
  title: string,
  { report, findings, blobs, repairable }: SessionCheck,
  t: Translate,
): Page {
  return {
    title: t('Check of “{0}”', title),
    subtitle: '',
    blocks: [
      buttons(t, repairable ? ['repair', 'check', 'openFile'] : ['check', 'openFile'], repairable),
      list([
        t('File: {0}', report.path),
        t(
          'Size: {0} bytes in {1} lines, format {2}',
          formatCount(report.bytes),
          formatCount(report.lines),
          report.format,
        ),
        t('Contents stored beside it: {0}; needed but missing: {1}', blobs.count, blobs.missing),
      ]),
      section(t('Findings'), [
        findings.length === 0 ? text(t('Everything is as it should be.')) : list(findings.map((each) => tell(each, t))),
        ...(repairable
          ? [
              text(
                t('Repairing rewrites the file from its good lines. A copy of the file as it is now stays beside it.'),
                'warning',
              ),
            ]
          : []),
      ]),
    ],
  };
}

export function describeRepair(
  title: string,
  { kept, goodLines, damagedLines, gaps }: RepairReport,
  t: Translate,
): Page {
  const unchanged = kept === null;
  const lines = unchanged
    ? []
    : [
        t('Good lines, kept byte for byte: {0}', goodLines),
        t('Damaged lines, set aside in {0}: {1}', 'journal.jsonl.damaged', damagedLines),
        t('The file as it was: {0}', kept),
      ];
  return {
    title: t('Repair of “{0}”', title),
    subtitle: unchanged ? t('All {0} lines are good. Nothing was changed.', goodLines) : '',
    blocks: [
      buttons(t, unchanged ? ['check', 'openFile'] : ['check', 'openFile', 'openKept']),
      list([...lines, ...describeGaps(gaps, t)]),
    ],
  };
}

export function describeRedaction(
  title: string,
  { entries, occurrences, blobs, removedLines, cutValues, sealedItems, unrestorable, structural, opaque }: RedactReport,
  t: Translate,
): Page {
  const left = [
    structural > 0
      ? t(
          'The text is also part of how the file itself is written, such as the name of a field or a kind, a number or a time. There it stays, in lines: {0}',
          structural,
        )
      : '',
    opaque > 0
      ? t('Stored contents that are not text, such as images, which may contain it in another form: {0}', opaque)
      : '',
  ].filter(Boolean);
  return {
    title: t('Redaction of “{0}”', title),
    subtitle: occurrences + blobs === 0 ? t('The text does not occur in this session.') : '',
    blocks: [
      buttons(t, ['redact', 'check', 'openFile']),
      list([
        t('Places replaced by {0}: {1}, in entries: {2}', '[redacted]', occurrences, entries.length),
        t('Stored contents rewritten without it: {0}', blobs),
        t('Unreadable lines removed, because nobody can tell what they contain: {0}', removedLines),
        ...(cutValues > 0 ? [t('Values nested too deeply to be checked, removed: {0}', cutValues)] : []),
        ...(sealedItems > 0
          ? [t('Pieces of encrypted reasoning removed, because nobody can tell what they contain: {0}', sealedItems)]
          : []),
        ...(unrestorable > 0 ? [t('Files that can no longer be restored: {0}', unrestorable)] : []),
      ]),
      ...(entries.length > 0 ? [text(t('Entries: {0}', entries.join(', ')), 'quiet')] : []),
      section(t('Not reached'), [
        ...(left.length > 0 ? [list(left)] : []),
        text(
          t(
            'Copies elsewhere, such as exports, are not changed. If the text is a key, ask its provider for a new one.',
          ),
        ),
      ]),
    ],
  };
}

function describeGaps(gaps: RepairReport['gaps'], t: Translate): string[] {
  return gaps.map(({ from, to }) =>
    from === to ? t('Entry {0} is lost.', from) : t('Entries {0} to {1} are lost.', from, to),
  );
}

/** With `first`, the first of them is what the page suggests. */
function buttons(t: Translate, ids: readonly CareAction[], first = false) {
  const labels: Readonly<Record<CareAction, string>> = {
    check: t('Check again'),
    repair: t('Repair'),
    redact: t('Redact another text'),
    openFile: t('Show the file'),
    openKept: t('Show the file as it was'),
  };
  const actions = ids.map((id, at): PageAction => ({ id, label: labels[id], primary: first && at === 0 }));
  return { kind: 'actions' as const, actions };
}
