/**
 * What a tool is. A call is first prepared, which changes nothing and says exactly what would be done; only what was
 * prepared and, where its class asks for it, approved is then run.
 */

import * as z from 'zod';
import type { AgentFile } from '../agent/agentFile.ts';
import type { Attachment, Ephemeral, FileChange, TruncationRecord, UserMessage } from '../context/message.ts';
import type { Projection } from '../context/projection.ts';
import type { GivenImage, Viewer } from '../images/attachImages.ts';
import type { Mode } from '../instructions/modes.ts';
import type { UsableSkills } from '../instructions/sessionSkills.ts';
import type { ToolDeclaration } from '../journal/entry.ts';
import type { McpServers } from '../mcp/mcpServers.ts';
import type {
  ApprovalRequest,
  BlobStore,
  Clock,
  Files,
  Git,
  Language,
  Questioner,
  Shell,
  ToolClass,
  Web,
} from '../ports.ts';
import type { CallGrant } from './approvals.ts';
import type { BackgroundCommands } from './backgroundCommands.ts';
import type { CommandRules } from './commandRules.ts';
import type { RecallBudget } from './recallBudget.ts';
import type { TruncationLimits } from './text/cutText.ts';

/** The tool's own session, for tools that read it or ask for something in it. */
export interface ToolSession {
  /** The context of the current path. */
  readonly context: Projection;
  readonly recall: RecallBudget;
  readonly skills: UsableSkills;
  /** The model that looks at what tools return. */
  readonly viewer: Viewer;
  /** Asks for a compaction before the next request. Returns why there will be none, or null. */
  scheduleCompaction(keep: string | undefined): string | null;
  readonly mode: Mode;
  /** The person has approved a plan. */
  beginToAct(): Promise<void>;
  /** Asks to go back to a checkpoint after this step. Throws `ToolError` with the reason when that is not allowed. */
  scheduleDMail(mail: { readonly checkpoint: number; readonly message: string }): void;
  /** The same for the agent that gave this one its task. */
  reportToPast(report: PastReport): void;
}

export interface PastReport {
  readonly message: string;
  /** Left out for the newest one. */
  readonly checkpoint?: number | undefined;
}

/** Runs agents as sessions of their own. */
export interface SubagentRunner {
  /** Null for the built-in one. Throws `ToolError` when there is no agent of that name. */
  find(name: string | undefined): Promise<AgentFile | null>;
  run(
    file: AgentFile | null,
    task: { readonly title: string; readonly prompt: string },
    options: {
      readonly toolCallId: string;
      readonly onOutput: (text: string) => void;
      readonly signal: AbortSignal;
    },
  ): Promise<ToolOutcome>;
}

/** What tools work on. Not every editor or program has all of it: a tool is offered only where its ports are. */
export interface ToolPorts {
  readonly files: Files;
  readonly shell: Shell;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly session: ToolSession;
  readonly language?: Language | undefined;
  /** Only in a trusted workspace: a repository configures much. */
  readonly git?: Git | undefined;
  /** Left out where no command can run on after its call. */
  readonly background?: BackgroundCommands | undefined;
  readonly web?: Web | undefined;
  /** Only where somebody is there to answer. */
  readonly questions?: Questioner | undefined;
  /** Left out where none can be kept, and for a subagent itself. */
  readonly subagents?: SubagentRunner | undefined;
  /** Left out where no MCP server can be reached. */
  readonly mcp?: McpServers | undefined;
  /** Left out where no command can be allowed for longer than once. */
  readonly commandRules?: CommandRules | undefined;
}

/** Settings that decide which of the tools are offered. */
export interface OfferSettings {
  readonly recall: { readonly tokensPerTurn: number };
  /** The model may ask for a compaction. */
  readonly agentTool: boolean;
  /** The model may send messages to its own past. */
  readonly dmail: boolean;
  /** The model may give tasks to subagents. By default it may not. */
  readonly subagents?: boolean;
  /** The model may leave its report in the past of the agent that gave it its task. By default it may not. */
  readonly reports?: boolean;
  /** There are skills, or there were some in this session. By default there are none. */
  readonly skills?: boolean;
}

