/** Journals that nobody wrote by working: what a line, a number or a plan may cost is bounded. */

import { existsSync } from 'node:fs';
import { appendFile, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { encodeEntry } from '../../../src/core/journal/codec.ts';
import type { Entry } from '../../../src/core/journal/entry.ts';
import { inEnglish } from '../../../src/core/words.ts';
import { LONGEST_LINE, readLines } from '../../../src/node/storage/disk/readLines.ts';
import { openJournal } from '../../../src/node/storage/journal/openJournal.ts';
import { LineTally } from '../../../src/node/storage/journal/readJournal.ts';
import { checkSession } from '../../../src/node/storage/sessions/checkSession.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';

let folder = '';
let path = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'palimpsest-'));
  path = join(folder, 'journal.jsonl');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const time = '2026-01-01T12:00:00.000Z';
const lineOf = (entry: Entry) => `${encodeEntry(entry, testCrypto())}\n`;
const session: Entry = {
  seq: 0,
  time,
  type: 'session',
  format: 1,
  id: 'test',
  workspace: null,
  engine: 'e',
  nonce: 'f00d',
};
const said = (seq: number, parent: number | null, text: string): Entry => ({
  seq,
  parent,
  time,
  type: 'message',
  message: { role: 'user', kind: 'user', text },
  tokens: 1,
});
const open = (indexFrom?: number) =>
  openJournal({
    path,
    id: 'test',
    clock: testClock(),
    crypto: testCrypto(),
    ...(indexFrom === 0 ? { indexFrom } : {}),
  });

describe('a line over the limit', () => {
  it('is given as an empty one, at its place, wherever it stands', async () => {
    const long = 'x'.repeat(3_000_000);
    for (const [text, lines, cut] of [
      [`a\n${long}\nb\n`, ['0 a', '2 ', `${long.length + 3} b`], false],
      [`${long}\n${long}\nb`, ['0 ', `${long.length + 1} `], false],
      [`a\n${long}`, ['0 a', '2 '], true],
    ] as const) {
      await writeFile(path, text);
      const found: string[] = [];
      const lengths: number[] = [];
      const take = (line: Buffer, offset: number, length: number) => {
        found.push(`${offset} ${line}`);
        lengths.push(length);
      };
      const { size, endsInLongLine } = await readLines(path, take, { longest: 1 << 20 });
      expect([found, size, endsInLongLine]).toEqual([lines, text.length, cut]);
      // What follows the last break is not given as a line.
      expect(lengths).toEqual([...text.split('\n').map((line) => line.length)].slice(0, lengths.length));
    }
  });

  it('is followed by a break before the next line is written, and never cut off', async () => {
    await writeFile(path, `${lineOf(session)}${'x'.repeat(3_000_000)}`);
    const tally = new LineTally();
    const decode = (line: Buffer, offset: number, length: number) =>
      tally.decode(line, offset, length, testCrypto(), () => {});
    const read = await readLines(path, decode, { longest: 1 << 20 });
    expect(tally.finish(read, decode)).toEqual({ length: read.size, needsBreak: true, torn: null });
    expect(tally.counts).toMatchObject({ lines: 2, damaged: [{ line: 2, length: 3_000_000, reason: 'tooLong' }] });
  });

  it('is named as what it is by Check Session, and the rest is read', { tags: ['long'] }, async () => {
    await writeFile(path, lineOf(session));
    const before = Buffer.byteLength(lineOf(session));
    // Empty space of a file takes no room on the disk.
    await truncate(path, before + LONGEST_LINE + 1);
    await appendFile(path, `\n${lineOf(said(1, null, 'after'))}\n`);
    const { report, findings, repairable } = await checkSession(folder, 'test', {
      clock: testClock(),
      crypto: testCrypto(),
    });
    expect(findings.map(inEnglish)).toEqual([
      'Line 2 (268,435,457 bytes) is left out: it is longer than the longest line that is read (268,435,456 bytes).',
      'Line 4 (0 bytes) is left out: it has no checksum.',
    ]);
    expect([report.lines, report.gaps, repairable]).toEqual([4, [], true]);
  });
});

