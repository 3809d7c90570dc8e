/**
 * One request to the model: lowers the context, journals the request, streams the answer and journals it. An
 * interrupted answer is journaled as such, and its calls never run.
 */

import { bodyHash, LOWERING_VERSION, mendedUpTo, toSend, turnRequest } from '../context/lower.ts';
import type { AssistantMessage, Reasoning } from '../context/message.ts';
import { priced } from '../cost/costOf.ts';
import { isAbort, ModelError } from '../errors.ts';
import { formatCount } from '../figures.ts';
import type { UsageEntry } from '../journal/entry.ts';
import { makeNote } from '../journal/makeNote.ts';
import type { ModelEvent, ModelRequest } from '../model/modelClient.ts';
import type { Priced } from '../money.ts';
import { causeOf, type StopCause } from '../stop.ts';
import { describeDoubt, isDoubtNote } from '../tokens/describeDoubt.ts';
import { estimateInTurns } from '../tokens/estimate.ts';
import { isExcess } from '../tokens/judgeReports.ts';
import { type TakenCall, takeCalls } from '../tools/arguments/takeCall.ts';
import { type Words, words } from '../words.ts';
import { readWrittenCall, type WrittenCall } from './parts/writtenCall.ts';
import type { Turn } from './turn.ts';

export type Answer =
  /** `written`: why a call that it holds as text is none, in words for the model. */
  | { readonly kind: 'answered'; readonly toolCalls: readonly TakenCall[]; readonly written?: string }
  | { readonly kind: 'stopped'; readonly by: StopCause }
  | { readonly kind: 'failed'; readonly error: ModelError };

/** Share of the window that counts as full, because token counts of servers differ slightly. */
const FULL_SHARE = 0.98;

type Done = Extract<ModelEvent, { type: 'done' }>;

/**
 * Resolves once the journal has acknowledged the whole answer. Never throws a `ModelError`. Tool blocks up to the entry
 * `mended` are sent as text.
 */
export async function askModel(turn: Turn, signal: AbortSignal, mended = mendedUpTo(turn.journal)): Promise<Answer> {
  const request = await journalRequest(turn, mended);
  if (signal.aborted) return { kind: 'stopped', by: causeOf(signal) };
  const partial: PartialAnswer = { text: '' };
  turn.onEvent({ type: 'answer', phase: 'begun' });
  try {
    const done = await receive(request, partial, turn, signal);
    if (!(done instanceof ModelError)) {
      return done.cutTo === undefined
        ? await journalAnswer(turn, request, done)
        : await journalCut(turn, request, done, done.cutTo);
    }
    await journalBroken(partial, turn);
    return done.kind === 'aborted' ? { kind: 'stopped', by: causeOf(signal) } : { kind: 'failed', error: done };
  } finally {
    turn.onEvent({ type: 'answer', phase: 'ended' });
  }
}

/** The streamed part of an answer, kept if the stream breaks off. */
interface PartialAnswer {
  text: string;
  reasoning?: { readonly field: string; readonly text: string };
}

/** The whole answer, or why there is none. Pieces are displayed as they arrive, and collected in `partial`. */
async function receive(
  request: ModelRequest,
  partial: PartialAnswer,
  turn: Turn,
  signal: AbortSignal,
): Promise<Done | ModelError> {
  let done: Done | undefined;
  try {
    for await (const event of turn.model.client.stream(request, signal)) {
      switch (event.type) {
        case 'text':
          partial.text += event.delta;
          turn.onEvent({ type: 'delta', text: event.delta, reasoning: '' });
          break;
        case 'reasoning':
          partial.reasoning = { field: event.field, text: (partial.reasoning?.text ?? '') + event.delta };
          turn.onEvent({ type: 'delta', text: '', reasoning: event.delta });
          break;
        case 'wasThinking':
          partial.reasoning = { field: event.field, text: (partial.reasoning?.text ?? '') + partial.text };
          partial.text = '';
          turn.onEvent({ type: 'wasThinking' });
          break;
        case 'toolCall':
          turn.onEvent({ type: 'writingCall', name: event.name, argumentsLength: event.argumentsLength });
          break;
        case 'done':
          done = event;
          break;
      }
    }
  } catch (thrown) {
    if (signal.aborted || isAbort(thrown)) return new ModelError('aborted', words('Stopped.'), { cause: thrown });
    if (thrown instanceof ModelError) return thrown;
    await journalBroken(partial, turn);
    throw thrown;
  }
  if (signal.aborted) return new ModelError('aborted', words('Stopped.'));
  if (!done) return new ModelError('interrupted', words('The answer broke off before it was complete.'));
  if (done.cutTo !== undefined) return done;
  if (done.finish === 'overflow' || ranOutOfWindow(done, turn.model.window)) {
    return new ModelError('overflow', words('The model ran out of context in its answer.'));
  }
  return done;
}

