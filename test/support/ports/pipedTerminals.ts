/**
 * `Terminals` over real shells that read their lines from a pipe. A word of its own behind each line tells when the shell is
 * ready again, as the sequences of shell integration do in an editor.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { IntegratedTerminal, TerminalOptions, Terminals } from '../../../src/host/shell/openTerminals.ts';

export interface PipedTerminals extends Terminals {
  readonly opened: PipedTerminal[];
}

/** `integrated`: whether the shells tell where commands begin. */
export function pipedTerminals(
  file: string,
  args: readonly string[],
  { integrated = true, env = {} }: { readonly integrated?: boolean; readonly env?: Record<string, string> } = {},
): PipedTerminals {
  const opened: PipedTerminal[] = [];
  return {
    opened,
    async open({ folder, environment }: TerminalOptions) {
      if (!integrated) return null;
      const shell = spawn(file, args, {
        cwd: folder,
        env: { ...process.env, ...env, ...environment },
        stdio: ['pipe', 'pipe', 'ignore'],
        detached: true,
      });
      opened.push(new PipedTerminal(shell));
      return opened.at(-1) ?? null;
    },
  };
}

export class PipedTerminal implements IntegratedTerminal {
  isBusy = false;
  isClosed = false;
  readonly lines: string[] = [];
  readonly closed: Promise<void>;
  readonly #shell: ChildProcess;

  constructor(shell: ChildProcess) {
    this.#shell = shell;
    shell.stdin?.on('error', () => undefined);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    shell.on('exit', () => {
      this.isClosed = true;
      resolve();
    });
  }

  get shell(): number | undefined {
    return this.#shell.pid;
  }

  /** As a person types it. */
  type(line: string): void {
    this.#shell.stdin?.write(`${line}\n`);
  }

  execute(line: string) {
    this.lines.push(line);
    const word = randomUUID();
    const ready = new RegExp(`${word}:(\\d+)\\n`);
    const chunks: string[] = [];
    const ended = Promise.withResolvers<number | null>();
    let wake = Promise.withResolvers<void>();
    let over = false;
    let all = '';
    const take = (bytes: Buffer) => {
      all += bytes.toString('utf8');
      chunks.push(bytes.toString('utf8'));
      const found = ready.exec(all);
      if (found) {
        ended.resolve(Number(found[1]));
        leave();
      }
      wake.resolve();
    };
    const leave = () => {
      over = true;
      this.#shell.stdout?.off('data', take);
      this.#shell.off('exit', leave);
      wake.resolve();
    };
    this.#shell.stdout?.on('data', take);
    this.#shell.on('exit', leave);
    // In pieces, so that the line is one also for the test.
    this.#shell.stdin?.write(`${line}\necho "${word.slice(0, 9)}""${word.slice(9)}:$?"\n`);
    const output = async function* () {
      for (;;) {
        yield* chunks.splice(0);
        if (over) return;
        await wake.promise;
        wake = Promise.withResolvers<void>();
      }
    };
    return { output: output(), ended: ended.promise };
  }

  close(): void {
    if (this.#shell.pid !== undefined && !this.isClosed) process.kill(this.#shell.pid, 'SIGKILL');
  }
}
