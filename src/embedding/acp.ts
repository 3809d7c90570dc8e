/**
 * Serves agents to editors by the Agent Client Protocol, version 1, with its published SDK. One agent a session, made by
 * the program; its answers, calls, questions and compactions are told as the protocol has them. Invariant: a tool that
 * writes or runs asks the client first, and does not run without its consent.
 */

import { isAbsolute, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import {
  type AgentContext,
  agent as acpAgent,
  type ContentBlock,
  type LoadSessionRequest,
  methods,
  type NewSessionRequest,
  ndJsonStream,
  type PermissionOption,
  PROTOCOL_VERSION,
  RequestError,
  type RequestPermissionRequest,
  type SessionUpdate,
  type StopReason,
  type Stream,
  type ToolCallContent,
  type ToolKind,
} from '@agentclientprotocol/sdk';
import type { Agent } from '../core/agent/agent.ts';
import type { TurnEvent } from '../core/agent/agentEvents.ts';
import { type AgentOptions, createAgent } from '../core/agent/createAgent.ts';
import type { CompactionSignal } from '../core/compaction/signals/compactionSignal.ts';
import { attribute } from '../core/context/attribute.ts';
import { joinStretches, type Stretch, stretchesOf } from '../core/context/authorship.ts';
import { wrapUserText } from '../core/context/frames.ts';
import type { Message, UserMessage } from '../core/context/message.ts';
import { JournalError, messageOf } from '../core/errors.ts';
import type { Entry, NoteEntry } from '../core/journal/entry.ts';
import { parseJson } from '../core/json.ts';
import { checkOptions, FUNCTION, needed, type OptionRules, TEXT } from '../core/options.ts';
import { Stop } from '../core/stop.ts';
import type { ApprovalAnswer, ApprovalRequest, ToolClass } from '../core/tools/approvals.ts';
import { LOCAL_PLACES } from '../core/tools/builtIn/fetchUrl.ts';
import { RedrawnOutput } from '../core/tools/text/redrawnLines.ts';
import { hasHidden, showHidden, showName } from '../core/tools/text/showHidden.ts';
import { inEnglish } from '../core/words.ts';
import { isSessionId } from '../node/storage/sessions/sessionStore.ts';
import { ask } from './ask.ts';
import { FOLDER, memoryStorage, nodeSystem, openStorage } from './storage.ts';

/** Asked for by a client. */
export interface AcpSession {
  readonly id: string;
  /** The folder that the client works in, absolute. */
  readonly cwd: string;
  /** MCP servers that the client would like the agent to use, as the protocol has them. */
  readonly mcpServers: NewSessionRequest['mcpServers'];
}

/** The program's part of `createAgent`: the client answers questions, and `folder` says where sessions lie. */
export type AcpAgent = Omit<
  AgentOptions,
  'approver' | 'blobs' | 'entries' | 'events' | 'journal' | 'store' | 'system'
> &
  Partial<Pick<AgentOptions, 'system'>>;

export interface AcpOptions {
  readonly name: string;
  readonly version: string;
  readonly agent: (session: AcpSession) => AcpAgent | Promise<AcpAgent>;
  /** A folder of sessions, which a client can load again. Default: sessions end with the program. */
  readonly folder?: string;
}

export interface AcpServer {
  /** Resolves when the client has gone and its sessions are closed. */
  readonly closed: Promise<void>;
  close(): void;
}

const ACP_OPTIONS: OptionRules<AcpOptions> = {
  name: needed(TEXT),
  version: needed(TEXT),
  agent: needed({ ...FUNCTION, wanted: 'a function that returns the options of createAgent for a session' }),
  folder: FOLDER,
};

/** Throws `TypeError` for an option that cannot be used. `stream`: default the program's standard input and output, to which nothing else may write then. */
export function serveAcp(options: AcpOptions, stream: Stream = stdio()): AcpServer {
  checkOptions('serveAcp', options, ACP_OPTIONS);
  const sessions = new Map<string, Session>();
  const opening = new Set<Promise<Session>>();
  let tellsCompactions = false;
  const find = (id: string): Session => {
    const session = sessions.get(id);
    if (!session) throw RequestError.resourceNotFound(id);
    return session;
  };
  const open = async (asked: NewSessionRequest | LoadSessionRequest, client: AgentContext): Promise<Session> => {
    const id = 'sessionId' in asked ? asked.sessionId : undefined;
    const session = Session.open(options, { ...asked, id }, client, tellsCompactions);
    opening.add(session);
    try {
      const opened = await session;
      sessions.set(opened.id, opened);
      return opened;
    } finally {
      opening.delete(session);
    }
  };
  const { name, version, folder } = options;
  const connection = acpAgent({ name })
    .onRequest(methods.agent.initialize, ({ params }) => {
      tellsCompactions = Boolean(params.clientCapabilities?.session?.compaction);
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name, version },
        agentCapabilities: {
          loadSession: folder !== undefined,
          promptCapabilities: { embeddedContext: true },
          sessionCapabilities: { close: {} },
        },
      };
    })
    .onRequest(methods.agent.session.new, async ({ params, client }) => ({
      sessionId: (await open(params, client)).id,
    }))
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      if (folder === undefined) throw RequestError.methodNotFound(methods.agent.session.load);
      await sessions.get(params.sessionId)?.close();
      await (await open(params, client)).sendAll();
    })
    .onRequest(methods.agent.session.prompt, async ({ params, signal }) => ({
      stopReason: await find(params.sessionId).prompt(params.prompt, signal),
    }))
    .onNotification(methods.agent.session.cancel, ({ params }) => sessions.get(params.sessionId)?.stop())
    .onRequest(methods.agent.session.close, async ({ params }) => {
      await find(params.sessionId).close();
      sessions.delete(params.sessionId);
    })
    .connect(stream);
  return {
    closed: connection.closed.then(async () => {
      // One that is opened for a client that has gone would keep its session from all others.
      await Promise.allSettled(opening);
      await Promise.allSettled([...sessions.values()].map((session) => session.close()));
    }),
    close: () => connection.close(),
  };
}

