/**
 * A model client whose server counts in one of the ways that providers document, with a vocabulary of its own, a prompt
 * cache, and a window that it keeps by refusing or by cutting. Nothing goes over a network: a thousand answers take seconds.
 */

import { ModelError } from '../../../src/core/errors.ts';
import type { ChatMessage, ModelClient, ModelEvent, ModelRequest } from '../../../src/core/model/modelClient.ts';
import { countTokens } from '../../../src/core/tokens/estimate.ts';
import { CutWatch } from '../../../src/providers/cutWatch.ts';
import type { ModelFacts } from '../../../src/providers/modelFacts.ts';
import { normalizeUsage } from '../../../src/providers/normalizeUsage.ts';

/** Of one prompt, in tokens. `cached` of the prompt came from the cache, `written` went into it. */
export interface Counted {
  readonly prompt: number;
  readonly cached: number;
  readonly written: number;
  readonly output: number;
  readonly tools: number;
}

export interface WayOfCounting {
  readonly name: string;
  /** On this machine, where a server can be asked more. */
  readonly local: boolean;
  readonly usage: (counted: Counted) => unknown;
  /** The counts of a router differ from request to request, as it sends them to others. */
  readonly varies?: number;
}

const incl = ({ prompt, output }: Counted) => ({ prompt_tokens: prompt, completion_tokens: output });

export const WAYS: readonly WayOfCounting[] = [
  { name: 'OpenAI', local: false, usage: (c) => ({ ...incl(c), prompt_tokens_details: { cached_tokens: c.cached } }) },
  {
    name: 'OpenRouter, another provider each time',
    local: false,
    varies: 0.1,
    usage: (c) => ({ ...incl(c), prompt_tokens_details: { cached_tokens: c.cached }, cost: 0.01 }),
  },
  {
    name: 'DeepSeek',
    local: false,
    usage: (c) => ({
      ...incl(c),
      prompt_cache_hit_tokens: c.cached,
      prompt_cache_miss_tokens: c.prompt - c.cached,
    }),
  },
  {
    name: 'Anthropic, without what was read from the cache or written to it',
    local: false,
    usage: (c) => ({
      input_tokens: c.prompt - c.cached - c.written,
      cache_read_input_tokens: c.cached,
      cache_creation_input_tokens: c.written,
      output_tokens: c.output,
    }),
  },
  {
    name: 'a gateway that passes on a count without the cache, and the cache beside it',
    local: false,
    usage: (c) => ({
      prompt_tokens: c.prompt - c.cached,
      completion_tokens: c.output,
      prompt_tokens_details: { cached_tokens: c.cached },
    }),
  },
  {
    name: 'a gateway that passes on a count without the cache alone',
    local: false,
    usage: (c) => ({ prompt_tokens: c.prompt - c.cached, completion_tokens: c.output }),
  },
  {
    name: 'such a gateway on this machine',
    local: true,
    usage: (c) => ({ prompt_tokens: c.prompt - c.cached, completion_tokens: c.output }),
  },
  {
    name: 'Gemini',
    local: false,
    usage: (c) => ({
      promptTokenCount: c.prompt,
      cachedContentTokenCount: c.cached,
      candidatesTokenCount: c.output,
      totalTokenCount: c.prompt + c.output,
    }),
  },
  { name: 'Moonshot', local: false, usage: (c) => ({ ...incl(c), cached_tokens: c.cached }) },
  { name: 'Ollama', local: true, usage: incl },
  {
    name: 'Ollama 0.30.0 and some of 2024: only what was not in the cache',
    local: true,
    usage: (c) => ({ prompt_tokens: c.prompt - c.cached, completion_tokens: c.output }),
  },
  {
    name: 'llama.cpp',
    local: true,
    usage: (c) => ({ ...incl(c), prompt_tokens_details: { cached_tokens: c.cached } }),
  },
  { name: 'vLLM', local: true, usage: (c) => ({ ...incl(c), prompt_tokens_details: null }) },
  { name: 'LM Studio', local: true, usage: incl },
  {
    name: 'a server that leaves the tools out',
    local: true,
    usage: (c) => ({ prompt_tokens: Math.max(1, c.prompt - c.tools), completion_tokens: c.output }),
  },
  { name: 'nothing at all', local: true, usage: () => null },
  {
    name: 'zero',
    local: true,
    usage: (c) => ({ prompt_tokens: 0, completion_tokens: c.output, total_tokens: c.output }),
  },
];

export interface CountingOptions {
  readonly way: WayOfCounting;
  readonly random: () => number;
  /** Tokens that the server holds. */
  readonly holds: number;
  /** The size left of an overlong prompt; null refuses it. */
  readonly cut: ((tokens: number, holds: number) => number) | null;
  /** The server's report about itself. */
  readonly says: Partial<ModelFacts> | null;
  /** Templates that drop the reasoning of earlier turns. */
  readonly dropsReasoning: boolean;
  readonly answer: (
    request: ModelRequest,
  ) => Pick<Extract<ModelEvent, { type: 'done' }>, 'text' | 'toolCalls' | 'reasoning'>;
}

