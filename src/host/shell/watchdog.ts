/**
 * Ends a command when this process is gone, also when it was killed: a second process holds the end of a pipe that
 * closes with us. On Windows there is none.
 */

import { spawn } from 'node:child_process';
import { MARK } from './listFamily.ts';

/** A line means that the command has ended by itself. The mark also finds what has left the group, on Linux. */
const WATCH = `
read -r ended && exit 0
kill -s TERM -- "-$1" 2>/dev/null
sleep 1
kill -s KILL -- "-$1" 2>/dev/null
for each in /proc/[0-9]*; do
  if grep -qsaF "$2" "$each/environ"; then kill -s KILL "\${each#/proc/}" 2>/dev/null; fi
done
`;

/** `leader` leads a group of processes that all carry `mark`. Call what is returned when the group has ended. */
export function startWatchdog(leader: number, mark: string): () => void {
  if (process.platform === 'win32') return () => undefined;
  const dog = spawn('/bin/sh', ['-c', WATCH, 'sh', String(leader), `${MARK}=${mark}`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { PATH: '/usr/bin:/bin' },
    cwd: '/',
    detached: true,
  });
  // Without it the command runs as any other.
  dog.on('error', () => undefined);
  dog.stdin.on('error', () => undefined);
  dog.unref();
  return () => void dog.stdin.end('ended\n');
}
