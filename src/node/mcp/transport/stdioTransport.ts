/**
 * A server as a child process that communicates over its pipes, one message a line. It runs in its own process group
 * with the environment of commands; the whole group ends with the connection, and when this process is killed. Its
 * output is bounded.
 */

import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js';
import spawn from 'cross-spawn';
import { messageOf, wordsOf } from '../../../core/errors.ts';
import { parseJson } from '../../../core/json.ts';
import { LineSplitter, type SplitLine } from '../../../core/tools/text/lineSplitter.ts';
import { type Words, words } from '../../../core/words.ts';
import { hasCode } from '../../files/fileErrors.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { findProgram } from '../../shell/findProgram.ts';
import { MARK } from '../../shell/listProcesses.ts';
import { endGroup, reportGroup } from '../../shell/processGroup.ts';
import { startWatched } from '../../shell/watchdog.ts';
import { FloodGuard, LONGEST_MESSAGE, ServerFault, tooLong } from './serverFault.ts';

interface StdioOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Variables that the server's configuration gives it; `env` has them, too. */
  readonly given?: Readonly<Record<string, string>>;
  /** In it the server runs. Default: outside of any. */
  readonly sandbox?: Sandbox | undefined;
  readonly cwd: string;
  /** Its output outside the protocol, line by line. */
  readonly onLine: (line: string) => void;
  readonly now: () => number;
}

