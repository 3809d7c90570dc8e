/** The MCP servers of the product over real programs and addresses, with a test's own decisions and secrets. */

import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { McpCall, McpTool } from '../../../src/core/mcp/mcpServers.ts';
import { ServerQuestions } from '../../../src/core/mcp/serverQuestions.ts';
import { hideSecrets } from '../../../src/core/secrets/hideSecrets.ts';
import type { Questioner } from '../../../src/core/tools/question.ts';
import { type Words, words } from '../../../src/core/words.ts';
import { McpDecisions, NO_DECISIONS, type StoredDecisions } from '../../../src/host/mcp/mcpDecisions.ts';
import { ServerList } from '../../../src/host/mcp/serverList.ts';
import { fillIn } from '../../../src/node/mcp/fillIn.ts';
import {
  type ConfiguredServer,
  foldersFor,
  readForeignServer,
  readOwnServer,
  readServerFiles,
} from '../../../src/node/mcp/serverConfig.ts';
import { connect } from '../../../src/node/mcp/transport/connection.ts';
import { ServerFault } from '../../../src/node/mcp/transport/serverFault.ts';
import { commandEnvironment } from '../../../src/node/shell/commandEnvironment.ts';
import { systemTimers } from '../../../src/providers/timers.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export const EVERYTHING = join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');
export const FILESYSTEM = join(ROOT, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js');

export const hostile = (way: string) => ({
  command: process.execPath,
  args: [join(ROOT, 'test/support/mcp/hostileServer.ts'), way],
});

export interface StartOptions {
  /** Of files of the folder, by file and name. */
  readonly inFiles?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly folder?: string;
  /** All that are open; by default the one. */
  readonly folders?: readonly string[];
  /** The files of the folder are read from the disk, as the product reads them. */
  readonly onDisk?: boolean;
  readonly trusted?: () => boolean;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** By the name of the server. */
  readonly startMs?: Readonly<Record<string, number>>;
  readonly callMs?: number;
  /** Instead of reaching a server. */
  readonly refuse?: (name: string) => ServerFault | null;
  /** Waits before a server is started again do not take their time. */
  readonly impatient?: boolean;
}

export interface StartedServers {
  readonly servers: ServerList;
  readonly decisions: McpDecisions;
  /** The configuration; a test may change it. */
  own: Record<string, object>;
  /** Names of servers that nobody had decided about, as they were told. */
  readonly undecided: string[][];
  /** Names of servers that were started, in order. */
  readonly started: string[];
  readonly waits: number[];
  offer(): Promise<readonly McpTool[]>;
  call(
    name: string,
    input?: Record<string, unknown>,
    call?: Partial<McpCall> & { readonly questions?: Questioner },
  ): Promise<unknown>;
  stop(): Promise<void>;
}

export function startServers(own: Record<string, object>, options: StartOptions = {}): StartedServers {
  const { inFiles = {}, folder = ROOT, folders = [folder], trusted = () => true, secrets = {} } = options;
  const { environment = process.env } = options;
  let stored: StoredDecisions = NO_DECISIONS;
  const decisions = new McpDecisions({
    get: () => stored,
    set: async (next) => {
      stored = next;
    },
  });
  const [undecided, started, waits]: [string[][], string[], number[]] = [[], [], []];
  const known: string[] = [];
  const cancels: (() => void)[] = [];
  const servers = new ServerList({
    configured: async () => [
      ...Object.entries(result.own).map(([name, entry]) => readOwnServer(name, entry)),
      ...(options.onDisk ? (await Promise.all(folders.map(readServerFiles))).flat() : []),
      ...Object.entries(inFiles).flatMap(([path, entries]) =>
        Object.entries(entries).map(([name, entry]) => readForeignServer(name, entry, { path, folder })),
      ),
    ],
    trusted,
    decisions,
    open: (server: ConfiguredServer) => async (events) => {
      started.push(server.name);
      const refusal = options.refuse?.(server.name);
      if (refusal) throw refusal;
      if (server.config.kind === 'unusable') throw new ServerFault(words('unusable'), 'byHand');
      const told = foldersFor(server, folders);
      const filled = await fillIn(server.config, {
        secret: async (name) => secrets[name] ?? null,
        environment,
        folder: told[0] ?? homedir(),
        home: homedir(),
      });
      known.push(...filled.secrets);
      return connect({
        ...events,
        config: filled.config,
        version: '0',
        now: Date.now,
        home: homedir(),
        fetch: globalThis.fetch,
        startMs: options.startMs?.[server.name] ?? 30_000,
        environment: commandEnvironment(environment, []),
        folders: told,
      });
    },
    callTimeoutMs: options.callMs ?? 30_000,
    timers: {
      after: (ms, callback) => {
        waits.push(ms);
        const cancel = systemTimers.after(options.impatient && ms < 15_000 ? 0 : ms, callback);
        cancels.push(cancel);
        return cancel;
      },
    },
    now: Date.now,
    hide: (text) => hideSecrets(text, known),
    onUndecided: (list) => undecided.push(list.map(({ name }) => name)),
    onChange: () => undefined,
  });
  const signal = new AbortController().signal;
  const asked = new ServerQuestions(async () => undefined);
  const offer = async () => (await servers.prepare(signal)).tools;
  const result: StartedServers = {
    servers,
    decisions,
    own,
    undecided,
    started,
    waits,
    offer,
    async call(name, input = {}, { questions, ...call } = {}) {
      const tool = (await offer()).find((each) => each.name === name || each.tool === name);
      if (!tool) throw new Error(`no tool ${name}`);
      const askPerson = questions && asked.through(questions);
      return servers.call(tool, input, { signal, onProgress: () => undefined, askPerson, ...call });
    },
    async stop() {
      for (const cancel of cancels) cancel();
      result.own = {};
      const running = servers.listed.flatMap(({ standing }) => (standing.kind === 'ready' ? [standing.run] : []));
      await Promise.all(running.map((run) => run.stop()));
      servers.dispose();
    },
  };
  return result;
}

export async function said(servers: ServerList): Promise<readonly Words[]> {
  return (await servers.prepare(new AbortController().signal)).said;
}
