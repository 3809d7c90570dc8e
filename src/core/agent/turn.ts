/**
 * What a turn needs, and the events it sends while it runs. Everything durable goes into the journal; events are for
 * display only.
 */

import type { FileKeeper } from '../checkpoints/fileKeeper.ts';
import type { OffloadSettings } from '../compaction/draft/keepingSettings.ts';
import type { TurnCompaction } from '../compaction/events.ts';
import type { UserMessage } from '../context/message.ts';
import type { ModelError } from '../errors.ts';
import type { Mode } from '../instructions/modes.ts';
import type { SessionSkills } from '../instructions/sessionSkills.ts';
import type { HeaderItem } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import type { Mentioned } from '../mentions/sessionMentions.ts';
import type { Approver, Crypto, ModelChoice, Timers } from '../ports.ts';
import type { SessionGrants, WorkspaceTrust } from '../tools/approvals.ts';
import type { RecallBudget } from '../tools/recallBudget.ts';
import type { TruncationLimits } from '../tools/text/cutText.ts';
import type { Tool, ToolPorts } from '../tools/tool.ts';
import type { Words } from '../words.ts';
import type { DMailBox, Mailbox } from './dmail.ts';
import type { Secrets } from './hideSecrets.ts';
import type { Hooks } from './hooks.ts';

export type TurnEvent =
  | { readonly type: 'answer'; readonly phase: 'begun' | 'ended' }
  | { readonly type: 'delta'; readonly text: string; readonly reasoning: string }
  | { readonly type: 'writingCall'; readonly name: string; readonly argumentsLength: number }
  | {
      readonly type: 'call';
      readonly toolCallId: string;
      readonly phase: 'preparing' | 'approval' | 'running';
      readonly title: string;
    }
  | { readonly type: 'output'; readonly toolCallId: string; readonly text: string };

export interface TurnSettings {
  /** Requests a turn may make before it stops and asks. */
  readonly stepLimit: number;
  /** Money a turn may cost before it stops and asks, in any one currency; 0 means no limit. */
  readonly costLimit: number;
  /** Go on by itself after a compaction in the middle of a turn. */
  readonly autoContinue: boolean;
  /** Tell the model the number of the checkpoint before each message, in a reminder. */
  readonly tellCheckpoints: boolean;
  /** A checkpoint before each request too, each told to the model: what D-Mail goes back to. */
  readonly checkpointSteps: boolean;
  /** How much of a result the model sees. Without a direction, the tool's own applies. */
  readonly output: (tool: string) => Partial<TruncationLimits>;
  readonly offload: OffloadSettings;
}

export interface TurnPorts {
  readonly journal: Journal;
  readonly model: () => ModelChoice;
  readonly compaction: TurnCompaction;
  readonly tools: () => readonly Tool[];
  /** Before the header of a turn: brings the tools up to date. */
  readonly renewTools: (signal: AbortSignal) => Promise<void>;
  /** What the person should know of what the turn was to begin with, and was not told yet. */
  readonly takeSaid: () => readonly Words[];
  readonly toolPorts: ToolPorts;
  readonly trust: () => WorkspaceTrust;
  readonly mode: () => Mode;
  /** What a person allowed for the rest of the session; replaced when they answer. */
  readonly grants: { current: SessionGrants };
  readonly approver: Approver;
  /** Never in a result, in a question or on screen. */
  readonly secrets: Secrets;
  readonly crypto: Crypto;
  readonly timers: Timers;
  readonly header: (signal: AbortSignal) => Promise<readonly Omit<HeaderItem, 'tokens'>[]>;
  /** Makes the context say the standing orders. `reshaped`: no request was made since the context changed its shape. */
  readonly tellOrders: (reshaped: boolean) => Promise<void>;
  readonly settings: () => TurnSettings;
  /** Keeps the contents of files. Called after approval, before a call runs, and again when it has ended. */
  readonly keeper?: Pick<FileKeeper, 'before' | 'after'>;
  /** Takes what the person said since the last request. */
  readonly steering?: () => readonly {
    readonly message: UserMessage;
    readonly mentions: (signal: AbortSignal) => Promise<Mentioned>;
  }[];
  /** What other sessions left for this one; left out where nothing comes. */
  readonly mailbox?: Mailbox;
  /** Delivers the messages that the model sends to its own past. */
  readonly dmail: Pick<DMailBox, 'beginTurn' | 'deliver'>;
  /** Its budget is renewed with each turn. */
  readonly recall: Pick<RecallBudget, 'beginTurn'>;
  /** Told before the person's message; one that the message names follows it. */
  readonly skills: Pick<SessionSkills, 'tell' | 'follow'>;
  readonly hooks: Pick<Hooks, 'beforeTool' | 'afterTool' | 'beforeTurn' | 'afterTurn'>;
  /** What the person's message mentions. Left out where nothing is mentioned. */
  readonly mentions?: (message: UserMessage, signal: AbortSignal) => Promise<Mentioned>;
  readonly onEvent: (event: TurnEvent) => void;
}

export type TurnOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'newSession' }
  /** Waits for the person: step limit, a compaction without `autoContinue`, or a context that cannot fit. */
  | { readonly kind: 'paused'; readonly reason: Words }
  | { readonly kind: 'failed'; readonly error: ModelError };
