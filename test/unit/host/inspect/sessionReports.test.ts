/** What the reports of check, repair and redaction say. */

import { expect, test } from 'vitest';
import { words } from '../../../../src/core/words.ts';
import { describeCheck, describeRedaction, describeRepair } from '../../../../src/host/commands/sessionCare.ts';
import { pageText } from '../../../../src/node/pages/pageText.ts';
import type { Page } from '../../../../src/protocol/pages.ts';
import { t } from '../../../support/inEnglish.ts';

const buttons = ({ blocks }: Page) =>
  blocks.flatMap((block) =>
    block.kind === 'actions' ? block.actions.map(({ id, primary = false }) => [id, primary]) : [],
  );

const report = {
  path: '/s/journal.jsonl',
  bytes: 900,
  lines: 9,
  damaged: [],
  gaps: [],
  tornBytes: 0,
  format: 1,
  sessionLost: false,
};

test('a check says that all is well, or what is not and what can be done', () => {
  const well = describeCheck('A', { report, findings: [], blobs: { count: 2, missing: 0 }, repairable: false }, t);
  expect(pageText(well)).toContain('Everything is as it should be.');
  expect(buttons(well)).toEqual([
    ['check', false],
    ['openFile', false],
  ]);
  const ill = describeCheck(
    'A',
    {
      report,
      findings: [words('Line {0} is left out.', 3)],
      blobs: { count: 2, missing: 1 },
      repairable: true,
    },
    t,
  );
  expect(pageText(ill)).toContain('- Line 3 is left out.');
  expect(buttons(ill)[0]).toEqual(['repair', true]);
});

test('a repair names the file as it was, and what stays lost', () => {
  const repaired = describeRepair(
    'A',
    {
      kept: '/s/journal.jsonl.before-repair-1',
      goodLines: 8,
      damagedLines: 1,
      gaps: [{ from: 3, to: 4 }],
    },
    t,
  );
  expect(pageText(repaired)).toContain('/s/journal.jsonl.before-repair-1');
  expect(pageText(repaired)).toContain('- Entries 3 to 4 are lost.');
  expect(buttons(repaired).map(([id]) => id)).toEqual(['check', 'openFile', 'openKept']);
  const nothing = describeRepair('A', { kept: null, goodLines: 9, damagedLines: 0, gaps: [] }, t);
  expect(pageText(nothing)).toContain('Nothing was changed.');
  expect(buttons(nothing).map(([id]) => id)).toEqual(['check', 'openFile']);
});

test('a redaction counts, and says what it does not reach', () => {
  const all = {
    entries: [4, 7],
    occurrences: 3,
    blobs: 1,
    removedLines: 0,
    cutValues: 0,
    sealedItems: 3,
    unrestorable: 2,
  };
  const page = describeRedaction('A', { ...all, structural: 5, opaque: 0 }, t);
  expect(buttons(page).map(([id]) => id)).toEqual(['redact', 'check', 'openFile']);
  const redacted = pageText(page);
  expect(redacted).toContain('- Places replaced by [redacted]: 3, in entries: 2');
  expect(redacted).toContain('Entries: 4, 7');
  expect(redacted).toContain('- Pieces of encrypted reasoning removed, because nobody can tell what they contain: 3');
  expect(redacted).toContain('- Files that can no longer be restored: 2');
  const [, notReached] = redacted.split('## Not reached');
  expect(notReached).toContain('There it stays, in lines: 5');
  expect(notReached).not.toContain('Stored contents that are not text');
  expect(notReached).toContain('ask its provider for a new one');
});
