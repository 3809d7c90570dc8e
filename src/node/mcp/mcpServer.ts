/**
 * The life cycle of one server: started on demand, restarted with increasing delays after it dies, given up after
 * several attempts. Its effects stay here: a state with its reason, tools, and a bounded log.
 */

import { Allowance } from '../../core/allowance.ts';
import type { Timers } from '../../core/clock.ts';
import { isAbort, messageOf, ToolError, wordsOf } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { untilAborted } from '../../core/sleep.ts';
import { stripControls } from '../../core/tools/text/stripControls.ts';
import { inEnglish, type Words, words } from '../../core/words.ts';
import type { ConfiguredServer } from './serverConfig.ts';
import type { AskOptions, CallOptions, Connection, ListedTool } from './transport/connection.ts';
import { type Retry, ServerFault } from './transport/serverFault.ts';

type ServerState =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'running' }
  /** `again`: it will be restarted automatically. */
  | { readonly kind: 'failed'; readonly reason: Words; readonly again: boolean };

interface ServerEvents {
  readonly onLine: (line: string) => void;
  readonly onToolsChanged: () => void;
  readonly onEnded: (fault: Words) => void;
}

export interface McpServerParts {
  readonly server: ConfiguredServer;
  /** Fills in the configuration, which may ask the person, and connects. */
  readonly open: (events: ServerEvents) => Promise<Connection>;
  readonly timers: Timers;
  readonly now: () => number;
  /** Removes text that must not be shown. */
  readonly hide: (text: string) => string;
  readonly onChange: () => void;
}

/** Delays before restarts, in milliseconds; after the last, a person has to start it. */
const WAITS = [1_000, 5_000, 30_000, 120_000];
/** A server that ran this long counts as healthy: the delays begin again. */
const WELL_MS = 60_000;
/** A server may announce changes of its tools one by one. */
const SETTLE_MS = 200;
/** Tools of a server that never stops announcing are listed again after this time. */
const LONGEST_SETTLE_MS = 1_000;
const MOST_CHANGES = 30;
const CHANGES_MS = 60_000;
const changesOfTools = (now: () => number) =>
  new Allowance({
    most: MOST_CHANGES,
    usedUp: words('It changed its tools more than {0} times in a minute.', MOST_CHANGES),
    period: { ms: CHANGES_MS, now },
  });
const LOG_LINES = 1_000;
const LONGEST_LINE = 2_000;

export class McpServer {
  readonly server: ConfiguredServer;
  readonly #parts: McpServerParts;
  #state: ServerState = { kind: 'stopped' };
  #connection: Connection | null = null;
  #tools: readonly ListedTool[] = [];
  #starting: Promise<void> | null = null;
  /** Identifies the current connection: later events of earlier ones are ignored. */
  #generation = 0;
  #failures = 0;
  #startedAt = 0;
  #cancelRetry = () => {};
  #cancelSettle = () => {};
  #changes: Allowance;
  #unsettledSince: number | null = null;
  #untold: Words | null = null;
  readonly #log: string[] = [];

  constructor(parts: McpServerParts) {
    this.#parts = parts;
    this.server = parts.server;
    this.#changes = changesOfTools(parts.now);
  }

  get state(): ServerState {
    return this.#state;
  }

  /** During a restart, the previous tools: a short outage must not change the header. */
  get tools(): readonly ListedTool[] {
    return this.#tools;
  }

  get version(): string {
    return this.#connection?.version ?? '';
  }

  get log(): readonly string[] {
    return this.#log;
  }

  /** Events since the last call. */
  takeNews(): Words | null {
    const notice = this.#untold;
    this.#untold = null;
    return notice;
  }

  /** Resolves when it runs or has failed. After a failure it waits for its delay, unless a person starts it. */
  start(byHand = false): Promise<void> {
    if (this.#starting) return this.#starting;
    if (this.#state.kind === 'running') return Promise.resolve();
    if (this.#state.kind === 'failed' && !byHand) return Promise.resolve();
    if (byHand) this.#failures = 0;
    const starting = this.#begin().finally(() => {
      if (this.#starting === starting) this.#starting = null;
    });
    this.#starting = starting;
    return starting;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start(true);
  }

  async stop(): Promise<void> {
    const connection = this.#leave();
    this.#tools = [];
    this.#set({ kind: 'stopped' });
    await connection?.close().catch((thrown: unknown) => this.note(messageOf(thrown)));
  }

  /** Without waiting, when the window closes. */
  kill(): void {
    this.#leave()?.kill();
  }

  /** On a running server. Throws `ToolError` with the server and the reason, or an abort. */
  call(tool: string, input: Json, options: CallOptions): Promise<unknown> {
    const listed = () => JSON.stringify(this.#tools.find(({ name }) => name === tool));
    const before = listed();
    return this.#use(
      `did not carry out ${tool}`,
      (connection) => connection.call(tool, input, options),
      // The permission was for the tool as it was.
      { signal: options.signal, mayRepeat: () => listed() === before },
    );
  }

  /** Throws like `call`. */
  ask(method: 'resources/read' | 'prompts/get', params: Json, options: AskOptions): Promise<unknown> {
    const { signal } = options;
    return this.#use(`gave no answer to ${method}`, (connection) => connection.ask(method, params, options), {
      signal,
    });
  }

  /** Throws like `call`. */
  list(what: 'resources' | 'prompts'): Promise<readonly Json[]> {
    return this.#use(`did not list its ${what}`, (connection) => connection.list(what));
  }

