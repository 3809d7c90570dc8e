/**
 * The agent loop: one message from a person, then requests and tool calls until the model has answered, a limit is
 * reached or the person stops it. The loop requests compactions only at quiescent points, and knows nothing of how they
 * are made.
 */

import type { CompactionOutcome } from '../compaction/signals/outcome.ts';
import { mendedUpTo } from '../context/lower.ts';
import { isCompleteAnswer, type UserMessage } from '../context/message.ts';
import { isAbort, ModelError } from '../errors.ts';
import { remindOfMode } from '../instructions/modeReminder.ts';
import { CHECKPOINT_LABEL, type CheckpointEntry } from '../journal/entry.ts';
import type { Journal } from '../journal/journal.ts';
import { makeNote } from '../journal/makeNote.ts';
import type { Mentioned } from '../mentions/sessionMentions.ts';
import { causeOf } from '../stop.ts';
import { estimateInTurns, estimateMessage } from '../tokens/estimate.ts';
import { sumTokens } from '../tokens/meter.ts';
import { declareTool } from '../tools/tool.ts';
import { words } from '../words.ts';
import { type Answer, askModel } from './ask.ts';
import { ensureHeader } from './parts/header.ts';
import { closeLeft, findLeft } from './parts/leftCalls.ts';
import { deliverMail } from './parts/mailbox.ts';
import { tellToCall } from './parts/writtenCall.ts';
import { runCalls } from './runCalls.ts';
import type { Turn } from './turn.ts';
import type { TurnOutcome } from './turnOutcome.ts';

/**
 * Runs a whole turn. The journal is synced to disk at its end, however it ends. `secretsToo`: the person agreed to
 * reading mentioned files that may hold secrets.
 */
export async function runTurn(
  message: UserMessage,
  turn: Turn,
  signal: AbortSignal,
  secretsToo = false,
): Promise<TurnOutcome> {
  try {
    const stop = await beginTurn(message, secretsToo, turn, signal);
    return stop ?? (await runHooked(message.text, turn, signal));
  } finally {
    await turn.journal.sync();
  }
}

/**
 * Continues from the present end of the journal, without a new message: for a retry, or after a compaction paused the
 * turn.
 */
export async function continueTurn(turn: Turn, signal: AbortSignal): Promise<TurnOutcome> {
  try {
    turn.begin();
    if (isAnswered(turn)) return { kind: 'done' };
    // The header in force may be imported, or older than a change of the tools.
    await offerHeader(turn, signal);
    const left = findLeft(turn.journal);
    if (left && (await runCalls(left.calls, turn, signal)) === 'stopped') return stopped(signal);
    if (left) await turn.dmail.deliver();
    else await closeLeft(turn.journal);
    await remind(turn);
    return await runHooked(unansweredMessage(turn), turn, signal);
  } finally {
    await turn.journal.sync();
  }
}

/**
 * True when the newest message is a complete answer: nothing is left to do, and a request must not end with an answer.
 */
function isAnswered({ journal }: Turn): boolean {
  // A hook's message after the answer does not ask for another.
  return isCompleteAnswer(journal.context.conversation.findLast(({ kind }) => kind !== 'reminder')?.message);
}

async function beginTurn(
  message: UserMessage,
  secretsToo: boolean,
  turn: Turn,
  signal: AbortSignal,
): Promise<TurnOutcome | null> {
  const { journal, compaction } = turn;
  await closeLeft(journal);
  turn.begin();
  const tokens = await estimateInTurns(message, turn.system.timers);
  const mentioned = await turn.readMentions(message, secretsToo, signal);
  if (signal.aborted) return stopped(signal);
  const added = mentioned.messages.map((each) => ({ message: each, tokens: estimateMessage(each) }));
  const made = await compaction.beforeMessage(tokens + sumTokens(added), signal);
  // A person's message is kept whatever the outcome of the compaction, unless they asked for another session.
  if (made.kind === 'refused' && made.choice === 'newSession') return { kind: 'newSession' };
  await offerHeader(turn, signal);
  await turn.skills.announce();
  await remind(turn);
  await deliverMail(journal, await turn.readMail(signal));
  await recordNotices(turn);
  const { tellCheckpoints, dmail } = turn.settings().agent;
  await checkpoint(message.text, turn, tellCheckpoints || dmail);
  await journal.append({ type: 'message', message, tokens });
  await turn.skills.follow(message);
  await appendMentioned(added, mentioned, turn);
  // Otherwise the checkpoint of the first request follows.
  if (!dmail) await checkpoint(message.text, turn, false, { afterMessage: true });
  return null;
}

interface Counted {
  readonly message: UserMessage;
  readonly tokens: number;
}

