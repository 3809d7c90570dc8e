/** The approval card: exactly what would be done, with the hash that ties the answer to it. */

import { diffTexts } from '../../core/tools/text/diffTexts.ts';
import { cut } from '../../core/transcript/cut.ts';
import type { ApprovalCard } from '../../protocol/rows.ts';
import type { PendingApproval } from './approvals.ts';

/** Characters of a command or diff that a card shows. A longer one says so, and *Review* opens all of it. */
const MAX_SHOWN = 100_000;

export function toApprovalCard({ id, hash, request, amended }: PendingApproval): ApprovalCard {
  const { detail, title, mayRemember, mayAlways = false, by = '' } = request;
  const card = { id, hash, title, by, mayRemember, mayAlways: mayRemember && mayAlways };
  switch (detail.kind) {
    case 'command': {
      const { command, cwd, argv, background } = detail;
      const facts = {
        command: cut(command, MAX_SHOWN),
        cwd,
        cut: isLong(command),
        ...(argv ? { argv: [...argv] } : {}),
        ...(background ? { background } : {}),
      };
      return { ...card, detail: { kind: 'command', ...facts } };
    }
    case 'mcp': {
      const { server, tool, input } = detail;
      return { ...card, detail: { kind: 'mcp', server, tool, input: cut(input, MAX_SHOWN), cut: isLong(input) } };
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
      const { diff, added, removed } = diffTexts(before ?? '', amended ?? detail.after);
      const facts = { path, added, removed, creates: before === null, amended: amended !== null };
      return { ...card, detail: { kind: 'edit', ...facts, diff: cut(diff, MAX_SHOWN), cut: isLong(diff) } };
    }
  }
}

const isLong = (text: string) => text.length > MAX_SHOWN;
