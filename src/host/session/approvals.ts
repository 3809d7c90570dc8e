/**
 * Tool calls that wait for a person's approval. A question is answered once, by its id and the hash of what was shown;
 * any other answer is refused. Stopping the turn answers with no.
 */

import type { ApprovalAnswer, ApprovalRequest, Approver, Crypto } from '../../core/ports.ts';

export interface PendingApproval {
  readonly id: string;
  readonly hash: string;
  readonly request: ApprovalRequest;
}

interface Waiting extends PendingApproval {
  readonly settle: (answer: ApprovalAnswer) => void;
}

export class Approvals implements Approver {
  readonly #waiting = new Map<string, Waiting>();
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
    const hash = await this.#crypto.sha256(new TextEncoder().encode(JSON.stringify(request)));
    const id = this.#crypto.randomHex(16);
    if (signal.aborted) return { kind: 'deny' };
    return new Promise((resolve) => {
      const settle = (answer: ApprovalAnswer) => {
        if (!this.#waiting.delete(id)) return;
        signal.removeEventListener('abort', stop);
        resolve(answer);
        this.#onChange(request.toolCallId);
      };
      const stop = () => settle({ kind: 'deny' });
      signal.addEventListener('abort', stop, { once: true });
      this.#waiting.set(id, { id, hash, request, settle });
      this.#onChange(request.toolCallId);
    });
  }

  /** False when there is no such question, it was answered, or something else was shown. */
  answer(id: string, hash: string, answer: ApprovalAnswer): boolean {
    const waiting = this.#waiting.get(id);
    if (!waiting || waiting.hash !== hash) return false;
    waiting.settle(within(waiting.request, answer));
    return true;
  }
}

/** No longer than the question offered. */
function within({ mayRemember, mayAlways }: ApprovalRequest, answer: ApprovalAnswer): ApprovalAnswer {
  if (answer.kind !== 'allow' || answer.remember === 'no') return answer;
  if (!mayRemember) return { kind: 'allow', remember: 'no' };
  return { kind: 'allow', remember: mayAlways ? answer.remember : 'session' };
}
