/**
 * The MCP servers of this window: those configured, those that may run, and all their tools. A server from a file is
 * started only after the person allowed exactly its contents, and none in an untrusted folder.
 */

import type { Timers } from '../../core/clock.ts';
import { ToolError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { type Elicited, elicit } from '../../core/mcp/elicit.ts';
import { nameMcpTool } from '../../core/mcp/mcpNames.ts';
import type { McpCall, McpOffer, McpServers, McpTool } from '../../core/mcp/mcpServers.ts';
import { Sampling, sampleError } from '../../core/mcp/sample.ts';
import { untilAborted } from '../../core/sleep.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { inEnglish, type Words, words } from '../../core/words.ts';
import { describeTool } from '../../node/mcp/describeTool.ts';
import { McpServer, type McpServerParts } from '../../node/mcp/mcpServer.ts';
import { type ConfiguredServer, hashServer, keyOfServer, sha256 } from '../../node/mcp/serverConfig.ts';
import type { McpDecisions } from './mcpDecisions.ts';

/** The state of a server for a person. */
export type Standing =
  | { readonly kind: 'unusable'; readonly reason: Words }
  | { readonly kind: 'shadowed' }
  | { readonly kind: 'disabled' }
  | { readonly kind: 'undecided' }
  | { readonly kind: 'refused' }
  | { readonly kind: 'ready'; readonly run: McpServer };

export interface ListedServer {
  readonly server: ConfiguredServer;
  readonly standing: Standing;
}

interface ServerListParts {
  /** In order of precedence for a name. */
  readonly configured: () => Promise<readonly ConfiguredServer[]>;
  readonly trusted: () => boolean;
  readonly decisions: McpDecisions;
  readonly open: (server: ConfiguredServer) => McpServerParts['open'];
  /** Milliseconds without progress, for servers without their own limit. */
  readonly callTimeoutMs: number;
  readonly timers: Timers;
  readonly now: () => number;
  readonly hide: (text: string) => string;
  /** Called for servers without a decision; once for each in this window. */
  readonly onUndecided: (servers: readonly ConfiguredServer[]) => void;
  readonly onChange: () => void;
}

/** How long a turn waits for starting servers. Late ones join at the next turn. */
const WAIT_MS = 15_000;
/** Providers accept 128, including the product's own. */
export const MOST_TOOLS = 100;
/** Characters of names, descriptions and schemas. */
const LARGEST_OFFER = 400_000;

export class ServerList implements McpServers {
  readonly #parts: ServerListParts;
  /** By the key of the server, with the hash of its configuration. */
  readonly #running = new Map<string, { readonly hash: string; readonly run: McpServer }>();
  readonly #asked = new Set<string>();
  /** Calls that have no answer yet. */
  readonly #calls: { readonly run: McpServer; readonly session: string | undefined }[] = [];
  readonly #told = new Set<string>();
  #listed: readonly ListedServer[] = [];

  constructor(parts: ServerListParts) {
    this.#parts = parts;
  }

  /** As last read. */
  get listed(): readonly ListedServer[] {
    return this.#listed;
  }

  /** Reads the configuration again. Removed and changed servers are stopped. */
  async refresh(): Promise<readonly ListedServer[]> {
    const configured = this.#parts.trusted() ? await this.#parts.configured() : [];
    const names = new Set<string>();
    this.#listed = configured.map((server) => {
      const shadowed = names.has(server.name);
      names.add(server.name);
      return { server, standing: shadowed ? { kind: 'shadowed' } : this.#standingOf(server) };
    });
    const ready = new Set(this.usable);
    for (const [key, { run }] of this.#running) {
      if (ready.has(run)) continue;
      this.#running.delete(key);
      void run.stop();
    }
    return this.#listed;
  }

  /** Reports servers without a decision, once. */
  async look(): Promise<void> {
    const undecided = (await this.refresh()).flatMap(({ server, standing }) =>
      standing.kind === 'undecided' && !this.#asked.has(hashServer(server)) ? [server] : [],
    );
    for (const server of undecided) this.#asked.add(hashServer(server));
    if (undecided.length > 0) this.#parts.onUndecided(undecided);
  }

  async prepare(signal: AbortSignal, onWait: (said: Words) => void = () => undefined): Promise<McpOffer> {
    await this.look();
    const runs = this.usable;
    const starting = runs.filter(({ state }) => state.kind === 'stopped' || state.kind === 'starting');
    if (starting.length > 0) {
      const names = starting.map(({ server }) => server.name).join(', ');
      onWait(words('Starting MCP servers: {0}…', names));
      await this.#wait(Promise.all(starting.map((run) => run.start())), signal);
      onWait([]);
    }
    const { tools, leftOut } = this.#offer();
    const late = runs.flatMap(({ state, server }) =>
      state.kind === 'starting' && !signal.aborted
        ? [words('The MCP server {0} is still starting. Its tools come with the next message.', server.name)]
        : [],
    );
    const news = runs.map((run) => run.takeNews()).filter((said) => said !== null);
    return { tools, said: [...late, ...news, ...this.#once([...this.#unusable(), ...leftOut])] };
  }

  decisionOn(tool: McpTool): 'allow' | 'deny' | null {
    const found = this.#runNamed(tool.server);
    if (!found || this.#parts.decisions.isOff(found.server, tool.tool)) return 'deny';
    return this.#parts.decisions.isAlways(tool) ? 'allow' : null;
  }

  async allowAlways(tool: McpTool): Promise<void> {
    await this.#parts.decisions.setAlways(tool, true);
  }

  async call(tool: McpTool, input: Json, mcpCall: McpCall): Promise<unknown> {
    const { signal, onProgress, askPerson, model, session } = mcpCall;
    const run = this.#runNamed(tool.server);
    if (!run)
      throw new ToolError(`The MCP server "${tool.server}" is no longer set up, or the user has switched it off.`);
    if (run.state.kind !== 'running') await untilAborted(run.start(), signal);
    const isSame = this.toolsOf(run).some((each) => each.tool.fingerprint === tool.fingerprint);
    if (run.state.kind === 'running' && !isSame) {
      throw new ToolError(
        `The MCP server "${tool.server}" has changed ${tool.tool} or taken it back. Nothing was called. What it offers now comes with the user's next message.`,
      );
    }
    const open = { run, session };
    const { decisions } = this.#parts;
    const sampling =
      model &&
      new Sampling({
        server: tool.server,
        model,
        askPerson,
        isAllowed: () => decisions.maySample(run.server),
        allowAlways: () => decisions.setSampling(run.server, true),
      });
    // The server does not say which call it asks about.
    const isSure = () => {
      const sure = !this.#calls.some((each) => each.run === run && each.session !== session);
      if (!sure) run.note('It asked during calls of several sessions, so that nobody knows whose question it is.');
      return sure;
    };
    const onElicit =
      askPerson &&
      (async (asked: unknown, until: AbortSignal): Promise<Elicited> =>
        isSure() ? elicit(tool.server, asked, askPerson, until) : { action: 'cancel' });
    const onSample =
      sampling &&
      (async (asked: unknown, until: AbortSignal) =>
        isSure() ? sampling.answer(asked, until) : sampleError('Several sessions are calling this server.'));
    const timeoutMs = this.#timeoutOf(run);
    this.#calls.push(open);
    try {
      return await run.call(tool.tool, input, { timeoutMs, signal, onProgress, onElicit, onSample });
    } finally {
      this.#calls.splice(this.#calls.indexOf(open), 1);
    }
  }

  /** For requests other than tool calls. Starts the server if it is not running. */
  async use(server: string, signal: AbortSignal): Promise<{ readonly run: McpServer; readonly timeoutMs: number }> {
    if (this.#listed.length === 0) await this.refresh();
    const run = this.#runNamed(server);
    if (!run) throw new ToolError(`The MCP server "${server}" is not set up, or the user has switched it off.`);
    if (run.state.kind !== 'running') await untilAborted(run.start(), signal);
    return { run, timeoutMs: this.#timeoutOf(run) };
  }

  /** Servers that may run, whether or not they do. */
  get usable(): readonly McpServer[] {
    return this.#listed.flatMap(({ standing }) => (standing.kind === 'ready' ? [standing.run] : []));
  }

  /** All tools of a server, including those switched off, with the reason why one is not offered. */
  toolsOf(run: McpServer): readonly { readonly tool: McpTool; readonly leftOut: Words | null }[] {
    const taken = new Set<string>();
    return run.tools.map((listed) => {
      const described = describeTool(listed);
      // Omitted parts may be nested too deeply to be hashed.
      const hash = sha256(hashServer(run.server), described.kind === 'usable' ? listed : listed.name);
      const name = nameMcpTool(run.server.name, listed.name, hash, (name) => taken.has(name));
      taken.add(name);
      const facts = { name, server: run.server.name, tool: listed.name, fingerprint: hash };
      return described.kind === 'usable'
        ? {
            tool: { ...facts, description: this.#parts.hide(described.description), parameters: described.parameters },
            leftOut: null,
          }
        : { tool: { ...facts, description: '', parameters: {} }, leftOut: described.reason };
    });
  }

  /** Ends all without waiting, when the window closes. */
  dispose(): void {
    for (const { run } of this.#running.values()) run.kill();
    this.#running.clear();
  }

  #offer(): { readonly tools: readonly McpTool[]; readonly leftOut: readonly Words[] } {
    const tools: McpTool[] = [];
    const leftOut: Words[] = [];
    const names = new Set<string>();
    let size = 0;
    let tooMany = 0;
    for (const run of this.usable) {
      for (const { tool, leftOut: reason } of this.toolsOf(run)) {
        if (this.#parts.decisions.isOff(run.server, tool.tool)) continue;
        if (reason) {
          leftOut.push(
            words('The tool {0} of the MCP server {1} is left out: {2}.', tool.tool.slice(0, 80), tool.server, reason),
          );
          continue;
        }
        const length = JSON.stringify(tool).length;
        if (tools.length >= MOST_TOOLS || size + length > LARGEST_OFFER) {
          tooMany++;
          continue;
        }
        size += length;
        // Two servers may produce the same name.
        const name = names.has(tool.name)
          ? nameMcpTool(tool.server, tool.tool, tool.fingerprint, (name) => names.has(name))
          : tool.name;
        names.add(name);
        tools.push({ ...tool, name });
      }
    }
    if (tooMany > 0) {
      leftOut.push(
        words(
          'Tools of MCP servers left out: {0}. The model can be told of {1} tools and {2} characters about them. Switch off those that are not needed in “MCP Servers…”.',
          ...[tooMany, MOST_TOOLS, LARGEST_OFFER],
        ),
      );
    }
    return { tools, leftOut };
  }

  /** Servers in files of the folder that nobody can be asked about. */
  #unusable(): readonly Words[] {
    return this.#listed.flatMap(({ server: { name, file }, standing }) => {
      if (standing.kind !== 'unusable' || file === null) return [];
      const { reason } = standing;
      if (name === file.path) return [words('{0} is left out, and with it the MCP servers in it: {1}', name, reason)];
      return [words('The MCP server {0} of {1} is left out: {2}', showInOneLine(name), file.path, reason)];
    });
  }

  /** Each sentence once in a window. */
  #once(said: readonly Words[]): readonly Words[] {
    return said.filter((each) => {
      const text = inEnglish(each);
      if (this.#told.has(text)) return false;
      this.#told.add(text);
      return true;
    });
  }

  #runNamed(name: string): McpServer | null {
    return this.usable.find(({ server }) => server.name === name) ?? null;
  }

  #timeoutOf({ server: { timeout } }: McpServer): number {
    return timeout === null ? this.#parts.callTimeoutMs : timeout * 1_000;
  }

  #standingOf(server: ConfiguredServer): Standing {
    const { decisions } = this.#parts;
    if (server.config.kind === 'unusable') return { kind: 'unusable', reason: server.config.reason };
    if (server.disabled || decisions.isOff(server)) return { kind: 'disabled' };
    const may = decisions.mayStart(server);
    if (may === null) return { kind: 'undecided' };
    return may ? { kind: 'ready', run: this.#runOf(server) } : { kind: 'refused' };
  }

  #runOf(server: ConfiguredServer): McpServer {
    const key = keyOfServer(server);
    const hash = sha256(hashServer(server), server.timeout);
    const known = this.#running.get(key);
    if (known?.hash === hash) return known.run;
    void known?.run.stop();
    const { timers, now, hide, onChange, open } = this.#parts;
    const run = new McpServer({ server, open: open(server), timers, now, hide, onChange });
    this.#running.set(key, { hash, run });
    return run;
  }

  /** Resolves when the work is done, on timeout, or when the turn is stopped. */
  async #wait(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const done = () => resolve();
    const cancel = this.#parts.timers.after(WAIT_MS, done);
    if (signal.aborted) done();
    signal.addEventListener('abort', done, { once: true });
    work.then(done, done);
    await promise;
    cancel();
    signal.removeEventListener('abort', done);
  }
}
