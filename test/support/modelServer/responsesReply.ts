/** How an answer of the test server becomes the events of a response, as OpenAI documents them. Pure. */

import { type AnswerReply, cut, type ReplyFacts, usageOf } from './modelServerReply.ts';

export interface NamedEvent {
  readonly type: string;
  readonly [name: string]: unknown;
}

/** The events in order. The last one is `response.completed`, or what `finish` names; none for null. */
export function responseEvents(reply: AnswerReply, facts: ReplyFacts): NamedEvent[] {
  const { text = '', reasoning, encrypted, calls = [] } = reply;
  const id = `resp_${facts.number}`;
  const events: NamedEvent[] = [
    { type: 'response.created', response: { id, object: 'response', status: 'in_progress' } },
  ];
  const output: object[] = [];
  const add = (begun: object, pieces: readonly NamedEvent[], ended: object) => {
    const output_index = output.length;
    events.push({ type: 'response.output_item.added', output_index, item: begun });
    events.push(...pieces.map((piece) => ({ ...piece, output_index })));
    events.push({ type: 'response.output_item.done', output_index, item: ended });
    output.push(ended);
  };
  if (reasoning || encrypted) {
    const item = { id: `rs_${facts.number}`, type: 'reasoning' };
    const summary = reasoning ? [{ type: 'summary_text', text: reasoning.text }] : [];
    const pieces = cut(reasoning?.text ?? '').map((delta) => ({
      type: 'response.reasoning_summary_text.delta',
      item_id: item.id,
      summary_index: 0,
      delta,
    }));
    // The first version may be incomplete: only the finished item counts.
    add({ ...item, summary: [], encrypted_content: 'unfinished' }, pieces, {
      ...item,
      summary,
      ...(encrypted ? { encrypted_content: encrypted } : {}),
    });
  }
  if (text) {
    const item = { id: `msg_${facts.number}`, type: 'message', role: 'assistant' };
    const pieces = cut(text).map((delta) => ({
      type: 'response.output_text.delta',
      item_id: item.id,
      content_index: 0,
      delta,
    }));
    const content = [{ type: 'output_text', text, annotations: [] }];
    add({ ...item, status: 'in_progress', content: [] }, pieces, { ...item, status: 'completed', content });
  }
  for (const [index, call] of calls.entries()) {
    const written = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments);
    const call_id = call.id ?? `call_${facts.number}_${index}`;
    const item = { id: `fc_${facts.number}_${index}`, type: 'function_call', call_id, name: call.name };
    const pieces = cut(written).map((delta) => ({
      type: 'response.function_call_arguments.delta',
      item_id: item.id,
      delta,
    }));
    add({ ...item, arguments: '' }, pieces, { ...item, arguments: written, status: 'completed' });
  }
  const finish = reply.finish === undefined ? 'completed' : reply.finish;
  if (finish !== null) events.push(endEvent(finish, { id, output }, reply, facts));
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}

/** `finish` is a status, or for an incomplete one its reason. */
function endEvent(finish: string, response: object, reply: AnswerReply, facts: ReplyFacts): NamedEvent {
  const whole = finish === 'completed' || finish === 'failed';
  const status = whole ? finish : 'incomplete';
  const incomplete_details = whole ? null : { reason: finish };
  return {
    type: `response.${status}`,
    response: { ...response, object: 'response', status, incomplete_details, usage: responseUsage(reply, facts) },
  };
}

function responseUsage(reply: AnswerReply, facts: ReplyFacts): object | null {
  if (reply.usage !== undefined && reply.usage !== 'estimate') return reply.usage;
  const counted = usageOf(reply, facts) as { prompt_tokens: number; completion_tokens: number };
  const { prompt_tokens: input_tokens, completion_tokens: output_tokens } = counted;
  return {
    input_tokens,
    output_tokens,
    total_tokens: input_tokens + output_tokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  };
}

export function namedSse(event: object): string {
  return `event: ${(event as NamedEvent).type}\ndata: ${JSON.stringify(event)}\n\n`;
}
