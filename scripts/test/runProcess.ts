/** Runs one command to its end, with our own output. Its exit code is the result. It never outlives this process. */

import { spawn } from 'node:child_process';
import { ROOT } from '../paths.ts';

/** The exit code; 1 when a signal ended it. Rejects when it cannot be started. */
export function runProcess(
  command: string,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, words, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env } });
    const end = () => child.kill();
    process.once('exit', end);
    child.once('error', reject);
    child.once('exit', (code) => {
      process.off('exit', end);
      resolve(code ?? 1);
    });
  });
}
