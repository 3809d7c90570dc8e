/** What mentions are read from: the ports that tools have, and what only an editor knows. */

import type { McpContent } from '../mcp/mcpContent.ts';
import type { Files, Git, Language } from '../ports.ts';
import type { ToolPorts } from '../tools/tool.ts';

export interface TerminalOutput {
  readonly terminal: string;
  readonly command: string;
  /** Null where the shell did not say. */
  readonly exitCode: number | null;
  /** It still runs. */
  readonly running: boolean;
  readonly output: string;
}

/** Each is left out where there is none. */
export interface MentionSources {
  readonly terminal?: {
    /** False while no command has been seen. */
    readonly hasOutput: boolean;
    /** Of the command that was run last, in any terminal. */
    lastOutput(): Promise<TerminalOutput | null>;
    /** Of the terminal in front; null when nothing is selected. */
    selection(): Promise<string | null>;
  };
  /** What was said in a session of this workspace, by its title; null when there is none. Newest text last. */
  readonly session?: (title: string, signal: AbortSignal) => Promise<string | null>;
  /** Resources and prompts of MCP servers. */
  readonly mcp?: McpContent;
}

export interface MentionPorts {
  readonly files: Files;
  readonly language: Language | undefined;
  readonly git: Git | undefined;
  readonly sources: MentionSources;
}

export interface MentionReaderPorts extends MentionPorts {
  /** A mention is read by the tools that read such things, so both tell the model the same. */
  readonly toolPorts: ToolPorts;
}
