/**
 * One connection to a server, through the official SDK: this file and its imports are loaded when a server is first
 * started. Everything from a server is parsed leniently and bounded; a malformed tool is omitted.
 */

import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  CreateMessageRequestSchema,
  type CreateMessageResult,
  ElicitRequestSchema,
  type ElicitResult,
  ErrorCode,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  McpError,
  type Progress,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/types.js';
import * as z from 'zod';
import { Allowance } from '../../../core/allowance.ts';
import { isAbort, messageOf, UserFacingError } from '../../../core/errors.ts';
import { asRecord, asText, DEEPEST, isTooDeep, type Json, listOf, objectOf } from '../../../core/json.ts';
import type { Elicited } from '../../../core/mcp/elicit.ts';
import { type Sampled, sampleError } from '../../../core/mcp/sample.ts';
import { inEnglish, verbatim, type Words, words } from '../../../core/words.ts';
import { orProxy } from '../../../providers/errors/proxyFault.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { ServerConfig } from '../serverConfig.ts';
import { describeRefusal, openHttpTransport } from './httpTransport.ts';
import { cleanSaid, LONGEST_SAID, ServerFault, unreachable } from './serverFault.ts';
import { StdioTransport } from './stdioTransport.ts';

/** A tool as the server describes it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly schema: Json;
  /** It can only answer with a task that is polled later. */
  readonly onlyAsTask?: true;
}

export interface AskOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

type Asked<T> = ((asked: unknown, signal: AbortSignal) => Promise<T>) | undefined;

export interface CallOptions extends AskOptions {
  readonly onProgress: (text: string) => void;
  /**
   * The server asks the person during the call, whose time limit stands still meanwhile. The signal ends with the call.
   * Default: nobody is asked.
   */
  readonly onElicit?: Asked<Elicited>;
  /** The same for the model. Default: it is refused. */
  readonly onSample?: Asked<Sampled>;
}

export interface Connection {
  /** `Name 1.2.3`, as reported by the server. */
  readonly version: string;
  listTools(): Promise<readonly ListedTool[]>;
  /** Throws `UserFacingError` with the server's message, `ServerFault` when it has become unusable, or an abort. */
  call(tool: string, input: Json, options: CallOptions): Promise<unknown>;
  /** Its entries as the server describes them; empty where it does not support them. Throws like `call`. */
  list(what: 'resources' | 'prompts'): Promise<readonly Json[]>;
  /** Throws like `call`. */
  ask(method: 'resources/read' | 'prompts/get', params: Json, options: AskOptions): Promise<unknown>;
  close(): Promise<void>;
  /** Without waiting. */
  kill(): void;
}

interface ConnectOptions {
  readonly config: ServerConfig;
  readonly version: string;
  /** Environment of a program. */
  readonly environment: Readonly<Record<string, string>>;
  /** Absolute; a program runs in the first by default. The server is told of them when it asks. */
  readonly folders: readonly string[];
  readonly home: string;
  /** In it a program runs. Default: outside of any. */
  readonly sandbox?: Sandbox | undefined;
  readonly fetch: typeof globalThis.fetch;
  /** `host:port` of the proxy that `fetch` uses for an address, to be named when it fails. Default: none is known. */
  readonly proxy?: (url: string) => string | null;
  readonly now: () => number;
  readonly startMs: number;
  /** The server's messages about itself. */
  readonly onLine: (line: string) => void;
  readonly onToolsChanged: () => void;
  /** It ended, or had to be ended; not called after `close` or `kill`. */
  readonly onEnded: (fault: Words) => void;
}

const LIST_MS = 30_000;
/** A server may give a few entries at a time. */
const MOST_PAGES = 100;
/** Without progress a call ends after its time limit; with progress after this multiple of it. */
const LONGEST_CALL = 20;
/** For a request with a time limit of its own. */
const LONGEST_MS = 2 ** 31 - 1;

const listSchema = z.looseObject({ nextCursor: z.string().optional() });
const anySchema = z.looseObject({});

