/**
 * Takes one scenario through a whole turn of the product's agent, its own client and its own retries, over a server on
 * loopback. What comes back is plain data, the same in every run.
 */

import type { NoModel, TurnOutcome } from '../../../../src/core/agent/turnOutcome.ts';
import type { TreeEntry } from '../../../../src/core/journal/entry.ts';
import type { Json } from '../../../../src/core/json.ts';
import { estimateMessage } from '../../../../src/core/tokens/estimate.ts';
import { inEnglish } from '../../../../src/core/words.ts';
import { createEndpointClient } from '../../../../src/providers/endpointClient.ts';
import { withRetries } from '../../../../src/providers/retry.ts';
import { type ModelServer, startModelServer } from '../../../support/modelServer/modelServer.ts';
import { HandTimers, shortTimers } from '../../../support/ports/handTimers.ts';
import { testAgent } from '../../../support/testAgent.ts';
import { lookTool } from '../../../support/turnHarness.ts';
import type { Scenario } from './scenario.ts';

export interface Played {
  /** How the turn ended; for a failure with the whole sentence that the person reads. */
  readonly outcome: object;
  /** What the session holds now, entry by entry, from the person's message on. */
  readonly session: readonly object[];
  /** Milliseconds before each retry. */
  readonly waits: readonly number[];
  /** Each request as the server got it: path, the headers that are ours, and the body byte for byte. */
  readonly requests: readonly { readonly path: string; readonly headers: object; readonly body: string }[];
}

/** `http://host` stands for the server's address. */
const ORIGIN = /http:\/\/127\.0\.0\.1:\d+|127\.0\.0\.1:\d+/g;
const NOW = Date.parse('2026-01-01T00:00:00Z');

export async function play(scenario: Scenario): Promise<Played> {
  const {
    dialect = 'chat',
    model = 'test-model',
    key,
    window = 0,
    maxOutputTokens,
    stopAt,
    silentAt,
    heldOpen,
  } = scenario;
  const timers = new HandTimers();
  const stop = new AbortController();
  const waits: number[] = [];
  const replies = [...scenario.script];
  const server = await startModelServer({
    script: ({ body }) => {
      if (isRecount(body)) return { kind: 'error', status: 404 };
      if (silentAt === 'request') setImmediate(() => timers.elapse());
      const reply = replies.shift();
      if (!reply) throw new Error(`${scenario.name}: nobody scripted this request`);
      return reply;
    },
  });
  try {
    let minted = 0;
    const client = withRetries(
      createEndpointClient({
        baseUrl: server.baseUrl,
        dialect,
        key: async () => key,
        timers: heldOpen ? shortTimers(5_000) : timers,
        now: () => NOW,
        mintId: () => `minted_${minted++}`,
      }),
      {
        // No wait takes time, but the one in which a person stops it.
        timers: { after: (_, done) => (stopAt === 'wait' ? () => undefined : soon(done)) },
        random: () => 1,
        onRetry: ({ waitMs }) => {
          waits.push(waitMs);
          if (stopAt === 'wait') setImmediate(() => stop.abort());
          if (silentAt === 'request') setImmediate(() => timers.elapse());
        },
      },
    );
    const choice = { client, model, window, ...(maxOutputTokens ? { maxOutputTokens } : {}) };
    const { agent } = await testAgent(choice, {
      header: async () => [{ kind: 'systemPrompt', origin: 'built-in', text: 'You are a test.' }],
      compaction: { strategy: 'llm-summary', 'recall.tokensPerTurn': 0 },
      tools: [lookTool as never],
      events: {
        onTurn: (event) => {
          if (event.type !== 'delta' || event.text === '') return;
          if (stopAt === 'text') stop.abort();
          if (silentAt === 'text') timers.elapse();
        },
        onProgress: () => undefined,
        onCompaction: () => undefined,
      },
    });
    for (const message of (scenario.history ?? []).flat())
      await agent.journal.append({ type: 'message', message, tokens: estimateMessage(message) });
    const before = agent.journal.nextSeq;
    const outcome = await agent.send('Look at it.', stop.signal);
    if (replies.length > 0) throw new Error(`${scenario.name}: ${replies.length} replies were never asked for`);
    if (server.failures.length > 0) throw new Error(`${scenario.name}: ${server.failures.join('; ')}`);
    const played = {
      outcome: describeOutcome(outcome),
      session: agent.journal
        .path()
        .filter(({ seq }) => seq >= before)
        .flatMap(describeEntry),
      waits,
      requests: server.requests.filter(({ body }) => !isRecount(body)).map(describeRequest),
    };
    return JSON.parse(JSON.stringify(played).replace(ORIGIN, 'http://host')) as Played;
  } finally {
    await server.close();
  }
}

/** The usage of a script is no count of its request, so the client wonders how this server counts. It does not say. */
const isRecount = ({ max_tokens, max_output_tokens }: Json): boolean => max_tokens === 1 || max_output_tokens === 1;

function soon(done: () => void): () => void {
  const waiting = setImmediate(done);
  return () => clearImmediate(waiting);
}

function describeOutcome(outcome: TurnOutcome | NoModel): object {
  switch (outcome.kind) {
    case 'failed': {
      const { kind, message, facts } = outcome.error;
      const { cause: _, reported: __, ...known } = facts;
      return { kind: 'failed', error: kind, message, ...known };
    }
    case 'paused':
      return { kind: 'paused', reason: inEnglish(outcome.reason) };
    default:
      return { kind: outcome.kind };
  }
}

/** What an entry says, without what every entry has, and without what the requests show. */
function describeEntry(entry: TreeEntry): object[] {
  switch (entry.type) {
    case 'message':
      return [entry.message];
    case 'usage':
    case 'summaryUsage': {
      const { type, usage, estimated } = entry;
      return [{ type, usage, estimated }];
    }
    case 'note':
      return [{ type: 'note', level: entry.level, text: entry.text }];
    case 'compaction':
      return [{ type: 'compaction', strategy: entry.strategy, trigger: entry.trigger }];
    case 'compactionFailed':
      return [{ type: 'compactionFailed', reason: entry.reason, instead: entry.instead }];
    case 'header':
    case 'configured':
    case 'checkpoint':
    case 'request':
      return [];
    default:
      throw new Error(`Nobody expected an entry of the type ${entry.type}`);
  }
}

/** What the runtime adds by itself is left out. */
const NOT_OURS = new Set(['host', 'connection', 'accept-language', 'accept-encoding', 'sec-fetch-mode']);

/** Long runs of one word are counted instead of kept. */
const FILLER = /(?:word ){8,}/g;

function describeRequest({ path, headers, text }: ModelServer['requests'][number]) {
  const ours = Object.entries(headers).filter(([name]) => !NOT_OURS.has(name));
  const body = text.replace(FILLER, (run) => `⟦word ×${run.length / 5}⟧`);
  return { path, headers: Object.fromEntries(ours.toSorted(([a], [b]) => (a < b ? -1 : 1))), body };
}
