/**
 * The scripted model on loopback, behind Chat Completions and Responses, for one run of one agent. It refuses a request that
 * is longer than the window, and keeps a record of each. Invariant: it listens on 127.0.0.1 only, on a free port.
 */

import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { messageOf } from '../../src/core/errors.ts';
import { objectOf } from '../../src/core/json.ts';
import { MODEL, sendAnswer, sendJson, sendTooLong } from './answers.ts';
import { RequestCounter } from './countRequests.ts';
import { type Dialect, readRequest } from './modelRequest.ts';
import { type ModelAction, ScriptedModel, type ScriptedModelOptions } from './scriptedModel.ts';
import type { Fact } from './session.ts';

export interface RequestRecord {
  readonly kind: ModelAction['kind'] | 'refused';
  readonly tokens: number;
  /** Of `tokens`, those of the longest start of an earlier request; 0 of a refused one, which nobody pays. */
  readonly cached: number;
  /** Facts whose text was in it. */
  readonly facts: readonly Fact[];
  /**
   * Tokens of messages that the request to go on before this one had and it lacks. 0 unless this one is to go on, too, and
   * without its newest message is the shorter one: what only changed did not go.
   */
  readonly gone: number;
}

export interface ScriptedServer {
  /** Ends with `/v1`. */
  readonly url: string;
  readonly records: readonly RequestRecord[];
  /** Steps of the session that the agent was asked to do. */
  readonly steps: number;
  /** What made the server give up on the agent; null while nothing did. */
  readonly fault: string | null;
  stop(): void;
}

export interface ServerOptions extends ScriptedModelOptions {
  /** In tokens. */
  readonly window: number;
  /** A folder to keep the requests in, one file each. */
  readonly keepIn?: string;
}

export async function startScriptedServer(options: ServerOptions): Promise<ScriptedServer> {
  const { window, session, tokens, keepIn } = options;
  const model = new ScriptedModel(options);
  const counter = new RequestCounter(tokens);
  const records: RequestRecord[] = [];
  let fault: string | null = null;
  let goneOnWith: readonly string[] = [];

  const answer = (body: string, dialect: Dialect, response: ServerResponse): void => {
    if (keepIn !== undefined) writeFileSync(join(keepIn, `${String(records.length + 1).padStart(3, '0')}.json`), body);
    const request = readRequest(objectOf(JSON.parse(body)), dialect);
    const said = request.pieces.slice(1).join('\n');
    const facts = session.facts.filter((fact) => said.includes(fact.text));
    const size = counter.size(request.pieces);
    if (size > window) {
      records.push({ kind: 'refused', tokens: size, cached: 0, facts, gone: 0 });
      sendTooLong(response, size, window);
      return;
    }
    const cached = counter.cache(request.pieces);
    const { kind, text: words, call } = model.answer(request);
    const goesOn = kind === 'step' || kind === 'end of part';
    const isShorter = counter.size(request.pieces.slice(0, -1)) < counter.size(goneOnWith);
    const gone = goesOn && isShorter ? counter.gone(goneOnWith, request.pieces) : 0;
    records.push({ kind, tokens: size, cached, facts, gone });
    if (goesOn) goneOnWith = request.pieces;
    const usage = { input: size, cached, output: tokens(`${words}${call ? JSON.stringify(call.input) : ''}`) };
    sendAnswer(response, { number: records.length, text: words, call, usage }, { dialect, stream: request.stream });
  };

  const server = createServer((request, response) => {
    respond(request, response).catch((thrown: unknown) => {
      fault ??= messageOf(thrown);
      if (!response.headersSent) sendJson(response, 500, { error: { message: messageOf(thrown) } });
      else response.end();
    });
  });
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '' } = request;
    const dialect = dialectOf(url);
    if (method === 'POST' && dialect) answer(await text(request), dialect, response);
    else if (method === 'GET' && /\/models\b/.test(url)) {
      const about = {
        id: MODEL,
        object: 'model',
        context_window: window,
        context_length: window,
        max_model_len: window,
      };
      sendJson(response, 200, { object: 'list', data: [about] });
    } else sendJson(response, 404, { error: { message: 'There is nothing here.' } });
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    records,
    get steps() {
      return model.steps;
    },
    get fault() {
      return fault;
    },
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function dialectOf(url: string): Dialect | null {
  if (url.includes('/chat/completions')) return 'chat';
  return url.includes('/responses') ? 'responses' : null;
}