async function appendMentioned(added: readonly Counted[], { notices }: Mentioned, { journal }: Turn): Promise<void> {
  for (const each of added) await journal.append({ type: 'message', ...each });
  for (const each of notices) await journal.append(makeNote('warning', each));
}

/** The person's newest message while it has no answer yet; null in the middle of a turn. */
function unansweredMessage({ journal }: Turn): string | null {
  const newest = journal.context.conversation.findLast(({ kind }) => kind === 'user' || kind === 'assistant');
  return newest?.kind === 'user' ? newest.message.text : null;
}

const stopped = (signal: AbortSignal): TurnOutcome => ({ kind: 'stopped', by: causeOf(signal) });

/** Runs the steps between the person's hooks. `message` is null when the hooks before the turn have already run. */
async function runHooked(message: string | null, turn: Turn, signal: AbortSignal): Promise<TurnOutcome> {
  try {
    const refusal = message === null ? null : await turn.hooks.beforeTurn(message, signal);
    if (refusal !== null) return { kind: 'paused', reason: words('A hook refused this turn. Its note says why.') };
    const outcome = await runSteps(turn, signal);
    if (outcome.kind !== 'stopped' && outcome.kind !== 'newSession') await turn.hooks.afterTurn(outcome.kind, signal);
    return outcome;
  } catch (thrown) {
    if (signal.aborted && (isAbort(thrown) || thrown === signal.reason)) return stopped(signal);
    throw thrown;
  }
}

async function offerHeader(turn: Turn, signal: AbortSignal): Promise<void> {
  const { journal } = turn;
  await turn.renewTools(signal);
  const items = await turn.header(signal);
  await recordNotices(turn);
  // An interrupted source is incomplete: the turn ends, and the next one reads it again.
  if (signal.aborted && journal.context.header) return;
  await ensureHeader(journal, items, turn.tools().map(declareTool));
}

async function recordNotices(turn: Turn): Promise<void> {
  for (const each of turn.takeNotices()) await turn.journal.append(makeNote('warning', each));
}

async function checkpoint(
  label: string,
  { journal }: Turn,
  toldModel: boolean,
  more: Pick<CheckpointEntry, 'afterMessage'> = {},
): Promise<void> {
  const id = journal.nextCheckpointId;
  await journal.append({ type: 'checkpoint', id, label: label.slice(0, CHECKPOINT_LABEL), toldModel, ...more });
  if (!toldModel) return;
  const reminder: UserMessage = { role: 'user', kind: 'reminder', text: `CHECKPOINT ${id}` };
  await journal.append({ type: 'message', message: reminder, tokens: estimateMessage(reminder) });
}

async function runSteps(turn: Turn, signal: AbortSignal): Promise<TurnOutcome> {
  const { compaction } = turn;
  const { stepLimit, dmail } = turn.settings().agent;
  let toldToCall = false;
  for (let step = 0; step < stepLimit; step++) {
    const tooMuch = await turn.budget.reached(step === 0, signal);
    if (signal.aborted) return stopped(signal);
    if (tooMuch) return { kind: 'paused', reason: tooMuch, limit: 'cost' };
    await takeQueuedMessages(turn, signal);
    const made = await compaction.beforeCall(signal);
    const before = pauseAfter(made, turn, step > 0);
    if (before) return before;
    if (signal.aborted) return stopped(signal);
    // Each request is a target for a message to the past.
    if (dmail) await checkpoint('', turn, true);
    const answer = await askWithRecovery(turn, signal);
    if (answer.kind !== 'answered') return answer;
    if (answer.toolCalls.length && (await runCalls(answer.toolCalls, turn, signal)) === 'stopped')
      return stopped(signal);
    if (answer.written !== undefined) {
      await turn.journal.append(makeNote('warning', toldToCall ? WRITTEN_AGAIN : WRITTEN));
      if (!toldToCall) await appendReminder(turn.journal, tellToCall(answer.written));
    }
    // The head has moved, so the usage reported for the answer does not describe the present context.
    if (answer.toolCalls.length && (await turn.dmail.deliver())) continue;
    const after = pauseAfter(await compaction.afterResponse(signal), turn, answer.toolCalls.length > 0);
    const goesOn = answer.toolCalls.length > 0 || (answer.written !== undefined && !toldToCall);
    if (!goesOn) return after?.kind === 'newSession' ? after : { kind: 'done' };
    toldToCall ||= answer.written !== undefined;
    if (after) return after;
    if (signal.aborted) return stopped(signal);
  }
  return {
    kind: 'paused',
    reason: words('The turn reached its limit of {0} requests. Continue, or send a message.', stepLimit),
    limit: 'steps',
  };
}

