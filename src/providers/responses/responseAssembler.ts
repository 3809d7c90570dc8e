/**
 * One streamed response, assembled from its events. Invariant: an answer counts as complete only when the server
 * reported how it ended; text comes from the pieces, and from the whole items only where pieces are missing.
 */

import type { Usage } from '../../core/context/message.ts';
import { asRecord, asText, isWholeObject, type Json, listOf, objectOf } from '../../core/json.ts';
import type { FinishReason, ModelEvent } from '../../core/model/modelClient.ts';
import { partsOf, splitContent } from '../../core/model/thinking.ts';
import type { Money } from '../../core/money.ts';
import { isResponse } from '../answerForm.ts';
import { type AnswerAssembler, doneEvent } from '../dialect.ts';
import { SUMMARY } from '../encodeParts.ts';
import { normalizeUsage, reportedCost } from '../normalizeUsage.ts';
import { ToolCallAssembler } from '../toolCallAssembler.ts';

type Ended =
  | { readonly kind: 'done'; readonly finish: FinishReason; readonly incomplete?: boolean }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'refused'; readonly error: unknown };

export function createResponseAssembler(takenIds: Iterable<string>, mintId: () => string): AnswerAssembler {
  const calls = new ToolCallAssembler(takenIds, mintId);
  const items = new OutputItems();
  let text = '';
  let reasoning = '';
  let usage: Usage | null = null;
  let cost: Money | undefined;
  let ended: Ended | null = null;
  let chunks = 0;

  const addText = (index: number, piece: string): ModelEvent[] => {
    if (!piece) return [];
    text += piece;
    items.announce(index, piece.length);
    return [{ type: 'text', delta: piece }];
  };
  const think = (piece: string): ModelEvent[] => {
    if (!piece) return [];
    reasoning += piece;
    return [{ type: 'reasoning', delta: piece, field: SUMMARY }];
  };
  const takeContent = (index: number, { content }: Json, isText: boolean): ModelEvent[] => {
    const { answer, thinking } = splitContent(content);
    return [...think(reasoning === '' ? thinking : ''), ...addText(index, isText ? answer || refusalIn(content) : '')];
  };
  const call = (index: number, piece: Json): ModelEvent[] => {
    const progress = calls.add({ ...piece, index });
    return progress ? [{ type: 'toolCall', ...progress }] : [];
  };
  /** The whole arguments, where they differ from the pieces or none came. */
  const settleArguments = (index: number, given: unknown): ModelEvent[] => {
    const whole = asRecord(given) ? JSON.stringify(given) : asText(given);
    items.announce(index, whole === '' ? 0 : 1);
    return whole === '' ? [] : call(index, { function: { arguments: whole }, whole: true });
  };
  const writeArguments = (index: number, piece: string): ModelEvent[] => {
    if (!piece) return [];
    items.announce(index, piece.length);
    return call(index, { function: { arguments: piece } });
  };

  /** The item so far; parts that did not arrive in pieces follow now. */
  const open = (index: number, item: Json): ModelEvent[] => {
    if (!items.open(index, item) || item.type !== 'function_call') return [];
    return call(index, { id: asText(item.call_id), function: { name: asText(item.name), arguments: '' } });
  };
  const close = (index: number, item: Json): ModelEvent[] => {
    const events = open(index, item);
    if (items.isClosed(index)) return events;
    const announced = items.announced(index);
    items.close(index, item);
    switch (item.type) {
      case 'message':
        return [...events, ...takeContent(index, item, announced === 0)];
      case 'function_call':
        return [...events, ...settleArguments(index, item.arguments)];
      case 'reasoning':
        return [...events, ...think(reasoning === '' ? summaryOf(item) : '')];
      default:
        return events;
    }
  };
  const end = (response: Json, status: string): ModelEvent[] => {
    usage = normalizeUsage(response.usage) ?? usage;
    cost = reportedCost(response.usage) ?? cost;
    const events = [
      ...items.match(listOf(response.output).map(objectOf)).flatMap(([index, item]) => close(index, item)),
      ...items.left().flatMap(([index, item]) => close(index, item)),
    ];
    const pieces = addText(items.next, text === '' ? asText(response.output_text) : '');
    ended = endOf(response, status);
    return [...events, ...pieces];
  };

  const take = (event: Json): ModelEvent[] => {
    const type = asText(event.type);
    const index = items.indexOf(event);
    switch (type) {
      case 'response.output_item.added':
        return open(index, objectOf(event.item));
      case 'response.output_item.done':
        return close(index, objectOf(event.item));
      case 'response.output_text.done':
        return addText(index, items.announced(index) === 0 ? asText(event.text) : '');
      case 'response.function_call_arguments.done':
        return settleArguments(index, event.arguments);
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return addText(index, asText(event.delta));
      case 'response.function_call_arguments.delta':
        return writeArguments(index, asText(event.delta));
      case 'response.reasoning_summary_part.added':
        return think(reasoning === '' ? '' : '\n\n');
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return think(asText(event.delta));
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.cancelled':
        return end(objectOf(event.response), worseOf(type.slice('response.'.length), objectOf(event.response)));
      default:
        return [];
    }
  };

  return {
    get chunks() {
      return chunks;
    },
    get characters() {
      return text.length + reasoning.length + calls.characters + items.characters;
    },
    add(raw) {
      const event = asRecord(raw);
      if (!event) return [];
      // A server that ignored `stream` sent the whole answer.
      if (isResponse(event)) {
        chunks++;
        return end(event, asText(event.status) || 'completed');
      }
      if (!/^response\./.test(asText(event.type))) return [];
      chunks++;
      return take(event);
    },
    get awaits() {
      return ended ? 'nothing' : 'answer';
    },
    finish(isOver) {
      const made = calls.finish();
      const isWhole = (text !== '' || made.length > 0) && made.every((each) => isWholeObject(each.arguments));
      if (!ended && isOver && isWhole) ended = { kind: 'done', finish: 'stop' };
      if (!ended) return { kind: 'cut' };
      if (ended.kind !== 'done') return ended;
      // An incomplete answer may have cut calls, which count as cut by the limit, the usual reason.
      const finish = ended.incomplete && ended.finish === 'other' && made.length > 0 ? 'length' : ended.finish;
      const kept = items.kept(made.map(({ id }) => id));
      const thought = reasoning || kept.length > 0 ? { field: SUMMARY, text: reasoning } : null;
      const whole = thought && kept.length > 0 ? { ...thought, items: kept } : thought;
      const answer = { text, reasoning: whole, usage, ...(cost && { cost }) };
      return { kind: 'done', event: doneEvent(answer, made, calls.leftOut, finish) };
    },
  };
}

