/** How an answer of the test server becomes the events of a message, as Anthropic documents them. Pure. */

import { signatureOf } from './messagesRules.ts';
import { type AnswerReply, cut, type ReplyFacts } from './modelServerReply.ts';
import type { NamedEvent } from './responsesReply.ts';

/** The events in order. The last one is `message_stop`; it and the reason are left out for a `finish` of null. */
export function messageEvents(reply: AnswerReply, facts: ReplyFacts): NamedEvent[] {
  const { text = '', reasoning, encrypted, calls = [] } = reply;
  const usage = messageUsage(reply, facts);
  const message = { id: `msg_${facts.number}`, type: 'message', role: 'assistant', model: facts.model, content: [] };
  const events: NamedEvent[] = [
    { type: 'message_start', message: { ...message, stop_reason: null, usage: { ...usage, output_tokens: 1 } } },
    { type: 'ping' },
  ];
  let index = 0;
  const add = (content_block: object, deltas: readonly object[]) => {
    events.push({ type: 'content_block_start', index, content_block });
    events.push(...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })));
    events.push({ type: 'content_block_stop', index });
    index++;
  };
  if (reasoning) {
    const pieces = cut(reasoning.text).map((thinking) => ({ type: 'thinking_delta', thinking }));
    const signature = { type: 'signature_delta', signature: signatureOf(reasoning.text) };
    add({ type: 'thinking', thinking: '', signature: '' }, [...pieces, signature]);
  }
  if (encrypted) add({ type: 'redacted_thinking', data: encrypted }, []);
  if (text)
    add(
      { type: 'text', text: '' },
      cut(text).map((piece) => ({ type: 'text_delta', text: piece })),
    );
  for (const [at, call] of calls.entries()) {
    const written = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
    const id = call.id ?? `toolu_${facts.number}_${at}`;
    add(
      { type: 'tool_use', id, name: call.name, input: {} },
      cut(written).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    );
  }
  const reason = reply.finish === undefined ? (calls.length > 0 ? 'tool_use' : 'end_turn') : reply.finish;
  if (reason === null) return events;
  const delta = { stop_reason: reason, stop_sequence: null };
  return [...events, { type: 'message_delta', delta, usage }, { type: 'message_stop' }];
}

function messageUsage({ usage = 'estimate', text = '', calls = [] }: AnswerReply, facts: ReplyFacts): object | null {
  if (usage !== 'estimate') return usage;
  const output_tokens = Math.ceil((text.length + JSON.stringify(calls).length) / 4);
  return { input_tokens: facts.inputTokens, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens };
}
