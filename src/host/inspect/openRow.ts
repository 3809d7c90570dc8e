/** Opens a tool call in an editor: a change as a diff, anything else as text. */

import * as vscode from 'vscode';
import type { FilesEntry, SubagentEntry } from '../../core/journal/entry.ts';
import type { ApprovalRequest } from '../../core/tools/approvals.ts';
import { decodeText } from '../../core/tools/text/decodeText.ts';
import { textsOfDiff } from '../../core/tools/text/diffTexts.ts';
import { nameTool } from '../../core/tools/toolNames.ts';
import type { Conversation } from '../../node/session/conversation.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import type { RowOf } from '../../protocol/rows.ts';
import type { SessionCommands } from '../commands/sessionCommands.ts';
import type { Handlers } from '../handlers.ts';
import type { ProposedEdits } from './proposedEdits.ts';
import type { ReadOnlyDocuments } from './readOnlyDocuments.ts';

interface Parts {
  readonly session: ShownSession;
  readonly sessions: SessionCommands;
  readonly documents: ReadOnlyDocuments;
  readonly edits: ProposedEdits;
}

/** A waiting call opens as its question; a finished one as its result. */
export function rowCommands({ session, sessions, documents, edits }: Parts) {
  return {
    openRow: async ({ rowId }) => {
      const { conversation } = session;
      const row = session.row(rowId);
      if (!conversation || row?.type !== 'tool') return;
      const { approvals } = conversation;
      const question = approvals.pending.find(({ id }) => id === row.approval?.id);
      if (question) {
        if (!(await edits.open(question, approvals))) await openQuestion(question.request, documents);
        return;
      }
      const subagent = subagentOf(rowId, conversation);
      if (subagent !== null) await sessions.showSubagent(conversation.id, subagent);
      else await openRow(row, await textBefore(row, conversation), documents);
    },
  } satisfies Partial<Handlers>;
}

/** A change in the diff editor, anything else as text: everything that an approval would allow. */
async function openQuestion({ detail }: ApprovalRequest, documents: ReadOnlyDocuments): Promise<void> {
  switch (detail.kind) {
    case 'edit':
      return documents.showChange(detail.path, detail.before ?? '', detail.after);
    case 'delete':
      return documents.showChange(detail.path, detail.before ?? '', '');
    case 'move':
      return documents.show('move.txt', `${detail.from}\n→ ${detail.to}\n`);
    case 'command':
      return documents.show('command.sh', detail.command);
    case 'web':
      return documents.show('address.txt', detail.url);
    case 'mcp':
      return documents.show(`${detail.tool}.json`, detail.input);
  }
}

/** `before`: the file's content before the call, if it was kept. */
async function openRow(
  { toolName, title, detail, ...row }: RowOf<'tool'>,
  before: string | null,
  documents: ReadOnlyDocuments,
): Promise<void> {
  if (detail.kind === 'edit') {
    const made = detail.effect !== 'none' && detail.effect !== 'open';
    const texts = textsOfDiff(detail.diff, made ? before : null);
    return documents.showChange(detail.path, texts.before, texts.after, made);
  }
  return documents.show(
    `${toolName}.txt`,
    `${nameTool(toolName, vscode.l10n.t)} ${title}\n\n${row.arguments}\n\n${row.result}`,
  );
}

/** The session of the subagent that the call started. */
function subagentOf(rowId: string, conversation: Conversation): string | null {
  return entriesOf(rowId, conversation).find((entry) => entry.type === 'subagent')?.session ?? null;
}

/** The file's text before the change of a row; null when it was not kept or is not text. */
async function textBefore({ id, detail }: RowOf<'tool'>, conversation: Conversation): Promise<string | null> {
  if (detail.kind !== 'edit') return null;
  if (detail.effect === 'created') return '';
  const images = entriesOf(id, conversation).flatMap((entry) => (entry.type === 'files' ? entry.files : []));
  const before = images.find(({ path }) => path === detail.path)?.before ?? null;
  const bytes = before === null ? null : await conversation.agent.blobs.get(before);
  const decoded = bytes === null ? null : decodeText(bytes);
  // If the encoding is not Unicode, the recorded change, which is text, is more reliable.
  return decoded?.kind === 'text' && !decoded.lossy ? decoded.text : null;
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