export interface CountingModel {
  readonly client: ModelClient;
  /** Each request: its true tokens, those that were read, and what came of its count. */
  readonly requests: { readonly sent: number; readonly read: number; readonly found: 'cut' | 'fine' }[];
}

const MODEL = 'counted';

export function countingModel(options: CountingOptions): CountingModel {
  const { way, random, holds, cut, says, answer } = options;
  const vocabulary = new Vocabulary(random);
  const requests: CountingModel['requests'] = [];
  let before: readonly string[] = [];
  const endpoint = way.local
    ? { baseUrl: 'http://127.0.0.1:1234/v1', origin: 'http://127.0.0.1:1234', loopback: true, plainHttp: false }
    : { baseUrl: 'https://models.example/v1', origin: 'https://models.example', loopback: false, plainHttp: false };
  const facts = says && { model: MODEL, ...says };

  const count = (request: ModelRequest) => {
    const pieces = [JSON.stringify(request.tools), ...prompted(request.messages, options.dropsReasoning)];
    const sizes = pieces.map((piece) => vocabulary.count(piece) + 5);
    const sent = sizes.reduce((sum, size) => sum + size, 0);
    const read = cut && sent > holds ? Math.min(sent, cut(sent, holds)) : sent;
    const differs = pieces.findIndex((piece, at) => piece !== before[at]);
    const kept = differs < 0 ? pieces.length : differs;
    // A cache loses what it held now and then.
    const shared = read < sent || random() < 0.1 ? 0 : sizes.slice(0, kept).reduce((sum, size) => sum + size, 0);
    before = pieces;
    const cached = Math.min(shared, read - 1);
    const written = Math.floor((read - cached) / 2);
    const scale = 1 + (random() - 0.5) * 2 * (way.varies ?? 0);
    const [prompt, inCache] = [Math.round(read * scale), Math.round(cached * scale)];
    return { sent, read, counted: { prompt, cached: inCache, written, tools: sizes[0] ?? 0 } };
  };

  const cuts = new CutWatch(endpoint, { of: () => null, ask: async () => facts });
  const client: ModelClient = {
    endpoint: endpoint.origin,
    async *stream(request, signal) {
      const { sent, read, counted } = count(request);
      if (sent > holds && !cut) {
        throw new ModelError('overflow', `maximum context length is ${holds} tokens`, { learnedWindow: holds });
      }
      const said = answer(request);
      const output = countTokens(said.text) + 20;
      const usage = normalizeUsage(way.usage({ ...counted, output }));
      const finish = said.toolCalls.length > 0 ? 'toolCalls' : 'stop';
      const done = await cuts.judge({ type: 'done', ...said, finish, usage }, request, signal);
      requests.push({ sent, read, found: done.cutTo === undefined ? 'fine' : 'cut' });
      yield done;
    },
  };
  return { client, requests };
}

/** A vocabulary fits some contents better than others. */
class Vocabulary {
  readonly #factors: Readonly<Record<'chinese' | 'code' | 'json' | 'prose', number>>;

  readonly #lines = new Map<string, number>();

  constructor(random: () => number) {
    const between = (low: number, high: number) => low + random() * (high - low);
    this.#factors = {
      chinese: between(0.6, 1.8),
      code: between(0.6, 1.8),
      json: between(0.6, 1.6),
      prose: between(0.7, 1.5),
    };
  }

  /** Line by line, so that the parts of a text add up to the whole. */
  count(text: string): number {
    const lines = text.match(/[^\n]*\n?/g) ?? [];
    return Math.round(lines.reduce((sum, line) => sum + this.#countLine(line), 0));
  }

  #countLine(line: string): number {
    const known = this.#lines.get(line) ?? countTokens(line) * this.#factors[contentOf(line)];
    this.#lines.set(line, known);
    return known;
  }
}

function contentOf(text: string): 'chinese' | 'code' | 'json' | 'prose' {
  if ((text.match(/\p{Script=Han}/gu)?.length ?? 0) > text.length / 4) return 'chinese';
  if (text.startsWith('[{') || text.startsWith('{')) return 'json';
  return (text.match(/[{};=()]/g)?.length ?? 0) > text.length / 30 ? 'code' : 'prose';
}

function prompted(messages: readonly ChatMessage[], dropsReasoning: boolean): string[] {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  return messages.map((message, at) => {
    if (message.role !== 'assistant') return message.text;
    const calls = (message.toolCalls ?? []).map((call) => call.name + call.arguments).join('');
    const reasoning = dropsReasoning && at < asked ? '' : (message.reasoning?.text ?? '');
    return message.text + calls + reasoning;
  });
}
