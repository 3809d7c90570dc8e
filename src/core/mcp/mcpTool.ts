/** Makes a tool from the offer of an MCP server or of an extension. A call is shown with all of its arguments before it is sent. */

import * as z from 'zod';
import { ToolError } from '../errors.ts';
import type { Json } from '../json.ts';
import type { WorkspaceTrust } from '../tools/approvals.ts';
import { showHidden, showInOneLine } from '../tools/text/showHidden.ts';
import { stripControls } from '../tools/text/stripControls.ts';
import type { Tool } from '../tools/tool.ts';
import type { Words } from '../words.ts';
import type { McpServers, McpTool } from './mcpServers.ts';
import { readMcpResult } from './readMcpResult.ts';

const LONGEST_PROGRESS = 500;

export function makeMcpTool(facts: McpTool): Tool<Json> {
  const { name, description, parameters, server, tool, extension } = facts;
  return {
    name,
    toolClass: 'mcp',
    description,
    // The server validates its own arguments.
    input: z.record(z.string(), z.unknown()),
    parameters,
    async prepare(input, { mcp, questions, serverModel }) {
      if (!mcp) throw new ToolError('No MCP server can be reached from here.');
      const title = showInOneLine(`${server} › ${tool}`);
      return {
        title,
        approval: {
          title,
          detail: {
            kind: 'mcp',
            server: showInOneLine(server),
            tool: showInOneLine(tool),
            input: showHidden(JSON.stringify(input, null, 2)),
            ...(extension ? { extension } : {}),
          },
          mayRemember: true,
          mayAlways: true,
        },
        grant: {
          covers: [{ key: facts.fingerprint, title }],
          standing: mcp.decisionOn(facts),
          allowAlways: () => mcp.allowAlways(facts),
        },
        changes: [],
        async run({ onOutput, signal }) {
          const onProgress = (text: string) =>
            onOutput(`${stripControls(text.slice(0, LONGEST_PROGRESS)).replaceAll('\n', ' ')}\n`);
          const call = { signal, onProgress, questions, model: serverModel };
          return readMcpResult(await mcp.call(facts, input, call), { images: true });
        },
      };
    },
  };
}

/**
 * The MCP tools that the model has in a turn. They are fixed from its beginning until the next one: a server that
 * changes its tools midway changes neither the header nor the meaning of a call.
 */
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
