/**
 * A loopback server that keeps a prompt cache as providers do: what a request has in common with an earlier one, message
 * by message from the front, is read from the cache while it lives. It reports what it counted.
 */

import type { Clock } from '../../../src/core/clock.ts';
import { type ModelServer, startModelServer } from './modelServer.ts';
import type { AnswerReply } from './modelServerReply.ts';

export interface CachingOptions {
  readonly clock: Clock;
  /** Milliseconds that a prefix lives after its last use; by default for ever. */
  readonly livesMs?: number;
  /** Answers in order; after them `ok`. */
  readonly answers?: readonly CachedAnswer[];
  /** Reports written tokens, too. */
  readonly saysWritten?: boolean;
  readonly port?: number;
}

export interface CachingServer extends ModelServer {
  /** Forgets everything, as a provider may without a word. */
  forget(): void;
  /** The next answers, after those planned before. */
  plan(...answers: readonly CachedAnswer[]): void;
  /** The same, instead of what was planned before. */
  planAgain(...answers: readonly CachedAnswer[]): void;
}

type CachedAnswer = Omit<AnswerReply, 'kind' | 'usage'>;

/** The server counts a token for each four characters of a part. */
const tokensOf = (part: string) => Math.ceil(part.length / 4);
const sum = (parts: readonly string[]) => parts.reduce((total, part) => total + tokensOf(part), 0);

export async function startCachingServer(options: CachingOptions): Promise<CachingServer> {
  const { clock, livesMs = Number.POSITIVE_INFINITY, answers = [], saysWritten = false, port = 0 } = options;
  const queue = [...answers];
  let kept: { readonly parts: readonly string[]; readonly used: number }[] = [];
  const server = await startModelServer({
    port,
    checkRules: false,
    script: ({ body }) => {
      const { model, messages, tools } = body as { model: string; messages: object[]; tools?: unknown };
      const parts = [`${model} ${JSON.stringify(tools ?? [])}`, ...messages.map((message) => JSON.stringify(message))];
      kept = kept.filter(({ used }) => clock.now() - used <= livesMs);
      const common = Math.max(0, ...kept.map((each) => commonLength(each.parts, parts)));
      kept.push({ parts, used: clock.now() });
      const [input, cached] = [sum(parts), sum(parts.slice(0, common))];
      const reply = queue.shift() ?? { text: 'ok' };
      return {
        kind: 'answer',
        ...reply,
        usage: {
          prompt_tokens: input,
          completion_tokens: 10,
          prompt_tokens_details: {
            cached_tokens: cached,
            ...(saysWritten ? { cache_write_tokens: input - cached } : {}),
          },
        },
      };
    },
  });
  return {
    ...server,
    forget: () => {
      kept = [];
    },
    plan: (...more) => queue.push(...more),
    planAgain: (...instead) => queue.splice(0, queue.length, ...instead),
  };
}

function commonLength(a: readonly string[], b: readonly string[]): number {
  const differs = a.findIndex((part, at) => part !== b[at]);
  return differs < 0 ? a.length : differs;
}
