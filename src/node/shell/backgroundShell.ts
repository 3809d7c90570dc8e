/**
 * The background commands of this window. Each keeps the newest part of its output; all of them end with the window. A
 * session knows only its own.
 */

import type { Timers } from '../../core/clock.ts';
import type { Crypto } from '../../core/crypto.ts';
import { ToolError } from '../../core/errors.ts';
import { showCommandInOneLine } from '../../core/tools/text/showHidden.ts';
import { createControlStripper, withoutMarks } from '../../core/tools/text/stripControls.ts';
import type { BackgroundCommand, BackgroundCommands, BackgroundOutput } from '../../core/tools/tool.ts';
import { inEnglish } from '../../core/words.ts';
import type { Shell } from '../../core/workspace/shell.ts';

/** Maximum running at a time. */
const MOST_RUNNING = 8;
/** Ended commands kept for reading. */
const MOST_ENDED = 20;
/** Characters stored of each output. */
const KEPT = 400_000;
/** Time for a command's first output. */
const BEGIN_MS = 1_500;
/** Time for output written together to arrive. */
const SETTLE_MS = 100;

type Where = NonNullable<Parameters<BackgroundCommands['start']>[2]>;

interface Parts {
  /** The shell of the open folder, without an output limit. */
  readonly shell: () => Shell;
  readonly crypto: Pick<Crypto, 'randomHex'>;
  readonly timers: Timers;
}

interface Running {
  /** Id of the session that started it. */
  owner: string;
  command: BackgroundCommand;
  readonly stop: AbortController;
  readonly done: Promise<void>;
  /** With marks before redrawn lines. */
  tail: string;
  /** Characters written, and those already read. */
  written: number;
  read: number;
}

export class BackgroundShell {
  readonly #parts: Parts;
  readonly #all = new Map<string, Running>();
  readonly #listeners = new Set<() => void>();
  readonly #listListeners = new Set<() => void>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Fired when a command starts, writes or ends. */
  #onDidChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  /** Fired when a command starts or ends. */
  onDidChangeList(listener: () => void): { dispose(): void } {
    this.#listListeners.add(listener);
    return { dispose: () => this.#listListeners.delete(listener) };
  }

  /** Those of one session; of all without it. */
  list(owner?: string): readonly BackgroundCommand[] {
    const all = [...this.#all.values()].filter((each) => owner === undefined || each.owner === owner);
    return all.map(({ command }) => command);
  }

  /** The commands of one session, as its tools see them. */
  of(owner: string): BackgroundCommands {
    const ifOwn = (id: string) => (this.#all.get(id)?.owner === owner ? id : '');
    return {
      list: () => this.list(owner),
      start: (command, signal, where) => this.#start(owner, command, signal, where),
      read: (id, waitMs, signal) => this.#read(ifOwn(id), waitMs, signal),
      stop: (id) => this.stop(ifOwn(id)),
    };
  }

  /** The commands of a session belong to another one from now on. */
  handOver(from: string, to: string): void {
    for (const each of this.#all.values()) if (each.owner === from) each.owner = to;
    this.#notifyList();
  }

  async #start(owner: string, command: string, signal: AbortSignal, where: Where = {}): Promise<BackgroundOutput> {
    const running = this.list().filter(({ ended }) => !ended);
    if (running.length >= MOST_RUNNING) {
      const own = this.list(owner).filter(({ ended }) => !ended);
      const names = own.map(({ id, command }) => `${id} (${showCommandInOneLine(command).slice(0, 80)})`);
      throw new ToolError(
        `${MOST_RUNNING} commands run in the background already. Stop one first: ${names.join(', ') || 'all belong to other sessions, so only the user can'}.`,
      );
    }
    const id = `bg-${this.#parts.crypto.randomHex(3)}`;
    const started = this.#run(owner, id, command, where);
    await this.#wait(BEGIN_MS, signal, (fire) => {
      void started.done.then(fire);
      return undefined;
    });
    return this.#take(started);
  }

  async #read(id: string, waitMs: number, signal: AbortSignal): Promise<BackgroundOutput | null> {
    const found = this.#all.get(id);
    if (!found) return null;
    if (waitMs > 0 && found.written === found.read && !found.command.ended) {
      await this.#wait(waitMs, signal, (fire) => {
        const heard = this.#onDidChange(() => {
          if (found.written === found.read && !found.command.ended) return;
          heard.dispose();
          this.#parts.timers.after(SETTLE_MS, fire);
        });
        return heard.dispose;
      });
    }
    return this.#take(found);
  }

  /** When stopped by hand, its last output stays unread for the model. */
  async stop(id: string, then: 'read' | 'unread' = 'read'): Promise<BackgroundOutput | null> {
    const found = this.#all.get(id);
    if (!found) return null;
    found.stop.abort();
    await found.done;
    return then === 'read' ? this.#take(found) : null;
  }

  /** All stored output, without marking it as read. */
  outputOf(id: string): string {
    return withoutMarks(this.#all.get(id)?.tail ?? '');
  }

  dispose(): void {
    for (const { stop } of this.#all.values()) stop.abort();
  }

  #run(owner: string, id: string, line: string, where: Where): Running {
    const stop = new AbortController();
    const { promise: done, resolve } = Promise.withResolvers<void>();
    const running: Running = {
      owner,
      stop,
      done,
      tail: '',
      written: 0,
      read: 0,
      command: { id, command: line, ended: null },
    };
    const append = (text: string) => {
      if (text === '') return;
      running.written += text.length;
      running.tail += text;
      // Cut in large steps, so that a long output is not copied for every chunk.
      if (running.tail.length > 2 * KEPT) running.tail = running.tail.slice(-KEPT);
      this.#notify();
    };
    const stripper = createControlStripper('marked');
    const onOutput = (text: string) => append(stripper.push(text));
    this.#all.set(id, running);
    this.#parts
      .shell()
      .run(line, { timeoutMs: null, onOutput, ...where }, stop.signal)
      .then(
        ({ ended, exitCode, left = '', refused }) => {
          append(stripper.end() + left + (refused ? `\n${inEnglish(refused)}` : ''));
          return { ended, exitCode };
        },
        (thrown: unknown) => {
          append(thrown instanceof ToolError ? thrown.message : String(thrown));
          return { ended: 'exit' as const, exitCode: null };
        },
      )
      .then((ended) => {
        running.command = { ...running.command, ended };
        this.#forgetOldest();
        resolve();
        this.#notifyList();
      });
    this.#notifyList();
    return running;
  }

  #take(running: Running): BackgroundOutput {
    const { command, tail, written, read } = running;
    const leftOut = Math.max(0, written - tail.length - read);
    running.read = written;
    return { command, leftOut, text: tail.slice(Math.max(0, tail.length - (written - read))) };
  }

  #forgetOldest(): void {
    const ended = [...this.#all.values()].filter(({ command }) => command.ended);
    for (const { command } of ended.slice(0, -MOST_ENDED)) this.#all.delete(command.id);
  }

  #notifyList(): void {
    this.#notify();
    for (const listener of this.#listListeners) listener();
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Resolves when `until` fires, after `ms`, or at an abort. */
  async #wait(ms: number, signal: AbortSignal, until: (fire: () => void) => (() => void) | undefined): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#parts.timers.after(ms, resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
    const leave = until(resolve);
    await promise;
    cancel();
    leave?.();
  }
}
