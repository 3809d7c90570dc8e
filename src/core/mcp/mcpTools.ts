/**
 * The MCP tools that the model has in a turn. They are fixed from its beginning until the next one: a server that
 * changes its tools midway changes neither the header nor the meaning of a call.
 */

import * as z from 'zod';
import { Allowance } from '../allowance.ts';
import type { Json } from '../json.ts';
import type { WorkspaceTrust } from '../tools/approvals.ts';
import { showHidden, showInOneLine } from '../tools/text/showHidden.ts';
import { stripControls } from '../tools/text/stripControls.ts';
import type { Tool } from '../tools/tool.ts';
import { inEnglish, verbatim, type Words } from '../words.ts';
import { readMcpResult } from './mcpResult.ts';
import type { McpServers, McpTool } from './mcpServers.ts';
import type { ServerModel } from './sample.ts';
import { ServerQuestions } from './serverQuestions.ts';

const LONGEST_PROGRESS = 500;

/** Reports of progress in one call that are shown. */
const MOST_PROGRESS = 1_000;

/** A call is shown with all of its arguments before it is sent. */
function makeMcpTool(facts: McpTool, servers: McpServers, model: ServerModel, asked: ServerQuestions): Tool<Json> {
  const { name, description, parameters, server, tool, extension } = facts;
  return {
    name,
    toolClass: 'mcp',
    description,
    // The server validates its own arguments.
    input: z.record(z.string(), z.unknown()),
    parameters,
    async prepare(input, { questions }) {
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
          standing: servers.decisionOn(facts),
          allowAlways: () => servers.allowAlways(facts),
        },
        changes: [],
        async run({ onOutput, signal }) {
          const askPerson = questions && asked.through(questions);
          const call = { signal, onProgress: showProgress(onOutput), askPerson, model };
          return readMcpResult(await servers.call(facts, input, call), { images: true });
        },
      };
    },
  };
}

/** Passes on the first reports, each as a line. */
function showProgress(onOutput: (text: string) => void): (text: string) => void {
  const usedUp = verbatim(`It has reported its progress ${MOST_PROGRESS} times. What follows is not shown.`);
  const reports = new Allowance({ most: MOST_PROGRESS, usedUp });
  let isOver = false;
  return (text) => {
    if (isOver) return;
    const tooMany = reports.take();
    isOver = tooMany !== null;
    const line = tooMany ? inEnglish(tooMany) : stripControls(text.slice(0, LONGEST_PROGRESS)).replaceAll('\n', ' ');
    onOutput(`${line}\n`);
  };
}

interface OfferPorts {
  /** Undefined where no MCP server can be reached. */
  readonly servers: McpServers | undefined;
  /** Answers the servers. */
  readonly model: ServerModel;
  readonly trust: () => WorkspaceTrust;
  /** Shows the person a note about a server. */
  readonly notify: (notice: Words) => Promise<void>;
}

export class OfferedMcpTools {
  readonly #ports: OfferPorts;
  readonly #asked: ServerQuestions;
  #tools: readonly Tool[] = [];

  constructor(ports: OfferPorts) {
    this.#ports = ports;
    this.#asked = new ServerQuestions(ports.notify);
  }

  get tools(): readonly Tool[] {
    return this.#ports.trust() === 'trusted' ? this.#tools : [];
  }

  async renew(signal: AbortSignal): Promise<readonly Words[]> {
    this.#asked.renew();
    const { servers, model, trust } = this.#ports;
    if (!servers || trust() !== 'trusted') return [];
    const { tools, notices } = await servers.prepare(signal);
    this.#tools = tools.map((tool) => makeMcpTool(tool, servers, model, this.#asked) as Tool);
    return notices;
  }
}
