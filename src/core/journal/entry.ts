/**
 * The journal's entries: one line of JSON each, appended and never rewritten. Tree entries name their parent and move
 * the head to themselves; file entries (`session`, `revert`, `opened`, `title`) have no parent, and of them only
 * `revert` moves the head.
 */

import type { Message, Usage } from '../context/message.ts';
import type { Mode } from '../mode.ts';
import type { Costs, Money, Priced } from '../money.ts';
import type { StopCause } from '../stop.ts';
import type { Words } from '../words.ts';

/** Major version of the format; a journal of a newer one is opened read-only. */
export const FORMAT_VERSION = 1;

interface EntryBase {
  /** Contiguous from 0 in file order, so that lost and doubled lines show. */
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly time: string;
}

interface TreeBase extends EntryBase {
  /** `seq` of the entry before this one on its branch; null for the first. */
  readonly parent: number | null;
}

export interface SessionEntry extends EntryBase {
  readonly type: 'session';
  readonly format: number;
  readonly id: string;
  readonly workspace: string | null;
  readonly engine: string;
  /** Per-session secret word inside stubs, so that tool output cannot forge one. */
  readonly nonce: string;
  /** For a subagent's session: the entry of the parent's journal that started it. */
  readonly parentEntry?: { readonly session: string; readonly seq: number };
  /**
   * For an imported session: the format it came from, the name of the file, and where it is known, which session it was
   * (`session`) and how far it had come (`state`).
   */
  readonly importedFrom?: {
    readonly format: string;
    readonly name: string;
    readonly session?: string;
    readonly state?: string;
  };
}

interface OpenedEntry extends EntryBase {
  readonly type: 'opened';
  /** Token of the writer that owns the journal from this entry on. */
  readonly writer: string;
  /** All entries before this one were written elsewhere: they are read, but trigger no action here. */
  readonly imported?: true;
}

interface TitleEntry extends EntryBase {
  readonly type: 'title';
  readonly title: string;
}

export type RevertCause = 'user' | 'edit' | 'dmail' | 'clear';

export interface RevertEntry extends EntryBase {
  readonly type: 'revert';
  /** The entry that becomes the head; null is the empty tree. */
  readonly target: number | null;
  readonly cause: RevertCause;
}

export interface HeaderItem {
  readonly kind: 'systemPrompt' | 'memory';
  /** `built-in`, or a workspace-relative path such as `AGENTS.md`. */
  readonly origin: string;
  readonly text: string;
  readonly tokens: number;
  readonly cacheHint?: boolean;
}

