/**
 * The question to a person before a call runs, and the decision whether it runs, asks or is refused. Pure. Denied and
 * untrusted calls are refused before any grant is considered, and a grant never covers a guarded name or a command.
 */

import type { LocalPlace } from '../hostPlace.ts';
import type { Mode } from '../mode.ts';
import { type Words, words } from '../words.ts';

/** `network` reaches other machines, `mcp` asks a server that the person set up. */
export type ToolClass = 'read' | 'write' | 'run' | 'network' | 'mcp';

/** One command of a line. */
export interface ShownPart {
  readonly argv: readonly string[];
  /** Absolute. */
  readonly folder: string;
  /** It needs no question. A remembered answer covers the others. */
  readonly allowed: boolean;
  /** The words that a remembered answer would cover, where they are not exactly `argv`; `…` stands for any text. */
  readonly always?: readonly string[];
}

/** A notebook's cells with their heads and sources, as `edit_file` reads them. */
export interface ChangedCells {
  readonly before: string;
  readonly after: string;
}

/** The question to a person. They approve exactly what is shown. */
export interface ApprovalRequest {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly toolClass: ToolClass;
  /** One line: the resolved path or the command, control characters made visible. */
  readonly title: string;
  readonly detail:
    | {
        readonly kind: 'edit';
        readonly path: string;
        readonly before: string | null;
        readonly after: string;
        /** For a notebook that is changed by cell: the text of its cells, which says all that changes. */
        readonly cells?: ChangedCells;
      }
    /** `before` is null for a file that is not text. */
    | { readonly kind: 'delete'; readonly path: string; readonly before: string | null; readonly size: number }
    | { readonly kind: 'move'; readonly from: string; readonly to: string }
    | {
        readonly kind: 'command';
        readonly command: string;
        readonly cwd: string;
        /** The commands that the line runs, where they are certain. */
        readonly parts?: readonly ShownPart[];
        /** The list of commands that only read would cover it. */
        readonly reads?: true;
        /** That it deletes, or leaves its folder: sentences, or none. */
        readonly danger?: Words;
        /** It continues after the call. */
        readonly background?: true;
      }
    /** `local`: the address it resolves to, when local. */
    | {
        readonly kind: 'web';
        readonly url: string;
        readonly host: string;
        readonly local: { readonly address: string; readonly place: LocalPlace } | null;
      }
    /** `input` is the arguments as indented JSON. `extension`: `server` is an extension of the editor. */
    | {
        readonly kind: 'mcp';
        readonly server: string;
        readonly tool: string;
        readonly input: string;
        readonly extension?: true;
      };
  /** Why it is asked: one sentence. */
  readonly why?: Words;
  /** The subagent that asks; omitted for the session's own agent. */
  readonly by?: string;
  /** False for guarded names, and for commands whose words are not certain: only this one call can be allowed. */
  readonly mayRemember: boolean;
  /** It can also be allowed permanently, in every session. */
  readonly mayAlways?: true;
  /** For an edit: the person may write a different text. */
  readonly mayAmend?: true;
}

export type ApprovalAnswer =
  | {
      readonly kind: 'allow';
      /** `reading`: always, as everything on the list of commands that only read. */
      readonly remember: 'no' | 'session' | 'always' | 'reading';
      /** The whole text that the person wants instead. */
      readonly amended?: string;
      /** The words that they added. */
      readonly reason?: string;
    }
  | { readonly kind: 'deny'; readonly reason?: string }
  /** Nobody could be asked, so nobody declined: `reason` is for the model. */
  | { readonly kind: 'unasked'; readonly reason: string };

export interface Approver {
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
}

/** `untrusted` is VS Code's Restricted Mode; `noFolder` a window without a workspace folder. */
export type WorkspaceTrust = 'trusted' | 'untrusted' | 'noFolder';

/** A person's grants for the rest of the session. Kept in memory only: approvals are never read from a journal. */
export interface SessionGrants {
  readonly allowed: ReadonlySet<ToolClass>;
  readonly denied: ReadonlySet<ToolClass>;
  /** Calls allowed individually and not as their class: key, and the text shown to the person. */
  readonly named: ReadonlyMap<string, string>;
}

/** For a call that is granted individually: what a lasting grant covers, and any permanent decision. */
export interface CallGrant {
  /** The call is granted when all of these are; never empty. */
  readonly covers: readonly NamedGrant[];
  readonly standing: 'allow' | 'deny' | null;
}

/** `title`: the text shown to the person. */
interface NamedGrant {
  readonly key: string;
  readonly title: string;
}