  /** A server that has lost the session is asked once more in a new one. */
  async #use<T>(
    fault: string,
    use: (connection: Connection) => Promise<T>,
    { signal, mayRepeat = () => true }: { readonly signal?: AbortSignal; readonly mayRepeat?: () => boolean } = {},
  ): Promise<T> {
    const { name } = this.server;
    const connection = this.#connection;
    if (this.#state.kind !== 'running' || !connection) throw new ToolError(this.#describeAbsence());
    const generation = this.#generation;
    try {
      return await use(connection);
    } catch (thrown) {
      if (isAbort(thrown)) throw thrown;
      if (thrown instanceof ServerFault && thrown.retry === 'now') {
        if (generation === this.#generation) this.#forget();
        const started = this.start();
        await (signal ? untilAborted(started, signal) : started);
        const renewed = this.#connection;
        if (renewed && this.state.kind === 'running' && mayRepeat()) return await use(renewed);
      }
      if (thrown instanceof ServerFault && generation === this.#generation) this.#fail(thrown.words, thrown.retry);
      const reason = this.#parts.hide(inEnglish(wordsOf(thrown)));
      throw new ToolError(`The MCP server "${name}" ${fault}. ${reason}`, { cause: thrown });
    }
  }

  /** Called when the server ended the session: the next start creates a new one. */
  #forget(): void {
    const connection = this.#leave();
    this.note('— the session has ended: connecting again —');
    this.#set({ kind: 'stopped' });
    const close = () => connection?.close().catch((thrown: unknown) => this.note(messageOf(thrown)));
    // Other calls of the old session get the same answer from the server; closing would hide that they had no effect.
    void this.start().then(close);
  }

  #describeAbsence(): string {
    const { state } = this;
    const reason = state.kind === 'failed' ? this.#parts.hide(inEnglish(state.reason)) : '';
    const next = state.kind === 'failed' && state.again ? 'It is being started again.' : 'The user can start it again.';
    return `The MCP server "${this.server.name}" does not run. ${reason} ${next}`;
  }

  async #begin(): Promise<void> {
    this.#cancelRetry();
    const generation = ++this.#generation;
    const current = () => generation === this.#generation;
    this.#set({ kind: 'starting' });
    this.note('— starting —');
    try {
      const connection = await this.#parts.open({
        onLine: (line) => {
          if (current()) this.note(line);
        },
        onToolsChanged: () => {
          if (current()) this.#followTools();
        },
        onEnded: (fault) => {
          if (current()) this.#fail(fault, 'soon');
        },
      });
      if (!current()) return await connection.close();
      this.#connection = connection;
      const tools = await connection.listTools();
      if (!current()) return;
      this.#tools = tools;
      this.#startedAt = this.#parts.now();
      this.note(`— running: ${connection.version}, ${tools.length} tools —`);
      this.#set({ kind: 'running' });
    } catch (thrown) {
      if (current()) this.#fail(wordsOf(thrown), thrown instanceof ServerFault ? thrown.retry : 'byHand');
    }
  }

  #fail(reason: Words, retry: Retry): void {
    if (this.#state.kind === 'running' && this.#parts.now() - this.#startedAt > WELL_MS) this.#failures = 0;
    const ran = this.#state.kind === 'running';
    const connection = this.#leave();
    connection?.close().catch((thrown: unknown) => this.note(messageOf(thrown)));
    const wait = retry !== 'byHand' ? WAITS[this.#failures] : undefined;
    this.#failures++;
    const again = wait !== undefined;
    if (!again) this.#tools = [];
    this.note(`— failed: ${inEnglish(reason)} —`);
    const { name } = this.server;
    this.#untold = [
      ...(ran ? words('The MCP server {0} has ended.', name) : words('The MCP server {0} could not be started.', name)),
      ...reason,
      ...(again ? words('It is started again.') : words('Start it again in “MCP Servers…”.')),
    ];
    this.#set({ kind: 'failed', reason, again });
    if (wait !== undefined) {
      this.#cancelRetry = this.#parts.timers.after(wait, () => {
        this.#set({ kind: 'stopped' });
        void this.start();
      });
    }
  }

  /** Ignores the connection from now on. */
  #leave(): Connection | null {
    this.#generation++;
    this.#starting = null;
    this.#cancelRetry();
    this.#cancelSettle();
    this.#unsettledSince = null;
    const connection = this.#connection;
    this.#connection = null;
    return connection;
  }

  #followTools(): void {
    const now = this.#parts.now();
    if (this.#unsettledSince !== null && now - this.#unsettledSince > LONGEST_SETTLE_MS) return;
    this.#unsettledSince ??= now;
    this.#cancelSettle();
    this.#cancelSettle = this.#parts.timers.after(SETTLE_MS, () => this.#settle());
  }

  /** A burst of changes counts as one. */
  #settle(): void {
    this.#unsettledSince = null;
    const tooOften = this.#changes.take();
    if (tooOften) {
      this.#changes = changesOfTools(this.#parts.now);
      this.#fail(tooOften, 'byHand');
      return;
    }
    void this.#listAgain();
  }

  async #listAgain(): Promise<void> {
    const generation = this.#generation;
    const connection = this.#connection;
    if (!connection) return;
    try {
      const tools = await connection.listTools();
      if (generation !== this.#generation) return;
      this.#tools = tools;
      this.note(`— its tools changed: ${tools.length} —`);
      this.#parts.onChange();
    } catch (thrown) {
      if (generation === this.#generation) this.#fail(wordsOf(thrown), 'soon');
    }
  }

  #set(state: ServerState): void {
    this.#state = state;
    this.#parts.onChange();
  }

  /** Adds a line to its log. */
  note(line: string): void {
    const text = this.#parts.hide(stripControls(line.slice(0, LONGEST_LINE))).replaceAll('\n', ' ');
    this.#log.push(`${new Date(this.#parts.now()).toISOString()} ${text}`);
    if (this.#log.length > LOG_LINES) this.#log.splice(0, this.#log.length - LOG_LINES);
  }
}
