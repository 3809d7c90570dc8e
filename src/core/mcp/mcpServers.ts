/**
 * What the agent knows of MCP servers: the tools they offer and how one is called. Everything that a server says is
 * foreign: names, descriptions and results are data, bounded before they come here.
 */

import type { ToolDeclaration } from '../journal/entry.ts';
import type { Json } from '../json.ts';
import type { Words } from '../words.ts';

export interface McpTool {
  /** What the model calls: `mcp__server__tool`, unique among all servers. */
  readonly name: string;
  /** As the person named it. */
  readonly server: string;
  /** As the server named it. */
  readonly tool: string;
  readonly description: string;
  readonly parameters: ToolDeclaration['parameters'];
  /** Of the server's configuration and all that it says of the tool: when anything changes, it is another tool. */
  readonly fingerprint: string;
}

export interface McpOffer {
  readonly tools: readonly McpTool[];
  /** What a person should know: a server that could not be started, that ended, or that is left out. */
  readonly said: readonly Words[];
}

export interface McpCall {
  readonly signal: AbortSignal;
  /** One line for each step that the server reports. */
  readonly onProgress: (text: string) => void;
}

export interface McpServers {
  /**
   * Starts the servers that should run, waits a while for them, and says what there is. `onWait` hears of the wait, and an
   * empty text when it is over.
   */
  prepare(signal: AbortSignal, onWait?: (said: Words) => void): Promise<McpOffer>;
  /** What the person decided about this tool for good. */
  decisionOn(tool: McpTool): 'allow' | 'deny' | null;
  allowAlways(tool: McpTool): Promise<void>;
  /** The result as the server sent it. Throws `ToolError` when there is none, which names the server and the reason. */
  call(tool: McpTool, input: Json, call: McpCall): Promise<unknown>;
}

const PREFIX = 'mcp__';

export const isMcpTool = (name: string): boolean => name.startsWith(PREFIX);

/** Providers take names of this length. */
const LONGEST_NAME = 64;
const MARK_LENGTH = 8;

/** The model's name for a tool: letters that every provider takes. `mark` tells apart names that came out the same. */
export function nameMcpTool(server: string, tool: string, mark: string, taken: (name: string) => boolean): string {
  const clean = (text: string) => text.replace(/[^A-Za-z0-9_-]/g, '_');
  const name = `${PREFIX}${clean(server)}__${clean(tool)}`;
  if (name.length <= LONGEST_NAME && !taken(name)) return name;
  return `${name.slice(0, LONGEST_NAME - MARK_LENGTH - 1)}_${mark.slice(0, MARK_LENGTH)}`;
}

/**
 * What MCP servers hold beside tools: resources, which a person mentions, and prompts, which they run as commands. All of
 * it is foreign text.
 */
export interface McpResource {
  readonly server: string;
  readonly uri: string;
  readonly name: string;
  readonly description: string;
}

export interface McpPrompt {
  readonly server: string;
  readonly name: string;
  readonly description: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly description: string;
    readonly required: boolean;
  }[];
}

export interface McpContent {
  /** Whether a server of this name may run. */
  knows(server: string): boolean;
  /** The answer as the server sent it. Throws `ToolError`, which names the server and the reason. */
  readResource(server: string, uri: string, signal: AbortSignal): Promise<unknown>;
  getPrompt(
    server: string,
    prompt: string,
    given: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<unknown>;
}