export const NO_GRANTS: SessionGrants = { allowed: new Set(), denied: new Set(), named: new Map() };

type ApprovalDecision =
  | { readonly kind: 'allow' }
  | { readonly kind: 'ask' }
  | { readonly kind: 'refuse'; readonly reason: string };

interface ApprovalQuestion {
  readonly toolClass: ToolClass;
  /** The call touches a guarded name, or may be allowed only once for another reason. */
  readonly guarded: boolean;
  readonly trust: WorkspaceTrust;
  readonly mode: Mode;
  readonly grants: SessionGrants;
  readonly grant?: CallGrant | undefined;
}

export function decideApproval({ toolClass, guarded, trust, mode, grants, grant }: ApprovalQuestion): ApprovalDecision {
  if (trust === 'noFolder') {
    return { kind: 'refuse', reason: 'No folder is open, so there is nothing to work on. Open a folder first.' };
  }
  if (grants.denied.has(toolClass)) {
    return { kind: 'refuse', reason: `The user has denied every call of class "${toolClass}" for this session.` };
  }
  if (grant?.standing === 'deny') return { kind: 'refuse', reason: 'The user has switched this tool off.' };
  if (toolClass === 'read') return { kind: 'allow' };
  if (trust === 'untrusted') {
    return {
      kind: 'refuse',
      reason: 'This workspace is not trusted: only reading is possible until the user trusts it.',
    };
  }
  const refusal = refuseInMode(mode, toolClass);
  if (refusal) return { kind: 'refuse', reason: refusal };
  const granted = grant
    ? !guarded && (grant.standing === 'allow' || coversAll(grants, grant))
    : isGrantable(toolClass, guarded) && grants.allowed.has(toolClass);
  return { kind: granted ? 'allow' : 'ask' };
}

/**
 * The grants after an answer; unchanged unless the person allowed more than this call, and that call or its class can
 * be granted.
 */
export function rememberAnswer(
  grants: SessionGrants,
  asked: {
    readonly toolClass: ToolClass;
    readonly mayRemember: boolean;
    readonly grant?: CallGrant | undefined;
  },
  answer: ApprovalAnswer,
): SessionGrants {
  if (answer.kind !== 'allow' || answer.remember === 'no') return grants;
  // Permanent decisions are stored elsewhere, where they can be revoked.
  if (asked.grant) {
    if (!asked.mayRemember || answer.remember !== 'session') return grants;
    const covered = asked.grant.covers.map(({ key, title }) => [key, title] as const);
    return { ...grants, named: new Map([...grants.named, ...covered]) };
  }
  if (!isGrantable(asked.toolClass, !asked.mayRemember)) return grants;
  return { ...grants, allowed: new Set([...grants.allowed, asked.toolClass]) };
}

/** Why a question is asked, if the tool itself does not say. */
export function explainAsking(toolClass: ToolClass, mayRemember: boolean): Words {
  switch (toolClass) {
    case 'write':
      return mayRemember
        ? words('Changes to files are not allowed yet in this session.')
        : words('Changes to this file are asked about every time.');
    case 'run':
      return words('You are asked about each command.');
    case 'network':
      return words('Each web address is asked about.');
    case 'mcp':
      return words('This tool is not allowed yet.');
    case 'read':
      return [];
  }
}

/** Asks again about calls with that key, or of that class. */
export function withoutGrant(
  grants: SessionGrants,
  which: { readonly key: string } | { readonly toolClass: ToolClass },
): SessionGrants {
  if ('toolClass' in which) {
    return { ...grants, allowed: new Set([...grants.allowed].filter((each) => each !== which.toolClass)) };
  }
  return { ...grants, named: new Map([...grants.named].filter(([key]) => key !== which.key)) };
}

function coversAll({ named }: SessionGrants, { covers }: CallGrant): boolean {
  return covers.length > 0 && covers.every(({ key }) => named.has(key));
}

/** Of all classes, only plain writes can be allowed for a session. */
function isGrantable(toolClass: ToolClass, guarded: boolean): boolean {
  return toolClass === 'write' && !guarded;
}

/** Why a call may not be made in this mode, in words for the model; null when it may. */
function refuseInMode(mode: Mode, toolClass: ToolClass): string | null {
  if (toolClass === 'read' || mode === 'act') return null;
  return mode === 'ask'
    ? 'The session is in mode ask: only reading is possible. Answer without it, or say what you would do and let the person change the mode.'
    : 'The session is in mode plan: only reading is possible until the person has approved a plan. Call present_plan when you have one.';
}