const WRITTEN = words(
  'The model wrote a tool call as text, so it did not run. The model is asked once to call the tool itself.',
);
const WRITTEN_AGAIN = words(
  'The model wrote a tool call as text again, so it did not run. Send a message, or choose another model.',
);

async function appendReminder(journal: Journal, text: string): Promise<void> {
  const reminder: UserMessage = { role: 'user', kind: 'reminder', text };
  await journal.append({ type: 'message', message: reminder, tokens: estimateMessage(reminder) });
}

/** Takes in the person's messages that go with the next request. Every call has a result. */
async function takeQueuedMessages(turn: Turn, signal: AbortSignal): Promise<void> {
  for (const { message, mentionsSecrets } of turn.person.steering?.() ?? []) {
    const mentioned = await turn.readMentions(message, mentionsSecrets, signal);
    const tokens = await estimateInTurns(message, turn.system.timers);
    await turn.journal.append({ type: 'message', message, tokens });
    await turn.skills.follow(message);
    await recordNotices(turn);
    if (signal.aborted) continue;
    const added = mentioned.messages.map((each) => ({ message: each, tokens: estimateMessage(each) }));
    await appendMentioned(added, mentioned, turn);
  }
}

/** Repeats orders and mode, which the model must know even when their message is gone. */
async function remind(turn: Turn): Promise<void> {
  await turn.remindOfOrders(isReshaped(turn.journal));
  await remindOfMode(turn.journal, turn.mode());
}

/**
 * Compactions of every kind, undo, redo and moves of the head may remove messages at any moment, so the next request
 * checks what must be repeated. Nothing else removes messages.
 */
async function remindAgain(turn: Turn): Promise<void> {
  if (isReshaped(turn.journal)) await remind(turn);
}

/** True when no request of a turn has been made since the context changed its shape, or since the head moved. */
function isReshaped(journal: Journal): boolean {
  const { epoch } = journal.context;
  for (const seq of journal.tree.chain(journal.head)) {
    if (seq < epoch) return true;
    if (journal.tree.typeOf(seq) !== 'request') continue;
    // A stored request reveals its purpose only when read; it is usually a turn's.
    const entry = journal.entry(seq);
    if (entry?.type !== 'request' || entry.purpose === 'turn') return false;
  }
  return true;
}

/** Null when the turn continues. */
function pauseAfter(outcome: CompactionOutcome, turn: Turn, midTurn: boolean): TurnOutcome | null {
  switch (outcome.kind) {
    case 'none':
    case 'failed':
      return null;
    case 'compacted':
      if (!midTurn || turn.compactionSettings().autoContinue) return null;
      return { kind: 'paused', reason: words('The context was compacted. Continue, or send a message.') };
    case 'refused':
      return outcome.choice === 'newSession' ? { kind: 'newSession' } : null;
    case 'stuck':
      return { kind: 'paused', reason: outcome.reason };
  }
}

/**
 * On an overflow the compactor makes room and the request is repeated, as often as the compactor allows. A history
 * whose form is refused is sent once more, with its tool calls as text.
 */
async function askWithRecovery(turn: Turn, signal: AbortSignal): Promise<Answer | TurnOutcome> {
  let mended = false;
  let mendUpTo: number | undefined;
  for (;;) {
    await remindAgain(turn);
    const answer = await askModel(turn, signal, mendUpTo);
    mendUpTo = undefined;
    if (answer.kind !== 'failed') return answer;
    if (answer.error.facts.malformedHistory && !mended && hasMoreToMend(turn)) {
      mended = true;
      mendUpTo = newest(turn);
      await turn.journal.append(makeNote('warning', [...answer.error.words, ...MENDED]));
      continue;
    }
    const error = turn.compaction.settle(answer.error);
    if (error.kind !== 'overflow') return { kind: 'failed', error };
    const outcome = await turn.compaction.afterOverflow(error.facts.learnedWindow, signal);
    // A request was already made, so this is the middle of the turn, first request included.
    const pause = pauseAfter(outcome, turn, true);
    if (pause) return pause;
    if (outcome.kind === 'compacted') continue;
    // The reason why nothing was compacted tells what the person can do: switch it on, or look at the failure.
    const { words: notice, facts } = error;
    const why = 'reason' in outcome ? outcome.reason : [];
    return { kind: 'failed', error: new ModelError('overflow', [...notice, ...why], facts) };
  }
}

const MENDED = words('The earlier tool calls and their results are sent again, as text.');

const newest = ({ journal }: Turn): number => journal.context.conversation.at(-1)?.seq ?? -1;

/** True when some calls are still sent in their native form. */
function hasMoreToMend({ journal }: Turn): boolean {
  const mended = mendedUpTo(journal);
  return journal.context.conversation.some(
    ({ message, seq }) => seq > mended && message.role === 'assistant' && message.toolCalls !== undefined,
  );
}
