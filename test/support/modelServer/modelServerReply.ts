/** The possible answers of the test server, and their conversion to stream events. Pure. */

export interface ReplyCall {
  readonly name: string;
  /** JSON text, or a value to be written as JSON. */
  readonly arguments: unknown;
  readonly id?: string;
}

export interface AnswerReply {
  readonly kind: 'answer';
  readonly text?: string;
  readonly reasoning?: { readonly field: string; readonly text: string };
  /** Reasoning that only the provider can read: an item of the responses form, a detail of chat completions. */
  readonly encrypted?: string;
  readonly calls?: readonly ReplyCall[];
  /** In OpenAI's words; `stop` or `tool_calls` by default, null for none. */
  readonly finish?: string | null;
  /** `estimate` (the default) counts the request's characters; null reports nothing. */
  readonly usage?: 'estimate' | null | Readonly<Record<string, unknown>>;
  /** Milliseconds between two pieces. */
  readonly pieceDelayMs?: number;
}

type RawPiece =
  | string
  | Uint8Array
  /** Milliseconds to wait. */
  | number;

export type Reply =
  | AnswerReply
  | {
      readonly kind: 'error';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** A string is sent as it is, anything else as JSON. */
      readonly body?: unknown;
    }
  | {
      readonly kind: 'raw';
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly pieces: readonly RawPiece[];
      /** `close` ends the response, `cut` closes the connection before its end, `hold` leaves it open. */
      readonly end?: 'close' | 'cut' | 'hold';
    }
  /** Headers are never sent. */
  | { readonly kind: 'silence' }
  /** The socket is destroyed before anything is sent. */
  | { readonly kind: 'drop' };

export interface ReplyFacts {
  readonly model: string;
  /** Counts the requests from 1, as a part of unique ids. */
  readonly number: number;
  /** Tokens of the request's body, estimated. */
  readonly inputTokens: number;
  readonly wantsUsage: boolean;
}

const PIECE = 12;

/** The objects of the stream in order, without `[DONE]`. */
export function answerChunks(reply: AnswerReply, facts: ReplyFacts): object[] {
  const { text = '', reasoning, encrypted, calls = [] } = reply;
  const delta = (content: object) => chunk(facts, [{ index: 0, delta: content, finish_reason: null }]);
  const chunks: object[] = [delta({ role: 'assistant', content: '' })];
  if (reasoning) for (const piece of cut(reasoning.text)) chunks.push(delta({ [reasoning.field]: piece }));
  if (encrypted) chunks.push(delta({ reasoning_details: [encryptedDetail(encrypted, facts)] }));
  for (const piece of cut(text)) chunks.push(delta({ content: piece }));
  for (const [index, call] of calls.entries()) {
    const id = call.id ?? `call_${facts.number}_${index}`;
    const written = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
    chunks.push(
      delta({ tool_calls: [{ index, id, type: 'function', function: { name: call.name, arguments: '' } }] }),
      ...cut(written).map((piece) => delta({ tool_calls: [{ index, function: { arguments: piece } }] })),
    );
  }
  const finish = reply.finish === undefined ? (calls.length > 0 ? 'tool_calls' : 'stop') : reply.finish;
  if (finish !== null) chunks.push(chunk(facts, [{ index: 0, delta: {}, finish_reason: finish }]));
  const usage = usageOf(reply, facts);
  if (usage && facts.wantsUsage) chunks.push({ ...chunk(facts, []), usage });
  return chunks;
}

function encryptedDetail(data: string, { number }: ReplyFacts): object {
  return { type: 'reasoning.encrypted', data, id: `rs_${number}`, format: 'test-v1', index: 0 };
}

function chunk(facts: ReplyFacts, choices: readonly object[]): object {
  return { id: `chatcmpl-${facts.number}`, object: 'chat.completion.chunk', created: 0, model: facts.model, choices };
}

export function usageOf({ usage = 'estimate', text = '', calls = [] }: AnswerReply, facts: ReplyFacts): object | null {
  if (usage !== 'estimate') return usage;
  const output = Math.ceil((text.length + JSON.stringify(calls).length) / 4);
  return {
    prompt_tokens: facts.inputTokens,
    completion_tokens: output,
    total_tokens: facts.inputTokens + output,
    prompt_tokens_details: { cached_tokens: 0 },
  };
}

export function cut(text: string): string[] {
  return text.match(new RegExp(`.{1,${PIECE}}`, 'gsu')) ?? [];
}

/** Events of a stream in the form they are sent; strings go in as they are. */
export function sse(...events: readonly (object | string)[]): string {
  return events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join('');
}

/** One chunk with the given choice, for raw replies. */
export function choiceChunk(delta: object, finish: string | null = null): object {
  return {
    id: 'chatcmpl-raw',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'test-model',
    choices: [{ index: 0, delta, finish_reason: finish }],
  };
}
