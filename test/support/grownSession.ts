/**
 * The product's own agent over a history that has grown far enough: nothing is set but what a test names, and what
 * compacts is the agent's next turn. Two scripted models are on the other end, one for turns and one for summaries; usage
 * is reported as it is counted here.
 */

import type { Agent } from '../../src/core/agent/agent.ts';
import { ensureHeader } from '../../src/core/agent/parts/header.ts';
import type { NoModel, TurnOutcome } from '../../src/core/agent/turnOutcome.ts';
import type { Timers } from '../../src/core/clock.ts';
import type { CompactionSignal } from '../../src/core/compaction/signals/compactionSignal.ts';
import type { ConsentAnswer, ConsentFigures, ConsentQuestion } from '../../src/core/compaction/signals/consent.ts';
import type { CompactionEntry, CompactionFailedEntry } from '../../src/core/journal/entry.ts';
import type { ModelClient } from '../../src/core/model/modelClient.ts';
import { countTokens, estimateMessage } from '../../src/core/tokens/estimate.ts';
import { sumTokens } from '../../src/core/tokens/meter.ts';
import { declareTool } from '../../src/core/tools/tool.ts';
import type { Line } from './compactionHarness.ts';
import { testCrypto } from './ports/nodeCrypto.ts';
import { ScriptedModel, type Step } from './ports/scriptedModel.ts';
import { type TestClock, testClock } from './ports/testClock.ts';
import { testAgent } from './testAgent.ts';

interface GrownOptions {
  /** Earlier messages, as the agent loop would have left them. */
  readonly history: readonly Line[];
  /** Settings below `palimpsest.compaction.`, as a person would set them: mostly the strategy alone. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Window of the session's model. */
  readonly window?: number;
  /** Answers of the session's model; it says "ok" when there are none left. */
  readonly answers?: readonly Step[];
  /** Answers of the summary model; it fails when there are no more. */
  readonly summaries?: readonly Step[];
  /** Answers turns instead of their script: a real client, over a server of the test. */
  readonly turnClient?: ModelClient;
  /** Answers instead of that script: a real client, over a server of the test. */
  readonly summaryClient?: ModelClient;
  /** The person's answers when asked whether to compact. */
  readonly consent?: readonly ConsentAnswer[];
  /** The provider's report for a counted input; default: the same. */
  readonly report?: (counted: number) => number;
  /** It says that it read from its cache what the request before held. */
  readonly caches?: true;
  readonly files?: Readonly<Record<string, string>>;
  /** Lines that another session left on its disk. */
  readonly lines?: readonly string[];
  readonly clock?: TestClock;
}

export interface GrownSession {
  readonly agent: Agent;
  readonly turns: ScriptedModel;
  readonly summariser: ScriptedModel;
  /** The models that were asked for, by what for. */
  readonly resolved: readonly string[];
  readonly events: CompactionSignal[];
  readonly logs: string[];
  /** The figures in each question to the person. */
  readonly figures: ConsentFigures[];
  /** The outlooks shown with the answers. */
  readonly outlooks: ConsentQuestion['outlook'][];
  /** The lines on disk. */
  readonly lines: readonly string[];
  readonly clock: TestClock;
  /** A whole turn of the agent, with the tools and settings of the product. */
  say(text?: string): Promise<TurnOutcome | NoModel>;
  /** Adds messages said meanwhile. */
  add(...lines: readonly Line[]): Promise<void>;
  /** From here on the session's model has this window. */
  setWindow(window: number): void;
  /** Tokens of the next request, as they stand now. */
  size(): number;
  /** The model's view: one string for each item. */
  view(): string[];
  compactions(): readonly CompactionEntry[];
  failures(): readonly CompactionFailedEntry[];
}

/** Waits for a retry are over at once; a strategy's deadline never comes. */
const hastyTimers: Timers = {
  after: (ms, fire) => {
    let cancelled = ms > 60_000;
    queueMicrotask(() => {
      if (!cancelled) fire();
    });
    return () => {
      cancelled = true;
    };
  },
};

const going = new AbortController().signal;

export async function grownSession(options: GrownOptions): Promise<GrownSession> {
  let { window = 100_000 } = options;
  const { settings = {}, lines, files = {}, report = (counted) => counted, clock = testClock() } = options;
  const answers = [...(options.consent ?? [])];
  const turns = new ScriptedModel([...(options.answers ?? []), ...Array<string>(50).fill('ok')]);
  const summariser = new ScriptedModel(options.summaries ?? []);
  const [resolved, logs, events, figures] = [[], [], [], []] as [
    string[],
    string[],
    CompactionSignal[],
    ConsentFigures[],
  ];
  const outlooks: ConsentQuestion['outlook'][] = [];
  let before = 0;
  const client: ModelClient = {
    endpoint: turns.endpoint,
    async *stream(request, signal) {
      const input = report(size());
      const cached = options.caches ? Math.min(before, input) : 0;
      before = input;
      for await (const event of (options.turnClient ?? turns).stream(request, signal)) {
        if (event.type !== 'done') yield event;
        else yield { ...event, usage: { input, cached, output: countTokens(event.text), reasoning: 0 } };
      }
    },
  };
  const { agent, store } = await testAgent(turns.choice(window), {
    compaction: settings,
    files,
    ...(lines ? { lines } : {}),
    models: {
      initial: () => 'scripted',
      resolve: (model, purpose) => {
        resolved.push(`${purpose}: ${model}`);
        return { client: purpose === 'summary' ? (options.summaryClient ?? summariser) : client, model, window };
      },
    },
    person: {
      approver: { ask: async () => ({ kind: 'allow', remember: 'no' }) },
      consent: async ({ tokens, window, ownCount, outlook }) => {
        figures.push({ tokens, window, ownCount });
        outlooks.push(outlook);
        const answer = answers.shift();
        if (!answer) throw new Error('Nobody answers this question');
        return answer;
      },
    },
    events: {
      onTurn: () => undefined,
      onProgress: () => undefined,
      onCompaction: (event) => events.push(event),
    },
    system: { clock, timers: hastyTimers, crypto: testCrypto(), log: (level, text) => logs.push(`${level} ${text}`) },
  });
  const { journal } = agent;
  const size = () => (journal.context.header?.tokens ?? 0) + sumTokens(journal.context.conversation);
  const add = async (...more: readonly Line[]) => {
    for (const message of more.flat())
      await journal.append({ type: 'message', message, tokens: estimateMessage(message) });
  };
  const turn = agent.turnWith(turns.choice(window));
  await ensureHeader(journal, await turn.header(new AbortController().signal), turn.tools().map(declareTool));
  await add(...options.history);
  return {
    agent,
    turns,
    summariser,
    resolved,
    events,
    logs,
    figures,
    outlooks,
    clock,
    add,
    size,
    lines: store.lines,
    say: (text = 'go on') => agent.send(text, going),
    setWindow: (tokens) => {
      window = tokens;
    },
    view: () => journal.context.conversation.map(({ message }) => `${message.role}: ${message.text}`),
    compactions: () => journal.entries.filter((entry) => entry.type === 'compaction'),
    failures: () => journal.entries.filter((entry) => entry.type === 'compactionFailed'),
  };
}