function stdio(): Stream {
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  return ndJsonStream(Writable.toWeb(process.stdout) as WritableStream<Uint8Array>, input);
}

const KINDS: Readonly<Record<ToolClass, ToolKind>> = {
  read: 'read',
  write: 'edit',
  run: 'execute',
  network: 'fetch',
  mcp: 'other',
};

/** Of the question: deleting and moving are not editing. */
function kindOf({ detail, toolClass }: ApprovalRequest): ToolKind {
  return detail.kind === 'delete' || detail.kind === 'move' ? detail.kind : KINDS[toolClass];
}

const OPTIONS = {
  once: { optionId: 'once', name: 'Allow once', kind: 'allow_once' },
  session: { optionId: 'session', name: 'Allow for this session', kind: 'allow_always' },
  no: { optionId: 'no', name: 'Decline', kind: 'reject_once' },
} as const satisfies Readonly<Record<string, PermissionOption>>;

/** Characters of a running call's output that the client is shown, the newest. */
const LONGEST_OUTPUT = 10_000;

class Session {
  readonly id: string;
  readonly #cwd: string;
  readonly #client: AgentContext;
  readonly #sendsCompactions: boolean;
  readonly #outputs = new Map<string, RedrawnOutput>();
  #agent: Agent | null = null;
  #kinds: ReadonlyMap<string, ToolKind> = new Map();
  #closeStorage: () => Promise<void> = async () => undefined;
  #running: AbortController | null = null;
  #ended: Promise<unknown> = Promise.resolve();
  /** Updates are told in order, and all of them before the turn's end. */
  #sent: Promise<void> = Promise.resolve();
  #compactions = 0;
  /** The compaction under way, if the client was told of one. */
  #compaction: string | null = null;

  private constructor(id: string, cwd: string, client: AgentContext, tellsCompactions: boolean) {
    this.id = id;
    this.#cwd = cwd;
    this.#client = client;
    this.#sendsCompactions = tellsCompactions;
  }