/** True when there was no room for an answer: the window was already full, or the server allowed no tokens. */
function ranOutOfWindow({ finish, text, reasoning, toolCalls, discarded = [], usage }: Done, window: number): boolean {
  if (finish !== 'length' || text || toolCalls.length > 0 || discarded.length > 0) return false;
  if (!reasoning && (usage?.output ?? 0) <= 1) return true;
  return usage !== null && window > 0 && usage.input + usage.output >= FULL_SHARE * window;
}

async function journalBroken({ text, reasoning }: PartialAnswer, turn: Turn): Promise<void> {
  if (!text && !reasoning) return;
  await journalMessage(turn, { role: 'assistant', text, ...reasoned(reasoning), interrupted: true });
}

async function journalRequest(
  { journal, model: choice, system: { crypto }, compaction }: Turn,
  mended: number,
): Promise<ModelRequest> {
  const request = turnRequest(journal.context, choice, mended);
  await journal.append({
    type: 'request',
    purpose: 'turn',
    model: choice.model,
    ...(choice.maxOutputTokens ? { maxOutputTokens: choice.maxOutputTokens } : {}),
    bodySha256: await bodyHash(crypto, request),
    loweringVersion: LOWERING_VERSION,
    ...(mended >= 0 ? { mendedUpTo: mended } : {}),
    messages: request.messages.length,
  });
  return { ...(await toSend(request, choice, { journal, crypto })), expected: compaction.expected };
}

/**
 * The model did not see the beginning of the conversation: its answer is discarded and its calls do not run. Its cost
 * is journaled as an estimate, because the count does not show how full the context is.
 */
async function journalCut(turn: Turn, { model }: ModelRequest, done: Done, readTokens: number): Promise<Answer> {
  const { journal } = turn;
  const { usage, notice = [] } = done;
  if (usage) {
    await journal.append({ type: 'usage', model, usage, estimated: true, ...pricedNow(done, turn) });
  }
  await journal.append(makeNote('warning', [...notice, ...NOT_USED]));
  const remark = words('{0} reads only {1} tokens of this conversation.', model, formatCount(readTokens));
  return { kind: 'failed', error: new ModelError('overflow', remark, { learnedWindow: readTokens }) };
}

const NOT_USED = words('Its answer is not used.');

async function journalAnswer(turn: Turn, request: ModelRequest, given: Done): Promise<Answer> {
  const written = await readWritten(turn, request, given);
  const done = written?.kind === 'calls' ? { ...given, ...written.made } : given;
  // The stored call is the one that will be shown, approved and run.
  const toolCalls = await takeCalls(done.toolCalls, turn.tools(), turn.toolPorts.files);
  const message: AssistantMessage = {
    role: 'assistant',
    text: done.text,
    ...reasoned(withOrigin(done.reasoning, turn)),
    ...(toolCalls.length ? { toolCalls: toolCalls.map(({ remarks: _, ...call }) => call) } : {}),
  };
  const tokens = await journalMessage(turn, message);
  await journalUsage(turn, request, done, tokens);
  const ending = explainFinish(done);
  // Without a word nothing was answered: the same can be asked again.
  const isEmpty = done.text === '' && toolCalls.length === 0;
  if (ending)
    await turn.journal.append(isEmpty ? makeNote('error', ending, { action: 'retry' }) : makeNote('warning', ending));
  if (done.notice) await turn.journal.append(makeNote('warning', done.notice));
  return { kind: 'answered', toolCalls, ...(written?.kind === 'refused' ? { written: written.reason } : {}) };
}