export async function connect(options: ConnectOptions): Promise<Connection> {
  const { folders, startMs, onLine, onToolsChanged, onEnded } = options;
  /** True after the handshake: before it, a fault explains why there is no connection. */
  let open = false;
  let broken: Words | null = null;
  const end = (fault: Words) => {
    if (!open) return;
    open = false;
    onEnded(fault);
  };
  const transport = openTransport(options, (fault) => {
    broken = fault;
    if (open) end(fault);
    else void transport.close();
  });
  const client = new Client(
    { name: 'palimpsest', version: options.version },
    {
      capabilities: { roots: {}, elicitation: { form: {} }, sampling: {} },
      // A server's schema for its results is not validated: results are texts for the model.
      jsonSchemaValidator: {
        getValidator: acceptAny,
      },
    },
  );
  const roots = folders.map((folder) => ({ uri: pathToFileURL(folder).href }));
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots }));
  /** Calls in which the person can be asked, oldest first. A request does not say to which it belongs. */
  const asking: Asking[] = [];
  const inTurn = oneAtATime();
  const ask = async <T>(of: (call: Asking) => Asked<T>, params: unknown, cancelled: AbortSignal): Promise<T | null> => {
    const call = asking.at(-1);
    const answer = call && of(call);
    if (!answer) {
      onLine('It asked the person or the model, which it can only during a call of the conversation.');
      return null;
    }
    const signal = AbortSignal.any([call.signal, cancelled]);
    try {
      return await call.asks.during(() => call.silence.during(() => inTurn(() => answer(params, signal))));
    } catch (thrown) {
      if (!(thrown instanceof UserFacingError)) throw thrown;
      onLine(thrown.message);
      throw new McpError(ErrorCode.InvalidRequest, thrown.message);
    }
  };
  client.setRequestHandler(ElicitRequestSchema, async ({ params }, { signal }): Promise<ElicitResult> => {
    return ((await ask(({ onElicit }) => onElicit, params, signal)) as ElicitResult | null) ?? { action: 'cancel' };
  });
  client.setRequestHandler(CreateMessageRequestSchema, async ({ params }, { signal }): Promise<CreateMessageResult> => {
    const sampled = (await ask(({ onSample }) => onSample, params, signal)) ?? NOBODY;
    if (sampled.kind === 'error') {
      onLine(sampled.message);
      throw new McpError(sampled.code, sampled.message);
    }
    const { text, model, stopReason } = sampled;
    return { role: 'assistant', content: { type: 'text', text }, model, stopReason };
  });
  client.fallbackRequestHandler = async ({ method }) => {
    const what = `${method} is not supported here.`;
    onLine(what);
    throw new McpError(ErrorCode.MethodNotFound, what);
  };
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    if (open) onToolsChanged();
  });
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params: { level, data } }) =>
    onLine(`${level}: ${typeof data === 'string' ? data : isTooDeep(data) ? '…' : JSON.stringify(data)}`),
  );
  client.onerror = (thrown) => onLine(messageOf(thrown).slice(0, LONGEST_SAID));
  const isInSession = () => !(transport instanceof StdioTransport) && transport.sessionId !== undefined;
  const why = (): Words => broken ?? (transport instanceof StdioTransport ? transport.fault : null) ?? CLOSED;
  client.onclose = () => end(why());

  const kill = () => {
    open = false;
    if (transport instanceof StdioTransport) transport.kill();
    else void transport.close();
  };
  const close = async () => {
    open = false;
    await transport.close();
  };

  const tooLate = (ms: number): Words => {
    const { config, proxy } = options;
    return [
      ...words('It did not answer within {0} s.', ms / 1000),
      ...orProxy(config.kind === 'http' ? proxy?.(config.url) : null),
    ];
  };
  try {
    // The SDK's transport has optional fields that may be undefined, which its own interface does not allow.
    await client.connect(transport as Transport, { timeout: startMs });
  } catch (thrown) {
    const known = broken ?? (transport instanceof StdioTransport ? transport.fault : null);
    await close();
    // The handshake creates the session.
    throw faultOf(thrown, tooLate(startMs), known, false);
  }
  open = true;

  const version = client.getServerVersion();
  const listAll = async (what: 'tools' | 'resources' | 'prompts'): Promise<readonly unknown[]> => {
    if (!client.getServerCapabilities()?.[what]) return [];
    const entries: unknown[] = [];
    const usedUp = verbatim(`Its list of ${what} has more than ${MOST_PAGES} pages. The rest is left out.`);
    const pages = new Allowance({ most: MOST_PAGES, usedUp });
    let cursor: string | undefined;
    for (let rest = pages.take(); ; rest = pages.take()) {
      if (rest) {
        onLine(inEnglish(rest));
        break;
      }
      const params = cursor === undefined ? {} : { cursor };
      try {
        const list = await client.request({ method: `${what}/list`, params }, listSchema, { timeout: LIST_MS });
        entries.push(...listOf(list[what]));
        cursor = list.nextCursor;
      } catch (thrown) {
        throw faultOf(thrown, tooLate(LIST_MS), broken, isInSession());
      }
      if (cursor === undefined) break;
    }
    return entries;
  };
  /** The error of a request: an abort, the server's message, or why it has become unusable. */
  const explain = (thrown: unknown, { signal, timeoutMs }: AskOptions): Error => {
    signal.throwIfAborted();
    return open ? callFault(thrown, timeoutMs, isInSession()) : new ServerFault(why(), 'soon', thrown);
  };
  return {
    version: version ? `${version.name} ${version.version}`.slice(0, 200) : '',
    listTools: async () => (await listAll('tools')).flatMap(readTool),
    async call(name, input, options) {
      const { timeoutMs, signal, onProgress, onElicit, onSample } = options;
      const silence = new Silence(timeoutMs);
      const ended = new AbortController();
      const until = AbortSignal.any([signal, ended.signal]);
      const call: Asking = { onElicit, onSample, silence, asks: asksInACall(), signal: until };
      asking.push(call);
      try {
        const result = await client.request({ method: 'tools/call', params: { name, arguments: input } }, anySchema, {
          signal: AbortSignal.any([signal, silence.signal]),
          timeout: LONGEST_MS,
          onprogress: (progress) => {
            silence.heard();
            onProgress(describeProgress(progress));
          },
        });
        return shallow(result);
      } catch (thrown) {
        throw explain(thrown, options);
      } finally {
        silence.end();
        asking.splice(asking.indexOf(call), 1);
        ended.abort();
      }
    },
    list: async (what) => (await listAll(what)).map(objectOf).filter((each) => !isTooDeep(each)),
    async ask(method, params, options) {
      const { timeoutMs, signal } = options;
      try {
        return shallow(await client.request({ method, params }, anySchema, { signal, timeout: timeoutMs }));
      } catch (thrown) {
        throw explain(thrown, options);
      }
    },
    close,
    kill,
  };
}

