/** What the journal holds for the call of a row: the subagent that it started, and what a file held before it. */

import type { FilesEntry, SubagentEntry } from '../../core/journal/entry.ts';
import { decodeText } from '../../core/tools/text/decodeText.ts';
import type { RowOf } from '../../protocol/rows.ts';
import type { Conversation } from '../session/conversation.ts';

/** The session of the subagent that the call started. */
export function subagentOf(rowId: string, conversation: Conversation): string | null {
  return entriesOf(rowId, conversation).find((entry) => entry.type === 'subagent')?.session ?? null;
}

/** What the file held before the change of a row; null where that is not kept, or is no text. */
export async function textBefore({ id, detail }: RowOf<'tool'>, conversation: Conversation): Promise<string | null> {
  if (detail.kind !== 'edit') return null;
  if (detail.effect === 'created') return '';
  const images = entriesOf(id, conversation).flatMap((entry) => (entry.type === 'files' ? entry.files : []));
  const before = images.find(({ path }) => path === detail.path)?.before ?? null;
  const bytes = before === null ? null : await conversation.blobs.get(before);
  const decoded = bytes === null ? null : decodeText(bytes);
  return decoded?.kind === 'text' ? decoded.text : null;
}

/** `m17.0` is the first call of entry 17. */
function entriesOf(rowId: string, { journal }: Conversation): (SubagentEntry | FilesEntry)[] {
  const [, seq, nth] = /^m(\d+)\.(\d+)$/.exec(rowId) ?? [];
  if (seq === undefined) return [];
  const path = [...journal.newest(journal.nextSeq - Number(seq))];
  const entry = path.find((each) => each.seq === Number(seq));
  if (entry?.type !== 'message' || entry.message.role !== 'assistant') return [];
  const call = entry.message.toolCalls?.[Number(nth)];
  return path.flatMap((each) =>
    (each.type === 'subagent' || each.type === 'files') && each.toolCallId === call?.id ? [each] : [],
  );
}
