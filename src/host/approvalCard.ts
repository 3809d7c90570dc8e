/** The card a person answers: what would be done, as it would be done, with the hash that binds the answer to it. */

import type { ApprovalCard } from '../protocol/rows.ts';
import { diffTexts } from '../protocol/unifiedDiff.ts';
import type { PendingApproval } from './approvals.ts';

export function toApprovalCard({ id, hash, request }: PendingApproval): ApprovalCard {
  const { detail, title, mayRemember } = request;
  switch (detail.kind) {
    case 'command':
      return { id, hash, title, mayRemember, detail };
    case 'edit': {
      const diff = diffTexts(detail.before ?? '', detail.after);
      return { id, hash, title, mayRemember, detail: { kind: 'edit', path: detail.path, ...diff } };
    }
  }
}
