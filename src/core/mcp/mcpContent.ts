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