/** A call during which the server may ask. */
interface Asking extends Pick<CallOptions, 'onElicit' | 'onSample'> {
  readonly silence: Silence;
  readonly asks: Allowance;
  /** Ends with the call. */
  readonly signal: AbortSignal;
}

/** Requests to the person and the model in one call, and those that wait for an answer. */
const MOST_ASKS = 100;
const MOST_WAITING = 10;

function asksInACall(): Allowance {
  return new Allowance({
    most: MOST_ASKS,
    usedUp: verbatim(`It asked the person or the model more than ${MOST_ASKS} times in one call. The rest is refused.`),
    atOnce: {
      most: MOST_WAITING,
      tooMany: verbatim(
        `${MOST_WAITING} of its requests to the person or the model wait already. This one is refused.`,
      ),
    },
  });
}

const NOBODY = sampleError('User rejected sampling request: no call of the conversation runs.', -1);

/** The time limit of a call: without a sign of progress, and in all. It stands still while the person is asked. */
class Silence {
  readonly #ms: number;
  readonly #stop = new AbortController();
  /** Milliseconds that the call may still take. */
  #left: number;
  #since = performance.now();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ended = false;
  /** Questions that wait for the person. */
  #asking = 0;

  constructor(ms: number) {
    this.#ms = ms;
    this.#left = ms * LONGEST_CALL;
    this.#wait();
  }

  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  heard(): void {
    if (this.#timer === undefined) return;
    this.#pause();
    this.#wait();
  }

  async during<T>(ask: () => Promise<T>): Promise<T> {
    this.#pause();
    this.#asking += 1;
    try {
      return await ask();
    } finally {
      this.#asking -= 1;
      if (this.#asking === 0) this.#wait();
    }
  }

  end(): void {
    this.#ended = true;
    this.#pause();
  }

  #pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#left -= performance.now() - this.#since;
  }

  #wait(): void {
    if (this.#ended) return;
    this.#since = performance.now();
    const late = () => this.#stop.abort(new McpError(ErrorCode.RequestTimeout, 'Request timed out'));
    this.#timer = setTimeout(late, Math.max(Math.min(this.#ms, this.#left), 0));
  }
}

/** A server may ask again before the person has answered: the next question waits. */
function oneAtATime(): <T>(ask: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (ask) => {
    const mine = last.then(ask);
    last = mine.catch(() => undefined);
    return mine;
  };
}

const acceptAny: jsonSchemaValidator['getValidator'] = <T>(): JsonSchemaValidator<T> => {
  return (data) => ({ valid: true, data: data as T, errorMessage: undefined });
};

const CLOSED = words('It closed the connection.');

function openTransport(
  options: ConnectOptions,
  onFault: (fault: Words) => void,
): StdioTransport | StreamableHTTPClientTransport {
  const { config, environment, folders, home, fetch, proxy = () => null, now, onLine, sandbox } = options;
  if (config.kind === 'http') return openHttpTransport({ ...config, fetch, proxy, now, onFault });
  const { command, args, env, cwd } = config;
  return new StdioTransport({
    command,
    args,
    onLine,
    now,
    sandbox,
    env: { ...environment, ...env },
    given: env,
    cwd: cwd ?? folders[0] ?? home,
  });
}

function readTool(listed: unknown): ListedTool[] {
  const { name, description, inputSchema, execution } = asRecord(listed) ?? {};
  if (typeof name !== 'string' || name === '') return [];
  const onlyAsTask = asRecord(execution)?.taskSupport === 'required';
  return [
    {
      name,
      description: asText(description),
      schema: asRecord(inputSchema) ?? {},
      ...(onlyAsTask ? { onlyAsTask } : {}),
    },
  ];
}

/** Throws for an answer too deep to serialise or walk. */
function shallow<T>(result: T): T {
  if (isTooDeep(result)) throw new UserFacingError(words('Its answer is nested more than {0} levels deep.', DEEPEST));
  return result;
}

function describeProgress({ progress, total, message }: Progress): string {
  const steps = total === undefined ? `${progress}` : `${progress}/${total}`;
  return message === undefined ? steps : `${steps} ${message}`;
}

/** Why it could not be started. */
function faultOf(thrown: unknown, late: Words, known: Words | null, inSession: boolean): Error {
  if (thrown instanceof ServerFault || isAbort(thrown)) return thrown as Error;
  const refusal = describeRefusal(thrown, inSession);
  if (refusal) return refusal;
  if (isTimeout(thrown)) return new ServerFault(late, 'soon', thrown);
  // A program that ends at once would do so again.
  if (known) return new ServerFault(known, 'soon', thrown);
  if (thrown instanceof McpError) return new ServerFault(words('It said: {0}', saidBy(thrown)), 'byHand', thrown);
  return unreachable(thrown);
}

function callFault(thrown: unknown, ms: number, inSession: boolean): Error {
  if (isTimeout(thrown)) {
    return new UserFacingError(
      words('It gave no answer and no sign of progress within {0} s. The call was cancelled.', ms / 1000),
      thrown,
    );
  }
  if (thrown instanceof McpError) return new UserFacingError(verbatim(saidBy(thrown)), thrown);
  if (thrown instanceof UserFacingError) return thrown;
  return describeRefusal(thrown, inSession) ?? unreachable(thrown);
}

const isTimeout = (thrown: unknown) => thrown instanceof McpError && thrown.code === ErrorCode.RequestTimeout;

const saidBy = ({ message }: McpError) => cleanSaid(message);
