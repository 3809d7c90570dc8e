/**
 * Providers' reasons for refusing a request, written from their documentation and not from the product's own rules: the
 * common form, and the additional rules of each kind of endpoint.
 */

import { parseObject } from '../../../src/core/json.ts';
import type { ChatMessage } from '../../../src/core/model/modelClient.ts';
import { encodeMessages } from '../../../src/providers/chat/chatDialect.ts';
import type { ChatNarrowing } from '../../../src/providers/chat/chatNarrowing.ts';

/** Why providers would refuse a request; null when they would accept it. */
export function refuseRequest(messages: readonly ChatMessage[]): string | null {
  const seen = new Set<string>();
  let open: string[] = [];
  for (const [i, message] of messages.entries()) {
    const texts = [
      message.text,
      ...(message.role === 'assistant' ? (message.toolCalls ?? []).map((c) => c.arguments) : []),
    ];
    if (!texts.every((text) => text.isWellFormed())) return `message ${i} is not well-formed Unicode`;
    if (message.role === 'tool') {
      if (!open.includes(message.toolCallId)) return `message ${i} answers no open call`;
      open = open.filter((id) => id !== message.toolCallId);
      continue;
    }
    if (open.length) return `message ${i} comes before the answer to ${open.join()}`;
    if (message.role === 'system' && i > 0) return `message ${i} is a late system message`;
    if (message.role !== 'assistant') continue;
    if (message.text === '' && !message.toolCalls?.length) return `message ${i} is empty`;
    for (const { id, arguments: json } of message.toolCalls ?? []) {
      if (seen.has(id)) return `the call ${id} is there twice`;
      seen.add(id);
      open.push(id);
      JSON.parse(json);
    }
  }
  return open.length ? `the calls ${open.join()} are not answered` : null;
}

/** Endpoints that differ in what they accept. */
const COMMON = {
  usageOption: true,
  outputLimit: null,
  otherLimit: false,
  mostOutput: null,
  efforts: null,
  temperature: true,
  replayExtras: false,
  cacheMarkers: false,
  cacheKey: false,
  toolChoice: false,
  effort: null,
  replayDetails: true,
  emptyReasoning: false,
  replayInText: false,
};
const DIALECTS: readonly ChatNarrowing[] = [
  { ...COMMON, replayReasoning: true, turns: 'free', emptyContent: null, ids: 'short' },
  { ...COMMON, replayReasoning: true, turns: 'free', emptyContent: '', ids: 'short' },
  { ...COMMON, replayReasoning: true, turns: 'afterUser', emptyContent: null, ids: 'word' },
  { ...COMMON, replayReasoning: false, turns: 'alternate', emptyContent: null, ids: 'nine' },
];
const IDS = { short: /^[!-~]{1,40}$/, word: /^[a-zA-Z0-9_-]{1,64}$/, nine: /^[a-zA-Z0-9]{9}$/ };

interface EncodedMessage {
  readonly role: string;
  readonly content: unknown;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/** Why one kind of endpoint would refuse the encoded body; null when it would accept it. `which` selects the kind. */
export function refuseEncoded(messages: readonly ChatMessage[], which: number): string | null {
  const dialect = DIALECTS[which % DIALECTS.length] as ChatNarrowing;
  const encoded = encodeMessages(messages, dialect) as unknown as EncodedMessage[];
  const used = new Set<string>();
  let open: string[] = [];
  let before = '';
  for (const [i, message] of encoded.entries()) {
    const fault = (what: string) => `message ${i} of ${dialect.turns}/${dialect.ids}: ${what}`;
    const calls = message.tool_calls ?? [];
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id ?? '')) return fault('answers no open call');
      open = open.filter((id) => id !== message.tool_call_id);
      if (typeof message.content !== 'string' || message.content === '') return fault('an empty result');
      before = 'tool';
      continue;
    }
    if (open.length > 0) return fault(`comes before the answer to ${open}`);
    if (message.role === 'system' && i > 0) return fault('a late system message');
    if (message.role === 'user' && !message.content) return fault('an empty question');
    if (message.role === 'assistant') {
      if (calls.length === 0 && !message.content) return fault('neither text nor calls');
      if (calls.length > 0 && message.content === '' && dialect.emptyContent === null)
        return fault('empty text beside calls');
      if (dialect.turns !== 'free' && before !== 'user' && before !== 'tool') return fault(`an answer after ${before}`);
    }
    if (dialect.turns === 'alternate' && message.role === 'user' && (before === 'user' || before === 'tool'))
      return fault(`a question after ${before}`);
    for (const { id, function: called } of calls) {
      if (!IDS[dialect.ids].test(id)) return fault(`the id ${id}`);
      if (used.has(id)) return fault(`the id ${id} twice`);
      if (!/^[a-zA-Z0-9_-]{1,64}$/.test(called.name)) return fault(`the name ${called.name}`);
      if (!parseObject(called.arguments))
        return fault(`arguments that are no object: ${called.arguments.slice(0, 80)}`);
      used.add(id);
      open.push(id);
    }
    before = message.role;
  }
  return open.length > 0 ? `the calls ${open} are not answered` : null;
}
