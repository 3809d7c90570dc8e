/**
 * Runs a strategy that is a program. Each compaction starts it once: it reads the context as one line of JSON, and
 * writes lines of JSON until one is its result. Everything that it writes is bounded and checked, and it ends with the
 * result, with an error, and with the signal of the context, its children too.
 */

import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, posix } from 'node:path';
import spawn from 'cross-spawn';
import * as z from 'zod';
import type {
  CompactionContext,
  CompactionResult,
  ContextMessage,
  NewSummary,
  StrategyPorts,
} from '../../api/index.ts';
import { Allowance } from '../../core/allowance.ts';
import type { AnyFactory } from '../../core/compaction/strategies/strategyEntry.ts';
import { ModelError, messageOf, UserFacingError } from '../../core/errors.ts';
import { LineSplitter } from '../../core/tools/text/lineSplitter.ts';
import { type Words, words } from '../../core/words.ts';
import { commandEnvironment } from '../shell/commandEnvironment.ts';
import { findProgram } from '../shell/findProgram.ts';
import { MARK } from '../shell/listProcesses.ts';
import { endGroup } from '../shell/processGroup.ts';
import { startWatched } from '../shell/watchdog.ts';
import { rm } from '../storage/disk/patientDisk.ts';
import { type Program, readProgram, type StrategyFile } from './program.ts';

/** In characters: all that a program may write for one result. */
const MOST_WRITTEN = 32_000_000;
/** Lines without a result. */
const MOST_LINES = 10_000;
const LONGEST_REASON = 300;
/** A line of errors outside of a stack, and not the one with which Node ends. */
const REASON = /^(?!Node\.js v\d)\S/;

const stepSchema = z.union([
  z.string(),
  z.strictObject({ hide: z.string(), note: z.string().optional() }),
  z.strictObject({ replace: z.string(), text: z.string() }),
  z.strictObject({ summary: z.string() }),
]);

const lineSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('result'), messages: z.array(stepSchema).nullable(), details: z.json().optional() }),
  z.object({ type: z.literal('report'), text: z.string(), fraction: z.number().optional() }),
  z.object({ type: z.literal('log'), level: z.enum(['debug', 'info', 'warn']).optional(), text: z.string() }),
  z.object({ type: z.literal('ask'), id: z.union([z.string(), z.number()]), prompt: z.string() }).loose(),
]);
type Line = z.infer<typeof lineSchema>;
type Result = Extract<Line, { type: 'result' }>;
type Question = Extract<Line, { type: 'ask' }>;

/** Throws a `UserFacingError` when the file's first lines cannot be used. */
export function openBridge(file: StrategyFile): AnyFactory {
  const program = readProgram(file);
  return {
    needs: ['log', 'settings', ...program.needs],
    ...(program.settings === undefined ? {} : { settings: program.settings as never }),
    create: (ports) => ({ compact: (context) => compact(file, program, ports, context) }),
  };
}

