/** Opens a tool call in an editor: a change as a diff, anything else as a text. */

import type { ApprovalRequest } from '../../core/ports.ts';
import { textsOfDiff } from '../../core/tools/text/textsOfDiff.ts';
import type { RowOf } from '../../protocol/rows.ts';
import type { ReadOnlyDocuments } from './readOnlyDocuments.ts';

/** A change in the diff editor, anything else as a text: all of what an answer would allow. */
export async function openQuestion({ detail }: ApprovalRequest, documents: ReadOnlyDocuments): Promise<void> {
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

/** `before`: what the file held before the call, where that is kept. */
export async function openRow(
  { toolName, title, detail, ...row }: RowOf<'tool'>,
  before: string | null,
  documents: ReadOnlyDocuments,
): Promise<void> {
  if (detail.kind === 'edit') {
    const made = detail.effect !== 'none' && detail.effect !== 'open';
    const texts = textsOfDiff(detail.diff, made ? before : null);
    return documents.showChange(detail.path, texts.before, texts.after, made);
  }
  return documents.show(`${toolName}.txt`, `${toolName} ${title}\n\n${row.arguments}\n\n${row.result}`);
}
