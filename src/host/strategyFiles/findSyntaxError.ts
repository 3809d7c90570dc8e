/**
 * The first syntax error of a module. Node tells its line to nobody who imports the module, but prints it when it is
 * asked to check one; nothing of the module runs then.
 */

import { spawn } from 'node:child_process';

const LONGEST_MS = 10_000;

interface SyntaxFault {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

/** Null when there is none, or when it cannot be found out. */
export function findSyntaxError(code: string): Promise<SyntaxFault | null> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--input-type=module', '--check', '-'], {
      stdio: ['pipe', 'ignore', 'pipe'],
      // Desktop editors are Electron: this makes their program act as Node.
      env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: '' },
      timeout: LONGEST_MS,
    });
    let printed = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      printed = `${printed}${text}`.slice(0, 10_000);
    });
    child.on('error', () => resolve(null));
    child.on('close', () => {
      const line = /^\[stdin\]:(\d+)/m.exec(printed)?.[1];
      const message = /^SyntaxError: (.*)$/m.exec(printed)?.[1];
      resolve(line === undefined || message === undefined ? null : { line: Number(line), message });
    });
    // It may end before it has read everything.
    child.stdin.on('error', () => undefined);
    child.stdin.end(code);
  });
}