export interface ToolOutcome {
  readonly text: string;
  readonly isError?: boolean;
  /** Kept, and shown to a model that takes images. */
  readonly images?: readonly GivenImage[];
  /** The images as they were kept. */
  readonly attachments?: readonly Attachment[];
  readonly ephemeral?: Ephemeral;
  readonly truncation?: TruncationRecord;
  readonly change?: FileChange;
  /** Read back from offloaded content: it is not offloaded again. */
  readonly readBack?: true;
  /** The first line is a heading: it is never cut, and the limits are for the rest. */
  readonly headed?: true;
  /** Said to the model when every call of the answer has its result. Never a person's words. */
  readonly follows?: readonly UserMessage[];
}

/** The request of a call, by its arguments alone, so that it can be shown before the call and long after it. */
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
  readonly approval: Pick<ApprovalRequest, 'detail' | 'mayAlways' | 'mayRemember' | 'title'> | null;
  /** For a call that is granted by itself and not as its class. */
  readonly grant?: CallGrant & { allowAlways(): Promise<void> };
  /** Workspace paths that the call is about to change. Their contents are kept first. */
  readonly changes: readonly string[];
  /** For an edit: the call that writes another whole text, as the person changed it. */
  amend?(text: string): PreparedCall;
  /** Throws `ToolError` with the reason when it cannot be done, or when the files changed since it was prepared. */
  run(options: {
    readonly onOutput: (text: string) => void;
    readonly signal: AbortSignal;
    /** For a tool that cuts its result itself; what it leaves whole is cut after it. By default those of the table. */
    readonly limits?: TruncationLimits;
  }): Promise<ToolOutcome>;
}

export interface Tool<Input = unknown> {
  /** `^[a-z_]{1,64}$`; of an MCP server's tool `^[A-Za-z0-9_-]{1,64}$`. */
  readonly name: string;
  readonly toolClass: ToolClass;
  readonly description: string;
  readonly input: z.ZodType<Input>;
  /** The declared schema, if another program checks the input. By default it is made of `input`. */
  readonly parameters?: ToolDeclaration['parameters'];
  /** Which part of a long output says most; by default the beginning. A person's own setting overrides it. */
  readonly keeps?: TruncationRecord['direction'];
  /** Whether the model is offered it. By default it always is. */
  offered?(settings: OfferSettings, ports: Partial<ToolPorts>): boolean;
  /** Its names in the agent files of other programs, in lower case. By default they have no such tool. */
  readonly alsoCalled?: readonly string[];
  /** The target of a call's card: the file at its `path`, or the session that it started. By default neither. */
  readonly opens?: 'file' | 'session';
  /** One line for a call that is over. By default its most telling argument. */
  title?(input: Input): string;
  /** Details of a call for a person, beside its title. By default its arguments alone. */
  describe?(input: Input): CallDetail;
  /** Throws `ToolError` when the call cannot be done; nothing is changed yet. */
  prepare(input: Input, ports: ToolPorts, toolCallId?: string): Promise<PreparedCall>;
}

/** A built-in tool. The types of its arguments are those of its schema, and the compiler knows its name. */
export function defineTool<const Name extends string, Schema extends z.ZodType>(
  tool: Tool<z.infer<Schema>> & { readonly name: Name; readonly input: Schema },
): typeof tool {
  return tool;
}

/** A tool as it is declared to the model. A tool's declaration never changes, because prompt caches depend on it. */
export function declareTool(tool: Tool): ToolDeclaration {
  if (tool.parameters) return { name: tool.name, description: tool.description, parameters: tool.parameters };
  // The schema's own address says nothing to a model, and some endpoints refuse keys they do not know.
  const { $schema: _, ...parameters } = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'throw' });
  return { name: tool.name, description: tool.description, parameters };
}