/** Time to end by itself once its input is closed. */
const LEAVE_MS = 500;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T) => void;
  readonly #options: StdioOptions;
  readonly #guard: FloodGuard;
  readonly #mark = randomUUID();
  #child: ChildProcess | null = null;
  #fault: Words | null = null;
  readonly #messages = new LineSplitter(LONGEST_MESSAGE);
  #closed = false;
  #since = 0;
  #endWatch: () => void = () => undefined;
  #ending: Promise<void> | null = null;
  #leave: (() => Promise<unknown>) | undefined;

  constructor(options: StdioOptions) {
    this.#options = options;
    this.#guard = new FloodGuard(options.now);
  }

  /** Why it ended, if known. */
  get fault(): Words | null {
    return this.#fault;
  }

  async start(): Promise<void> {
    const { command, args, env, given, cwd, sandbox } = this.#options;
    const program = locate(command, cwd, env);
    if (program === null) {
      this.#end();
      throw notFound(command);
    }
    // A server runs for as long as the window, and no folder can be guarded for that long: it may only read there.
    const confined = await sandbox?.confine({ file: program, args }, cwd, { writes: false });
    this.#leave = confined?.leave;
    const start = confined ?? { file: program, args };
    const inForce = confined ? { ...confined.environment, ...given } : env;
    await new Promise<void>((resolve, reject) => {
      this.#since = Date.now();
      const { child, endWatch } = startWatched(this.#mark, this.#since, () =>
        spawn(start.file, [...start.args], {
          cwd,
          env: { ...inForce, [MARK]: this.#mark },
          stdio: ['pipe', 'pipe', 'pipe', ...Array<'pipe'>(confined?.pipes ?? 0).fill('pipe')],
          detached: process.platform !== 'win32',
          windowsHide: true,
        }),
      );
      this.#child = child;
      this.#endWatch = endWatch;
      confined?.begin(child).catch((thrown: unknown) => {
        this.#fault ??= wordsOf(thrown);
      });
      child.once('spawn', resolve);
      child.once('error', (thrown) => {
        reject(describeStart(command, cwd, thrown));
        this.#end();
      });
      child.once('exit', (code, signal) => {
        this.#fault ??=
          code === null
            ? words('It was ended by the signal {0}.', signal ?? '')
            : words('It ended with the exit code {0}.', code);
      });
      // After the last of its output. It may have been the parent of the real server, as `npx` is.
      child.once('close', () => {
        this.#end();
        void this.#endAll(child);
      });
      child.stdin?.on('error', (thrown) => this.onerror?.(thrown));
      const decoder = new StringDecoder();
      child.stdout?.on('data', (bytes: Buffer) => this.#read(bytes, decoder));
      this.#readErrors(child);
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin?.writable) throw new Error('The server has ended.');
    await new Promise<void>((resolve, reject) => {
      stdin.write(`${JSON.stringify(message)}\n`, (thrown) => (thrown ? reject(thrown) : resolve()));
    });
  }

  async close(): Promise<void> {
    const child = this.#child;
    this.#end();
    if (!child || child.pid === undefined) return;
    child.stdin?.end();
    if (child.exitCode === null && child.signalCode === null) {
      await new Promise<void>((resolve) => {
        const late = setTimeout(resolve, LEAVE_MS);
        child.once('exit', () => {
          clearTimeout(late);
          resolve();
        });
      });
    }
    await this.#endAll(child);
    for (const stream of [child.stdout, child.stderr]) stream?.destroy();
  }

  /** Without waiting, when the window closes. A process that ignores it ends with this process. */
  kill(): void {
    this.#child?.stdin?.end();
    if (this.#child) reportGroup(this.#child);
  }

  #endAll(child: ChildProcess): Promise<void> {
    this.#ending ??= endGroup(child, this.#mark, this.#since, true)
      .then(() => this.#endWatch())
      .then(async () => void (await this.#leave?.()));
    return this.#ending;
  }

  #read(bytes: Buffer, decoder: StringDecoder): void {
    if (this.#closed) return;
    const flood = this.#guard.read(bytes);
    if (flood) {
      this.#breakOff(flood);
      return;
    }
    for (const { text, length } of this.#messages.push(decoder.write(bytes))) {
      if (length > LONGEST_MESSAGE) {
        this.#breakOff(tooLong());
        return;
      }
      const line = text.trim();
      if (line !== '') this.#take(line);
    }
    if (this.#messages.open > LONGEST_MESSAGE) this.#breakOff(tooLong());
  }

  #take(line: string): void {
    // Of any depth: it answers a request, which must learn of it. The receiver checks its content.
    const message = JSONRPCMessageSchema.safeParse(parseJson(line, Number.POSITIVE_INFINITY));
    if (message.success) this.onmessage?.(message.data);
    // Servers print greetings among the messages.
    else this.#options.onLine(line);
  }

  #readErrors({ stderr }: ChildProcess): void {
    const decoder = new StringDecoder();
    const splitter = new LineSplitter(LONGEST_LINE);
    const show = ({ text, length }: SplitLine) => {
      if (text.trim() !== '') this.#options.onLine(length > LONGEST_LINE ? `${text}…` : text);
    };
    stderr?.on('data', (bytes: Buffer) => {
      const flood = this.#closed ? null : this.#guard.read(bytes);
      if (flood) this.#breakOff(flood);
      if (this.#closed) return;
      for (const line of splitter.push(decoder.write(bytes))) show(line);
    });
    stderr?.once('end', () => {
      const last = splitter.end();
      if (last && !this.#closed) show(last);
    });
  }

  #breakOff(fault: Words): void {
    this.#fault = fault;
    this.close().catch((thrown: unknown) => this.onerror?.(new Error(messageOf(thrown))));
  }

  #end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
  }
}

const LONGEST_LINE = 10_000;

/** Windows, and programs that search like it, start in the current folder, where the workspace could plant a file. */
function locate(command: string, cwd: string, environment: Readonly<Record<string, string>>): string | null {
  if (process.platform !== 'win32') return command;
  return findProgram(command, cwd, { platform: process.platform, environment, exists: existsSync });
}

const notFound = (command: string) =>
  new ServerFault(words('The program {0} was not found on the machine that this window works on.', command), 'byHand');

/** The system reports a missing folder in the same way. */
function describeStart(command: string, cwd: string, thrown: unknown): ServerFault {
  if (hasCode(thrown, 'ENOENT', 'ENOTDIR') && !existsSync(cwd))
    return new ServerFault(words('There is no folder {0} on the machine that this window works on.', cwd), 'byHand');
  return hasCode(thrown, 'ENOENT')
    ? notFound(command)
    : new ServerFault(words('The program {0} could not be started: {1}.', command, messageOf(thrown)), 'byHand');
}
