/** What *Check*, *Repair* and *Redact* found and did, as Markdown for an editor. Pure. */

import { type Translate, tell } from '../../core/words.ts';
import { formatCount } from '../pages/textTable.ts';
import type { SessionCheck } from '../storage/sessions/checkSession.ts';
import type { RedactReport } from '../storage/sessions/redactSession.ts';
import type { RepairReport } from '../storage/sessions/repairSession.ts';

export function describeCheck(
  title: string,
  { report, findings, blobs, repairable }: SessionCheck,
  t: Translate,
): string {
  const facts = [
    `- ${t('File: {0}', `\`${report.path}\``)}`,
    `- ${t('Size: {0} bytes in {1} lines, format {2}', formatCount(report.bytes), formatCount(report.lines), report.format)}`,
    `- ${t('Contents stored beside it: {0}; needed but missing: {1}', blobs.count, blobs.missing)}`,
  ];
  const verdict =
    findings.length === 0 ? [t('Everything is as it should be.')] : findings.map((each) => `- ${tell(each, t)}`);
  const advice = repairable
    ? [
        '',
        t(
          'Run *Palimpsest: Repair Session* to rewrite the file from its good lines. A copy of the file as it is now stays beside it.',
        ),
      ]
    : [];
  return text([`# ${t('Check of “{0}”', title)}`, '', ...facts, '', `## ${t('Findings')}`, '', ...verdict, ...advice]);
}

export function describeRepair(
  title: string,
  { kept, goodLines, damagedLines, gaps }: RepairReport,
  t: Translate,
): string {
  const heading = `# ${t('Repair of “{0}”', title)}`;
  if (kept === null) {
    return text([heading, '', t('All {0} lines are good. Nothing was changed.', goodLines), ...describeGaps(gaps, t)]);
  }
  return text([
    heading,
    '',
    `- ${t('Good lines, kept byte for byte: {0}', goodLines)}`,
    `- ${t('Damaged lines, set aside in {0}: {1}', '`journal.jsonl.damaged`', damagedLines)}`,
    `- ${t('The file as it was: {0}', `\`${kept}\``)}`,
    ...describeGaps(gaps, t),
  ]);
}

export function describeRedaction(
  title: string,
  { entries, occurrences, blobs, removedLines, cutValues, sealedItems, unrestorable, structural, opaque }: RedactReport,
  t: Translate,
): string {
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
  return text([
    `# ${t('Redaction of “{0}”', title)}`,
    '',
    `- ${t('Places replaced by {0}: {1}, in entries: {2}', '`[redacted]`', occurrences, entries.length)}`,
    `- ${t('Stored contents rewritten without it: {0}', blobs)}`,
    `- ${t('Unreadable lines removed, because nobody can tell what they contain: {0}', removedLines)}`,
    ...(cutValues > 0 ? [`- ${t('Values nested too deeply to be checked, removed: {0}', cutValues)}`] : []),
    ...(sealedItems > 0
      ? [`- ${t('Pieces of encrypted reasoning removed, because nobody can tell what they contain: {0}', sealedItems)}`]
      : []),
    ...(unrestorable > 0 ? [`- ${t('Files that can no longer be restored: {0}', unrestorable)}`] : []),
    ...(occurrences + blobs === 0 ? ['', t('The text does not occur in this session.')] : []),
    ...(entries.length > 0 ? ['', t('Entries: {0}', entries.join(', '))] : []),
    '',
    `## ${t('Not reached')}`,
    '',
    ...left.map((each) => `- ${each}`),
    ...(left.length > 0 ? [''] : []),
    t('Copies elsewhere, such as exports, are not changed. If the text is a key, ask its provider for a new one.'),
  ]);
}

function describeGaps(gaps: RepairReport['gaps'], t: Translate): string[] {
  return gaps.map(({ from, to }) =>
    from === to ? `- ${t('Entry {0} is lost.', from)}` : `- ${t('Entries {0} to {1} are lost.', from, to)}`,
  );
}

function text(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
