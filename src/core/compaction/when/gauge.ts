/** How full the context is for the model in force. Learns from what providers report. */

import type { UsageEntry } from '../../journal/entry.ts';
import type { Journal } from '../../journal/journal.ts';
import type { ModelChoice } from '../../ports.ts';
import { type Calibration, CalibrationFollower } from '../../tokens/calibrate.ts';
import { type LearnedWindows, windowOf } from '../../tokens/learnedWindows.ts';
import { isOwnCount, type MeterReading, type OwnCount, readMeter, readOwnCount } from '../../tokens/meter.ts';
import { answerRoom } from './limits.ts';
import type { TriggerSettings } from './triggerSettings.ts';
import { decideTrigger, measure, type TriggerDecision, type TriggerMoment, triggerLimit } from './triggers.ts';

interface GaugePorts {
  readonly journal: Journal;
  /** Null when none is set up. */
  readonly model: () => ModelChoice | null;
  readonly windows: LearnedWindows;
}

export interface TriggerMark {
  /** In tokens of the reading. */
  readonly at: number;
  /** What is compared where the strategy counts in its own way, and where that fires; null when the reading is. */
  readonly counted: { readonly tokens: number; readonly limit: number } | null;
}

/** Entries that a resumed session is calibrated from: the newest tell most, and a long session is not read for it. */
const FOLLOWED = 2_000;

export class Gauge {
  readonly #ports: GaugePorts;
  readonly #follower = new CalibrationFollower();
  readonly #stop: () => void;

  constructor(ports: GaugePorts) {
    this.#ports = ports;
    for (const entry of [...ports.journal.newest(FOLLOWED)].reverse()) this.#follower.follow(entry);
    this.#stop = ports.journal.listen((entry) => {
      this.#follower.follow(entry);
      if (entry.type === 'usage' && !entry.estimated) this.#disprove(entry);
    });
  }

  dispose(): void {
    this.#stop();
  }

  get calibration(): Calibration {
    return this.#follower.calibration;
  }

  get reading(): MeterReading {
    return readMeter(this.#ports.journal.context, this.#ports.model()?.model ?? '', this.calibration);
  }

  /** Window in tokens, as configured or as the provider corrected it; 0 when unknown. */
  get window(): number {
    const choice = this.#ports.model();
    return choice ? windowOf(choice, this.#ports.windows) : 0;
  }

  /** Tokens of the window that the next request keeps free for its answer. */
  get answerRoom(): number {
    return answerRoom(this.window, this.#ports.model());
  }

  decide(settings: TriggerSettings, moment: TriggerMoment): TriggerDecision {
    const { reading, window } = this;
    return decideTrigger(settings, moment, { reading, counted: (by) => this.#count(by), window });
  }

  /** What the trigger compares for one token of the reading: characters / 2 count a text about twice as high. */
  scale({ basis }: TriggerSettings): number {
    const { tokens } = this.reading;
    return !isOwnCount(basis) || tokens === 0 ? 1 : Math.max(0.1, this.#count(basis) / tokens);
  }

  /** What the trigger compares now; the reading while its basis has nothing to go by. */
  compare(settings: TriggerSettings): number {
    const { reading, window } = this;
    const figures = { reading, counted: (by: OwnCount) => this.#count(by), window };
    return measure(settings, { at: 'beforeMessage', tokens: 0 }, figures) ?? reading.tokens;
  }

  /** Where the trigger fires, for the meter. Null when it cannot. */
  mark(settings: TriggerSettings): TriggerMark | null {
    const limit = triggerLimit(settings, this.window);
    if (limit === null) return null;
    const counted = isOwnCount(settings.basis) ? { tokens: this.#count(settings.basis), limit } : null;
    return { at: Math.round(limit / this.scale(settings)), counted };
  }

  /** The provider refused a request as longer than `window` tokens. */
  learnWindow(window: number): void {
    const choice = this.#ports.model();
    if (choice) this.#ports.windows.learn(choice.client.endpoint, choice.model, window);
  }

  #count(by: OwnCount): number {
    return readOwnCount(this.#ports.journal.context.conversation, by);
  }

  #disprove({ model, usage }: Pick<UsageEntry, 'model' | 'usage'>): void {
    const choice = this.#ports.model();
    if (choice?.model === model) this.#ports.windows.disprove(choice.client.endpoint, model, usage.input);
  }
}
