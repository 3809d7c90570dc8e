/**
 * An OpenAI-compatible HTTP server on loopback for tests. It answers from a script, keeps every request, and fails
 * loudly: when the script is exhausted, a path is wrong or a request breaks a protocol rule, it answers with an error,
 * remembers it, and `assertDone` throws it.
 */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { asRecord, asText, type Json, parseObject } from '../../../src/core/json.ts';
import { messageEvents } from './messagesReply.ts';
import { findCountViolations, findMessagesViolations } from './messagesRules.ts';
import { type AnswerReply, answerChunks, type Reply, type ReplyFacts, sse } from './modelServerReply.ts';
import { findViolations } from './modelServerRules.ts';
import { namedSse, responseEvents } from './responsesReply.ts';
import { findResponsesViolations } from './responsesRules.ts';

export interface ModelRequestSeen {
  readonly number: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Json;
  /** The body as it came. */
  readonly text: string;
}

export interface RouteAsked {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body: Json;
  readonly headers: ModelRequestSeen['headers'];
}

/** A list is used up in order; a function answers for ever. */
type Script = readonly Reply[] | ((request: ModelRequestSeen) => Reply);

export interface ModelServerOptions {
  readonly script: Script;
  /** 0 (the default) takes a free one. */
  readonly port?: number;
  /** If given, any other key, or none, is answered with 401. */
  readonly key?: string;
  readonly models?: readonly { readonly id: string; readonly window?: number }[];
  /** In tokens. A longer request is refused as OpenAI does it. */
  readonly window?: number;
  /** Answers of some kind of server besides models and completions; null for missing routes. */
  readonly routes?: (asked: RouteAsked) => object | null;
  /** Answers requests that only count a messages prompt; default: 404. */
  readonly counts?: (body: Json) => number;
  /** Scenarios about invalid requests turn the check off. */
  readonly checkRules?: boolean;
}

export interface ModelServer {
  /** `http://127.0.0.1:<port>/v1` */
  readonly baseUrl: string;
  readonly requests: readonly ModelRequestSeen[];
  /** Requests that only counted. */
  readonly counted: readonly ModelRequestSeen[];
  readonly failures: readonly string[];
  /** Adds replies to the end of the script. */
  push(...replies: readonly Reply[]): void;
  /** Throws when a request failed a check or when replies were never asked for. */
  assertDone(): void;
  close(): Promise<void>;
}

const CHAT_PATH = '/v1/chat/completions';
const RESPONSES_PATH = '/v1/responses';
const MESSAGES_PATH = '/v1/messages';
const COUNT_PATH = '/v1/messages/count_tokens';

/** How each dialect's requests are checked, and its answers written. */
const DIALECTS: Readonly<
  Record<
    string,
    { readonly find: (body: Json) => string[]; readonly play: (reply: AnswerReply, facts: ReplyFacts) => string[] }
  >
> = {
  [CHAT_PATH]: {
    find: findViolations,
    play: (reply, facts) => [...answerChunks(reply, facts).map((chunk) => sse(chunk)), sse('[DONE]')],
  },
  [RESPONSES_PATH]: {
    find: findResponsesViolations,
    play: (reply, facts) => responseEvents(reply, facts).map(namedSse),
  },
  [MESSAGES_PATH]: { find: findMessagesViolations, play: (reply, facts) => messageEvents(reply, facts).map(namedSse) },
};

