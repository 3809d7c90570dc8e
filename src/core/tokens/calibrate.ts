/**
 * Fits estimates to the usage that each model reports. One factor a model, learnt from the growth of requests: between
 * two reports of the same epoch only the appended messages are new, so a fixed overhead cancels out.
 */

import { type Message, opaqueLength, type Usage } from '../context/message.ts';
import { type Entry, isTreeEntry } from '../journal/entry.ts';
import { isShapeEntry } from '../journal/entryTypes.ts';

/** Real usage is 0.5 to 3 times a heuristic estimate; anything outside is a misreport. */
export const LOWEST_FACTOR = 0.5;
export const HIGHEST_FACTOR = 3;
/** Older observations weigh less, so that the factor follows a change of content (code, Chinese, logs). */
const DECAY = 0.9;
/** Weight of the uncalibrated estimate before any observation, in tokens. */
const PRIOR = 500;

interface Sums {
  estimated: number;
  reported: number;
}

export class Calibration {
  readonly #models = new Map<string, Sums>();

  /** Reported tokens per estimated token; 1 without observations. */
  factor(model: string): number {
    const sums = this.#models.get(model);
    if (!sums) return 1;
    return clamp((sums.reported + PRIOR) / (sums.estimated + PRIOR));
  }

  /** True when its factor was learnt from reports. */
  knows(model: string): boolean {
    return this.#models.has(model);
  }

  /** `estimated` and `reported` count the same messages. */
  observe(model: string, estimated: number, reported: number): void {
    if (!(estimated > 0) || !(reported > 0)) return;
    const ratio = reported / estimated;
    if (ratio < LOWEST_FACTOR / 2 || ratio > HIGHEST_FACTOR * 2) return;
    const sums = this.#models.get(model) ?? { estimated: 0, reported: 0 };
    this.#models.set(model, {
      estimated: sums.estimated * DECAY + estimated,
      reported: sums.reported * DECAY + reported,
    });
  }
}

function clamp(factor: number): number {
  return Math.min(HIGHEST_FACTOR, Math.max(LOWEST_FACTOR, factor));
}

interface Report {
  readonly usage: Usage;
  readonly model: string;
  /** Uncalibrated tokens since the epoch began. */
  readonly estimated: number;
}

/** The share of a count by which the next one may differ for reasons other than what was added. */
const STEADY = 0.15;

/**
 * Follows a journal entry by entry, in file order, and feeds a calibration, so that a resumed session has its factors.
 * A report covers the request before the answer, so the answer counts towards the next report.
 */
export class CalibrationFollower {
  readonly calibration: Calibration;
  #estimated = 0;
  #last: Report | null = null;
  /** The newest report that cannot follow from that one: the next may show that it was right. */
  #other: Report | null = null;
  /** The answer may be appended before or after its usage, so it is held back until the next report. */
  #answer = 0;
  /** Whether the previous and the newest answer contain reasoning that is sent and that no estimate counts. */
  #sealed = { before: false, newest: false };
  #sealedLoop = false;

  constructor(calibration: Calibration = new Calibration()) {
    this.calibration = calibration;
  }

  follow(entry: Entry): void {
    if (entry.type === 'revert' || (isTreeEntry(entry) && isShapeEntry(entry))) {
      [this.#last, this.#other] = [null, null];
      this.#estimated = 0;
      this.#answer = 0;
    } else if (entry.type === 'message') {
      this.#estimated += entry.tokens;
      this.#answer = entry.message.role === 'assistant' ? entry.tokens : 0;
      this.#followSealed(entry.message);
      // Images are counted in so many ways that they would distort the factor for text.
      if (entry.message.role !== 'assistant' && entry.message.attachments?.length)
        [this.#last, this.#other] = [null, null];
    } else if (entry.type === 'usage' && (!entry.estimated || entry.counted)) {
      const estimated = this.#estimated - this.#answer;
      const report = { usage: entry.usage, model: entry.model, estimated };
      // The model's own tokenizer does not add up wrongly.
      this.#compare(report, entry.counted === true);
    }
  }

  /** A report that cannot follow from the one before it teaches nothing, and neither does the return from it. */
  #compare(report: Report, isExact: boolean): void {
    const isSame = this.#last?.model === report.model;
    const follows = (each: Report | null) => each && ((isExact && isSame) || this.#follows(each, report));
    const last = [this.#last, this.#other].find(follows);
    // A count that stays the same is the older one: the next includes what was added meanwhile.
    if (last && report.estimated > last.estimated && report.usage.input === last.usage.input) return;
    if (last) this.calibration.observe(report.model, report.estimated - last.estimated, this.#growth(last, report));
    if (last || !isSame) [this.#last, this.#other] = [report, null];
    else this.#other = report;
  }

  #follows(last: Report, report: Report): boolean {
    if (last.model !== report.model) return false;
    const growth = this.#growth(last, report);
    const added = report.estimated - last.estimated;
    const room = last.usage.input * STEADY;
    return growth <= added * HIGHEST_FACTOR + room && growth >= added * LOWEST_FACTOR - room;
  }

  #growth({ usage }: Report, report: Report): number {
    const isSealed = this.#answer > 0 ? this.#sealed.before : this.#sealed.newest;
    return report.usage.input - usage.input - (isSealed ? usage.reasoning : 0);
  }

  /** Providers drop such reasoning when a person speaks again: the growth of that request teaches nothing. */
  #followSealed(message: Message): void {
    if (message.role === 'assistant') {
      const newest = (message.toolCalls?.length ?? 0) > 0 && opaqueLength(message.reasoning ?? {}) > 0;
      this.#sealed = { before: this.#sealed.newest, newest };
      this.#sealedLoop ||= newest;
    } else if (message.role === 'user' && message.kind === 'user') {
      if (this.#sealedLoop) [this.#last, this.#other] = [null, null];
      this.#sealedLoop = false;
    }
  }
}