/** A tool as declared to the model; `parameters` is JSON Schema. */
export interface ToolDeclaration {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface HeaderEntry extends TreeBase {
  readonly type: 'header';
  readonly items: readonly HeaderItem[];
  readonly tools: readonly ToolDeclaration[];
  /** Estimate for items and tools together. */
  readonly tokens: number;
}

export interface ConfiguredEntry extends TreeBase {
  readonly type: 'configured';
  readonly model: string;
  /** Origin of the endpoint (`https://host:port`), or `demo:` / `vscode.lm:`. */
  readonly endpoint: string;
  /** Context window in tokens; 0 when unknown. */
  readonly window: number;
  /** The model accepts images, so images in the context are sent and not only named. */
  readonly images?: true;
  readonly strategy: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface MessageEntry extends TreeBase {
  readonly type: 'message';
  readonly message: Message;
  /** Uncalibrated estimate for the whole message, arguments and attachments included. */
  readonly tokens: number;
  /** When another program recorded it, ISO 8601; only in an imported session, where it is known. */
  readonly saidAt?: string | undefined;
}

export interface RequestEntry extends TreeBase {
  readonly type: 'request';
  readonly purpose: 'turn' | 'summary';
  readonly model: string;
  readonly maxOutputTokens?: number;
  /**
   * Hash of the lowered body, before the client's own encoding. The body of a summary's request is stored as the blob
   * with this name, because no context lowers to it.
   */
  readonly bodySha256: string;
  readonly loweringVersion: number;
  /** Tool blocks up to this entry were sent as text, because the provider had refused the history's form. */
  readonly mendedUpTo?: number;
  readonly messages: number;
  /** The request prepares a summary while the agent continues. */
  readonly ahead?: true;
}

export interface UsageEntry extends TreeBase, Priced {
  readonly type: 'usage';
  readonly model: string;
  readonly usage: Usage;
  /** True when the provider reported nothing and the usage is an estimate. */
  readonly estimated?: boolean;
  /** For an estimate: the model's own tokenizer counted the input. */
  readonly counted?: boolean;
  /** For an estimate: what the provider reported, which could not be true when it came. */
  readonly doubted?: Usage | undefined;
}

/**
 * Usage of one request for a summary, written as soon as it is known. It does not change the context, and the meter
 * ignores it; the compaction's own `usage` is the sum of its requests.
 */
export interface SummaryUsageEntry extends TreeBase, Priced {
  readonly type: 'summaryUsage';
  readonly model: string;
  readonly usage: Usage;
  readonly estimated?: boolean;
  /** The summary was prepared while the agent continued: no compaction need have used it. */
  readonly ahead?: true;
}

/** Most characters of a checkpoint's label; a turn labels its own with the beginning of its message. */
export const CHECKPOINT_LABEL = 80;

export interface CheckpointEntry extends TreeBase {
  readonly type: 'checkpoint';
  /** Numbered over the whole file, never reused. */
  readonly id: number;
  readonly label: string;
  readonly toldModel: boolean;
  /**
   * Set by a turn right after its message, where another answer may begin. The turn's other checkpoint precedes its
   * message.
   */
  readonly afterMessage?: true;
}

export interface FileImage {
  readonly path: string;
  /** Blob of the bytes before the change; null when the file did not exist. */
  readonly before: string | null;
  /** SHA-256 of the bytes after the change; null when deleted. */
  readonly after?: string | null;
  readonly restorable: boolean;
  /** Why it is not restorable, in English; the words can be translated. */
  readonly reason?: string;
  readonly reasonWords?: Words;
  /** The file was executable before the change. */
  readonly executable?: boolean;
  /** The topmost folder that was created for the file. */
  readonly newFolder?: string;
  /** A person saved it while the command ran, so the change may be theirs. */
  readonly saved?: true;
  /** For what was reviewed: the name under which the file held `before`. */
  readonly renamedFrom?: string;
}

export interface FilesEntry extends TreeBase {
  readonly type: 'files';
  /** `reviewed`: nothing changed; `before` is what a person has reviewed of each file. */
  readonly cause: 'tool' | 'command' | 'restore' | 'reviewed';
  readonly toolCallId?: string;
  readonly files: readonly FileImage[];
  /** A command ran where not every file was scanned: it may have changed more files. */
  readonly incomplete?: boolean;
}

/** Why a compaction ran. More values may be added. */
export type Trigger =
  | 'threshold'
  | 'precheck'
  | 'overflow'
  | 'manual'
  | 'agent'
  | 'ahead'
  | 'ephemeral'
  | 'cooling'
  | 'branch'
  | 'handoff'
  | (string & {});

/** The trigger of a compaction shortly before the provider's cache goes cold. */
export const COOLING = 'cooling';

/** The trigger of an entry that removes nothing: it adds the summary of a branch that a person left. */
export const BRANCH = 'branch';
/** The same for a session that continues another one. */
export const HANDOFF = 'handoff';
/** In place of the strategy's name, for a compaction by another program, of which nothing else is known. */
export const RECORDED = 'recorded';

export const isCarriedOver = (trigger: string): boolean => trigger === BRANCH || trigger === HANDOFF;

/** How a replaced item looks from the compaction on. Omitted fields stay unchanged. */
export interface Replacement {
  readonly text?: string;
  /** Arguments of the calls, in order; same length as the message's calls. */
  readonly arguments?: readonly string[];
  readonly tokens: number;
  /** The message's attachments are removed; the text names them. */
  readonly withoutAttachments?: true;
  /** A stub replaces the body; `recall` finds the body by the item's id. */
  readonly hidden?: boolean;
  /** ISO time of pruning. */
  readonly prunedAt?: string;
  readonly offload?: { readonly blob: string; readonly tokens: number };
}

export type PlanOp =
  | { readonly op: 'keep' | 'drop'; readonly ids: readonly string[] }
  | { readonly op: 'replace'; readonly id: string; readonly by: Replacement }
  | {
      readonly op: 'insert';
      readonly message: Message;
      readonly tokens: number;
      /** Why each of its lines was kept, for a person. Foreign data: displayed, never acted on. */
      readonly reasons?: readonly unknown[];
    };

export type Plan = readonly PlanOp[];

export interface LedgerReport {
  /** Number of facts looked for, and of those that were missing and added to the ledger. */
  readonly checked: number;
  readonly added: readonly string[];
}

/**
 * The fate of some dropped messages in a row, in the plan's order: how many, and how. For `read`, the percentage of
 * their text that the summary was written from; omitted for all of it.
 */
export type DroppedRun = readonly [messages: number, fate: 'inLines' | 'read' | 'unread', percent?: number];

/** Number of messages whose fate a person changed, by new fate, and of summaries that they rewrote. */
export interface PersonsChanges {
  readonly kept: number;
  readonly hidden: number;
  readonly shortened: number;
  readonly dropped: number;
  readonly rewritten: number;
}

export interface CompactionEntry extends TreeBase {
  readonly type: 'compaction';
  /** Newest entry the strategy saw; later entries are kept. */
  readonly base: number;
  readonly plan: Plan;
  /** The fates of the dropped messages; omitted by older versions, and where none was dropped. */
  readonly dropped?: readonly DroppedRun[];
  readonly strategy: string;
  /** Id of the strategy that was to run, where something else was done in its place, or only a part of its work (`inPart`). */
  readonly asked?: string;
  readonly inPart?: true;
  readonly trigger: Trigger;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** Tokens of the window it was made for, where that is not the configured one: a learnt one. */
  readonly window?: number;
  /** Number of rounds removed completely; omitted for none. */
  readonly rounds?: number;
  readonly durationMs: number;
  readonly attempt: number;
  /** Usage of the summariser, when one was called. */
  readonly usage?: Usage;
  /** Cost of those requests; omitted where the cost of any is unknown. */
  readonly cost?: Money;
  readonly summaryModel?: string;
  /**
   * Made before the limit, because its strategy decided so from the figures: the cache of the context had expired
   * (`model`: another model was chosen), or (`strategy`) for reasons of its own. `cooling`: while nobody worked, shortly
   * before the cache expired. Milliseconds.
   */
  readonly early?: {
    readonly why: 'model' | 'idle' | 'resumed' | 'changed' | 'strategy' | 'cooling' | (string & {});
    readonly idleMs?: number;
    readonly livesMs?: number;
  };
  /** The summary was prepared while the agent continued: the last entry it covers, and how long it took. */
  readonly prepared?: { readonly base: number; readonly durationMs: number };
  readonly instructions?: string;
  /** Repairs that the compactor made before accepting the plan, in English; the words can be translated. */
  readonly repairs?: readonly string[];
  readonly repairWords?: readonly Words[];
  readonly verification?: LedgerReport;
  /** Omitted where the plan was applied as proposed. */
  readonly changed?: PersonsChanges;
  /**
   * Data that the strategy with the id `by` wants back at its next compaction. Foreign data: stored and returned, never
   * read.
   */
  readonly details?: { readonly by: string; readonly value: unknown };
}

export interface SummaryWriter {
  /** As `ModelClient.endpoint`. */
  readonly endpoint: string;
  readonly model: string;
}

export interface CompactionFailedEntry extends TreeBase {
  readonly type: 'compactionFailed';
  readonly strategy: string;
  readonly trigger: Trigger;
  /** In English; the words can be translated. */
  readonly reason: string;
  readonly reasonWords?: Words;
  readonly attempt: number;
  /** The fallback that was used; empty when there was none. */
  readonly instead: string;
  readonly insteadWords?: Words;
  /** The model that was to write the summary: this failure does not block another one. */
  readonly writer?: SummaryWriter;
  /** The one that failed; omitted by earlier versions. Only a model's failure counts towards the cool-down. */
  readonly by?: 'strategy' | 'model';
  /** Usage of the summariser, when it was called and no compaction records it. */
  readonly usage?: Usage;
}

/** Undo takes the newest active compaction of the path, redo the one undone last; `target` is its seq, for readers. */
interface CompactionUndoneEntry extends TreeBase {
  readonly type: 'compactionUndone';
  readonly target: number;
}
interface CompactionRedoneEntry extends TreeBase {
  readonly type: 'compactionRedone';
  readonly target: number;
}
/** `ids` are the items of one whole tool block. */
interface ExpandedEntry extends TreeBase {
  readonly type: 'expanded';
  readonly ids: readonly string[];
}
interface CollapsedEntry extends TreeBase {
  readonly type: 'collapsed';
  readonly ids: readonly string[];
}
interface PinnedEntry extends TreeBase {
  readonly type: 'pinned';
  readonly ids: readonly string[];
}
interface UnpinnedEntry extends TreeBase {
  readonly type: 'unpinned';
  readonly ids: readonly string[];
}

/** The agent that answers from here on. Its definition is read from its file and never from the journal. */
export interface AgentEntry extends TreeBase {
  readonly type: 'agent';
  /** Null for the built-in agent. `strategy` is empty where the session's own or the configured one applies. */
  readonly agent: { readonly id: string; readonly name: string; readonly strategy: string } | null;
}

/** The person changed one of their standing orders, or took it back. */
export interface StandingOrderEntry extends TreeBase {
  readonly type: 'standingOrder';
  /** Id of its message and its index there: `m17.0`. */
  readonly id: string;
  /** Null when it was taken back. */
  readonly text: string | null;
}

/**
 * The person's decision about the orders in imported messages: these hold from here on, on every branch, and no others.
 * The newest decision counts.
 */
export interface ImportedOrdersEntry extends TreeBase {
  readonly type: 'importedOrders';
  readonly orders: readonly { readonly seq: number; readonly text: string }[];
}

/** The program's own messages in these items no longer hold or are repeated: they leave the context for good. */
interface WithdrawnEntry extends TreeBase {
  readonly type: 'withdrawn';
  readonly ids: readonly string[];
}

/** A call of this session started a subagent, whose own session is stored next to its journal. */
export interface SubagentEntry extends TreeBase {
  readonly type: 'subagent';
  readonly toolCallId: string;
  /** Id of the subagent's session. */
  readonly session: string;
  /** Name of its agent. */
  readonly agent: string;
  readonly title: string;
}

/** Usage of one request of a subagent. It does not change the context, and the meter ignores it. */
export interface SubagentUsageEntry extends TreeBase, Priced {
  readonly type: 'subagentUsage';
  /** Id of the subagent's session. */
  readonly session: string;
  readonly model: string;
  readonly usage: Usage;
  readonly estimated?: boolean;
}

/** Usage of one request of an MCP server to the model. It does not change the context, and the meter ignores it. */
export interface SamplingUsageEntry extends TreeBase, Priced {
  readonly type: 'samplingUsage';
  /** As the person named it. */
  readonly server: string;
  readonly model: string;
  readonly usage: Usage;
  readonly estimated?: boolean;
}

/** The person chose a mode, by hand or by approving a plan. It applies to the session, on every branch. */
export interface ModeEntry extends TreeBase {
  readonly type: 'mode';
  readonly mode: Mode;
}

/**
 * The person chose the session's compaction strategy, or (null) that the setting decides again. It applies to the session,
 * on every branch.
 */
export interface StrategyChosenEntry extends TreeBase {
  readonly type: 'strategy';
  readonly strategy: string | null;
}

/** A line for the reader of the transcript; the model never sees it. */
export type NoteAction =
  | 'setKey'
  | 'chooseModel'
  | 'openSettings'
  | 'openProxySettings'
  | 'openFolder'
  | 'trust'
  | 'retry'
  | 'compact'
  | 'newSession'
  | 'showBranches'
  | 'undoRestore'
  | 'redoRestore'
  | 'openSession';

export interface NoteEntry extends TreeBase {
  readonly type: 'note';
  readonly level: 'info' | 'warning' | 'error';
  /** In English; the words can be translated. */
  readonly text: string;
  readonly words?: Words;
  /** Further lines, in English. */
  readonly detail?: string;
  readonly detailWords?: readonly Words[];
  /** An action offered to the reader as a remedy. */
  readonly action?: NoteAction;
  /** Further remedies, in order. */
  readonly also?: readonly NoteAction[];
  /** Milliseconds since the epoch before which a retry is useless, according to the provider. */
  readonly retryAt?: number;
  /** The session that `openSession` opens. */
  readonly session?: string;
  /**
   * A restore that moved the conversation: the head before it, and the newest entry, whose files are those before it.
   * `edited`: it made way for another form of a message.
   */
  readonly restored?: { readonly head: number; readonly moment: number; readonly edited?: true };
  /** The person declined a compaction: none starts automatically while the meter reads less than this. */
  readonly heldBelow?: number;
  /** The message to the model's past, shown to the reader as such. `from` names the subagent that reports with it. */
  readonly dmail?: { readonly checkpoint: number; readonly message: string; readonly from?: string };
  /** A turn's changes of files, shown as such: what differed at its end from entry `since`. */
  readonly changes?: TurnChanges;
  /** Calls of the newest answer that never began and have no result: the turn can go on with them. */
  readonly left?: LeftCalls;
}

export interface LeftCalls {
  readonly by: StopCause;
  readonly calls: readonly string[];
}

export interface TurnChanges {
  readonly since: number;
  readonly files: number;
  /** Lines. */
  readonly added: number;
  readonly removed: number;
  /** There may be more. */
  readonly incomplete?: true;
  /** Milliseconds that the turn took. */
  readonly ms?: number;
  /** Of its requests. */
  readonly costs?: Costs;
}

export type TreeEntry =
  | HeaderEntry
  | ConfiguredEntry
  | MessageEntry
  | RequestEntry
  | UsageEntry
  | SummaryUsageEntry
  | CheckpointEntry
  | FilesEntry
  | CompactionEntry
  | CompactionFailedEntry
  | CompactionUndoneEntry
  | CompactionRedoneEntry
  | ExpandedEntry
  | CollapsedEntry
  | PinnedEntry
  | UnpinnedEntry
  | StandingOrderEntry
  | ImportedOrdersEntry
  | WithdrawnEntry
  | AgentEntry
  | SubagentEntry
  | SubagentUsageEntry
  | SamplingUsageEntry
  | ModeEntry
  | StrategyChosenEntry
  | NoteEntry;

type FileEntry = SessionEntry | OpenedEntry | TitleEntry | RevertEntry;

export type Entry = TreeEntry | FileEntry;

type Draft<E> = E extends TreeBase
  ? Omit<E, 'seq' | 'time' | 'parent'>
  : E extends EntryBase
    ? Omit<E, 'seq' | 'time'>
    : never;

/** An entry before the journal assigns `seq`, `parent` and `time`. */
export type EntryDraft = Draft<Entry>;

/** Inspects the entry and not its type: an entry of a type unknown to this version stays in the tree. */
export function isTreeEntry(entry: Entry): entry is TreeEntry {
  return 'parent' in entry;
}

/** Id of the item that a message entry appended. */
export function messageId(seq: number): string {
  return `m${seq}`;
}

/**
 * The `seq` of the message entry that made the item; -1 when the id is not a message's. It runs often, so it parses the
 * digits directly.
 */
export function messageSeq(id: string): number {
  if (id.charCodeAt(0) !== LETTER_M || id.length < 2 || (id.length > 2 && id.charCodeAt(1) === DIGIT_0)) return -1;
  let seq = 0;
  for (let i = 1; i < id.length; i++) {
    const digit = id.charCodeAt(i) - DIGIT_0;
    if (digit < 0 || digit > 9) return -1;
    seq = seq * 10 + digit;
  }
  return seq;
}

const LETTER_M = 109;
const DIGIT_0 = 48;

/** Id of the item that the nth insert (from 0) of a compaction's plan added. */
export function insertId(seq: number, nth: number): string {
  return `c${seq}.${nth}`;
}