export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const queue: Reply[] = typeof options.script === 'function' ? [] : [...options.script];
  const requests: ModelRequestSeen[] = [];
  const counted: ModelRequestSeen[] = [];
  const failures: string[] = [];
  const sockets = new Set<Socket>();

  const chooseReply = (seen: ModelRequestSeen): Reply => {
    const violations = options.checkRules === false ? [] : (DIALECTS[seen.path]?.find(seen.body) ?? []);
    if (violations.length > 0) return fail(`request ${seen.number} is invalid: ${violations.join('; ')}`, 400);
    const tokens = estimateTokens(seen.body);
    if (options.window && tokens > options.window) return overflow(options.window, tokens);
    if (typeof options.script === 'function') return options.script(seen);
    return queue.shift() ?? fail(`the script is exhausted at request ${seen.number}`, 500);
  };
  const fail = (text: string, status: number): Reply => {
    failures.push(text);
    return { kind: 'error', status, body: { error: { message: `Test server: ${text}`, type: 'test_server' } } };
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? '/';
    const text = await readBody(request);
    const { authorization, 'x-api-key': bare } = request.headers;
    if (options.key !== undefined && authorization !== `Bearer ${options.key}` && bare !== options.key) {
      send(response, 401, {}, { error: { message: 'Incorrect API key provided.', code: 'invalid_api_key' } });
      return;
    }
    const { method = 'GET', headers } = request;
    const routed = options.routes?.({ method, path, body: parseObject(text) ?? {}, headers });
    if (routed) {
      send(response, 200, {}, routed);
      return;
    }
    if (request.method === 'GET' && path === '/v1/models') {
      send(response, 200, {}, { object: 'list', data: (options.models ?? []).map(describeModel) });
      return;
    }
    if (method === 'POST' && path === COUNT_PATH && options.counts) {
      const body = parseObject(text) ?? {};
      counted.push({ number: counted.length + 1, path, headers, body, text });
      const violations = findCountViolations(body);
      if (violations.length > 0)
        await play(
          fail(`a count is invalid: ${violations.join('; ')}`, 400),
          counted.at(-1) as ModelRequestSeen,
          response,
        );
      else send(response, 200, {}, { input_tokens: options.counts(body) });
      return;
    }
    if (request.method !== 'POST' || !Object.hasOwn(DIALECTS, path)) {
      send(response, 404, {}, { error: { message: `Unknown request URL: ${request.method} ${path}` } });
      return;
    }
    const body = parseObject(text) ?? {};
    // A set-up asks so whether an address speaks this dialect.
    if (options.checkRules !== false && path === MESSAGES_PATH && Object.keys(body).length === 0) {
      const error = { type: 'invalid_request_error', message: 'model: Field required' };
      send(response, 400, {}, { type: 'error', error });
      return;
    }
    const seen: ModelRequestSeen = { number: requests.length + 1, path, headers: request.headers, body, text };
    requests.push(seen);
    await play(chooseReply(seen), seen, response);
  };

  const server = createServer((request, response) => {
    handle(request, response).catch((thrown: unknown) => {
      failures.push(`the server itself failed: ${String(thrown)}`);
      response.destroy();
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    counted,
    failures,
    push: (...replies) => queue.push(...replies),
    assertDone() {
      const left = queue.length > 0 ? [`${queue.length} replies of the script were never asked for`] : [];
      const all = [...failures, ...left];
      if (all.length > 0) throw new Error(`Model server: ${all.join(' · ')}`);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function play(reply: Reply, seen: ModelRequestSeen, response: ServerResponse): Promise<void> {
  switch (reply.kind) {
    case 'silence':
      return;
    case 'drop':
      response.socket?.destroy();
      return;
    case 'error':
      send(response, reply.status, reply.headers ?? {}, reply.body ?? '');
      return;
    case 'raw':
      await playRaw(reply, response);
      return;
    case 'answer':
      await playAnswer(reply, seen, response);
  }
}

async function playRaw(reply: Extract<Reply, { kind: 'raw' }>, response: ServerResponse): Promise<void> {
  response.writeHead(reply.status ?? 200, reply.headers ?? { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  for (const piece of reply.pieces) {
    if (response.destroyed) return;
    if (typeof piece === 'number') await wait(piece);
    else await written(response, piece);
  }
  // A proper end of the socket, so that what was written arrives. Only the response's own end is missing.
  if (reply.end === 'cut') response.socket?.end();
  else if (reply.end !== 'hold') response.end();
}

async function playAnswer(reply: AnswerReply, seen: ModelRequestSeen, response: ServerResponse): Promise<void> {
  const facts: ReplyFacts = {
    model: asText(seen.body.model),
    number: seen.number,
    inputTokens: estimateTokens(seen.body),
    wantsUsage: asRecord(seen.body.stream_options)?.include_usage === true,
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const piece of DIALECTS[seen.path]?.play(reply, facts) ?? []) {
    if (response.destroyed) return;
    if (reply.pieceDelayMs) await wait(reply.pieceDelayMs);
    response.write(piece);
  }
  response.end();
}

/** Waits until the piece has left, so that pieces arrive separately. */
function written(response: ServerResponse, piece: string | Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    response.write(piece, () => setImmediate(resolve));
  });
}

function send(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: unknown,
): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const type = typeof body === 'string' ? 'text/plain' : 'application/json';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(text);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString('utf8');
}

/** A quarter of the characters of what a model would see. */
function estimateTokens(body: Json): number {
  return Math.ceil(
    (JSON.stringify(body.messages ?? body.input ?? []).length + JSON.stringify(body.tools ?? []).length) / 4,
  );
}

function overflow(window: number, tokens: number): Reply {
  const message = `This model's maximum context length is ${window} tokens. However, your messages resulted in ${tokens} tokens. Please reduce the length of the messages.`;
  return {
    kind: 'error',
    status: 400,
    body: { error: { message, type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' } },
  };
}

function describeModel({ id, window }: { readonly id: string; readonly window?: number }): object {
  return { id, object: 'model', owned_by: 'test', ...(window ? { context_length: window } : {}) };
}
