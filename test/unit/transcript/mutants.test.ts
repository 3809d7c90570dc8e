/** Every field of every kind of entry, replaced by what a later version or a forger may put there: the panel shows all. */

import { describe, expect, it } from 'vitest';
import { lowerContext } from '../../../src/core/context/lower.ts';
import type { Entry, EntryDraft } from '../../../src/core/journal/entry.ts';
import { Journal } from '../../../src/core/journal/journal.ts';
import { splitIntoParts } from '../../../src/core/tokens/meter.ts';
import { NOTHING_LIVE } from '../../../src/core/transcript/liveTurn.ts';
import { Transcript } from '../../../src/core/transcript/transcript.ts';
import { words } from '../../../src/core/words.ts';
import { readRow } from '../../../src/protocol/readRow.ts';
import { rowSchema } from '../../../src/protocol/rows.ts';
import { entriesOf, memoryJournal, memoryStore } from '../../support/ports/memoryStore.ts';
import { testCrypto } from '../../support/ports/nodeCrypto.ts';
import { testClock } from '../../support/ports/testClock.ts';

const USAGE = { input: 9, cached: 1, output: 2, reasoning: 0 };

const DRAFTS: readonly EntryDraft[] = [
  { type: 'title', title: 'A session' },
  {
    type: 'header',
    items: [{ kind: 'systemPrompt', origin: 'built-in', text: 'Be brief.', tokens: 3 }],
    tools: [{ name: 'look', description: 'Looks.', parameters: {} }],
    tokens: 9,
  },
  { type: 'configured', model: 'm', endpoint: 'https://x', window: 1_000, strategy: 's', parameters: {} },
  { type: 'checkpoint', id: 0, label: 'first', toldModel: false },
  { type: 'message', message: { role: 'user', kind: 'user', text: 'Look' }, tokens: 2 },
  {
    type: 'message',
    message: {
      role: 'assistant',
      text: 'I look.',
      reasoning: { field: 'reasoning', text: 'Hm' },
      toolCalls: [{ id: 'c1', name: 'look', arguments: '{"path":"a"}' }],
    },
    tokens: 8,
  },
  { type: 'usage', model: 'm', usage: USAGE },
  {
    type: 'message',
    message: { role: 'tool', toolCallId: 'c1', toolName: 'look', text: 'seen', durationMs: 3 },
    tokens: 5,
  },
  {
    type: 'note',
    level: 'info',
    text: 'A note.',
    words: words('A note.'),
    detail: 'More',
    detailWords: [words('More')],
    action: 'retry',
  },
  { type: 'note', level: 'info', text: 'Mail.', dmail: { checkpoint: 0, message: 'Go back' } },
  {
    type: 'compactionFailed',
    strategy: 's',
    trigger: 'manual',
    reason: 'No',
    attempt: 1,
    instead: 'Nothing',
    insteadWords: words('Nothing'),
  },
  {
    type: 'compaction',
    base: 0,
    plan: [
      { op: 'replace', id: 'm8', by: { text: '[hidden]', tokens: 4, hidden: true } },
      { op: 'insert', message: { role: 'user', kind: 'summary', text: 'Notes' }, tokens: 3 },
    ],
    strategy: 's',
    trigger: 'manual',
    tokensBefore: 90,
    tokensAfter: 40,
    durationMs: 2,
    attempt: 1,
    usage: USAGE,
    repairs: ['Mended'],
    verification: { checked: 2, added: ['a fact'] },
  },
];

const VALUES: readonly unknown[] = [null, 7, -1, 1e300, 'later', 'x'.repeat(1_200_000), true, {}, [], [[7]]];

/** Each copy of `value` in which one field, at any depth, is another value or is gone. */
function* mutate(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    const put = (other: unknown) =>
      Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other };
    for (const other of VALUES) yield put(other);
    if (!Array.isArray(value)) {
      const { [key]: _, ...rest } = value as Record<string, unknown>;
      yield rest;
    }
    for (const other of mutate(inner)) yield put(other);
  }
}

/** As any program can write it: the checksum is right. */
function lineOf(entry: unknown): string {
  const body = JSON.stringify(entry).slice(0, -1);
  return `${body},"crc":"${testCrypto().crc32(body).toString(16).padStart(8, '0')}"}`;
}

function show(journal: Journal) {
  const transcript = Transcript.of(journal.path());
  const rows = transcript.rows(journal.context, NOTHING_LIVE, null, 500).rows.map(readRow);
  const refused = rows.filter((row) => !rowSchema.safeParse(row).success);
  const reading = { tokens: 100, factor: 1, reported: null } as never;
  const parts = splitIntoParts(journal.context, reading).filter(({ tokens }) => !Number.isFinite(tokens));
  lowerContext(journal.context);
  return { rows, refused, parts };
}

describe('an entry of which one field is not what it should be', () => {
  it('never blanks the panel: the other rows are there, and the request can be lowered', {
    tags: ['long'],
  }, async () => {
    const { journal, store } = await memoryJournal();
    for (const draft of DRAFTS) {
      await journal.append(draft.type === 'compaction' ? { ...draft, base: journal.head ?? 0 } : draft);
    }
    const whole = show(journal);
    expect(whole.rows.map(({ type }) => type)).toMatchInlineSnapshot(`
      [
        "checkpoint",
        "user",
        "assistant",
        "tool",
        "notice",
        "dmail",
        "notice",
        "compaction",
      ]
    `);
    const faults: string[] = [];
    let mutants = 0;
    for (const [at, entry] of entriesOf(store.lines).entries()) {
      for (const mutant of mutate(entry)) {
        if (mutant === undefined || at === 0) continue;
        mutants++;
        const lines = store.lines.with(at, lineOf(mutant));
        const ports = { store: memoryStore(lines), clock: testClock(), crypto: testCrypto() };
        try {
          const shown = show(new Journal(inOrder(entriesOf(lines)), ports));
          if (shown.refused.length + shown.parts.length > 0) faults.push(`${JSON.stringify(mutant).slice(0, 300)}`);
          // An entry that follows another one is on another branch.
          const moved = ['seq', 'parent'].some(
            (key) => JSON.stringify(Reflect.get(mutant as object, key)) !== JSON.stringify(Reflect.get(entry, key)),
          );
          if (!moved && shown.rows.length < whole.rows.length - 2)
            faults.push(`rows: ${JSON.stringify(mutant).slice(0, 300)}`);
        } catch (thrown) {
          faults.push(`${(thrown as Error).message}: ${JSON.stringify(mutant).slice(0, 300)}`);
        }
      }
    }
    expect(mutants).toBeGreaterThan(1_000);
    expect(faults).toEqual([]);
  });

  it('a way out of a later version is left off, and the note is read', async () => {
    const { journal } = await memoryJournal();
    await journal.append({ type: 'note', level: 'info', text: 'Do it.', action: 'teleport' as never });
    expect(show(journal).rows).toMatchObject([{ type: 'notice', action: 'none', text: [{ values: ['Do it.'] }] }]);
  });
});

/** As a reader of files takes them: a number that does not rise is left out. */
function inOrder(entries: readonly Entry[]): Entry[] {
  let next = 0;
  return entries.filter(({ seq }) => {
    if (seq < next || seq - next > 1_000_000) return false;
    next = seq + 1;
    return true;
  });
}
