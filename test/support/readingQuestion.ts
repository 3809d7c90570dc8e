/** Whether a command line runs unasked on a real disk, where the person allowed all commands that only read. */

import { existsSync } from 'node:fs';
import { decideApproval, NO_GRANTS } from '../../src/core/tools/approvals.ts';
import { inEnglish } from '../../src/core/words.ts';
import { openCommandDisk } from '../../src/node/files/commandDisk.ts';
import type { GitOptions } from '../../src/node/files/openGit.ts';
import { AllowedCommands } from '../../src/node/shell/allowedCommands.ts';
import { openFolder } from '../unit/node/files/temporaryFolder.ts';
import { createWorkbench, prepareOnly } from '../unit/tools/useTool.ts';

/** The reason of the question, or `runs`. The line runs in the first of the open folders. */
export async function whyAsked(options: GitOptions, command: string): Promise<string> {
  const files = await openFolder(options.folders[0] ?? '');
  let stored: unknown = [{ reading: true }];
  const commandRules = new AllowedCommands({
    get: () => stored,
    set: async (next) => {
      stored = next;
    },
  });
  const system = { platform: process.platform, environment: options.environment, exists: existsSync };
  const bench = createWorkbench();
  const ports = {
    ...bench,
    files,
    shell: { ...bench.shell, posix: () => true },
    commandRules,
    commandDisk: openCommandDisk({ ...options, system }),
  };
  const { approval, grant } = await prepareOnly(ports, 'run_command', { command });
  const guarded = !(approval?.mayRemember ?? true);
  const asked = { toolClass: 'run', guarded, trust: 'trusted', mode: 'act', grants: NO_GRANTS, grant } as const;
  return decideApproval(asked).kind === 'allow' ? 'runs' : inEnglish(approval?.why ?? []);
}
