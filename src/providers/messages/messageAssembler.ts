/**
 * One streamed message, assembled from its events. Invariant: an answer counts as complete only when the server sent
 * the stop reason and the end of the message.
 */

import type { Reasoning } from '../../core/context/message.ts';
import { asRecord, asText, isWholeObject, type Json, objectOf } from '../../core/json.ts';
import type { ModelEvent } from '../../core/model/modelClient.ts';
import { partsOf } from '../../core/model/thinking.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { type Words, words } from '../../core/words.ts';
import { isMessage, MESSAGE_EVENTS } from '../answerForm.ts';
import { type AnswerAssembler, type DoneEvent, doneEvent, readFinish } from '../dialect.ts';
import { THINKING } from '../encodeParts.ts';
import { normalizeUsage, reportedCost } from '../normalizeUsage.ts';
import { ToolCallAssembler } from '../toolCallAssembler.ts';

/** Base size of a block, whatever its content. */
const BLOCK_CHARACTERS = 20;

export function createMessageAssembler(takenIds: Iterable<string>, mintId: () => string): AnswerAssembler {
  const calls = new ToolCallAssembler(takenIds, mintId);
  const blocks = new Blocks();
  let text = '';
  let thinking = '';
  let usage: Json = {};
  let reason = '';
  let explanation = '';
  let over = false;
  let chunks = 0;

  const addText = (index: number, piece: string): ModelEvent[] => {
    if (!piece) return [];
    text += piece;
    blocks.grow(index, 'text', piece.length);
    return [{ type: 'text', delta: piece }];
  };
  const think = (index: number, piece: string): ModelEvent[] => {
    if (!piece) return [];
    thinking += piece;
    blocks.grow(index, 'thinking', piece.length);
    return [{ type: 'reasoning', delta: piece, field: THINKING }];
  };
  const call = (index: number, piece: Json): ModelEvent[] => {
    const progress = calls.add({ ...piece, index });
    return progress ? [{ type: 'toolCall', ...progress }] : [];
  };

  const open = (index: number, block: Json): ModelEvent[] => {
    switch (block.type) {
      case 'text':
        blocks.open(index, { type: 'text' });
        return addText(index, asText(block.text));
      case 'thinking':
        blocks.open(index, { type: 'thinking', signature: asText(block.signature) });
        return think(index, asText(block.thinking));
      case 'redacted_thinking':
        blocks.open(index, { type: 'redacted_thinking', data: asText(block.data) });
        return [];
      case 'tool_use': {
        blocks.open(index, { type: 'tool_use', id: block.id });
        // The input arrives in pieces, after an empty object; a gateway may send it whole.
        const input = asRecord(block.input) ?? {};
        const given = Object.keys(input).length > 0 ? JSON.stringify(input) : asText(block.input);
        return call(index, { id: asText(block.id), function: { name: asText(block.name), arguments: given } });
      }
      default:
        // The provider's own tools, and kinds of blocks that are yet to come: nothing of it is ours to run.
        blocks.open(index, { type: FOREIGN });
        return [];
    }
  };
  const grow = (index: number, delta: Json): ModelEvent[] => {
    switch (delta.type) {
      case 'text_delta':
        return addText(index, asText(delta.text));
      case 'thinking_delta':
        return think(index, asText(delta.thinking));
      case 'signature_delta':
        blocks.sign(index, asText(delta.signature));
        return [];
      case 'input_json_delta':
        if (blocks.typeOf(index) !== 'tool_use') return [];
        return call(index, { function: { arguments: asRecord(delta.partial_json) ?? asText(delta.partial_json) } });
      default:
        return [];
    }
  };
  const count = (reported: unknown) => {
    // The last event has the final counts, and may omit those of the input.
    usage = { ...usage, ...withoutNulls(objectOf(reported)) };
  };
  const stop = ({ stop_reason, stop_details }: Json) => {
    reason = asText(stop_reason) || reason;
    explanation = asText(objectOf(stop_details).explanation) || explanation;
  };
  const openAll = (content: unknown): ModelEvent[] =>
    partsOf(content).flatMap((each, at) => {
      const block = typeof each === 'string' ? { type: 'text', text: each } : objectOf(each);
      return open(blocks.begin(at, block), block);
    });
  const takeWhole = (message: Json): ModelEvent[] => {
    count(message.usage);
    stop(message);
    over = reason !== '';
    return openAll(message.content);
  };

  const take = (event: Json): ModelEvent[] => {
    const { type } = event;
    const begun = objectOf(event.content_block);
    const index = type === 'content_block_start' ? blocks.begin(event.index, begun) : blocks.at(event.index);
    switch (type) {
      case 'message_start': {
        const message = objectOf(event.message);
        count(message.usage);
        return openAll(message.content);
      }
      case 'content_block_start':
        return open(index, begun);
      case 'content_block_stop':
        blocks.close(index);
        return [];
      case 'content_block_delta':
        return grow(index, objectOf(event.delta));
      case 'message_delta':
        stop(objectOf(event.delta));
        count(event.usage);
        return [];
      case 'message_stop':
        over = true;
        return [];
      default:
        return [];
    }
  };

  return {
    get chunks() {
      return chunks;
    },
    get characters() {
      return text.length + thinking.length + calls.characters + blocks.characters;
    },
    add(raw) {
      const event = asRecord(raw);
      if (!event) return [];
      // A server that ignored `stream` sent the whole answer.
      const whole = isMessage(event);
      if (!whole && !MESSAGE_EVENTS.test(asText(event.type))) return [];
      chunks++;
      return whole ? takeWhole(event) : take(event);
    },
    get awaits() {
      if (over) return 'nothing';
      return reason === '' ? 'answer' : 'usage';
    },
    finish(isOver) {
      const made = calls.finish();
      const isWhole = (text !== '' || made.length > 0) && made.every((each) => isWholeObject(each.arguments));
      if (reason === '' && !((isOver || over) && isWhole)) return { kind: 'cut' };
      const finish = reason === '' ? 'stop' : readFinish(reason);
      if (finish === 'failed') return { kind: 'failed', reason };
      const reasoning = reasoningOf(thinking, blocks.kept(made.map(({ id }) => id)));
      const cost = reportedCost(usage);
      const answer = { text, reasoning, usage: normalizeUsage(usage), ...(cost && { cost }) };
      const event = doneEvent(answer, made, calls.leftOut, finish);
      return { kind: 'done', event: explanation ? { ...event, notice: explainRefusal(explanation, event) } : event };
    },
  };
}

