/** Short entries of a path, and their fold into context and transcript. */

import { Projection } from '../../../src/core/context/projection.ts';
import type { EntryDraft, TreeEntry } from '../../../src/core/journal/entry.ts';
import { type LiveTurn, NOTHING_LIVE } from '../../../src/core/transcript/liveTurn.ts';
import { Transcript } from '../../../src/core/transcript/transcript.ts';
import type { Row } from '../../../src/protocol/rows.ts';

export const TIME = '2026-01-15T09:30:00.000Z';

/** A path of entries numbered from 0, folded into context and transcript. */
export function fold(...drafts: EntryDraft[]) {
  const path = drafts.map(
    (draft, seq) => ({ seq, parent: seq === 0 ? null : seq - 1, time: TIME, ...draft }) as TreeEntry,
  );
  const context = Projection.of(path);
  const transcript = Transcript.of(path);
  const row = (id: string, live: LiveTurn = NOTHING_LIVE) => transcript.row(id, context, live);
  const rows = (live: LiveTurn = NOTHING_LIVE, before: string | null = null, count = 100) =>
    transcript.rows(context, live, before, count);
  return { transcript, context, row, rows };
}

export const ask = (text: string): EntryDraft => ({
  type: 'message',
  tokens: 5,
  message: { role: 'user', kind: 'user', text },
});
export const call = (id: string, name: string, input: unknown): EntryDraft => ({
  type: 'message',
  tokens: 20,
  message: { role: 'assistant', text: '', toolCalls: [{ id, name, arguments: JSON.stringify(input) }] },
});
export const answer = (toolCallId: string, toolName: string, text: string, isError = false): EntryDraft => ({
  type: 'message',
  tokens: 100,
  message: { role: 'tool', toolCallId, toolName, text, durationMs: 12, ...(isError ? { isError } : {}) },
});
export const say = (text: string, interrupted = false): EntryDraft => ({
  type: 'message',
  tokens: 10,
  message: { role: 'assistant', text, ...(interrupted ? { interrupted } : {}) },
});
export const hide = (id: string, base: number): EntryDraft => ({
  type: 'compaction',
  base,
  plan: [{ op: 'replace', id, by: { text: '[hidden]', tokens: 4, hidden: true } }],
  strategy: 'tool-result-hiding',
  trigger: 'manual',
  tokensBefore: 200,
  tokensAfter: 104,
  durationMs: 3,
  attempt: 1,
});

export const facts = (row: Row | null) =>
  row?.type === 'tool'
    ? { id: row.id, itemId: row.itemId, status: row.status, title: row.title, result: row.result }
    : row;
