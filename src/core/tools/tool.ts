/**
 * The interface of a tool. A call is first prepared, which changes nothing and states exactly what would be done; only
 * the prepared call is then run, after approval where its class requires it.
 */

import * as z from 'zod';
import type { Clock } from '../clock.ts';
import type { GivenImage, Viewer } from '../context/images.ts';
import type {
  Attachment,
  CallOutcome,
  Ephemeral,
  FileChange,
  TruncationRecord,
  UserMessage,
} from '../context/message.ts';
import type { Projection } from '../context/projection.ts';
import type { BlobStore } from '../journal/blobStore.ts';
import type { ToolDeclaration } from '../journal/entry.ts';
import type { Json } from '../json.ts';
import type { Mode } from '../mode.ts';
import type { StopCause } from '../stop.ts';
import type { Files } from '../workspace/files.ts';
import type { Git } from '../workspace/git.ts';
import type { Language } from '../workspace/language.ts';
import type { Shell, ShellResult } from '../workspace/shell.ts';
import type { Web } from '../workspace/web.ts';
import type { ApprovalRequest, CallGrant, ToolClass } from './approvals.ts';
import type { QuestionBudget } from './builtIn/questionBudget.ts';
import type { RecallBudget } from './builtIn/recallBudget.ts';
import type { CommandRules } from './commandRules.ts';
import type { CommandDisk } from './commands/commandDisk.ts';
import type { Questioner } from './question.ts';
import type { TruncationLimits } from './text/cutText.ts';

/** The tool's own session, for tools that read it or request something from it. */
export interface ToolSession {
  /** The context of the current path. */
  readonly context: Projection;
  readonly recall: RecallBudget;
  readonly questions: QuestionBudget;
  readonly skills: ToolSkills;
  /** The model that sees the tools' results. */
  readonly viewer: Viewer;
  /** Requests a compaction before the next request. Returns why there will be none, or null. */
  scheduleCompaction(keep: string | undefined): string | null;
  readonly mode: Mode;
  /** The person has approved a plan. */
  beginToAct(): Promise<void>;
  /** Requests a return to a checkpoint after this step. Throws `ToolError` with the reason when that is not allowed. */
  scheduleDMail(mail: { readonly checkpoint: number; readonly message: string }): void;
  /** The same for the agent that gave this one its task. */
  reportToPast(report: PastReport): void;
}

/** Instructions for particular tasks. */
export interface ToolSkills {
  /** Those that the model may use. */
  readonly usable: readonly {
    readonly name: string;
    /** The message that holds the instructions; null when the model already sees it. */
    use(): UserMessage | null;
  }[];
}

export interface PastReport {
  readonly message: string;
  /** Default: the newest one. */
  readonly checkpoint?: number | undefined;
}

/** Runs agents as sessions of their own. */
export interface SubagentRunner {
  /** Throws `ToolError` for an unknown name. */
  find(name: string | undefined): Promise<FoundSubagent>;
}

export interface FoundSubagent {
  /** Null for the built-in agent. */
  readonly name: string | null;
  run(
    task: { readonly title: string; readonly prompt: string },
    options: {
      readonly toolCallId: string;
      readonly onOutput: (text: string) => void;
      readonly signal: AbortSignal;
    },
  ): Promise<ToolOutcome>;
}

export interface BackgroundCommand {
  readonly id: string;
  readonly command: string;
  /** Null while it runs. */
  readonly ended: Pick<ShellResult, 'ended' | 'exitCode'> | null;
}

/** A command's output since it was last read. */
export interface BackgroundOutput {
  readonly command: BackgroundCommand;
  /** As `markRedrawn` gives it. */
  readonly text: string;
  /** Number of characters before `text` that were dropped before being read. */
  readonly leftOut: number;
}

/**
 * Commands that keep running while the conversation continues, such as a dev server. They end with the window at the
 * latest. An unknown command yields null.
 */
export interface BackgroundCommands {
  list(): readonly BackgroundCommand[];
  /**
   * Resolves when the command has ended, or has had a moment for its first output. Throws `ToolError` when it cannot
   * start.
   */
  start(command: string, signal: AbortSignal, where?: { readonly folder?: string }): Promise<BackgroundOutput>;
  /** Waits at most `waitMs` for new output. */
  read(id: string, waitMs: number, signal: AbortSignal): Promise<BackgroundOutput | null>;
  /** Resolves when all of its processes have ended. */
  stop(id: string): Promise<BackgroundOutput | null>;
}

/**
 * The environment of tools. Editors and programs may lack parts of it: a tool is offered only where its ports exist.
 */
export interface ToolPorts {
  readonly files: Files;
  readonly shell: Shell;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly session: ToolSession;
  readonly language?: Language | undefined;
  /** Only in a trusted workspace: a repository can configure a lot. */
  readonly git?: Git | undefined;
  /** Omitted where no command can outlive its call. */
  readonly background?: BackgroundCommands | undefined;
  readonly web?: Web | undefined;
  /** Only where somebody can answer. */
  readonly questions?: Questioner | undefined;
  /** Omitted where sessions cannot be stored, and for subagents. */
  readonly subagents?: SubagentRunner | undefined;
  /** Omitted where commands cannot be allowed for longer than once. */
  readonly commandRules?: CommandRules | undefined;
  /** Omitted where nothing can be known of the disk: no command then counts as one that only reads. */
  readonly commandDisk?: CommandDisk | undefined;
  /** Whether the person allowed it for this session, by the key of a grant. Omitted: nothing. */
  readonly isGranted?: (key: string) => boolean;
}

