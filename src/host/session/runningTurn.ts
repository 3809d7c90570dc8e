/** What is on screen of a running turn but not yet in the journal: the streaming answer and the running calls. */

import type { TurnEvent } from '../../core/agent/turn.ts';
import type { Message } from '../../core/context/message.ts';
import type { Clock } from '../../core/ports.ts';
import type { ConversationChange } from './conversationChange.ts';

/** A call that the model has made and that has no result in the journal yet. */
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

/** Characters of a running call's output that are kept. */
const OUTPUT = 20_000;

export interface RunningTurnPorts {
  readonly clock: Clock;
  readonly onChange: (change: ConversationChange) => void;
  /** One line about what is going on; empty when the answer shows it. */
  readonly onActivity: (text: string) => void;
}

export class RunningTurn {
  readonly #ports: RunningTurnPorts;
  readonly #calls = new Map<string, RunningCall>();
  #answer: StreamingAnswer | null = null;

  constructor(ports: RunningTurnPorts) {
    this.#ports = ports;
  }

  get answer(): StreamingAnswer | null {
    return this.#answer;
  }

  get calls(): ReadonlyMap<string, RunningCall> {
    return this.#calls;
  }

  /** The message is in the journal, so nobody is shown any more how it came about. */
  settle(message: Message): void {
    if (message.role === 'tool') this.#calls.delete(message.toolCallId);
    if (message.role !== 'assistant' || this.#answer === null) return;
    this.#answer = null;
    this.#ports.onChange({ kind: 'answer' });
  }

  end(): void {
    this.#answer = null;
    this.#calls.clear();
  }

  take(event: TurnEvent): void {
    const { clock, onChange, onActivity } = this.#ports;
    switch (event.type) {
      case 'answer':
        this.#answer = event.phase === 'begun' ? { time: clock.now(), text: '', reasoning: '' } : null;
        onActivity('');
        onChange({ kind: 'answer' });
        onChange({ kind: 'state' });
        break;
      case 'delta': {
        if (!this.#answer) break;
        const { time, text, reasoning } = this.#answer;
        this.#answer = { time, text: text + event.text, reasoning: reasoning + event.reasoning };
        onChange({ kind: 'delta', text: event.text, reasoning: event.reasoning });
        break;
      }
      case 'writingCall':
        onActivity(event.name);
        break;
      case 'call':
        this.#calls.set(event.toolCallId, { phase: event.phase, title: event.title, output: '' });
        onChange({ kind: 'call', toolCallId: event.toolCallId });
        onChange({ kind: 'state' });
        break;
      case 'output': {
        const call = this.#calls.get(event.toolCallId);
        if (!call) break;
        this.#calls.set(event.toolCallId, { ...call, output: (call.output + event.text).slice(-OUTPUT) });
        onChange({ kind: 'call', toolCallId: event.toolCallId });
        break;
      }
    }
  }
}
