/** Makes a tool of what an MCP server offers. A call is shown with all of its arguments before it is sent. */

import * as z from 'zod';
import { ToolError } from '../errors.ts';
import type { Json } from '../json.ts';
import { showHidden, showInOneLine } from '../tools/text/showHidden.ts';
import { stripControls } from '../tools/text/stripControls.ts';
import type { Tool } from '../tools/tool.ts';
import type { McpTool } from './mcpServers.ts';
import { readMcpResult } from './readMcpResult.ts';

const LONGEST_PROGRESS = 500;

export function makeMcpTool(facts: McpTool): Tool<Json> {
  const { name, description, parameters, server, tool } = facts;
  return {
    name,
    toolClass: 'mcp',
    description,
    // The server checks its arguments itself.
    input: z.record(z.string(), z.unknown()),
    parameters,
    async prepare(input, { mcp }) {
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
          },
          mayRemember: true,
          mayAlways: true,
        },
        grant: {
          key: facts.fingerprint,
          standing: mcp.decisionOn(facts),
          allowAlways: () => mcp.allowAlways(facts),
        },
        changes: [],
        async run({ onOutput, signal }) {
          const onProgress = (text: string) =>
            onOutput(`${stripControls(text.slice(0, LONGEST_PROGRESS)).replaceAll('\n', ' ')}\n`);
          return readMcpResult(await mcp.call(facts, input, { signal, onProgress }), { images: true });
        },
      };
    },
  };
}