  static async open(
    { agent, folder, name }: AcpOptions,
    { id, cwd, mcpServers }: Omit<AcpSession, 'id'> & { readonly id: string | undefined },
    client: AgentContext,
    tellsCompactions: boolean,
  ): Promise<Session> {
    if (!isAbsolute(cwd)) throw RequestError.invalidParams({ cwd }, 'The folder is not absolute.');
    const kept =
      folder === undefined
        ? { ...memoryStorage(), id: nodeSystem().crypto.randomHex(16), close: async () => undefined }
        : await openStorage(folder, id, { program: name }).catch((thrown: unknown) => {
            throw refusalOf(thrown, id);
          });
    const { id: own, close, ...storage } = kept;
    const session = new Session(own, cwd, client, tellsCompactions);
    session.#closeStorage = close;
    try {
      const given = await agent({ id: own, cwd, mcpServers });
      session.#agent = await createAgent({
        system: nodeSystem(),
        ...given,
        ...storage,
        approver: { ask: (request, signal) => session.#mayRun(request, signal) },
        events: {
          onTurn: (event) => session.#follow(event),
          onCompaction: (event) => session.#followCompaction(event),
        },
      });
      session.#kinds = new Map(given.tools.map((tool) => [tool.name, KINDS[tool.toolClass]]));
      session.#agent.journal.listen((entry) => session.#followEntry(entry));
      return session;
    } catch (thrown) {
      await close();
      throw thrown;
    }
  }

  /** Throws with the reason when the turn could not go on. */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<StopReason> {
    const agent = this.#agent;
    if (!agent) throw RequestError.resourceNotFound(this.id);
    if (this.#running) throw RequestError.invalidRequest({}, 'This session works on a prompt already.');
    const running = new AbortController();
    this.#running = running;
    const turn = ask(agent, messageIn(blocks), AbortSignal.any([signal, running.signal]));
    this.#ended = turn.catch(() => undefined);
    try {
      const { outcome, reason } = await turn;
      const { window } = agent.compactor.gauge;
      if (window > 0)
        this.#send({ sessionUpdate: 'usage_update', used: agent.compactor.gauge.reading.tokens, size: window });
      switch (outcome.kind) {
        case 'done':
        case 'newSession':
          return 'end_turn';
        case 'stopped':
          return 'cancelled';
        case 'paused':
          this.#send({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: reason } });
          return 'max_turn_requests';
        default:
          throw RequestError.internalError({}, reason);
      }
    } catch (thrown) {
      // The protocol's library tells nothing of other errors.
      throw thrown instanceof JournalError ? RequestError.internalError({}, thrown.message) : thrown;
    } finally {
      this.#running = null;
      this.#outputs.clear();
      await this.#sent;
    }
  }

  /** The person stopped it in their editor. */
  stop(): void {
    this.#running?.abort(new Stop('person'));
  }

  async close(): Promise<void> {
    this.#running?.abort(new Stop('session'));
    await this.#ended;
    this.#agent?.dispose();
    this.#agent = null;
    await this.#closeStorage();
  }

  /** Tells the client the whole conversation, for a session that it loads. */
  async sendAll(): Promise<void> {
    for (const entry of this.#agent?.journal.path() ?? []) {
      if (entry.type === 'note') this.#sendNote(entry);
      if (entry.type !== 'message') continue;
      const { message } = entry;
      const isShown = message.role === 'user' ? message.kind === 'user' : message.role === 'assistant';
      if (isShown && message.text !== '') {
        const sessionUpdate = message.role === 'user' ? 'user_message_chunk' : 'agent_message_chunk';
        this.#send({ sessionUpdate, messageId: `m${entry.seq}`, content: { type: 'text', text: message.text } });
      }
      this.#sendCalls(message);
    }
    await this.#sent;
  }

  #send(update: SessionUpdate): void {
    const send = () => this.#client.notify(methods.client.session.update, { sessionId: this.id, update });
    // A client that has gone is told by the end of the connection.
    this.#sent = this.#sent.then(send).catch(() => undefined);
  }

  #follow(event: TurnEvent): void {
    switch (event.type) {
      case 'delta':
        if (event.reasoning !== '')
          this.#send({ sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: event.reasoning } });
        if (event.text !== '')
          this.#send({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: event.text } });
        break;
      case 'call': {
        const status = event.phase === 'running' ? 'in_progress' : 'pending';
        const { toolCallId, title } = event;
        this.#send({ sessionUpdate: 'tool_call_update', toolCallId, title: showName(title), status });
        break;
      }
      case 'output': {
        const { toolCallId } = event;
        const output = this.#outputs.get(toolCallId) ?? new RedrawnOutput(LONGEST_OUTPUT);
        this.#outputs.set(toolCallId, output);
        const text = output.push(event.text);
        this.#send({ sessionUpdate: 'tool_call_update', toolCallId, content: [asContent(text)] });
        break;
      }
    }
  }

  #followEntry(entry: Entry): void {
    if (entry.type === 'message') this.#sendCalls(entry.message);
    if (entry.type === 'note') this.#sendNote(entry);
  }

  /** A warning or an error, quoted in the answer: the protocol has no place for what the agent itself remarks. */
  #sendNote({ level, text }: NoteEntry): void {
    if (level === 'info') return;
    this.#send({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `\n\n> ${text}\n\n` } });
  }

  /** The calls of an answer, or the end of one. */
  #sendCalls(message: Message): void {
    if (message.role === 'assistant') {
      for (const { id, name, arguments: given } of message.toolCalls ?? []) {
        const kind = this.#kinds.get(name) ?? 'other';
        const call = { toolCallId: id, title: showName(name), name, kind, rawInput: parseJson(given) ?? given };
        this.#send({ sessionUpdate: 'tool_call', status: 'pending', ...call });
      }
    } else if (message.role === 'tool') {
      const { toolCallId, isError, text } = message;
      const status = isError ? 'failed' : 'completed';
      this.#send({ sessionUpdate: 'tool_call_update', toolCallId, status, content: [asContent(text)] });
    }
  }

  async #mayRun(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    const { once, session, no } = OPTIONS;
    const asked: RequestPermissionRequest = {
      sessionId: this.id,
      toolCall: {
        toolCallId: request.toolCallId,
        title: showName(request.title),
        kind: kindOf(request),
        content: this.#showDetail(request),
      },
      options: request.mayRemember ? [once, session, no] : [once, no],
    };
    const cancelling = { cancellationSignal: signal, stopWaitingOnCancel: true };
    try {
      const { outcome } = await this.#client.request(methods.client.session.requestPermission, asked, cancelling);
      // The protocol's answer of a client that cancels the turn.
      if (outcome.outcome === 'cancelled') this.stop();
      const chosen = outcome.outcome === 'selected' ? outcome.optionId : '';
      if (chosen === once.optionId) return { kind: 'allow', remember: 'no' };
      if (chosen === session.optionId && request.mayRemember) return { kind: 'allow', remember: 'session' };
      return { kind: 'deny' };
    } catch (thrown) {
      return { kind: 'unasked', reason: `The editor could not ask: ${messageOf(thrown)}` };
    }
  }

  /** Exactly what the call does, whatever of its title an editor shows. */
  #showDetail({ detail, why, by }: ApprovalRequest): ToolCallContent[] {
    const asker = by === undefined ? [] : [asContent(`Asked by the subagent ${showName(by)}`)];
    const reason = why === undefined ? [] : [asContent(inEnglish(why))];
    return [...this.#contentOf(detail), ...asker, ...reason];
  }

  #contentOf(detail: ApprovalRequest['detail']): ToolCallContent[] {
    switch (detail.kind) {
      case 'edit': {
        const { path, before, after } = detail;
        return [this.#diff(path, before, after), ...hiddenIn(after)];
      }
      case 'delete': {
        const { path, before, size } = detail;
        const text = before === null ? ', which is not text' : '';
        const deleted = asContent(`Deletes ${showName(path)} (${size} bytes${text})`);
        return before === null ? [deleted] : [deleted, this.#diff(path, before, '')];
      }
      case 'move':
        return [asContent(`Moves ${showHidden(detail.from)}\nto ${showHidden(detail.to)}`)];
      case 'command': {
        const { command, cwd, danger = [], background } = detail;
        const more = [inEnglish(danger), background ? 'It goes on after the call.' : ''].filter((text) => text !== '');
        return [asContent([`${command}\n\nin ${cwd || this.#cwd}`, ...more].join('\n'))];
      }
      case 'web': {
        const { url, host, local } = detail;
        const leads =
          local === null ? '' : `\n${host} leads to ${local.address}, which is ${LOCAL_PLACES[local.place]}.`;
        return [asContent(`Fetches ${url}${leads}`)];
      }
      case 'mcp': {
        const { server, tool, input } = detail;
        return [asContent(`Calls ${showName(tool)} of ${showName(server)} with\n${input}`)];
      }
    }
  }

  #diff(path: string, oldText: string | null, newText: string): ToolCallContent {
    return { type: 'diff', path: isAbsolute(path) ? path : join(this.#cwd, path), oldText, newText };
  }

  #followCompaction(event: CompactionSignal): void {
    if (!this.#sendsCompactions) return;
    switch (event.type) {
      case 'preCompact':
        this.#send({ sessionUpdate: 'compaction_update', compactionId: this.#begin(), status: 'in_progress' });
        break;
      case 'contextCompacted': {
        const { tokensBefore, tokensAfter, roundsCompacted, summary, entry } = event;
        const { strategy, trigger } = entry;
        const figures = `${strategy}: ${tokensBefore} tokens became ${tokensAfter}.`;
        const text = summary === '' ? figures : `${figures}\n\n${summary}`;
        this.#end('completed', {
          summary: [{ type: 'text', text }],
          _meta: { palimpsest: { strategy, trigger, tokensBefore, tokensAfter, roundsCompacted } },
        });
        break;
      }
      case 'compactionFailed':
        this.#end(event.code === 'stopped' ? 'cancelled' : 'failed', { error: event.reason });
        break;
      case 'compactionUnchanged':
        this.#end('cancelled', {});
        break;
    }
  }

  #begin(): string {
    this.#compactions++;
    this.#compaction = `c${this.#compactions}`;
    return this.#compaction;
  }

  #end(
    status: 'completed' | 'failed' | 'cancelled',
    more: Pick<Extract<SessionUpdate, { sessionUpdate: 'compaction_update' }>, 'summary' | 'error' | '_meta'>,
  ): void {
    const compactionId = this.#compaction ?? this.#begin();
    this.#compaction = null;
    this.#send({ sessionUpdate: 'compaction_update', compactionId, status, ...more });
  }
}

