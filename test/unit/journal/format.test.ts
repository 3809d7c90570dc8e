import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { encodeEntry } from '../../../src/core/journal/codec.ts';
import { decodeLine } from '../../support/decodeLine.ts';
import { entriesOf, memoryJournal } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';

// One session of format 1 with every type of entry. It is never written again: a journal of a released version must be
// read for ever, and what is written today must be what that version reads.
const lines = readFileSync(join(import.meta.dirname, '../../fixtures/journal-format-1.jsonl'), 'utf8')
  .split('\n')
  .slice(0, -1);
const crypto = testCrypto();

describe('journal format 1', () => {
  it('is read line by line, and written back byte for byte', () => {
    for (const line of lines) {
      const decoded = decodeLine(line, crypto);
      if (decoded.kind !== 'entry') throw new Error(`${decoded.reason}: ${line}`);
      expect(encodeEntry(decoded.entry, crypto)).toBe(line);
    }
  });

  it('has every type of entry', () => {
    expect([...new Set(entriesOf(lines).map(({ type }) => type))].sort()).toEqual([
      'checkpoint',
      'collapsed',
      'compaction',
      'compactionFailed',
      'compactionRedone',
      'compactionUndone',
      'configured',
      'expanded',
      'files',
      'header',
      'message',
      'note',
      'opened',
      'pinned',
      'request',
      'revert',
      'session',
      'title',
      'unpinned',
      'usage',
    ]);
  });

  it('folds to the same context, before and after its compaction', async () => {
    const { journal } = await memoryJournal({ lines });
    const view = (head: number | null) =>
      journal.contextAt(head).conversation.map(({ id, message, hidden, pinned }) => [id, message.text, hidden, pinned]);
    expect([journal.title, journal.head, journal.nextCheckpointId]).toEqual(['Fix the 重试 loop 🙂', 25, 1]);
    const half = 'Why? half \ud83d of a pair';
    expect(view(journal.head)).toEqual([
      ['m6', 'CHECKPOINT 0', false, false],
      ['m7', half, false, false],
      ['m9', 'I look.', false, false],
      ['m12', 'const a = 1;', false, false],
      ['m13', 'denied', false, false],
      ['m14', 'It is', false, false],
      ['m25', 'Done.', false, false],
    ]);
    expect(view(23)).toEqual([
      ['c17.0', 'notes', false, false],
      ['m6', 'CHECKPOINT 0', false, false],
      ['m7', half, false, false],
      ['m9', 'I look.', false, false],
      ['m12', '[hidden]', true, false],
      ['m13', 'denied', false, false],
    ]);
  });
});