/** Blocks that are not read. */
const FOREIGN = 'foreign';

function withoutNulls(object: Json): Json {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null && value !== undefined));
}

function reasoningOf(text: string, items: readonly Json[]): Reasoning | null {
  if (items.length > 0) return { field: THINKING, text, items };
  return text ? { field: THINKING, text } : null;
}

const MOST_EXPLAINED = 400;

/** The provider's own explanation of a refusal. */
function explainRefusal(explanation: string, { notice = [] }: Pick<DoneEvent, 'notice'>): Words {
  return [...words('The provider says: {0}', showInOneLine(explanation.slice(0, MOST_EXPLAINED))), ...notice];
}

interface Block {
  readonly type: string;
  length: number;
  signature: string;
  readonly data?: string;
  readonly id: unknown;
  closed: boolean;
}

/** A block as it begins. */
interface Opening {
  readonly type: string;
  readonly signature?: string;
  readonly data?: string;
  readonly id?: unknown;
}

/** The blocks of one message in order: thinking to be returned, and marks for the positions of texts and calls. */
class Blocks {
  readonly #blocks = new Map<number, Block>();
  /** The newest block under each index of the server's: some number none of them, or all alike. */
  readonly #newest = new Map<unknown, number>();
  /** Length of everything except text, thinking and arguments. */
  characters = 0;

  /** The index for a block that begins. One that begins twice is the same. */
  begin(given: unknown, { type, id }: Json): number {
    const known = this.#newest.get(given);
    const open = known === undefined ? undefined : this.#blocks.get(known);
    if (known !== undefined && open && !open.closed && open.type === type && open.id === id) return known;
    const index = this.#blocks.size;
    this.#newest.set(given, index);
    return index;
  }

  /** The index of a block that goes on, even when nothing announced it. */
  at(given: unknown): number {
    if (typeof given !== 'number') return Math.max(0, this.#blocks.size - 1);
    return this.#newest.get(given) ?? this.begin(given, {});
  }

  close(index: number): void {
    const block = this.#blocks.get(index);
    if (block) block.closed = true;
  }

  typeOf(index: number): string | undefined {
    return this.#blocks.get(index)?.type;
  }

  open(index: number, { type, signature = '', data, id }: Opening): void {
    if (this.#blocks.has(index)) return;
    this.#blocks.set(index, { type, length: 0, signature, id, closed: false, ...(data === undefined ? {} : { data }) });
    this.characters += BLOCK_CHARACTERS + signature.length + (data ?? '').length;
  }

  grow(index: number, type: string, characters: number): void {
    this.open(index, { type });
    const block = this.#blocks.get(index);
    if (block) block.length += characters;
  }

  sign(index: number, piece: string): void {
    const block = this.#blocks.get(index);
    if (!block) return;
    block.signature += piece;
    this.characters += piece.length;
  }

  /** Empty without returnable thinking. `callIds` are the ids of the answer's calls, in order. */
  kept(callIds: readonly string[]): readonly Json[] {
    const ids = [...callIds];
    const kept = [...this.#blocks]
      .sort(([a], [b]) => a - b)
      .flatMap(([, { type, length, signature, data }]): Json[] => {
        switch (type) {
          case 'thinking':
            return [{ type, length, signature }];
          case 'redacted_thinking':
            return [{ type, data }];
          case 'text':
            return [{ type, length }];
          case FOREIGN:
            return [];
          default: {
            const id = ids.shift();
            return id === undefined ? [] : [{ type, id }];
          }
        }
      });
    // The provider refuses thinking without a signature.
    const signed = kept.filter((item) => item.type !== 'thinking' || item.signature !== '');
    return signed.length === kept.length && kept.some(({ type }) => /thinking/.test(String(type))) ? kept : [];
  }
}
