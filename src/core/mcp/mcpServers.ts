/**
 * The agent's view of MCP servers: the tools they offer and how to call them. Everything from a server is foreign:
 * names, descriptions and results are data, bounded before they come here.
 */

import type { ToolDeclaration } from '../journal/entry.ts';
import type { Json } from '../json.ts';
import type { Questioner } from '../ports.ts';
import type { Words } from '../words.ts';
import type { ServerModel } from './sample.ts';

export interface McpTool {
  /** The name that the model calls: `mcp__server__tool`, unique among all servers. */
  readonly name: string;
  /** The person's name for the server. */
  readonly server: string;
  /** The server's name for the tool. */
  readonly tool: string;
  readonly description: string;
  readonly parameters: ToolDeclaration['parameters'];
  /** Covers the server's configuration and its whole description of the tool: any change makes it another tool. */
  readonly fingerprint: string;
  /** Another extension of the editor offers it; `server` is that extension. */
  readonly extension?: true;
}

export interface McpOffer {
  readonly tools: readonly McpTool[];
  /** Messages for the person: servers that could not be started, ended, or are left out. */
  readonly said: readonly Words[];
}

export interface McpCall {
  readonly signal: AbortSignal;
  /** Called with one line for each progress report of the server. */
  readonly onProgress: (text: string) => void;
  /** Through it the server may ask the person. Default: nobody can be asked. */
  readonly questions?: Questioner | undefined;
  /** Through it the server may ask the model, as far as the person allows. Default: it is refused. */
  readonly model?: ServerModel | undefined;
  /** Id of the session that calls. A question that may concern another session's call is not asked. */
  readonly session?: string;
}

export interface McpServers {
  /**
   * Starts the servers that should run, waits a while for them, and returns the tools. `onWait` is called with what it
   * waits for, and with an empty text at the end.
   */
  prepare(signal: AbortSignal, onWait?: (said: Words) => void): Promise<McpOffer>;
  /** The person's permanent decision about this tool. */
  decisionOn(tool: McpTool): 'allow' | 'deny' | null;
  allowAlways(tool: McpTool): Promise<void>;
  /** The result as the server sent it. Throws `ToolError` with the server and the reason when there is none. */
  call(tool: McpTool, input: Json, call: McpCall): Promise<unknown>;
}

const PREFIX = 'mcp__';
const EXTENSION_PREFIX = 'ext__';

/** Whether another program describes the tool of this name. */
export const isForeignTool = (name: string): boolean => name.startsWith(PREFIX) || name.startsWith(EXTENSION_PREFIX);

/** Maximum length that providers accept. */
const LONGEST_NAME = 64;
const MARK_LENGTH = 8;

/** The model's name for a tool: letters that every provider accepts. `mark` distinguishes names that would be equal. */
export function nameMcpTool(server: string, tool: string, mark: string, taken: (name: string) => boolean): string {
  return shorten(`${PREFIX}${clean(server)}__${clean(tool)}`, mark, taken);
}

/** The same for a tool of an extension, whose name VS Code keeps unique. */
export function nameExtensionTool(tool: string, mark: string, taken: (name: string) => boolean): string {
  return shorten(`${EXTENSION_PREFIX}${clean(tool)}`, mark, taken);
}

const clean = (text: string) => text.replace(/[^A-Za-z0-9_-]/g, '_');

function shorten(name: string, mark: string, taken: (name: string) => boolean): string {
  if (name.length <= LONGEST_NAME && !taken(name)) return name;
  return `${name.slice(0, LONGEST_NAME - MARK_LENGTH - 1)}_${mark.slice(0, MARK_LENGTH)}`;
}

/** MCP resources, which a person mentions, and prompts, which they run as commands. All of it is foreign text. */
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
  /** The answer as the server sent it. Throws `ToolError` with the server and the reason. */
  readResource(server: string, uri: string, signal: AbortSignal): Promise<unknown>;
  getPrompt(
    server: string,
    prompt: string,
    given: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<unknown>;
}
