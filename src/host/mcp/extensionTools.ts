/**
 * Tools that other extensions registered with VS Code, each off until the person chooses it. They are offered, asked about
 * and answered like tools of MCP servers, and are as foreign as those.
 */

import { isAbort, messageOf, ToolError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { nameExtensionTool } from '../../core/mcp/mcpNames.ts';
import type { McpCall, McpOffer, McpServers, McpTool } from '../../core/mcp/mcpServers.ts';
import { untilAborted } from '../../core/sleep.ts';
import { countTokens } from '../../core/tokens/estimate.ts';
import { stripControls } from '../../core/tools/text/stripControls.ts';
import { type Words, words } from '../../core/words.ts';
import { describeTool } from '../../node/mcp/describeTool.ts';
import { sha256 } from '../../node/mcp/serverConfig.ts';
import type { McpDecisions } from './mcpDecisions.ts';
import { MOST_TOOLS } from './serverList.ts';

export interface RegisteredTool {
  /** Ids of the extensions that declare it: one, unless they compete for its name. */
  readonly extension: string;
  readonly extensionName: string;
  readonly name: string;
  readonly description: string;
  readonly schema: Json;
}

export interface ToolSource {
  /** The tools registered now. They change whenever an extension does something. */
  list(): readonly RegisteredTool[];
  /** The result in the shape of MCP's: `content` with its parts. */
  invoke(name: string, input: Json, signal: AbortSignal): Promise<unknown>;
}

interface ListedExtensionTool {
  readonly tool: McpTool;
  readonly extensionName: string;
  /** Why it cannot be offered. */
  readonly leftOut: Words | null;
}

interface Parts {
  readonly source: ToolSource;
  readonly decisions: McpDecisions;
  readonly hide: (text: string) => string;
  /** Milliseconds without progress that a call of an MCP server may take. */
  readonly callTimeoutMs: number;
}

const LONGEST_REASON = 2_000;
/** An extension reports no progress and may ask the person: its limit is that of an MCP call in all. */
const LONGEST_CALL = 20;

export class ExtensionTools implements McpServers {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** All that are registered, by extension and name. */
  list(): readonly ListedExtensionTool[] {
    const taken = new Set<string>();
    const order = (each: RegisteredTool) => `${each.extension}\n${each.name}`;
    return this.#parts.source
      .list()
      .toSorted((one, other) => (order(one) < order(other) ? -1 : 1))
      .map(({ extension, extensionName, name: toolName, description, schema }) => {
        const described = describeTool({ name: toolName, description, schema });
        const usable = described.kind === 'usable';
        const fingerprint = sha256('extension', extension, toolName, ...(usable ? [description, schema] : []));
        const name = nameExtensionTool(toolName, fingerprint, (each) => taken.has(each));
        taken.add(name);
        return {
          tool: {
            name,
            server: extension,
            tool: toolName,
            fingerprint,
            extension: true,
            description: usable ? this.#parts.hide(described.description) : '',
            parameters: usable ? described.parameters : {},
          },
          extensionName,
          leftOut: usable ? null : described.reason,
        };
      });
  }

  /** `room`: how many the model can still be told of. */
  async prepare(_signal: AbortSignal, _onWait?: unknown, room = MOST_TOOLS): Promise<McpOffer> {
    const chosen = this.list().filter(({ tool }) => this.#parts.decisions.isChosen(tool));
    const usable = chosen.flatMap(({ tool, leftOut }) => (leftOut ? [] : [tool]));
    const said = chosen.flatMap(({ tool, leftOut }) =>
      leftOut ? [words('The tool {0} of the extension {1} is left out: {2}.', tool.tool, tool.server, leftOut)] : [],
    );
    const tooMany = usable.slice(room).map(({ tool }) => tool);
    if (tooMany.length > 0) {
      said.push(
        words('Tools of extensions left out, since the model has {0} others: {1}.', MOST_TOOLS, tooMany.join(', ')),
      );
    }
    return { tools: usable.slice(0, room), said };
  }

  decisionOn(tool: McpTool): 'allow' | 'deny' | null {
    const { decisions } = this.#parts;
    if (!decisions.isChosen(tool)) return 'deny';
    return decisions.isAlways(tool) ? 'allow' : null;
  }

  async allowAlways(tool: McpTool): Promise<void> {
    await this.#parts.decisions.setAlways(tool, true);
  }

  async call({ fingerprint, server, tool }: McpTool, input: Json, { signal }: McpCall): Promise<unknown> {
    if (!this.list().some((each) => each.tool.fingerprint === fingerprint)) {
      throw new ToolError(
        `The extension "${server}" has changed ${tool} or taken it back. Nothing was called. What it offers now comes with the user's next message.`,
      );
    }
    const ms = this.#parts.callTimeoutMs * LONGEST_CALL;
    const late = AbortSignal.timeout(ms);
    const until = AbortSignal.any([signal, late]);
    try {
      return await untilAborted(this.#parts.source.invoke(tool, input, until), until);
    } catch (thrown) {
      signal.throwIfAborted();
      const reason = late.aborted
        ? `It gave no answer within ${ms / 1000} s.`
        : isAbort(thrown)
          ? 'It was cancelled: the user may have said no to a question of the extension.'
          : this.#parts.hide(stripControls(messageOf(thrown).slice(0, LONGEST_REASON)));
      throw new ToolError(`The extension "${server}" did not carry out ${tool}. ${reason}`, { cause: thrown });
    }
  }
}

/** Tokens that the definition of a tool takes in the header of each request. */
export function costOf({ name, description, parameters }: McpTool): number {
  return countTokens(JSON.stringify({ name, description, parameters }));
}

/** The tools of both, for the agent. Those of servers come first, so that a choice leaves their part of the header as it is. */
export function withExtensions(servers: McpServers, extensions: ExtensionTools): McpServers {
  const ownerOf = (tool: McpTool) => (tool.extension ? extensions : servers);
  return {
    async prepare(signal, onWait) {
      const first = await servers.prepare(signal, onWait);
      const second = await extensions.prepare(signal, onWait, MOST_TOOLS - first.tools.length);
      return { tools: [...first.tools, ...second.tools], said: [...first.said, ...second.said] };
    },
    decisionOn: (tool) => ownerOf(tool).decisionOn(tool),
    allowAlways: (tool) => ownerOf(tool).allowAlways(tool),
    call: (tool, input, call) => ownerOf(tool).call(tool, input, call),
  };
}