/**
 * Some servers end every answer with `completed` and report only in the response itself that it was not: its calls may
 * be cut.
 */
function worseOf(event: string, response: Json): string {
  const own = asText(response.status);
  return event === 'completed' && /^(incomplete|failed|cancelled)$/.test(own) ? own : event;
}

function endOf(response: Json, status: string): Ended {
  switch (status) {
    case 'completed':
      return { kind: 'done', finish: 'stop' };
    case 'incomplete':
      return {
        kind: 'done',
        finish: whyIncomplete(asText(objectOf(response.incomplete_details).reason)),
        incomplete: true,
      };
    case 'failed':
      return response.error ? { kind: 'refused', error: response.error } : { kind: 'failed', reason: status };
    default:
      return { kind: 'failed', reason: status };
  }
}

function whyIncomplete(reason: string): FinishReason {
  switch (reason) {
    case 'max_output_tokens':
    case 'max_tokens':
    case 'length':
      return 'length';
    case 'content_filter':
      return 'contentFilter';
    case 'context_length_exceeded':
    case 'model_context_window_exceeded':
      return 'overflow';
    default:
      return 'other';
  }
}

const refusalIn = (content: unknown): string =>
  partsOf(content)
    .map((part) => asText(objectOf(part).refusal))
    .join('');

function summaryOf(item: Json): string {
  const parts = listOf(item.summary).length > 0 ? item.summary : item.content;
  return listOf(parts)
    .map((part) => asText(objectOf(part).text))
    .join('\n\n');
}

/**
 * The output items of one response, in order. They are returned with the next request: reasoning opaque and unchanged,
 * and a mark for each text and call, so that their order is known.
 */
interface OpenItem {
  item: Json;
  /** Number of its characters of text or arguments already passed on. */
  announced: number;
  closed: boolean;
}

