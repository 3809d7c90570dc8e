/** The sources that mentions are located in and read from, besides the tools: terminals, earlier sessions, MCP servers. */

import type { McpContent } from '../mcp/mcpContent.ts';
import type { ToolPorts } from '../tools/tool.ts';

/** The last output of a terminal. */
export interface TerminalOutput {
  readonly terminal: string;
  readonly command: string;
  /** Null where the shell did not report it. */
  readonly exitCode: number | null;
  /** It is still running. */
  readonly running: boolean;
  readonly output: string;
}

/** Each is omitted where there is none. */
export interface MentionSources {
  readonly terminal?: {
    /** False while no command has been seen. */
    readonly hasOutput: boolean;
    /** Output of the last command, in any terminal. */
    lastOutput(): Promise<TerminalOutput | null>;
    /** From the active terminal; null when nothing is selected. */
    selection(): Promise<string | null>;
  };
  /** The text of a session of this workspace, by its title; null when there is none. Newest text last. */
  readonly session?: (title: string, signal: AbortSignal) => Promise<string | null>;
  /** Resources and prompts of MCP servers. */
  readonly mcp?: McpContent;
}

/** The tool ports that locate a mention. The tools themselves read it. */
export type MentionPorts = Pick<ToolPorts, 'files' | 'language' | 'git'>;