async function compact(
  file: StrategyFile,
  program: Program,
  ports: StrategyPorts,
  context: CompactionContext,
): Promise<CompactionResult | null> {
  // A copy of what was allowed: the file itself may have changed since.
  const folder = await mkdtemp(join(tmpdir(), 'palimpsest-strategy-'));
  try {
    const copy = join(folder, basename(file.path));
    await writeFile(copy, file.text, { mode: 0o600 });
    const result = await new Run(file.path, ports, context).read(program, copy, folder);
    return take(result, context);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

class Run {
  readonly #path: string;
  readonly #ports: StrategyPorts;
  readonly #context: CompactionContext;
  readonly #written: Allowance;
  readonly #lines: Allowance;
  /** Leaves out the mark of UTF-8 at the beginning, which some languages write. */
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  readonly #splitter = new LineSplitter(MOST_WRITTEN);
  /** The end of what it wrote beside the protocol. */
  #errors = '';

  constructor(path: string, ports: StrategyPorts, context: CompactionContext) {
    this.#path = path;
    this.#ports = ports;
    this.#context = context;
    const tooMuch = words('it wrote more than {0} MB', MOST_WRITTEN / 1_000_000);
    this.#written = new Allowance({ most: MOST_WRITTEN, usedUp: tooMuch });
    this.#lines = new Allowance({ most: MOST_LINES, usedUp: words('it wrote more than {0} lines', MOST_LINES) });
  }

  async read({ interpreter, args, needs }: Program, copy: string, folder: string): Promise<Result> {
    const { signal } = this.#context;
    const env = commandEnvironment(process.env, []);
    const named = process.platform === 'win32' && interpreter === 'python3' ? 'python' : interpreter;
    const find = (name: string) =>
      findProgram(name, folder, { platform: process.platform, environment: env, exists: existsSync });
    // A path such as /usr/bin/perl names the program of another system, too.
    const found = find(named) ?? find(posix.basename(named));
    if (found === null)
      throw new UserFacingError(words('its file {0} needs {1}, which is not installed', this.#path, named));
    const mark = randomUUID();
    const since = Date.now();
    const { child, endWatch } = startWatched(mark, since, () =>
      spawn(found, [...args, copy], {
        cwd: folder,
        env: { ...env, [MARK]: mark, PYTHONIOENCODING: 'utf-8' },
        stdio: ['pipe', 'pipe', 'pipe'],
        detached: process.platform !== 'win32',
        windowsHide: true,
      }),
    );
    let over = false;
    try {
      return await new Promise<Result>((resolve, reject) => {
        signal.throwIfAborted();
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        child.once('error', (thrown) =>
          reject(
            new UserFacingError(words('its file {0} could not be started: {1}', this.#path, messageOf(thrown)), thrown),
          ),
        );
        // A child of it may hold its output open for ever.
        child.once('exit', () => over || void endGroup(child, mark, since, true));
        child.once('close', (code, ended) => {
          if (over) return;
          const failed = this.#ended(code === null ? (ended ?? '') : String(code));
          try {
            const result = this.#read(null, child);
            if (result) resolve(result);
            else reject(failed);
          } catch (thrown) {
            // A line that a crash tore says nothing.
            reject(code === 0 ? thrown : failed);
          }
        });
        // It may end before it has read everything.
        child.stdin?.on('error', () => undefined);
        child.stderr?.setEncoding('utf8').on('data', (text: string) => {
          this.#errors = `${this.#errors}${text}`.slice(-2_000);
        });
        child.stdout?.on('data', (bytes: Buffer) => {
          try {
            const result = this.#read(bytes, child);
            if (result) resolve(result);
          } catch (thrown) {
            reject(thrown);
          }
        });
        child.stdin?.write(`${JSON.stringify(describe(this.#context, this.#ports.settings()))}\n`);
        // Many programs read all of their input before they begin.
        if (!needs.includes('llm')) child.stdin?.end();
      });
    } finally {
      over = true;
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
      await endGroup(child, mark, since, true);
      endWatch();
    }
  }

  /** Null while no line is the result. Without `bytes`, its output is over: the last line counts without an end, too. */
  #read(bytes: Uint8Array | null, child: ChildProcess): Result | null {
    const text = this.#decode(bytes);
    const tooMuch = this.#written.take(text.length);
    if (tooMuch) throw this.#fault(tooMuch);
    for (const { text: line } of this.#splitter.push(bytes ? text : `${text}\n`)) {
      if (line.trim() === '') continue;
      const tooMany = this.#lines.take();
      if (tooMany) throw this.#fault(tooMany);
      const message = this.#parse(line);
      if (message.type === 'result') return message;
      this.#hear(message, child);
    }
    return null;
  }

  #decode(bytes: Uint8Array | null): string {
    try {
      return bytes ? this.#decoder.decode(bytes, { stream: true }) : this.#decoder.decode();
    } catch {
      throw this.#fault(words('it wrote what is no UTF-8'));
    }
  }

  #parse(line: string): Line {
    const shown = line.slice(0, 80);
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw this.#fault(words('it wrote a line that is no JSON: {0}', shown));
    }
    const parsed = lineSchema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw this.#fault(words('it wrote a line that is no result, report, log or ask: {0}', shown));
  }

  #hear(message: Exclude<Line, Result>, child: ChildProcess): void {
    switch (message.type) {
      case 'report':
        this.#context.report(message.text, message.fraction);
        break;
      case 'log':
        this.#ports.log(message.level ?? 'info', message.text);
        break;
      case 'ask':
        if (child.stdin?.writableEnded)
          throw this.#fault(words('it asked a model, which its needs do not name: {0}', '{"needs": ["llm"]}'));
        void this.#answer(message).then((answer) => {
          if (child.stdin?.writable)
            child.stdin.write(`${JSON.stringify({ type: 'answer', id: message.id, ...answer })}\n`);
        });
        break;
    }
  }

  async #answer({ type: _, id: __, ...request }: Question): Promise<object> {
    try {
      return await this.#context.llm.complete(request);
    } catch (thrown) {
      const kind = thrown instanceof ModelError ? thrown.kind : 'badRequest';
      return { error: { kind, message: messageOf(thrown) } };
    }
  }

  #ended(how: string): UserFacingError {
    const last =
      this.#errors
        .split('\n')
        .findLast((line) => REASON.test(line))
        ?.trim() ?? '';
    return last === ''
      ? this.#fault(words('it ended ({0}) before it wrote a result', how))
      : this.#fault(words('it ended ({0}) before it wrote a result: {1}', how, last.slice(0, LONGEST_REASON)));
  }

  #fault(notice: Words): UserFacingError {
    return new UserFacingError([...words('its program {0} failed:', this.#path), ...notice]);
  }
}

/** The line for the program. Functions, and what takes a long search, have no place in it. */
function describe(context: CompactionContext, settings: Readonly<Record<string, unknown>>): object {
  const { history, targetTokens, thresholdTokens, tokenCount, maxContextSize, reservedContextSize } = context;
  const { attempt, trigger, instructions, details, previousSummary, sessionId, files, cache, prices } = context;
  return {
    type: 'compact',
    version: 1,
    settings,
    history,
    targetTokens,
    thresholdTokens,
    tokenCount,
    maxContextSize,
    reservedContextSize,
    attempt,
    trigger,
    instructions,
    details,
    previousSummary,
    sessionId,
    files,
    cache,
    prices,
  };
}

/** The result in the terms of the API. Names an id that is no message of the history. */
function take({ messages, details }: Result, { history, hide }: CompactionContext): CompactionResult | null {
  if (messages === null) return null;
  const byId = new Map(history.map((message) => [message.id, message]));
  const find = (id: string): ContextMessage => {
    const message = byId.get(id);
    if (message) return message;
    throw new UserFacingError(words('its result names {0}, which is no message of the history', id.slice(0, 80)));
  };
  const made = messages.map((step): ContextMessage | NewSummary => {
    if (typeof step === 'string') return find(step);
    if ('summary' in step) return { role: 'user', kind: 'summary', text: step.summary };
    if ('replace' in step) return { ...find(step.replace), text: step.text };
    return hide(find(step.hide), step.note === undefined ? {} : { note: step.note });
  });
  return details === undefined ? { messages: made } : { messages: made, details };
}
