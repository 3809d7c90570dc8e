/**
 * Resources and prompts of the MCP servers of this window. Server text is foreign: names are bounded and shown on one
 * line, and a malformed list counts as empty. A server is started when its content is first requested.
 */

import { messageOf } from '../../core/errors.ts';
import { asRecord, asText, type Json, listOf } from '../../core/json.ts';
import type { Log } from '../../core/log.ts';
import type { McpContent, McpPrompt, McpResource } from '../../core/mcp/mcpContent.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import type { McpServer } from '../../node/mcp/mcpServer.ts';
import type { ServerList } from './serverList.ts';

interface Parts {
  readonly servers: Pick<ServerList, 'usable' | 'use' | 'refresh'>;
  readonly log: Log;
  /** The known prompts or resources may have changed. */
  readonly onChange: () => void;
}

const MOST_ENTRIES = 500;
const LONGEST_NAME = 200;
const LONGEST_URI = 2_000;
const LONGEST_DESCRIPTION = 300;
const MOST_PARAMETERS = 20;

export class ServerContent implements McpContent {
  readonly #parts: Parts;
  #resources: readonly McpResource[] = [];
  #prompts: readonly McpPrompt[] = [];
  #listing: Promise<void> | null = null;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** As last listed. */
  get resources(): readonly McpResource[] {
    return this.#resources;
  }

  get prompts(): readonly McpPrompt[] {
    return this.#prompts;
  }

  knows(server: string): boolean {
    return this.#parts.servers.usable.some((run) => run.server.name === server);
  }

  async readResource(server: string, uri: string, signal: AbortSignal): Promise<unknown> {
    const { run, timeoutMs } = await this.#parts.servers.use(server, signal);
    return run.ask('resources/read', { uri }, { timeoutMs, signal });
  }

  async getPrompt(
    server: string,
    name: string,
    given: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<unknown> {
    const { run, timeoutMs } = await this.#parts.servers.use(server, signal);
    return run.ask('prompts/get', { name, arguments: given }, { timeoutMs, signal });
  }

  /** Asks the servers again; a concurrent call waits for the same answer. Never throws. */
  list(): Promise<void> {
    this.#listing ??= this.#list().finally(() => {
      this.#listing = null;
    });
    return this.#listing;
  }

  async #list(): Promise<void> {
    const { servers, log, onChange } = this.#parts;
    try {
      await servers.refresh();
      const lists = await Promise.all(servers.usable.map((run) => this.#listOf(run)));
      const before = JSON.stringify([this.#resources, this.#prompts]);
      this.#resources = lists.flatMap(({ resources }) => resources).slice(0, MOST_ENTRIES);
      this.#prompts = lists.flatMap(({ prompts }) => prompts).slice(0, MOST_ENTRIES);
      if (JSON.stringify([this.#resources, this.#prompts]) !== before) onChange();
    } catch (thrown) {
      log('warn', messageOf(thrown));
    }
  }

  /** An unreachable server offers nothing; its state in the list of servers gives the reason. */
  async #listOf(run: McpServer): Promise<{ resources: readonly McpResource[]; prompts: readonly McpPrompt[] }> {
    await run.start();
    if (run.state.kind !== 'running') return { resources: [], prompts: [] };
    const { name } = run.server;
    const read = async <T>(what: 'resources' | 'prompts', make: (entry: Json) => T[]): Promise<readonly T[]> => {
      try {
        return (await run.list(what)).slice(0, MOST_ENTRIES).flatMap(make);
      } catch (thrown) {
        this.#parts.log('warn', messageOf(thrown));
        return [];
      }
    };
    return {
      resources: await read('resources', (entry) => readResource(name, entry)),
      prompts: await read('prompts', (entry) => readPrompt(name, entry)),
    };
  }
}

const short = (value: unknown, most: number) => showInOneLine(asText(value).slice(0, most));

function readResource(server: string, { uri, name, title, description }: Json): McpResource[] {
  const address = asText(uri);
  if (address === '' || address.length > LONGEST_URI || showInOneLine(address) !== address) return [];
  return [
    {
      server,
      uri: address,
      name: short(title, LONGEST_NAME) || short(name, LONGEST_NAME) || address.slice(0, LONGEST_NAME),
      description: short(description, LONGEST_DESCRIPTION),
    },
  ];
}

/** Omits prompts whose name, or whose server's name, could not be typed after a slash. */
function readPrompt(server: string, { name, description, arguments: parameters }: Json): McpPrompt[] {
  const typed = asText(name);
  if (/[\s:=/]/u.test(server) || !/^[^\s:=/]{1,100}$/u.test(typed) || showInOneLine(typed) !== typed) return [];
  return [
    {
      server,
      name: typed,
      description: short(description, LONGEST_DESCRIPTION),
      parameters: listOf(parameters)
        .slice(0, MOST_PARAMETERS)
        .flatMap((each) => {
          const { name, description, required } = asRecord(each) ?? {};
          const named = asText(name);
          return /^[^\s="]{1,100}$/u.test(named)
            ? [{ name: named, description: short(description, LONGEST_DESCRIPTION), required: required === true }]
            : [];
        }),
    },
  ];
}