/** Nothing that a limit or a filter cut off is a call. */
async function readWritten(
  turn: Turn,
  { tools }: ModelRequest,
  { text, toolCalls, finish }: Done,
): Promise<WrittenCall | null> {
  const isWhole = finish === 'stop' || finish === 'toolCalls' || finish === 'other';
  if (!isWhole || toolCalls.length > 0 || tools.length === 0) return null;
  const { files } = turn.toolPorts;
  return readWrittenCall(text, {
    tools: turn.tools(),
    files,
    context: turn.journal.context,
    crypto: turn.system.crypto,
  });
}

/** `output`: the estimated tokens of the answer. */
async function journalUsage(turn: Turn, request: ModelRequest, done: Done, output: number): Promise<void> {
  const { journal, compaction } = turn;
  const { model } = request;
  const estimate = estimateUsage(turn, output, done.counted);
  const { usage: reported } = done;
  const doubt = reported && compaction.doubt(reported);
  if (!reported || !doubt || !isExcess(doubt)) {
    const counted = reported ? { usage: reported } : estimate;
    await journal.append({ type: 'usage', model, ...counted, ...pricedNow(done, turn) });
  }
  if (!reported || !doubt) return;
  const sent = request.expected?.tokens ?? estimate.usage.input;
  if (isExcess(doubt)) {
    // Of what was sent, as much was read from the cache as of what was reported.
    const cached = Math.round((sent * reported.cached) / reported.input);
    const usage = { ...estimate.usage, input: sent, cached };
    const cost = pricedNow({ ...done, usage }, turn);
    await journal.append({ type: 'usage', model, usage, estimated: true, doubted: reported, ...cost });
  }
  // A count that leaves out a part of what was sent is no false one.
  if (doubt.why === 'tooLittle') return;
  for (const note of journal.ofType('note')) if (isDoubtNote(note, model)) return;
  const facts = { model, estimated: sent, reported: Math.max(reported.input, reported.output) };
  await journal.append(makeNote('warning', describeDoubt(doubt, facts)));
}

const pricedNow = (done: Done, { model: { price }, system: { clock } }: Turn): Priced =>
  priced(done, price, clock.now());

async function journalMessage({ journal, system: { timers } }: Turn, message: AssistantMessage): Promise<number> {
  const tokens = await estimateInTurns(message, timers);
  await journal.append({ type: 'message', message, tokens });
  return tokens;
}

/** With the journal's own model as its origin, reasoning is returned only there. */
function withOrigin(reasoning: Reasoning | undefined, { journal }: Turn): Reasoning | undefined {
  const { configured } = journal.context;
  if (!reasoning || !configured) return reasoning;
  return { ...reasoning, origin: { endpoint: configured.endpoint, model: configured.model } };
}

const reasoned = (reasoning: AssistantMessage['reasoning']) => (reasoning ? { reasoning } : {});

/** Missing usage must not count as 0 tokens. */
function estimateUsage(
  { journal }: Turn,
  output: number,
  counted: number | undefined,
): Pick<UsageEntry, 'usage' | 'estimated' | 'counted'> {
  const { header, conversation } = journal.context;
  const input = counted ?? conversation.reduce((sum, item) => sum + item.tokens, header?.tokens ?? 0) - output;
  const usage = { input, cached: 0, output, reasoning: 0 };
  return { usage, estimated: true, ...(counted === undefined ? {} : { counted: true }) };
}

function explainFinish({ finish, text, toolCalls, discarded = [] }: Done): Words | null {
  switch (finish) {
    case 'length':
      if (discarded.length === 0) {
        return words(
          'The answer reached the output limit and was cut off there. Ask to continue, or raise the output limit.',
        );
      }
      return words(
        'The answer reached the output limit inside a call ({0}), which was not run. Ask to continue, or raise the output limit.',
        discarded.join(', '),
      );
    case 'contentFilter':
      return words('The provider’s content filter ended the answer. Ask in other words, or choose another model.');
    case 'other':
      return words('The provider ended the answer without saying why.');
    case 'stop':
    case 'toolCalls':
    case 'overflow':
      if (text || toolCalls.length > 0) return null;
      return words('The model gave an empty answer. Ask again, or choose another model.');
  }
}