describe('numbers and plans that nobody wrote', { tags: ['long'] }, () => {
  it.each([0, undefined])(
    'a sparse journal: gaps are counted together, and what lies beyond them is left out (%s)',
    async (index) => {
      let text = lineOf(session);
      for (let i = 1; i <= 900; i++) text += lineOf(said(i * 999_999, i === 1 ? null : (i - 1) * 999_999, `${i}`));
      await writeFile(path, text);
      const { journal, report } = await open(index);
      expect(journal.nextSeq).toBeLessThan(1_000_002);
      expect(report.damaged).toHaveLength(899);
      expect([...journal.ofType('message')]).toHaveLength(1);
      await journal.close();
    },
  );

  it('a line out of its order is looked for in few of the gaps', () => {
    const looks = (count: number) => {
      let looked = 0;
      const gaps = Array.from({ length: count }, (_, i) => ({
        get from() {
          looked++;
          return 2 * i + 1;
        },
        to: 2 * i + 1,
      }));
      const tally = new LineTally({ lines: count, damaged: [], gaps, next: 2 * count + 1 });
      looked = 0;
      for (let seq = 0; seq < 2 * count; seq++) tally.accept(seq, 0, 1);
      const reasons = tally.counts.damaged.map(({ reason }) => reason);
      expect(reasons.slice(0, 4)).toEqual(['doubled', 'outOfOrder', 'doubled', 'outOfOrder']);
      return looked;
    };
    expect(looks(1_000) / looks(100)).toBeLessThan(11);
  });

  const compaction = (seq: number, plan: unknown): Entry =>
    ({
      seq,
      parent: seq - 1,
      time,
      type: 'compaction',
      base: 1,
      plan,
      strategy: 's',
      trigger: 'manual',
      tokensBefore: 2,
      tokensAfter: 1,
      durationMs: 0,
      attempt: 1,
    }) as Entry;

  // More than the arguments that a call can take.
  const count = process.env.PALIMPSEST_FULL ? 300_000 : 150_000;
  it(`a plan of ${count} operations, on one item and on as many, scanned and through the index`, async () => {
    const message = { role: 'user', kind: 'summary', text: 'n' };
    const same = Array.from({ length: count }, (_, i) => ({
      op: 'replace',
      id: 'm1',
      by: { text: `${i}`, tokens: 1 },
    }));
    const many = Array.from({ length: count }, () => ({ op: 'insert', message, tokens: 1 }));
    await writeFile(
      path,
      lineOf(session) + lineOf(said(1, null, 'one')) + lineOf(compaction(2, same)) + lineOf(compaction(3, many)),
    );
    const { journal } = await open();
    expect(journal.context.conversation).toHaveLength(count + 1);
    expect(journal.context.slot('m1')).toMatchObject({ shown: 'replaced', hidden: false });
    await journal.append({ type: 'compactionUndone', target: 3 });
    expect(journal.context.conversation.map(({ message: { text } }) => text)).toEqual([`${count - 1}`]);
    await journal.append({ type: 'compactionRedone', target: 3 });
    expect(journal.context.conversation).toHaveLength(count + 1);
    await journal.sync();
    await journal.close();
    expect(existsSync(`${path}.index`)).toBe(true);
    const again = (await open()).journal;
    expect(again.context.conversation).toHaveLength(count + 1);
    expect(again.context.conversation.map(({ message: { text } }) => text).sort()[0]).toBe(`${count - 1}`);
    await again.close();
  }, 120_000);

  it.each([0, undefined])(
    'a sparse journal of 20,000 operations on one item (%s)',
    async (index) => {
      const replaced = [{ op: 'replace', id: 'm1', by: { text: 'short', tokens: 1, hidden: true } }];
      let text = lineOf(session) + lineOf(said(1, null, 'one')) + lineOf(compaction(2, replaced));
      // Every other entry is missing.
      for (let i = 0, seq = 4; i < 20_000; i++, seq += 2) {
        const type = i % 2 ? 'expanded' : 'collapsed';
        text += lineOf({ seq, parent: seq - 1, time, type, ids: ['m1'] });
      }
      await writeFile(path, text);
      const { journal, report } = await open(index);
      expect([report.damaged.length, report.gaps.length]).toEqual([0, 20_000]);
      expect(journal.context.conversation.map(({ message, hidden }) => [message.text, hidden])).toEqual([
        ['one', false],
      ]);
      await journal.append({ type: 'collapsed', ids: ['m1'] });
      expect(journal.context.conversation.map(({ message, hidden }) => [message.text, hidden])).toEqual([
        ['short', true],
      ]);
      await journal.close();
    },
    120_000,
  );

  it('20,000 compactions, undone from the oldest on', async () => {
    const count = 20_000;
    let text = lineOf(session) + lineOf(said(1, null, 'one'));
    const replaced = [{ op: 'replace', id: 'm1', by: { text: 'short', tokens: 1 } }];
    for (let i = 0; i < count; i++) text += lineOf(compaction(i + 2, i === 0 ? replaced : []));
    for (let i = 0, seq = count + 2; i < count; i++, seq++)
      text += lineOf({ seq, parent: seq - 1, time, type: 'compactionUndone', target: i + 2 });
    await writeFile(path, text);
    const { journal } = await open();
    expect(journal.context.activeCompactions).toEqual([]);
    expect(journal.context.conversation.map(({ message }) => message.text)).toEqual(['one']);
    await journal.close();
  }, 120_000);
});
