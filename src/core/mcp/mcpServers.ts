/**
 * MCP servers as a session knows them: the tools they offer, and calling one. Everything from a server is foreign: names,
 * descriptions and results are data, bounded before they come here.
 */

import type { ToolDeclaration } from '../journal/entry.ts';
import type { Json } from '../json.ts';
import type { Words } from '../words.ts';
import type { ServerModel } from './sample.ts';
import type { AskForServer } from './serverQuestions.ts';

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
  readonly notices: readonly Words[];
}

export interface McpCall {
  readonly signal: AbortSignal;
  /** Called with one line for each progress report of the server. */
  readonly onProgress: (text: string) => void;
  /** Through it the server may ask the person. Default: nobody can be asked. */
  readonly askPerson?: AskForServer | undefined;
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
  prepare(signal: AbortSignal, onWait?: (notices: Words) => void): Promise<McpOffer>;
  /** The person's permanent decision about this tool. */
  decisionOn(tool: McpTool): 'allow' | 'deny' | null;
  allowAlways(tool: McpTool): Promise<void>;
  /** The result as the server sent it. Throws `ToolError` with the server and the reason when there is none. */
  call(tool: McpTool, input: Json, call: McpCall): Promise<unknown>;
}
