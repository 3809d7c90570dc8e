/**
 * Limits the earlier file contents of this workspace's checkpoints, and the full outputs of its tools, according to the
 * settings. They are counted in the background after the first session was opened, and from then on as they are added.
 */

import type { Clock } from '../../../core/clock.ts';
import { messageOf } from '../../../core/errors.ts';
import type { BlobStore } from '../../../core/journal/blobStore.ts';
import type { Log } from '../../../core/log.ts';
import type { AgentSettings } from '../../agentSettings.ts';
import { type SweepReport, sweepBlobs } from './sweepBlobs.ts';

/** Milliseconds from the first opening to the first count, so that it delays nothing a person waits for. */
const COUNT_AFTER = 10_000;
/** Share of the limit that a sweep leaves, so that the next image does not cause another sweep. */
const SWEPT_TO = 0.9;

export class ImageQuota {
  readonly #folders: () => readonly string[];
  readonly #settings: () => AgentSettings;
  readonly #clock: Clock;
  readonly #log: Log;
  #bytes = 0;
  #counted = false;
  #timer: NodeJS.Timeout | null = null;
  #sweeping = false;
  /** Number of running restores. */
  #used = 0;
  readonly #listeners = new Set<() => void>();

  /** `folders` contain the sessions of the workspace. */
  constructor(folders: () => readonly string[], settings: () => AgentSettings, clock: Clock, log: Log) {
    this.#folders = folders;
    this.#settings = settings;
    this.#clock = clock;
    this.#log = log;
  }

  /** Calls `listener` after each count. */
  onDidCount(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /** True once everything was counted. */
  get counted(): boolean {
    return this.#counted;
  }

  /** As far as counted. */
  get bytes(): number {
    return this.#bytes;
  }

  get limit(): number {
    return this.#settings().checkpoints.quota * 1_000_000;
  }

  /** Call when a session is opened. */
  start(): void {
    this.#timer ??= setTimeout(() => void this.sweep(), COUNT_AFTER).unref();
  }

  /** Wraps a store to count added blobs. */
  count(blobs: BlobStore): BlobStore {
    return {
      get: (name) => blobs.get(name),
      put: async (bytes) => {
        const name = await blobs.put(bytes);
        this.#bytes += bytes.length;
        if (this.#bytes > this.limit) void this.sweep();
        return name;
      },
    };
  }

  /** Runs a restore without sweeping, which could delete the contents that it needs. */
  async hold<T>(restore: () => Promise<T>): Promise<T> {
    this.#used++;
    try {
      return await restore();
    } finally {
      this.#used--;
      if (this.#bytes > this.limit) void this.sweep();
    }
  }

  /** Removes contents that are too old or exceed the total, oldest first. Null where that is impossible now. */
  async sweep(): Promise<SweepReport | null> {
    if (this.#sweeping || this.#used > 0) return null;
    this.#sweeping = true;
    const { output, checkpoints } = this.#settings();
    const limits = {
      outputDays: output.days,
      beforeImageBytes: this.limit * SWEPT_TO,
      beforeImageDays: checkpoints.days,
    };
    try {
      const report = await sweepBlobs(this.#folders(), this.#clock.now(), limits);
      this.#bytes = report.beforeImageBytes;
      this.#counted = true;
      if (report.bytesFreed > 0)
        this.#log('info', `Cleared ${report.bytesFreed} bytes of old outputs and file contents.`);
      for (const listener of this.#listeners) listener();
      return report;
    } catch (thrown) {
      this.#log('warn', `Old file contents could not be cleared: ${messageOf(thrown)}`);
      return null;
    } finally {
      this.#sweeping = false;
    }
  }

  dispose(): void {
    if (this.#timer) clearTimeout(this.#timer);
  }
}
