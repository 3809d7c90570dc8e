/**
 * The part of a running turn that is not in the journal: the streaming answer and the running calls.
 */

import type { TurnEvent } from '../../core/agent/agentEvents.ts';
import type { Clock } from '../../core/clock.ts';
import type { Message } from '../../core/context/message.ts';
import { RedrawnOutput } from '../../core/tools/text/redrawnLines.ts';

/** A call by the model without a result in the journal yet. */
export interface RunningCall {
  readonly phase: 'preparing' | 'approval' | 'running';
  readonly title: string;
  /** Its newest part. */
  readonly output: string;
}

export interface StreamingAnswer {
  readonly time: number;
  readonly text: string;
  readonly reasoning: string;
}

export type TurnChange =
  | { readonly kind: 'state' }
  /** The streaming answer began or ended. */
  | { readonly kind: 'answer' }
  | { readonly kind: 'delta'; readonly text: string; readonly reasoning: string }
  | { readonly kind: 'call'; readonly toolCallId: string };

/** Characters stored of a running call's output. */
const OUTPUT = 20_000;

export class RunningTurn {
  readonly #clock: Clock;
  readonly #onChange: (change: TurnChange) => void;
  readonly #onActivity: (text: string) => void;
  readonly #calls = new Map<string, RunningCall>();
  readonly #outputs = new Map<string, RedrawnOutput>();
  #answer: StreamingAnswer | null = null;

  /** `onActivity` gets one line about the current activity; empty when the answer shows it. */
  constructor(clock: Clock, onChange: (change: TurnChange) => void, onActivity: (text: string) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
    this.#onActivity = onActivity;
  }

  get answer(): StreamingAnswer | null {
    return this.#answer;
  }

  get calls(): ReadonlyMap<string, RunningCall> {
    return this.#calls;
  }

  /** The message is in the journal, so its progress is no longer shown. */
  settle(message: Message): void {
    if (message.role === 'tool') this.#forget(message.toolCallId);
    if (message.role !== 'assistant' || this.#answer === null) return;
    this.#answer = null;
    this.#onChange({ kind: 'answer' });
  }

  end(): void {
    this.#answer = null;
    this.#calls.clear();
    this.#outputs.clear();
  }

  #forget(toolCallId: string): void {
    this.#calls.delete(toolCallId);
    this.#outputs.delete(toolCallId);
  }

  take(event: TurnEvent): void {
    switch (event.type) {
      case 'answer':
        this.#answer = event.phase === 'begun' ? { time: this.#clock.now(), text: '', reasoning: '' } : null;
        this.#onActivity('');
        this.#onChange({ kind: 'answer' });
        this.#onChange({ kind: 'state' });
        break;
      case 'delta': {
        if (!this.#answer) break;
        const { time, text, reasoning } = this.#answer;
        this.#answer = { time, text: text + event.text, reasoning: reasoning + event.reasoning };
        this.#onChange({ kind: 'delta', text: event.text, reasoning: event.reasoning });
        break;
      }
      case 'wasThinking': {
        if (!this.#answer) break;
        const { time, text, reasoning } = this.#answer;
        this.#answer = { time, text: '', reasoning: reasoning + text };
        this.#onChange({ kind: 'answer' });
        break;
      }
      case 'writingCall':
        this.#onActivity(event.name);
        break;
      case 'call':
        this.#calls.set(event.toolCallId, { phase: event.phase, title: event.title, output: '' });
        this.#outputs.set(event.toolCallId, new RedrawnOutput(OUTPUT));
        this.#onChange({ kind: 'call', toolCallId: event.toolCallId });
        this.#onChange({ kind: 'state' });
        break;
      case 'output': {
        const call = this.#calls.get(event.toolCallId);
        const output = this.#outputs.get(event.toolCallId);
        if (!call || !output) break;
        this.#calls.set(event.toolCallId, { ...call, output: output.push(event.text) });
        this.#onChange({ kind: 'call', toolCallId: event.toolCallId });
        break;
      }
    }
  }
}
