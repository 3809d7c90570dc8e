/** The approval card: exactly what would be done, with the hash that ties the answer to it. */

import { diffTexts } from '../../core/tools/text/diffTexts.ts';
import { cut } from '../../core/transcript/cut.ts';
import type { ApprovalCard } from '../../protocol/rows.ts';
import type { PendingApproval } from './questions.ts';

export function toApprovalCard({ id, hash, request, amended }: PendingApproval): ApprovalCard {
  const { detail, title, mayRemember, mayAlways = false, by = '', why = [] } = request;
  const card = { id, hash, title, by, why, mayRemember, mayAlways: mayRemember && mayAlways };
  switch (detail.kind) {
    case 'command': {
      const { command, cwd, parts = [], reads = false, danger = [], background } = detail;
      const facts = {
        command: cut(command, MAX_SHOWN),
        cwd,
        cut: isLong(command),
        parts: parts.map(({ argv, folder, allowed, always }) => ({
          argv: [...argv],
          folder,
          allowed,
          ...(always ? { always: [...always] } : {}),
        })),
        reads,
        danger,
        ...(background ? { background } : {}),
      };
      return { ...card, detail: { kind: 'command', ...facts } };
    }
    case 'mcp': {
      const { input } = detail;
      return { ...card, detail: { ...detail, input: cut(input, MAX_SHOWN), cut: isLong(input) } };
    }
    case 'web':
      return { ...card, detail: { ...detail, cut: false } };
    case 'move':
      return { ...card, detail: { kind: 'move', from: detail.from, to: detail.to, cut: false } };
    case 'delete': {
      const { path, before, size } = detail;
      const { diff } = diffTexts(before ?? '', '');
      return { ...card, detail: { kind: 'delete', path, diff: cut(diff, MAX_SHOWN), bytes: size, cut: isLong(diff) } };
    }
    case 'edit': {
      const { path, before } = detail;
      // A person amends the whole file.
      const from = (amended === null && detail.cells?.before) || before;
      const to = amended ?? detail.cells?.after ?? detail.after;
      const { diff, added, removed } = diffTexts(from ?? '', to);
      const facts = { path, added, removed, creates: before === null, amended: amended !== null };
      return { ...card, detail: { kind: 'edit', ...facts, diff: cut(diff, MAX_SHOWN), cut: isLong(diff) } };
    }
  }
}

const isLong = (text: string) => text.length > MAX_SHOWN;

/** Characters of a command or diff shown on a card. A longer one is marked as cut, and *Review* opens all of it. */
export const MAX_SHOWN = 100_000;
