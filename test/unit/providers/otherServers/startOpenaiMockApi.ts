/** Starts openai-mock-api on this machine alone, on a port of its own, and without its log. */

import { createServer, type RequestListener } from 'node:http';
import { type ConversationMessage, type Logger, MockServer } from 'openai-mock-api';

export interface OpenaiMockApi {
  readonly baseUrl: string;
  /** Breaks every connection. */
  cut(): void;
  stop(): Promise<void>;
}

type Answer = Omit<ConversationMessage, 'role'>;

interface Flow {
  /** What the message of the user holds. */
  readonly asked: string;
  readonly answer: Answer;
  /** After the results of the calls, where `answer` makes any. */
  readonly last?: Answer;
}

const ANY = { matcher: 'any' } as const;

export async function startOpenaiMockApi(...flows: readonly Flow[]): Promise<OpenaiMockApi> {
  // Of several that fit it takes the first, and answers with its last message: so the shorter ones stand first.
  const responses = flows.flatMap(readFlow).map((messages, i) => ({ id: `${i}`, messages }));
  const ignore = () => undefined;
  const log = { info: ignore, debug: ignore, warn: ignore, error: ignore } as unknown as Logger;
  const made = new MockServer({ apiKey: 'test-key-123', responses }, log);
  // Its own `start` listens to other machines too.
  const http = createServer(appOf(made));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const address = http.address();
  if (typeof address !== 'object' || address === null) throw new Error('the server has no address');
  return {
    baseUrl: `http://127.0.0.1:${address.port}/v1`,
    cut: () => http.closeAllConnections(),
    stop: async () => {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
      await made.stop();
    },
  };
}

/** With and without a system prompt before it. */
function readFlow({ asked, answer, last }: Flow): ConversationMessage[][] {
  const first: ConversationMessage[] = [
    { role: 'user', content: asked, matcher: 'contains' },
    { role: 'assistant', ...answer },
  ];
  const results = (answer.tool_calls ?? []).map(() => ({ role: 'tool' as const, ...ANY }));
  const whole = last ? [[...first, ...results, { role: 'assistant' as const, ...last }]] : [];
  return [first, ...whole].flatMap((messages) => [messages, [{ role: 'system' as const, ...ANY }, ...messages]]);
}

function appOf(server: MockServer): RequestListener {
  // biome-ignore lint/complexity/useLiteralKeys: it is private, and the only way to choose the address.
  return server['app'];
}
