/**
 * The tools of MCP servers that the model has in a turn. They are taken over at its beginning and stay until the next
 * one: a server that changes its tools half-way changes neither the header nor what a call means.
 */

import type { McpServers } from '../mcp/mcpServers.ts';
import { makeMcpTool } from '../mcp/mcpTool.ts';
import type { WorkspaceTrust } from '../tools/approvals.ts';
import type { Tool } from '../tools/tool.ts';
import type { Words } from '../words.ts';

export class OfferedMcpTools {
  readonly #mcp: McpServers | undefined;
  readonly #trust: () => WorkspaceTrust;
  #tools: readonly Tool[] = [];

  constructor(mcp: McpServers | undefined, trust: () => WorkspaceTrust) {
    this.#mcp = mcp;
    this.#trust = trust;
  }

  get tools(): readonly Tool[] {
    return this.#trust() === 'trusted' ? this.#tools : [];
  }

  async renew(signal: AbortSignal): Promise<readonly Words[]> {
    if (!this.#mcp || this.#trust() !== 'trusted') return [];
    const { tools, said } = await this.#mcp.prepare(signal);
    this.#tools = tools.map((tool) => makeMcpTool(tool) as Tool);
    return said;
  }
}
