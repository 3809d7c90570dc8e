/** What *Check*, *Repair* and *Redact* found and did, as Markdown for an editor. Pure. */

import type { SessionCheck } from './storage/checkSession.ts';
import type { RedactReport } from './storage/redactSession.ts';
import type { RepairReport } from './storage/repairSession.ts';

export function describeCheck(title: string, { report, findings, blobs, repairable }: SessionCheck): string {
  const facts = [
    `- File: \`${report.path}\``,
    `- Size: ${report.bytes} bytes in ${report.lines} lines, format ${report.format}`,
    `- Bodies beside it: ${blobs.count}, of which ${blobs.missing} needed ones are missing`,
  ];
  const verdict = findings.length === 0 ? ['Everything is as it should be.'] : findings.map((each) => `- ${each}`);
  const advice = repairable
    ? [
        '',
        'Run *Palimpsest: Repair Session* to write the file anew from its good lines. The file as it is stays beside it.',
      ]
    : [];
  return text([`# Check of “${title}”`, '', ...facts, '', '## Findings', '', ...verdict, ...advice]);
}

export function describeRepair(title: string, { kept, goodLines, damagedLines, gaps }: RepairReport): string {
  if (kept === null) {
    return text([
      `# Repair of “${title}”`,
      '',
      `All ${goodLines} lines are good. Nothing was changed.`,
      ...describeGaps(gaps),
    ]);
  }
  return text([
    `# Repair of “${title}”`,
    '',
    `- ${goodLines} good lines were kept, byte for byte.`,
    `- ${damagedLines} damaged lines were set aside in \`journal.jsonl.damaged\`.`,
    `- The file as it was: \`${kept}\``,
    ...describeGaps(gaps),
  ]);
}

export function describeRedaction(title: string, { entries, occurrences, blobs, removedLines }: RedactReport): string {
  return text([
    `# Redaction of “${title}”`,
    '',
    `- ${occurrences} occurrences in ${entries.length} entries were replaced by \`[redacted]\`.`,
    `- ${blobs} bodies were written anew without it.`,
    `- ${removedLines} unreadable lines were removed, because nobody can tell what they hold.`,
    ...(entries.length > 0 ? ['', `Entries: ${entries.join(', ')}`] : []),
    '',
    'Copies made elsewhere, exports among them, are not reached. If the text is a key, replace it at its provider.',
  ]);
}

function describeGaps(gaps: RepairReport['gaps']): string[] {
  return gaps.map(({ from, to }) => `- Entries ${from} to ${to} are lost.`);
}

function text(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
