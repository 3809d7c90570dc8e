/**
 * A session of any length with a model that always answers: turns with tool results of given sizes, under the product's own
 * agent and its default settings. What came of it is read from the journal.
 */

import * as z from 'zod';
import type { Agent } from '../../src/core/agent/agent.ts';
import type { Usage } from '../../src/core/context/message.ts';
import type { CompactionEntry, CompactionFailedEntry, Entry } from '../../src/core/journal/entry.ts';
import type { ModelClient, ModelEvent, ModelRequest } from '../../src/core/model/modelClient.ts';
import { countTokens } from '../../src/core/tokens/estimate.ts';
import type { Tool } from '../../src/core/tools/tool.ts';
import { words } from './compactionHarness.ts';
import { testAgent } from './testAgent.ts';

/** In tokens. */
export interface EndlessTurn {
  readonly message: number;
  /** Of each tool result, one call in each answer. */
  readonly results: readonly number[];
  readonly answer: number;
}

export interface EndlessOptions {
  readonly window: number;
  /** Of the system prompt, in tokens. */
  readonly header: number;
  readonly strategy?: string;
  readonly summary?: number;
  readonly turns: readonly EndlessTurn[];
  /** What the provider reports for a request, from its true size; null for no report. Default: the truth. */
  readonly report?: (input: number, nth: number) => number | null;
  /** Windows from these turns on, when the session is opened again with another model. */
  readonly windows?: ReadonlyMap<number, number>;
  /** The session is closed and opened again before these turns. */
  readonly reopenBefore?: ReadonlySet<number>;
  readonly compaction?: Readonly<Record<string, unknown>>;
}

export interface EndlessOutcome {
  readonly entries: readonly Entry[];
  readonly compactions: readonly CompactionEntry[];
  readonly failures: readonly CompactionFailedEntry[];
  /** Requests for summaries. */
  readonly asked: number;
  readonly turnsDone: number;
  /** Why turns paused, in order. */
  readonly pauses: readonly string[];
  /** Tokens of the messages that were added. */
  readonly growth: number;
  readonly agent: Agent;
}

/** Counts each text once: requests repeat their texts. */
function requestSizes(): (request: ModelRequest) => number {
  const known = new Map<string, number>();
  const count = (text: string): number => {
    const tokens = known.get(text) ?? countTokens(text);
    known.set(text, tokens);
    return tokens;
  };
  return ({ messages, tools }) =>
    messages.reduce(
      (sum, message) =>
        sum +
        4 +
        count(message.text) +
        (message.role === 'assistant' ? count(JSON.stringify(message.toolCalls ?? [])) : 0),
      count(JSON.stringify(tools)),
    );
}

class EndlessModel implements ModelClient {
  readonly endpoint = 'endless:';
  /** What to answer to the next requests of a turn. */
  readonly due: ({ readonly call: number } | { readonly says: number })[] = [];
  asked = 0;
  readonly #sizeOf = requestSizes();
  #sent = 0;
  #calls = 0;
  readonly #options: EndlessOptions;

  constructor(options: EndlessOptions) {
    this.#options = options;
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelEvent> {
    const input = this.#sizeOf(request);
    const isSummary = request.toolChoice === 'none' || request.tools.length === 0;
    if (isSummary) this.asked++;
    const next = isSummary ? { says: this.#options.summary ?? 600 } : (this.due.shift() ?? { says: 20 });
    const text = 'says' in next ? words(next.says, `n${this.#sent}`) : '';
    if (text !== '') yield { type: 'text', delta: text };
    const toolCalls =
      'call' in next
        ? [{ id: `c${this.#calls++}`, name: 'look', arguments: JSON.stringify({ tokens: next.call }) }]
        : [];
    const reported = this.#options.report ? this.#options.report(input, this.#sent) : input;
    this.#sent++;
    const usage: Usage | null =
      reported === null ? null : { input: reported, cached: 0, output: countTokens(text) + 10, reasoning: 0 };
    yield { type: 'done', text, toolCalls, finish: toolCalls.length ? 'toolCalls' : 'stop', usage };
  }
}

const look: Tool<{ tokens: number }> = {
  name: 'look',
  toolClass: 'read',
  description: 'Looks.',
  input: z.object({ tokens: z.number() }),
  prepare: async ({ tokens }) => ({
    title: `${tokens}`,
    approval: null,
    changes: [],
    run: async () => ({ text: words(tokens, `r${tokens}`) }),
  }),
};

export async function endlessSession(options: EndlessOptions): Promise<EndlessOutcome> {
  const { header, strategy, turns, reopenBefore = new Set(), windows = new Map() } = options;
  let { window } = options;
  const model = new EndlessModel(options);
  const compaction = { ...(strategy ? { strategy } : {}), ...options.compaction };
  const open = (lines?: readonly string[]) =>
    testAgent(
      { client: model, model: window === options.window ? 'endless' : `endless-${window}`, window },
      {
        ...(lines ? { lines } : {}),
        tools: [look] as Tool[],
        header: async () => [{ kind: 'systemPrompt', origin: 'built-in', text: words(header) }],
        compaction,
      },
    );
  let { agent, store } = await open();
  const pauses: string[] = [];
  let turnsDone = 0;
  for (const [nth, turn] of turns.entries()) {
    window = windows.get(nth) ?? window;
    if (reopenBefore.has(nth) || windows.has(nth)) {
      agent.dispose();
      ({ agent, store } = await open(store.lines));
    }
    model.due.length = 0;
    model.due.push(...turn.results.map((call) => ({ call })), { says: turn.answer });
    const outcome = await agent.send(
      { role: 'user', kind: 'user', text: words(turn.message, `m${nth}`) },
      new AbortController().signal,
    );
    if (outcome.kind === 'done') turnsDone++;
    else pauses.push(outcome.kind === 'paused' ? outcome.reason.map(String).join(' ') : outcome.kind);
  }
  const entries = [...agent.journal.backward()].reverse();
  const messages = entries.flatMap((entry) => (entry.type === 'message' ? [entry] : []));
  return {
    entries,
    compactions: entries.flatMap((entry) => (entry.type === 'compaction' ? [entry] : [])),
    failures: entries.flatMap((entry) => (entry.type === 'compactionFailed' ? [entry] : [])),
    asked: model.asked,
    turnsDone,
    pauses,
    growth: messages.reduce((sum, { tokens }) => sum + tokens, 0),
    agent,
  };
}
