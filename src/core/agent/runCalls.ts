/**
 * Runs the calls of one answer in order: each is prepared, approved where its class requires it, and answered in the
 * journal. Every call gets exactly one result, even when the turn is stopped midway: the block is never left open.
 */

import { DECLINED } from '../calls/outcome.ts';
import { offloadOnReturn } from '../compaction/draft/offload.ts';
import type { CallOutcome, ToolCall, ToolMessage, UserMessage } from '../context/message.ts';
import { isAbort, messageOf } from '../errors.ts';
import { REDACTED } from '../journal/redactText.ts';
import { hideSecrets, StreamedText } from '../secrets/hideSecrets.ts';
import { causeOf, describeCutOff, describeNotRun, type StopCause } from '../stop.ts';
import { estimateInTurns, estimateMessage } from '../tokens/estimate.ts';
import { type ApprovalRequest, decideApproval, explainAsking, rememberAnswer } from '../tools/approvals.ts';
import type { TakenCall } from '../tools/arguments/takeCall.ts';
import { prepareCall, runCall } from '../tools/callTool.ts';
import type { Questioner } from '../tools/question.ts';
import type { PreparedCall, Tool, ToolOutcome } from '../tools/tool.ts';
import { limitsOf } from '../tools/toolSettings.ts';
import { words } from '../words.ts';
import { closeLeft, type LeftCall, mayRunLater, noteLeft } from './parts/leftCalls.ts';
import { repairCall } from './parts/repairCall.ts';
import type { Turn } from './turn.ts';

const REDACTED_TEXT = `The file holds a secret that you were shown as ${REDACTED}, and this change would put those letters in its place. Nothing was done. Edit other lines only, with edit_file.`;
const SECRET_ADDRESS = 'The address holds a secret of the user, such as a key. Nothing was sent.';
const NOT_REACHED = 'This call did not run, because the one before it failed in a way it should not.';

/**
 * Returns 'stopped' when the signal was aborted. The results of all calls are journaled either way, except of those that
 * the end of the window left: these can still be run. A bug is thrown only afterwards: an open block would prevent
 * compacting or reverting the session.
 */
export async function runCalls(
  calls: readonly TakenCall[],
  turn: Turn,
  signal: AbortSignal,
): Promise<'answered' | 'stopped'> {
  const bugs: unknown[] = [];
  const following: UserMessage[] = [];
  const left: LeftCall[] = [];
  const answer = async (running: RunningCall): Promise<ToolOutcome> => {
    if (bugs.length > 0) return ended(NOT_REACHED, 'refused');
    if (signal.aborted) return notRun(causeOf(signal));
    try {
      return hideSecrets(await running.answer(), turn.secrets());
    } catch (thrown) {
      bugs.push(thrown);
      return { text: `The tool failed in a way it should not: ${messageOf(thrown)}`, isError: true };
    }
  };
  for (const call of calls) {
    const begun = turn.toolPorts.clock.now();
    const running = new RunningCall(call, turn, signal);
    const outcome = await answer(running);
    if (outcome.notRun && turn.canContinue && mayRunLater(outcome.notRun)) {
      left.push({ call, by: outcome.notRun, wasAsked: running.wasAsked });
      continue;
    }
    const durationMs = turn.toolPorts.clock.now() - begun - running.waitedMs;
    const message = await toToolMessage(call, outcome, durationMs, turn);
    const tokens = await estimateInTurns(message, turn.system.timers);
    await turn.journal.append({ type: 'message', message, tokens });
    const news = outcome.follows?.filter(({ text }) => following.every((each) => each.text !== text));
    following.push(...(news ?? []));
  }
  await noteLeft(turn.journal, left);
  // Between the results they would break the block.
  if (following.length > 0) await closeLeft(turn.journal);
  for (const message of following) {
    await turn.journal.append({ type: 'message', message, tokens: estimateMessage(message) });
  }
  if (bugs.length > 0) throw bugs[0];
  return signal.aborted ? 'stopped' : 'answered';
}

