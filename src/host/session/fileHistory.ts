/**
 * What a session knows of the workspace's files: it keeps what they held before each change, and has what a restore
 * needs. The workspace's folders may change under an open session.
 */

import { FileKeeper } from '../../core/checkpoints/fileKeeper.ts';
import { leaveGuarded } from '../../core/checkpoints/leaveGuarded.ts';
import {
  previewRestore,
  type RestoreOutcome,
  type RestorePorts,
  restoreFiles,
} from '../../core/checkpoints/restoreFiles.ts';
import type { RestoreStep } from '../../core/checkpoints/restorePlan.ts';
import type { Clock, Crypto } from '../../core/ports.ts';
import type { AgentSettings } from '../settings/agentSettings.ts';
import type { OpenSession } from '../storage/sessions/sessionStore.ts';
import type { Workspace } from '../workspace.ts';
import type { ImageQuota } from './imageQuota.ts';

export interface FileHistory {
  readonly restorePorts: RestorePorts;
  readonly keeper: Pick<FileKeeper, 'before' | 'after'>;
  /** Carries out what the person chose of a preview: a conflict among it is decided. */
  restore(steps: readonly RestoreStep[]): Promise<RestoreOutcome>;
  /** Gives back what nobody else changed since; for when no person can be asked. */
  restoreUnasked(moment: number): Promise<RestoreOutcome>;
}

interface FileHistorySources {
  readonly clock: Clock;
  readonly crypto: Crypto;
  readonly quota: ImageQuota;
  readonly workspace: () => Workspace;
  readonly agentSettings: () => AgentSettings;
}

export function openFileHistory({ blobs, journal }: OpenSession, sources: FileHistorySources): FileHistory {
  const { clock, crypto, quota, workspace, agentSettings } = sources;
  const ports = {
    journal,
    get files() {
      return workspace().checkpointFiles;
    },
    blobs: quota.count(blobs),
    crypto,
    clock,
  };
  const keeper = new FileKeeper(ports);
  return {
    restorePorts: ports,
    keeper: {
      before: async (call) => {
        if (agentSettings()['checkpoints.enabled']) await keeper.before(call);
      },
      after: (toolCallId) => keeper.after(toolCallId),
    },
    restore: (steps) => quota.hold(() => restoreFiles(steps, new Set(steps.map(({ path }) => path)), ports)),
    restoreUnasked: (moment) =>
      quota.hold(async () => {
        const { steps, left } = leaveGuarded((await previewRestore(moment, ports)).steps);
        const outcome = await restoreFiles(steps, new Set(), ports);
        return { ...outcome, skipped: [...outcome.skipped, ...left] };
      }),
  };
}
