/**
 * Decides whether a prepared call runs, asks or is refused. Pure. What is denied or untrusted is refused before any grant
 * is looked at, and a grant never covers a guarded name or a command.
 */

import type { ApprovalAnswer, ToolClass } from '../ports.ts';

/** `untrusted` is VS Code's Restricted Mode; `noFolder` a window without a workspace folder. */
export type WorkspaceTrust = 'trusted' | 'untrusted' | 'noFolder';

/** What a person has said for the rest of the session. Kept in memory only: approvals are never read from a journal. */
export interface SessionGrants {
  readonly allowed: ReadonlySet<ToolClass>;
  readonly denied: ReadonlySet<ToolClass>;
}

export const NO_GRANTS: SessionGrants = { allowed: new Set(), denied: new Set() };

export type ApprovalDecision =
  | { readonly kind: 'allow' }
  | { readonly kind: 'ask' }
  | { readonly kind: 'refuse'; readonly reason: string };

export interface ApprovalQuestion {
  readonly toolClass: ToolClass;
  /** The call touches a guarded name, or for any other reason may only be allowed once. */
  readonly guarded: boolean;
  readonly trust: WorkspaceTrust;
  readonly grants: SessionGrants;
}

export function decideApproval({ toolClass, guarded, trust, grants }: ApprovalQuestion): ApprovalDecision {
  if (trust === 'noFolder') {
    return { kind: 'refuse', reason: 'No folder is open, so there is nothing to work on. Open a folder first.' };
  }
  if (grants.denied.has(toolClass)) {
    return { kind: 'refuse', reason: `The user has denied every call of class "${toolClass}" for this session.` };
  }
  if (toolClass === 'read') return { kind: 'allow' };
  if (trust === 'untrusted') {
    return {
      kind: 'refuse',
      reason: 'This workspace is not trusted: only reading is possible until the user trusts it.',
    };
  }
  return isGrantable(toolClass, guarded) && grants.allowed.has(toolClass) ? { kind: 'allow' } : { kind: 'ask' };
}

/** The grants after an answer; unchanged unless the person allowed a class for the session and that class can be granted. */
export function rememberAnswer(
  grants: SessionGrants,
  asked: { readonly toolClass: ToolClass; readonly mayRemember: boolean },
  answer: ApprovalAnswer,
): SessionGrants {
  if (answer.kind !== 'allow' || answer.remember !== 'session') return grants;
  if (!isGrantable(asked.toolClass, !asked.mayRemember)) return grants;
  return { ...grants, allowed: new Set([...grants.allowed, asked.toolClass]) };
}

/** Only plain writes can be allowed for a session. */
function isGrantable(toolClass: ToolClass, guarded: boolean): boolean {
  return toolClass === 'write' && !guarded;
}
