/** Questions that wait for the person: each is answered once, by its id. Stopping the turn answers them too. */

import type { Crypto } from '../../core/crypto.ts';
import type { ApprovalAnswer, ApprovalRequest, Approver } from '../../core/tools/approvals.ts';

interface WaitingQuestion<Question, Answer> {
  readonly question: Question & { readonly id: string };
  readonly settle: (answer: Answer) => void;
}

/** One question is shown at a time; others wait. */
export class Questions<Question extends object, Answer> {
  readonly #crypto: Crypto;
  readonly #stopped: Answer;
  readonly #onChange: () => void;
  /** The first is shown. */
  readonly #waiting: WaitingQuestion<Question, Answer>[] = [];

  /** `stopped` is the answer when the turn is stopped first. */
  constructor(crypto: Crypto, stopped: Answer, onChange: () => void) {
    this.#crypto = crypto;
    this.#stopped = stopped;
    this.#onChange = onChange;
  }

  get pending(): (Question & { readonly id: string }) | null {
    return this.#waiting[0]?.question ?? null;
  }

  ask(question: Question, signal: AbortSignal): Promise<Answer> {
    return new Promise((resolve) => {
      const id = this.#crypto.randomHex(16);
      const stop = () => settle(this.#stopped);
      const settle = (answer: Answer) => {
        const at = this.#waiting.findIndex(({ question }) => question.id === id);
        if (at < 0) return;
        this.#waiting.splice(at, 1);
        signal.removeEventListener('abort', stop);
        resolve(answer);
        this.#onChange();
      };
      this.#waiting.push({ question: { ...question, id }, settle });
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      this.#onChange();
    });
  }

  /** Updates the details of the open question; its id stays. */
  change(id: string, change: (question: Question) => Question): void {
    const [first] = this.#waiting;
    if (!first || first.question.id !== id) return;
    this.#waiting[0] = { ...first, question: { ...change(first.question), id } };
    this.#onChange();
  }

  /** False when it is not the waiting question. */
  answer(id: string, answer: Answer): boolean {
    if (this.pending?.id !== id) return false;
    this.#waiting[0]?.settle(answer);
    return true;
  }
}

export interface PendingApproval {
  readonly id: string;
  readonly hash: string;
  readonly request: ApprovalRequest;
  /** The person's text in place of the requested one; it is then the shown text. */
  readonly amended: string | null;
}

interface WaitingApproval extends PendingApproval {
  readonly settle: (answer: ApprovalAnswer) => void;
}

/**
 * Tool calls that wait for a person's approval. An answer also names the hash of the shown text; any other answer is
 * refused. Stopping the turn answers with no.
 */
export class Approvals implements Approver {
  readonly #waiting = new Map<string, WaitingApproval>();
  /** The newest change of each text, so that a slower older one does not replace it. */
  readonly #amending = new Map<string, symbol>();
  readonly #crypto: Crypto;
  readonly #onChange: (toolCallId: string) => void;

  constructor(crypto: Crypto, onChange: (toolCallId: string) => void) {
    this.#crypto = crypto;
    this.#onChange = onChange;
  }

  get pending(): readonly PendingApproval[] {
    return [...this.#waiting.values()];
  }

  async ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    const hash = await this.#hash(request, null);
    const id = this.#crypto.randomHex(16);
    if (signal.aborted) return { kind: 'deny' };
    return new Promise((resolve) => {
      const settle = (answer: ApprovalAnswer) => {
        if (!this.#waiting.delete(id)) return;
        this.#amending.delete(id);
        signal.removeEventListener('abort', stop);
        resolve(answer);
        this.#onChange(request.toolCallId);
      };
      const stop = () => settle({ kind: 'deny' });
      signal.addEventListener('abort', stop, { once: true });
      this.#waiting.set(id, { id, hash, request, amended: null, settle });
      this.#onChange(request.toolCallId);
    });
  }

  /**
   * From now on the question concerns the person's own text; null restores the requested one. An answer to the previous
   * text is refused. False when the question is no longer open, or allows no other text.
   */
  async amend(id: string, text: string | null): Promise<boolean> {
    const waiting = this.#waiting.get(id);
    if (!waiting?.request.mayAmend) return false;
    // Until the new text has its hash, no answer matches.
    this.#waiting.set(id, { ...waiting, hash: '' });
    const change = Symbol(id);
    this.#amending.set(id, change);
    const hash = await this.#hash(waiting.request, text);
    if (this.#amending.get(id) !== change || !this.#waiting.has(id)) return false;
    this.#waiting.set(id, { ...waiting, hash, amended: text });
    this.#onChange(waiting.request.toolCallId);
    return true;
  }

  #hash(request: ApprovalRequest, amended: string | null): Promise<string> {
    return this.#crypto.sha256(
      new TextEncoder().encode(JSON.stringify(amended === null ? request : [request, amended])),
    );
  }

  /** False when the question does not exist, was answered, or showed something else. */
  answer(id: string, hash: string, answer: ApprovalAnswer): boolean {
    const waiting = this.#waiting.get(id);
    if (!waiting || hash === '' || waiting.hash !== hash) return false;
    const settled = within(waiting.request, answer);
    const { amended } = waiting;
    waiting.settle(settled.kind === 'allow' && amended !== null ? { ...settled, amended } : settled);
    return true;
  }
}

/** Limits the answer to the duration that the question offered. */
function within({ mayRemember, mayAlways, detail }: ApprovalRequest, answer: ApprovalAnswer): ApprovalAnswer {
  if (answer.kind !== 'allow' || answer.remember === 'no') return answer;
  if (!mayRemember) return { ...answer, remember: 'no' };
  if (answer.remember === 'reading') {
    const offered = detail.kind === 'command' && detail.reads;
    return { ...answer, remember: offered ? 'reading' : 'no' };
  }
  return { ...answer, remember: mayAlways ? answer.remember : 'session' };
}