/** Settings that decide which tools are offered. */
export interface OfferSettings {
  readonly recall: { readonly tokensPerTurn: number };
  /** The model may ask for a compaction. */
  readonly agentTool: boolean;
  /** The model may send messages to its own past. */
  readonly dmail: boolean;
  /** The model may give tasks to subagents. Default: false. */
  readonly subagents?: boolean;
  /** The model may leave its report in the past of the agent that gave it its task. Default: false. */
  readonly reports?: boolean;
  /** There are skills, or there were some in this session. Default: false. */
  readonly skills?: boolean;
}

/** Its outcome takes the place of the one before it. */
export interface NextQuestion {
  readonly prepared: PreparedCall;
  /** For the model, where the person declines. Default: that they declined the call. */
  readonly declined?: string;
}

export interface ToolOutcome {
  readonly text: string;
  /** The text with the redrawn lines that it leaves out. */
  readonly whole?: string;
  readonly isError?: boolean;
  /** Stored, and shown to a model that accepts images. */
  readonly images?: readonly GivenImage[];
  /** The images as stored. */
  readonly attachments?: readonly Attachment[];
  readonly ephemeral?: Ephemeral;
  readonly truncation?: TruncationRecord;
  readonly change?: FileChange;
  /** Read back from offloaded content, so it is not offloaded again. */
  readonly readBack?: true;
  /** The first line is a heading: it is never cut, and the limits apply to the rest. */
  readonly headed?: true;
  /** The next question to the person, about what has happened: it runs if they allow it. */
  readonly next?: NextQuestion;
  /** Messages for the model once every call of the answer has its result. Never a person's words. */
  readonly follows?: readonly UserMessage[];
  /** The call never began, because the turn was stopped for this cause. */
  readonly notRun?: StopCause;
  /** Default: `failed` for an error, else `made`. */
  readonly outcome?: CallOutcome;
}

/** The effect that a call would have, by its arguments alone, so that it can be shown before the call and long after it. */
export type CallDetail =
  | {
      readonly kind: 'edit';
      readonly path: string;
      /** It replaces the whole file. */
      readonly whole?: boolean;
      readonly pieces: readonly { readonly before: string; readonly after: string }[];
    }
  | { readonly kind: 'command'; readonly command: string; readonly background?: boolean };

export interface PreparedCall {
  /** One line for the tool card, e.g. `src/retry.ts`. */
  readonly title: string;
  /** Null when the call may run without asking. */
  readonly approval: Pick<ApprovalRequest, 'detail' | 'mayAlways' | 'mayRemember' | 'title' | 'why'> | null;
  /** For a call that is granted individually and not as its class. */
  readonly grant?: CallGrant & { allowAlways(): Promise<void>; allowReading?(): Promise<void> };
  /** Workspace paths that the call will change. Their contents are stored first. */
  readonly changes: readonly string[];
  /** For an edit: the call that writes the person's version of the text instead. */
  amend?(text: string): PreparedCall;
  /** Throws `ToolError` with the reason when it fails, or when the files have changed since it was prepared. */
  run(options: {
    readonly onOutput: (text: string) => void;
    readonly signal: AbortSignal;
    /**
     * For a tool that cuts its result itself; whatever it leaves whole is cut afterwards. Default: the configured
     * limits.
     */
    readonly limits?: TruncationLimits;
  }): Promise<ToolOutcome>;
}

export interface Tool<Input = unknown> {
  /** `^[a-z_]{1,64}$`; of an MCP server's tool `^[A-Za-z0-9_-]{1,64}$`. */
  readonly name: string;
  readonly toolClass: ToolClass;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** The declared schema, if another program validates the input. Default: derived from `input`. */
  readonly parameters?: ToolDeclaration['parameters'];
  /** The most informative part of a long output; default: the beginning. A person's own setting overrides it. */
  readonly keeps?: TruncationRecord['direction'];
  /**
   * Arguments that other programs' tools of this kind have, and that mean the same. They are not declared; `toOwn` turns
   * them into the tool's own, and returns what is not among them as it is. Default: none.
   */
  readonly otherForms?: { readonly schema: z.ZodType; toOwn(given: Json): Json };
  /** Whether the model is offered it. Default: always. */
  offered?(settings: OfferSettings, ports: Partial<ToolPorts>): boolean;
  /** Its names in other programs' agent files, in lower case. Default: none. */
  readonly alsoCalled?: readonly string[];
  /** The link target of a call's card: the file at its `path`, or the session that it started. Default: neither. */
  readonly opens?: 'file' | 'session';
  /** One line for a finished call. Default: its most telling argument. */
  title?(input: Input): string;
  /** Details of a call for a person, in addition to its title. Default: its arguments. */
  describe?(input: Input): CallDetail;
  /** Throws `ToolError` when the call is impossible; changes nothing. */
  prepare(input: Input, ports: ToolPorts, toolCallId?: string): Promise<PreparedCall>;
}

/** A built-in tool. Its argument types come from its schema, and the compiler knows its name. */
export function defineTool<const Name extends string, Schema extends z.ZodType>(
  tool: Tool<z.infer<Schema>> & { readonly name: Name; readonly input: Schema },
): typeof tool {
  return tool;
}

/** A tool as declared to the model. A tool's declaration never changes, because prompt caches depend on it. */
export function declareTool(tool: Tool): ToolDeclaration {
  if (tool.parameters) return { name: tool.name, description: tool.description, parameters: tool.parameters };
  // The schema's own address means nothing to a model, and some endpoints refuse unknown keys.
  const { $schema: _, ...parameters } = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'throw' });
  return { name: tool.name, description: tool.description, parameters };
}