/** Why a session cannot be opened, as the protocol has it. `id`: undefined for a new one. */
function refusalOf(thrown: unknown, id: string | undefined): RequestError {
  const kind = thrown instanceof JournalError ? thrown.kind : null;
  if (kind === 'locked') return RequestError.invalidRequest({ sessionId: id }, messageOf(thrown));
  if (id !== undefined && (kind === 'missing' || !isSessionId(id))) return RequestError.resourceNotFound(id);
  return RequestError.internalError({}, messageOf(thrown));
}

/** The lines with characters that an editor does not show, spelled out. */
function hiddenIn(text: string): ToolCallContent[] {
  const lines = text.split(/\r?\n/).flatMap((line, at) => (hasHidden(line) ? [`${at + 1}: ${showHidden(line)}`] : []));
  if (lines.length === 0) return [];
  const shown = [...lines.slice(0, MOST_HIDDEN), ...(lines.length > MOST_HIDDEN ? ['…'] : [])];
  return [asContent(`Lines with characters that cannot be seen:\n${shown.join('\n')}`)];
}

const MOST_HIDDEN = 100;

const asContent = (text: string): ToolCallContent => ({ type: 'content', content: { type: 'text', text } });

/**
 * The message of a prompt: its texts are the person's, unless they are meant for the model alone; what the editor added is
 * attached. Links, and resources without a text, become their address.
 */
function messageIn(blocks: readonly ContentBlock[]): UserMessage {
  const stretches = blocks.flatMap((block, nth): Stretch[] => {
    const each = readBlock(block);
    return [...(nth === 0 ? [] : [{ by: 'program', text: '\n\n' } as const]), ...each];
  });
  return { role: 'user', kind: 'user', ...joinStretches(stretches) };
}

function readBlock(block: ContentBlock): readonly Stretch[] {
  switch (block.type) {
    case 'text': {
      const audience = block.annotations?.audience;
      if (audience && !audience.includes('user')) return [{ by: 'attached', text: block.text }];
      // Some editors put what they add into the text.
      return stretchesOf({ ...attribute(block.text), text: block.text });
    }
    case 'resource_link':
      return [{ by: 'attached', text: block.uri }];
    case 'resource': {
      const { resource } = block;
      if (!('text' in resource)) return [{ by: 'attached', text: resource.uri }];
      return [{ by: 'attached', text: wrapUserText('mention', `${resource.uri}\n\n${resource.text}`) }];
    }
    default:
      throw RequestError.invalidParams({}, `A prompt cannot hold ${block.type} here.`);
  }
}
