/** Opens desktop VS Code with the extension from this checkout, until its window is closed or Ctrl+C. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { OPENER, ROOT } from '../paths.ts';
import type { Session } from './openServer.ts';

export async function openDesktop(executable: string, { folder, userDataDir, env }: Session): Promise<void> {
  const words = [
    ...[ROOT, OPENER].map((path) => `--extensionDevelopmentPath=${path}`),
    `--user-data-dir=${userDataDir}`,
    `--extensions-dir=${join(userDataDir, 'extensions')}`,
    '--disable-workspace-trust',
    '--new-window',
    folder,
  ];
  const child = spawn(executable, words, { stdio: 'ignore', env: { ...process.env, ...env } });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  console.log(`\nDesktop VS Code with Palimpsest is opening ${folder}.\nClose its window or press Ctrl+C to stop.`);
  await once(child, 'exit');
}
