/**
 * Counts the reads and commands that the agent repeats because a compaction took their results: among the calls that
 * follow it, and only while nothing was changed that would be a reason of its own.
 */

import type { RowOf } from '../../protocol/rows.ts';
import { commandOf } from '../calls/commandsInCalls.ts';
import { effectsOf, namesIn } from '../calls/effects.ts';
import { filesIn, plainPath } from '../calls/filesInCalls.ts';
import { hasAnswer } from '../calls/outcome.ts';
import type { ToolCall, ToolMessage } from '../context/message.ts';
import type { MessageEntry } from '../journal/entry.ts';
import { toolOf } from '../tools/toolList.ts';
import type { CallSource } from './callRow.ts';
import type { ContextView } from './standing.ts';

/** Calls after a compaction that count: later ones have reasons of their own. */
const MOST_CALLS = 24;

/** From so many on, the results that are still gone are offered. */
const PILED_UP = 3;

const MOST_OFFERED = 5;

interface Taken {
  readonly key: string;
  readonly kind: 'read' | 'run';
  readonly itemId: string;
  /** Of the result, and of the answer that comes back with it. */
  readonly tokens: number;
}

export class RepeatedCalls {
  #left = MOST_CALLS;
  /** Results that it took and that were not repeated, by their calls; of the same call the newest, in order. */
  readonly #taken = new Map<string, Taken>();
  /** Calls of the newest answer that have no result yet, by their ids. */
  readonly #open = new Map<string, ToolCall>();
  #reads = 0;
  #runs = 0;
  #tokens = 0;

  /** `calls`: those whose results the compaction took, in order. */
  constructor(calls: readonly Pick<CallSource, 'call' | 'entry' | 'result'>[]) {
    for (const { call, entry, result } of calls) {
      const about = describe(call);
      if (!about || !result || result.message.role !== 'tool' || !hasAnswer(result.message)) continue;
      this.#taken.delete(about.key);
      this.#taken.set(about.key, { ...about, itemId: `m${result.seq}`, tokens: result.tokens + entry.tokens });
    }
  }

  get isOver(): boolean {
    return this.#left <= 0 && this.#open.size === 0;
  }

  /** The calls of the next answer after the compaction; none for another message. */
  called(calls: readonly ToolCall[]): void {
    this.#open.clear();
    for (const call of calls.slice(0, this.#left)) this.#open.set(call.id, call);
    this.#left = Math.max(0, this.#left - calls.length);
  }

  /** True when it repeats a result that is gone. `elsewhere`: another compaction counts it. */
  answered({ message, tokens }: MessageEntry, elsewhere: boolean): boolean {
    const call = message.role === 'tool' ? this.#open.get(message.toolCallId) : undefined;
    if (message.role !== 'tool' || !call) return false;
    this.#open.delete(message.toolCallId);
    this.#forget(call, message);
    const about = hasAnswer(message) ? describe(call) : null;
    const taken = about && this.#taken.get(about.key);
    if (!taken) return false;
    this.#taken.delete(taken.key);
    if (elsewhere) return true;
    if (taken.kind === 'read') this.#reads++;
    else this.#runs++;
    this.#tokens += tokens;
    return true;
  }

  /** Null while nothing was repeated. */
  shown(context: ContextView): RowOf<'compaction'>['repeated'] {
    const [reads, runs] = [this.#reads, this.#runs];
    if (reads + runs === 0) return null;
    const gone =
      reads + runs < PILED_UP
        ? []
        : [...this.#taken.values()].reverse().flatMap(({ itemId, tokens }) => {
            const shown = context.slot(itemId)?.shown ?? 'absent';
            return shown === 'whole' || shown === 'absent' ? [] : [{ itemId, tokens }];
          });
    return { reads, runs, tokens: this.#tokens, gone: gone.slice(0, MOST_OFFERED) };
  }

  /** After a change, reading the file and running commands again has another reason. */
  #forget(call: ToolCall, result: ToolMessage): void {
    const changed = namesIn(effectsOf(call, result));
    for (const path of changed) this.#taken.delete(readKey(path));
    if (changed.length === 0) return;
    for (const { key, kind } of [...this.#taken.values()]) if (kind === 'run') this.#taken.delete(key);
  }
}

const readKey = (path: string): string => `read ${plainPath(path)}`;

/** Null for calls that are not repeated for their result. */
export function describe(call: ToolCall): Pick<Taken, 'key' | 'kind'> | null {
  const command = commandOf(call);
  if (command !== null) return { key: `run ${command}`, kind: 'run' };
  const [file] = filesIn(call);
  if (file?.does === 'reads') return { key: readKey(file.path), kind: 'read' };
  if (toolOf(call.name)?.toolClass !== 'read') return null;
  return { key: `${call.name} ${call.arguments}`, kind: 'read' };
}