/** The same item goes on or ends: a closed one does not, and another call or type is another item. */
function isSameItem({ item, closed }: OpenItem, { id, type, call_id: call }: Json): boolean {
  if (item.id !== undefined && item.id === id) return true;
  return !closed && item.type === type && (!item.call_id || !call || item.call_id === call);
}

/** Base size of an item, whatever its content. */
const ITEM_CHARACTERS = 20;

class OutputItems {
  /** By `output_index`; without one, an index is assigned to each item's id. */
  readonly #items = new Map<number, OpenItem>();
  readonly #indexes = new Map<string, number>();
  /** The last opened index; -1 before the first. */
  #last = -1;
  /** Length of everything except text and arguments. */
  characters = 0;

  /** The index of an item that follows all others. */
  get next(): number {
    return this.#last + 1;
  }

  /** Some servers give no index, or all items the same one: then the id tells them apart. */
  indexOf({ output_index: given, item_id: id, item }: Json): number {
    const about = objectOf(item);
    const name = asText(id) || asText(about.id);
    const known = this.#indexes.get(name);
    const index = typeof given === 'number' ? this.#indexAt(given, about, name, known) : known;
    if (index !== undefined) return index;
    const next = this.#last + (name ? 1 : 0);
    if (name) this.#indexes.set(name, next);
    return Math.max(0, next);
  }

  #indexAt(given: number, about: Json, name: string, known: number | undefined): number {
    const open = this.#items.get(given);
    const isPiece = about.type === undefined;
    if (isPiece) return open === undefined || open.item.id === name ? given : (known ?? given);
    const index = open === undefined || isSameItem(open, about) ? given : (known ?? this.#last + 1);
    if (name) this.#indexes.set(name, index);
    return index;
  }

  /** The items of a whole response, with the indexes that they had in the stream: they are counted by type. */
  match(output: readonly Json[]): readonly (readonly [index: number, item: Json])[] {
    const streamed = [...this.#items].sort(([a], [b]) => a - b);
    const used = new Set<number>();
    return output.map((item) => {
      const found = streamed.find(([index, open]) => !used.has(index) && open.item.type === item.type);
      const index = found ? found[0] : this.#last + 1;
      used.add(index);
      this.#last = Math.max(this.#last, index);
      return [index, item];
    });
  }

  /** Items of which only the first form came: neither pieces nor an end. */
  left(): readonly (readonly [index: number, item: Json])[] {
    return [...this.#items].flatMap(([index, { item, closed, announced }]) =>
      closed || announced > 0 ? [] : [[index, item] as const],
    );
  }

  /** False when it was open already. */
  open(index: number, item: Json): boolean {
    if (this.#items.has(index)) return false;
    this.#items.set(index, { item, announced: 0, closed: false });
    this.#last = Math.max(this.#last, index);
    this.characters += ITEM_CHARACTERS;
    return true;
  }

  /** The item as the server finished it; only this one is complete. */
  close(index: number, item: Json): void {
    const open = this.#items.get(index);
    if (!open) return;
    open.item = item;
    open.closed = true;
    this.characters += asText(item.encrypted_content).length;
  }

  isClosed(index: number): boolean {
    return this.#items.get(index)?.closed ?? false;
  }

  announce(index: number, characters: number): void {
    this.open(index, { type: 'message' });
    const open = this.#items.get(index);
    if (open) open.announced += characters;
  }

  announced(index: number): number {
    return this.#items.get(index)?.announced ?? 0;
  }

  /**
   * The items to return; empty when there are only texts and calls. `callIds` are the ids of the answer's calls, in
   * order. Empty reasoning is omitted, because its id alone is useless when the provider stores nothing.
   */
  kept(callIds: readonly string[]): readonly Json[] {
    const ids = [...callIds];
    const ordered = [...this.#items].sort(([a], [b]) => a - b).map(([, open]) => open);
    const kept = ordered.flatMap(({ item, announced, closed }): Json[] => {
      switch (item.type) {
        case 'reasoning':
          return closed && (asText(item.encrypted_content) || listOf(item.content).length > 0) ? [item] : [];
        case 'message':
          return [{ type: 'message', length: announced, ...(item.phase ? { phase: item.phase } : {}) }];
        case 'function_call': {
          const id = ids.shift();
          return id === undefined ? [] : [{ type: 'function_call', call_id: id }];
        }
        default:
          return [];
      }
    });
    return kept.some((item) => item.type === 'reasoning' || item.phase) ? kept : [];
  }
}
