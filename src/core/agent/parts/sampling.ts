/**
 * The session's model as MCP servers may ask it: one request without tools or history. Its cost counts in the session and
 * in the turn, and a note says what was asked.
 */

import { priced } from '../../cost/costOf.ts';
import { isAbort, ModelError } from '../../errors.ts';
import type { Journal } from '../../journal/journal.ts';
import { makeNote } from '../../journal/makeNote.ts';
import { type Sampled, type SampleRequest, type ServerModel, sampleError } from '../../mcp/sample.ts';
import type { ModelChoice } from '../../model/modelChoice.ts';
import type { ChatMessage, ModelEvent, ModelRequest } from '../../model/modelClient.ts';
import { hideSecrets, type Secrets } from '../../secrets/hideSecrets.ts';
import { countTokens } from '../../tokens/estimate.ts';
import { showHidden, showInOneLine } from '../../tools/text/showHidden.ts';
import { inEnglish, verbatim, words } from '../../words.ts';
import type { AgentSystem } from './agentSystem.ts';
import type { Budget } from './budget.ts';

/** The turn during which a server asks. */
interface AskedTurn {
  readonly journal: Journal;
  readonly model: ModelChoice;
  readonly budget: Pick<Budget, 'reached'>;
  readonly secrets: Secrets;
  readonly system: Pick<AgentSystem, 'clock'>;
}

type Done = Extract<ModelEvent, { type: 'done' }>;

/** Characters. */
const LONGEST_ANSWER = 200_000;
const LONGEST_NOTE = 2_000;

export function modelForServers(turn: AskedTurn): ServerModel {
  const hide = (text: string) => hideSecrets(text, turn.secrets());
  return {
    name: () => turn.model.model,
    hide,
    async ask(server, request, signal) {
      const refusal = await turn.budget.reached(false, signal);
      if (refusal) return sampleError(inEnglish(refusal));
      return answerServer(turn, server, request, signal).catch((thrown: unknown) => {
        if (signal.aborted || isAbort(thrown) || !(thrown instanceof ModelError)) throw thrown;
        return sampleError(hide(inEnglish(thrown.words)));
      });
    },
  };
}

async function answerServer(
  turn: AskedTurn,
  server: string,
  asked: SampleRequest,
  signal: AbortSignal,
): Promise<Sampled> {
  const { model, maxOutputTokens = Number.POSITIVE_INFINITY, client } = turn.model;
  const messages: ChatMessage[] = [
    ...(asked.system === '' ? [] : [{ role: 'system' as const, text: asked.system }]),
    ...asked.messages,
  ];
  const request: ModelRequest = {
    model,
    messages,
    tools: [],
    maxOutputTokens: Math.min(asked.maxTokens, maxOutputTokens),
  };
  let [written, done]: [string, Done | null] = ['', null];
  try {
    for await (const event of client.stream(request, signal)) {
      if (event.type === 'done') done = event;
      else if (event.type === 'text' || event.type === 'reasoning') written += event.delta;
    }
  } finally {
    // An answer that broke off was paid for, too.
    if (done || written !== '') await journalSampling(turn, server, asked, written, done);
  }
  signal.throwIfAborted();
  const text = hideSecrets((done?.text ?? '').slice(0, LONGEST_ANSWER), turn.secrets());
  if (!done || text === '') return sampleError('The model gave no answer.');
  return { kind: 'answer', text, model, stopReason: done.finish === 'length' ? 'maxTokens' : 'endTurn' };
}

async function journalSampling(
  turn: AskedTurn,
  server: string,
  { system, messages }: SampleRequest,
  written: string,
  done: Done | null,
): Promise<void> {
  const { model, price } = turn.model;
  const texts = [system, ...messages.map(({ text }) => text)];
  const estimated = {
    input: texts.reduce((sum, text) => sum + countTokens(text), 0),
    cached: 0,
    output: countTokens(written),
    reasoning: 0,
  };
  const usage = done?.usage ?? estimated;
  await turn.journal.append({
    type: 'samplingUsage',
    server: server.slice(0, 200),
    model,
    usage,
    ...(done?.usage ? {} : { estimated: true }),
    ...priced(done ?? { usage: null }, price, turn.system.clock.now()),
  });
  const notice = words(
    'The MCP server {0} asked the model: {1} tokens read, {2} written.',
    ...[showInOneLine(server), usage.input, usage.output],
  );
  const detail = texts.filter((text) => text !== '').map((text) => verbatim(showHidden(text.slice(0, LONGEST_NOTE))));
  await turn.journal.append(makeNote('info', notice, { detail: detail.slice(0, 5) }));
}
