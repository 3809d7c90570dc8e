/** The line about what a session is doing: a step of its turn, a compaction, or a wait whose seconds count down. */

import type { CompactionProgress } from '../../core/compaction/signals/compactionSignal.ts';
import type { Language } from '../../core/workspace/language.ts';

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
