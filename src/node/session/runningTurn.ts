/**
 * The part of a running turn that is not in the journal: the streaming answer, the running calls, and the line about what
 * the session is doing.
 */

import type { TurnEvent } from '../../core/agent/turn.ts';
import type { Clock } from '../../core/clock.ts';
import type { CompactionProgress } from '../../core/compaction/signals/compactionSignal.ts';
import type { Message } from '../../core/context/message.ts';
import type { Language } from '../../core/workspace/language.ts';
import type { ConversationChange } from './conversation.ts';

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

/** Characters stored of a running call's output. */
const OUTPUT = 20_000;

export class RunningTurn {
  readonly #clock: Clock;
  readonly #onChange: (change: ConversationChange) => void;
  readonly #onActivity: (text: string) => void;
  readonly #calls = new Map<string, RunningCall>();
  #answer: StreamingAnswer | null = null;

  /** `onActivity` gets one line about the current activity; empty when the answer shows it. */
  constructor(clock: Clock, onChange: (change: ConversationChange) => void, onActivity: (text: string) => void) {
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
    if (message.role === 'tool') this.#calls.delete(message.toolCallId);
    if (message.role !== 'assistant' || this.#answer === null) return;
    this.#answer = null;
    this.#onChange({ kind: 'answer' });
  }

  end(): void {
    this.#answer = null;
    this.#calls.clear();
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
      case 'writingCall':
        this.#onActivity(event.name);
        break;
      case 'call':
        this.#calls.set(event.toolCallId, { phase: event.phase, title: event.title, output: '' });
        this.#onChange({ kind: 'call', toolCallId: event.toolCallId });
        this.#onChange({ kind: 'state' });
        break;
      case 'output': {
        const call = this.#calls.get(event.toolCallId);
        if (!call) break;
        this.#calls.set(event.toolCallId, { ...call, output: (call.output + event.text).slice(-OUTPUT) });
        this.#onChange({ kind: 'call', toolCallId: event.toolCallId });
        break;
      }
    }
  }
}

/** The line about what a session is doing: a step of its turn, a compaction, or a wait whose seconds count down. */
export class Activity {
  readonly #onChange: () => void;
  #text = '';
  #compacting = false;
  #countdown: NodeJS.Timeout | null = null;
  #endWait: (() => void) | null = null;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /** Empty when there is nothing to say. */
  get text(): string {
    return this.#text;
  }

  get compacting(): boolean {
    return this.#compacting;
  }

  /** Ends the wait before another attempt; null while none is waited for, or it cannot be ended early. */
  get endWait(): (() => void) | null {
    return this.#endWait;
  }

  show(text: string): void {
    this.#endCountdown();
    this.#set(text);
  }

  compact(progress: CompactionProgress): void {
    this.#endCountdown();
    this.#compacting = progress !== null;
    this.#text = progress?.text ?? '';
    this.#onChange();
  }

  /** Counts the seconds of a wait down until something else is going on. `now` ends it early, where that can be done. */
  countDown(ms: number, describe: (seconds: number) => string, now?: () => void): void {
    this.#endCountdown();
    if (now) {
      this.#endWait = () => {
        this.#endCountdown();
        now();
      };
    }
    let seconds = Math.ceil(ms / 1_000);
    this.#set(describe(seconds));
    this.#countdown = setInterval(() => {
      seconds--;
      if (seconds > 0) this.#set(describe(seconds));
      else this.#endCountdown();
    }, 1_000).unref();
  }

  /** Nothing runs any more; the caller tells the change with others. */
  clear(): void {
    this.#endCountdown();
    this.#compacting = false;
    this.#text = '';
  }

  #endCountdown(): void {
    if (this.#countdown) clearInterval(this.#countdown);
    this.#countdown = null;
    if (!this.#endWait) return;
    this.#endWait = null;
    this.#onChange();
  }

  #set(text: string): void {
    if (this.#text === text) return;
    this.#text = text;
    this.#onChange();
  }
}

/** The same features; `text` is shown while an edit waits for reports on its problems. */
export function sayingChecks(language: Language, show: (text: string) => void, text: string): Language {
  return {
    ...language,
    async problemsAround(path, change, signal) {
      show(text);
      try {
        return await language.problemsAround(path, change, signal);
      } finally {
        show('');
      }
    },
  };
}
