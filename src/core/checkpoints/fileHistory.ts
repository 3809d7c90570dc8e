/**
 * A session's record of the workspace's files: it keeps their contents before each change and restores them. The
 * workspace's folders may change under an open session.
 */

import type { BlobStore } from '../journal/blobStore.ts';
import { isGuarded } from '../tools/guardedNames.ts';
import { words } from '../words.ts';
import { type CheckpointFiles, type CheckpointPorts, FileKeeper } from './fileKeeper.ts';
import { previewRestore, type RestoreOutcome, restoreFiles, type SkippedFile } from './restoreFiles.ts';
import type { RestoreStep } from './restorePlan.ts';

/** The source of file contents, and the store that keeps them. */
export interface FileHistorySource {
  /** The files of the folders that are open now. */
  readonly files: () => CheckpointFiles;
  /** Takes the contents of files. */
  readonly blobs: BlobStore;
  /** False where a person switched checkpoints off. */
  readonly keeps: () => boolean;
  /** Runs a restore, during which nothing that was kept may be cleared. */
  readonly hold: <T>(restore: () => Promise<T>) => Promise<T>;
}

export class FileHistory {
  readonly restorePorts: CheckpointPorts;
  /** Asked after approval, before a call runs, and again when it has ended. */
  readonly keeper: Pick<FileKeeper, 'before' | 'after'>;
  readonly #source: FileHistorySource;

  constructor(
    source: FileHistorySource,
    { journal, clock, crypto }: Pick<CheckpointPorts, 'journal' | 'clock' | 'crypto'>,
  ) {
    const ports = {
      get files() {
        return source.files();
      },
      journal,
      clock,
      crypto,
      blobs: source.blobs,
    };
    const keeper = new FileKeeper(ports);
    this.#source = source;
    this.restorePorts = ports;
    this.keeper = {
      before: async (call) => {
        if (source.keeps()) await keeper.before(call);
      },
      after: (toolCallId) => keeper.after(toolCallId),
    };
  }

  /** Carries out the steps of a preview that the person chose: they have decided its conflicts. */
  restore(steps: readonly RestoreStep[]): Promise<RestoreOutcome> {
    return this.#source.hold(() => restoreFiles(steps, new Set(steps.map(({ path }) => path)), this.restorePorts));
  }

  /** Restores the files that nobody else has changed since. Used when no person can be asked. */
  restoreUnasked(moment: number): Promise<RestoreOutcome> {
    return this.#source.hold(async () => {
      const { steps, left } = leaveGuarded((await previewRestore(moment, this.restorePorts)).steps);
      const outcome = await restoreFiles(steps, new Set(), this.restorePorts);
      return { ...outcome, skipped: [...outcome.skipped, ...left] };
    });
  }
}

/** Steps of a restore that runs without asking: a file that configures an agent or a tool is never written unasked. */
interface UnaskedSteps {
  readonly steps: readonly RestoreStep[];
  readonly left: readonly SkippedFile[];
}

export function leaveGuarded(steps: readonly RestoreStep[]): UnaskedSteps {
  const changes = ({ kind }: RestoreStep) => kind === 'write' || kind === 'remove';
  const guarded = steps.filter((step) => changes(step) && isGuarded(step.path));
  return {
    steps: steps.filter((step) => !guarded.includes(step)),
    left: guarded.map(({ path }) => ({
      path,
      reason: words('it configures an agent or a tool, so it is written only when you were asked'),
    })),
  };
}