const ended = (text: string, kind: CallOutcome['kind']): ToolOutcome => ({ text, isError: true, outcome: { kind } });

const notRun = (by: StopCause): ToolOutcome => ({ ...ended(describeNotRun(by), 'interrupted'), notRun: by });

/** One call on its way: prepared, approved, run. Knows how long it waited for the person. */
class RunningCall {
  #call: TakenCall;
  readonly #turn: Turn;
  readonly #signal: AbortSignal;
  /** Milliseconds that it waited for the person, which do not count towards its duration. */
  waitedMs = 0;
  /** The person was asked, and the turn was stopped before they answered. */
  wasAsked = false;
  #hasBegun = false;
  #onlyReads = false;

  constructor(call: TakenCall, turn: Turn, signal: AbortSignal) {
    this.#call = call;
    this.#turn = turn;
    this.#signal = signal;
  }

  async answer(): Promise<ToolOutcome> {
    try {
      return await this.#prepareAndRun();
    } catch (thrown) {
      if (!this.#signal.aborted) {
        if (isAbort(thrown)) return ended(`The call was cut off from within: ${messageOf(thrown)}`, 'interrupted');
        throw thrown;
      }
      const by = causeOf(this.#signal);
      // A tool that only reads, and waits for the person, has done nothing yet.
      return this.#hasBegun && !(this.#onlyReads && this.wasAsked)
        ? ended(describeCutOff(by), 'interrupted')
        : notRun(by);
    }
  }

  async #prepareAndRun(): Promise<ToolOutcome> {
    const [call, turn] = [this.#call, this.#turn];
    this.#announce('preparing', call.name);
    const { questions } = turn.toolPorts;
    const asking = questions && {
      ask: (...asked: Parameters<Questioner['ask']>) => this.#waiting(() => questions.ask(...asked)),
    };
    const toolPorts = { ...turn.toolPorts, questions: asking };
    const preparation = await prepareCall(call, turn.tools(), toolPorts);
    if (preparation.kind === 'refused') return repairCall(call, preparation.outcome, turn.toolPorts, this.#signal);
    const { tool, prepared } = preparation;
    this.#call = preparation.call;
    const approved = await this.#approve(tool, prepared);
    const { hookMessages } = approved;
    if (approved.kind === 'refused') return { ...approved.outcome, follows: hookMessages };
    await turn.keeper?.before({ toolCallId: call.id, toolClass: tool.toolClass, changes: prepared.changes });
    this.#announce('running', prepared.title);
    const ran = await this.#run({ ...preparation, prepared: approved.prepared }, toolPorts);
    const outcome = this.#signal.aborted ? ran : await repairCall(call, ran, toolPorts, this.#signal);
    const { reason } = approved;
    return {
      ...outcome,
      ...(reason ? { text: `${outcome.text}\n\n[The person allowed this call and said: ${reason}]` } : {}),
      follows: [...hookMessages, ...(outcome.follows ?? []), ...(await this.#messagesAfter(tool, outcome))],
    };
  }

  async #run(approved: Parameters<typeof runCall>[0], toolPorts: Parameters<typeof runCall>[1]): Promise<ToolOutcome> {
    const [call, turn] = [this.#call, this.#turn];
    const secrets = turn.secrets();
    const shown = new StreamedText(secrets);
    const show = (text: string) => {
      if (text !== '') turn.onEvent({ type: 'output', toolCallId: call.id, text });
    };
    const run = (call: Parameters<typeof runCall>[0]) =>
      runCall(call, toolPorts, {
        onOutput: (text) => show(shown.push(text)),
        signal: this.#signal,
        nonce: turn.journal.session.nonce,
        limits: limitsOf(turn.settings().output, approved.tool.name),
        hide: (text) => hideSecrets(text, secrets),
      });
    this.#signal.throwIfAborted();
    this.#hasBegun = true;
    this.#onlyReads = approved.tool.toolClass === 'read';
    try {
      const { next, ...outcome } = await run(approved);
      if (!next || this.#signal.aborted) return outcome;
      const agreed = await this.#approve(approved.tool, next.prepared);
      if (agreed.kind === 'refused') {
        const { text, outcome: answered } = agreed.outcome;
        // A command that never ran is what the person made of it.
        const own = outcome.outcome?.kind === 'refused' ? answered : outcome.outcome;
        return {
          ...outcome,
          text: `${outcome.text}\n${next.declined ?? text}`,
          follows: agreed.hookMessages,
          ...(own ? { outcome: own } : {}),
        };
      }
      this.#announce('running', next.prepared.title);
      const { next: _, ...second } = await run({ ...approved, prepared: agreed.prepared });
      return { ...second, follows: [...agreed.hookMessages, ...(second.follows ?? [])] };
    } finally {
      show(shown.end());
      await turn.keeper?.after(call.id);
    }
  }

  async #approve(tool: Tool, prepared: PreparedCall): Promise<Approved> {
    const [call, turn, signal] = [this.#call, this.#turn, this.#signal];
    const { grants, person } = turn;
    const { toolClass } = tool;
    // The title hides a secret, so it differs from the command that would be allowed.
    const hidden = tool.toolClass === 'run' && hideSecrets(prepared.title, turn.secrets()) !== prepared.title;
    const mayRemember = !hidden && (prepared.approval?.mayRemember ?? true);
    const { grant } = prepared;
    if (writesRedacted(prepared, turn.secrets())) return refused(REDACTED_TEXT);
    if (toolClass === 'network' && sendsSecret(prepared.title, turn.secrets())) {
      return refused(SECRET_ADDRESS);
    }
    const decision = decideApproval({
      toolClass,
      guarded: !mayRemember,
      trust: turn.trust(),
      mode: turn.mode(),
      grants: grants.current,
      grant,
    });
    if (decision.kind === 'refuse') return refused(decision.reason);
    // Before anybody is asked: no approval overrides a hook's refusal.
    const { refusal, messages: hookMessages } = await turn.hooks.beforeTool(call, toolClass, signal);
    if (refusal !== null) return refused(refusal, hookMessages);
    if (decision.kind === 'allow') return { kind: 'approved', prepared, hookMessages };
    if (!prepared.approval) throw new Error(`${tool.name} must be asked for, but does not say what it would do`);
    signal.throwIfAborted();
    this.#announce('approval', prepared.title);
    const why = hidden
      ? words('It holds a secret, so it is asked about every time.')
      : (prepared.approval.why ?? explainAsking(toolClass, mayRemember));
    const request = { toolCallId: call.id, toolName: tool.name, toolClass, ...prepared.approval, mayRemember, why };
    const shown = hideSecrets(request, turn.secrets());
    // A text with a hidden secret must not be written back.
    const mayAmend = prepared.amend !== undefined && isSameText(shown.detail, request.detail);
    const answer = await this.#waiting(() =>
      person.approver.ask(mayAmend ? { ...shown, mayAmend: true } : shown, signal),
    );
    // Stopping a turn answers its open question with no; the model must not take that for a decision about the call.
    signal.throwIfAborted();
    if (answer.kind === 'unasked')
      return refused(
        `This call needs a person’s consent, and none could be asked. It did not run. ${answer.reason}`,
        hookMessages,
      );
    if (answer.kind === 'deny') {
      return refused(`${DECLINED}${answer.reason ? ` They said: ${answer.reason}` : ''}`, hookMessages, 'declined');
    }
    if (mayRemember && answer.remember === 'always') await grant?.allowAlways();
    if (mayRemember && answer.remember === 'reading') await grant?.allowReading?.();
    grants.current = rememberAnswer(grants.current, { toolClass, mayRemember, grant }, answer);
    const { amended, reason } = answer;
    return {
      kind: 'approved',
      hookMessages,
      reason,
      prepared: mayAmend && amended !== undefined ? (prepared.amend?.(amended) ?? prepared) : prepared,
    };
  }

  /** Messages of the hooks after a call. The call has run, so its result is kept even if the person stops now. */
  async #messagesAfter({ toolClass }: Tool, outcome: ToolOutcome): Promise<readonly UserMessage[]> {
    const signal = this.#signal;
    if (signal.aborted) return [];
    try {
      return (await this.#turn.hooks.afterTool(this.#call, toolClass, outcome, signal)).messages;
    } catch (thrown) {
      if (signal.aborted || isAbort(thrown)) return [];
      throw thrown;
    }
  }

  #announce(phase: 'preparing' | 'approval' | 'running', title: string): void {
    const { onEvent, secrets } = this.#turn;
    onEvent({ type: 'call', toolCallId: this.#call.id, phase, title: hideSecrets(title, secrets()) });
  }

  async #waiting<T>(ask: () => Promise<T>): Promise<T> {
    const { clock } = this.#turn.toolPorts;
    const begun = clock.now();
    try {
      return await ask();
    } finally {
      this.waitedMs += clock.now() - begun;
      this.wasAsked = this.#signal.aborted;
    }
  }
}

/** The model would write the placeholder back in place of the secret. */
function writesRedacted({ approval }: PreparedCall, secrets: readonly string[]): boolean {
  if (approval?.detail.kind !== 'edit') return false;
  const { before, after } = approval.detail;
  if (before === null || !after.includes(REDACTED) || before.includes(REDACTED)) return false;
  return hideSecrets(before, secrets) !== before;
}

/** Also detects secrets with some letters percent-encoded. */
function sendsSecret(address: string, secrets: readonly string[]): boolean {
  const plain = address.replace(/%([0-7][\da-f])/giu, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return [address, plain].some((text) => hideSecrets(text, secrets) !== text);
}

/** `hookMessages`: messages for the model from the hooks before the call. */
type Approved = { readonly hookMessages: readonly UserMessage[] } & (
  | /** As it was asked for, or as the person amended it. */
  {
      readonly kind: 'approved';
      readonly prepared: PreparedCall;
      /** The words that the person added when they allowed it. */
      readonly reason?: string | undefined;
    }
  /** `outcome` is the call's result for the model. */
  | { readonly kind: 'refused'; readonly outcome: ToolOutcome }
);

const refused = (
  text: string,
  hookMessages: readonly UserMessage[] = [],
  by: 'refused' | 'declined' = 'refused',
): Approved => ({ kind: 'refused', hookMessages, outcome: ended(text, by) });

function isSameText(one: ApprovalRequest['detail'], other: ApprovalRequest['detail']): boolean {
  return one.kind === 'edit' && other.kind === 'edit' && one.after === other.after && one.before === other.before;
}

/**
 * Turns a call's outcome into the message that is journaled. If the settings say so, a large result is offloaded as it
 * arrives; content that the model deliberately read back is not, or it could never be read.
 */
async function toToolMessage(
  call: ToolCall,
  outcome: ToolOutcome,
  durationMs: number,
  turn: Turn,
): Promise<ToolMessage> {
  const message: ToolMessage = {
    role: 'tool',
    toolCallId: call.id,
    toolName: call.name,
    text: outcome.text,
    ...(outcome.attachments ? { attachments: outcome.attachments } : {}),
    ...(outcome.isError ? { isError: true } : {}),
    ...(outcome.ephemeral ? { ephemeral: outcome.ephemeral } : {}),
    ...(outcome.change ? { change: outcome.change } : {}),
    ...(outcome.truncation ? { truncation: outcome.truncation } : {}),
    ...(outcome.notRun ? { notRun: outcome.notRun } : {}),
    outcome: outcome.outcome ?? { kind: outcome.isError ? 'failed' : 'made' },
    durationMs,
  };
  if (outcome.readBack) return message;
  const { offload } = turn.compactionSettings();
  const { nonce } = turn.journal.session;
  try {
    return (
      (await offloadOnReturn(message, offload, { blobs: turn.toolPorts.blobs, nonce, timers: turn.system.timers })) ??
      message
    );
  } catch (thrown) {
    // A full disk must not cost the model the result: it stays in the message, with the reason.
    return { ...message, text: `${message.text}\n[not offloaded: ${messageOf(thrown)}]` };
  }
}
