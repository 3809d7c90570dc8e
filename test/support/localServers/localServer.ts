/**
 * Servers that people run on their own machine, scripted from their documentation: each says what it holds in its own
 * way, and cuts or refuses a longer prompt as the real one does. The script sees what was left of the conversation.
 */

import { asText, type Json, listOf, objectOf } from '../../../src/core/json.ts';
import { type ModelServer, type RouteAsked, startModelServer } from '../modelServer/modelServer.ts';
import type { AnswerReply, Reply } from '../modelServer/modelServerReply.ts';

export const LOCAL_MODEL = 'coder:7b';

/** State that may change while the server runs. */
export interface Loaded {
  /** Tokens it was started or loaded with; 0 while the model is not loaded. */
  holds: number;
  /** Tokens it is loaded with by its first request, when it is not loaded. */
  startsWith: number;
  /** Tokens that the model was made for. */
  readonly largest: number;
}

export type Taken =
  | {
      readonly kind: 'taken';
      readonly messages: readonly Json[];
      /** Tokens of the prompt after any cut. */
      readonly tokens: number;
      /** The prompt itself was cut, not whole messages. */
      readonly cut?: boolean;
    }
  | { readonly kind: 'refused'; readonly reply: Reply };

export interface LocalDialect {
  readonly routes: (asked: RouteAsked, loaded: Loaded) => object | null;
  readonly take: (prompt: Prompt, holds: number, count: (prompt: Prompt) => number) => Taken;
  /** `fresh` of the tokens were not read from the prompt cache. */
  readonly usage: (tokens: number, fresh: number, output: number) => Readonly<Record<string, unknown>>;
}

export interface Prompt {
  readonly messages: readonly Json[];
  readonly tools: unknown;
}

export interface LocalServer {
  readonly server: ModelServer;
  readonly loaded: Loaded;
  /** Requests other than completions, such as `GET /api/ps`. */
  readonly asked: readonly string[];
  /** How many tokens each prompt had, before and after any cut. */
  readonly prompts: readonly { readonly sent: number; readonly read: number }[];
}

export interface LocalServerOptions {
  readonly holds?: number;
  readonly startsWith?: number;
  readonly largest?: number;
  /** Characters for a token, as this model's vocabulary has it. */
  readonly perToken?: number;
  readonly key?: string;
  readonly port?: number;
  readonly answer: (seen: { readonly messages: readonly Json[]; readonly body: Json }) => AnswerReply;
}

export async function startLocalServer(dialect: LocalDialect, options: LocalServerOptions): Promise<LocalServer> {
  const { holds = 0, startsWith = 4_096, largest = 131_072, perToken = 4, key, port, answer } = options;
  const loaded: Loaded = { holds, startsWith, largest };
  const asked: string[] = [];
  const prompts: { sent: number; read: number }[] = [];
  let before = '';
  const count = (prompt: Prompt) => countPrompt(prompt, perToken);
  const server = await startModelServer({
    ...(key === undefined ? {} : { key }),
    ...(port === undefined ? {} : { port }),
    routes: (route) => {
      if (route.path.includes('/chat/completions')) return null;
      asked.push(`${route.method} ${route.path}`);
      return dialect.routes(route, loaded);
    },
    script: ({ body }) => {
      if (loaded.holds === 0) loaded.holds = loaded.startsWith;
      const prompt = { messages: listOf(body.messages).map(objectOf), tools: body.tools };
      const taken = dialect.take(prompt, loaded.holds, count);
      if (taken.kind === 'refused') return taken.reply;
      prompts.push({ sent: count(prompt), read: taken.tokens });
      const text = JSON.stringify([prompt.tools ?? null, taken.messages]);
      const shared = taken.cut ? 0 : commonStart(before, text);
      before = text;
      const fresh = Math.max(1, Math.round(taken.tokens * (1 - shared / text.length)));
      const reply = answer({ messages: taken.messages, body });
      const output = Math.ceil((asText(reply.text).length + JSON.stringify(reply.calls ?? []).length) / perToken);
      return { ...reply, usage: dialect.usage(taken.tokens, fresh, output) };
    },
  });
  return { server, loaded, asked, prompts };
}

function countPrompt({ messages, tools }: Prompt, perToken: number): number {
  const inTools = tools === undefined ? 0 : JSON.stringify(tools).length;
  const inMessages = messages.reduce((sum, message) => sum + charactersOf(message) + 4 * perToken, 0);
  return Math.ceil((inMessages + inTools) / perToken);
}

function charactersOf({ content, tool_calls: calls }: Json): number {
  const text =
    typeof content === 'string'
      ? content
      : listOf(content)
          .map((part) => asText(objectOf(part).text))
          .join('');
  return text.length + (calls === undefined ? 0 : JSON.stringify(calls).length);
}

function commonStart(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}

export const refused = (status: number, body: unknown): Taken => ({
  kind: 'refused',
  reply: { kind: 'error', status, body },
});
