/**
 * Counts the reads and commands that the agent repeats because a compaction took their results: among the calls that
 * follow it, and only while nothing was changed that would be a reason of its own.
 */

import type { RowOf } from '../../protocol/rows.ts';
import { commandOf } from '../compaction/draft/commandResults.ts';
import { pathsIn, plainPath, READS, WRITES } from '../compaction/draft/filesInCalls.ts';
import type { ToolCall } from '../context/message.ts';
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
  /** Repeated calls without a result, by their ids. */
  readonly #open = new Map<string, Taken>();
  #reads = 0;
  #runs = 0;
  #tokens = 0;

  /** `calls`: those whose results the compaction took, in order. */
  constructor(calls: readonly Pick<CallSource, 'call' | 'entry' | 'result'>[]) {
    for (const { call, entry, result } of calls) {
      const about = describe(call);
      if (!about || !result || (result.message.role === 'tool' && result.message.isError)) continue;
      this.#taken.delete(about.key);
      this.#taken.set(about.key, { ...about, itemId: `m${result.seq}`, tokens: result.tokens + entry.tokens });
    }
  }

  get isOver(): boolean {
    return this.#left <= 0 && this.#open.size === 0;
  }

  /** The next call after the compaction. True when it repeats one whose result is gone. `elsewhere`: another counts it. */
  called(call: ToolCall, elsewhere = false): boolean {
    if (this.#left <= 0) return false;
    this.#left--;
    if (WRITES.test(call.name)) this.#forget(call);
    const about = describe(call);
    const taken = about && this.#taken.get(about.key);
    if (!taken) return false;
    this.#taken.delete(taken.key);
    if (!elsewhere) this.#open.set(call.id, taken);
    return true;
  }

  /** True when the result was counted. */
  answered(entry: MessageEntry): boolean {
    const { message, tokens } = entry;
    if (message.role !== 'tool') return false;
    const taken = this.#open.get(message.toolCallId);
    this.#open.delete(message.toolCallId);
    if (!taken || message.isError) return false;
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
  #forget(call: ToolCall): void {
    for (const path of pathsIn(call.arguments)) this.#taken.delete(readKey(path));
    for (const { key, kind } of [...this.#taken.values()]) if (kind === 'run') this.#taken.delete(key);
  }
}

const readKey = (path: string): string => `read ${plainPath(path)}`;

/** Null for calls that are not repeated for their result. */
export function describe(call: ToolCall): Pick<Taken, 'key' | 'kind'> | null {
  const command = commandOf(call);
  if (command !== null) return { key: `run ${command}`, kind: 'run' };
  const [path] = pathsIn(call.arguments);
  if (READS.test(call.name) && path !== undefined) return { key: readKey(path), kind: 'read' };
  if (toolOf(call.name)?.toolClass !== 'read') return null;
  return { key: `${call.name} ${call.arguments}`, kind: 'read' };
}
