/**
 * One request to the model: lowers the context, journals what is sent, streams the answer and journals what came. An
 * answer that broke off is journaled as interrupted, and its calls are never run.
 */

import { LOWERING_VERSION, lowerContext } from '../context/lower.ts';
import type { AssistantMessage, ToolCall, Usage } from '../context/message.ts';
import { isAbort, ModelError } from '../errors.ts';
import type { ModelEvent, ModelRequest } from '../ports.ts';
import type { TurnPorts } from './turn.ts';

export type Answer =
  | { readonly kind: 'answered'; readonly toolCalls: readonly ToolCall[] }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly error: ModelError };

type Done = Extract<ModelEvent, { type: 'done' }>;

/** Resolves after everything that came was acknowledged by the journal. Never throws a `ModelError`. */
export async function askModel(ports: TurnPorts, signal: AbortSignal): Promise<Answer> {
  const request = await journalRequest(ports);
  let text = '';
  let reasoning: { field: string; text: string } | undefined;
  let done: Done | undefined;
  ports.onEvent({ type: 'answer', phase: 'begun' });
  try {
    for await (const event of ports.model().client.stream(request, signal)) {
      switch (event.type) {
        case 'text':
          text += event.delta;
          ports.onEvent({ type: 'delta', text: event.delta, reasoning: '' });
          break;
        case 'reasoning':
          reasoning = { field: event.field, text: (reasoning?.text ?? '') + event.delta };
          ports.onEvent({ type: 'delta', text: '', reasoning: event.delta });
          break;
        case 'toolCall':
          ports.onEvent({ type: 'writingCall', name: event.name, argumentsLength: event.argumentsLength });
          break;
        case 'done':
          done = event;
          break;
      }
    }
    signal.throwIfAborted();
    if (!done) throw new ModelError('interrupted', 'The answer broke off before it was complete.');
    if (done.finish === 'overflow') throw new ModelError('overflow', 'The model ran out of context in its answer.');
    return await journalAnswer(ports, request, done);
  } catch (thrown) {
    if (text || reasoning)
      await journalMessage(ports, { role: 'assistant', text, ...reasoned(reasoning), interrupted: true });
    if (signal.aborted || isAbort(thrown)) return { kind: 'stopped' };
    if (thrown instanceof ModelError) return { kind: 'failed', error: thrown };
    throw thrown;
  } finally {
    ports.onEvent({ type: 'answer', phase: 'ended' });
  }
}

async function journalRequest({ journal, model, crypto }: TurnPorts): Promise<ModelRequest> {
  const choice = model();
  const messages = lowerContext(journal.context);
  const request: ModelRequest = {
    model: choice.model,
    messages,
    tools: journal.context.header?.tools ?? [],
    ...(choice.maxOutputTokens ? { maxOutputTokens: choice.maxOutputTokens } : {}),
  };
  await journal.append({
    type: 'request',
    purpose: 'turn',
    model: choice.model,
    ...(choice.maxOutputTokens ? { maxOutputTokens: choice.maxOutputTokens } : {}),
    bodySha256: await crypto.sha256(new TextEncoder().encode(JSON.stringify(request))),
    loweringVersion: LOWERING_VERSION,
    messages: messages.length,
  });
  return request;
}

async function journalAnswer(ports: TurnPorts, request: ModelRequest, done: Done): Promise<Answer> {
  const { toolCalls } = done;
  const message: AssistantMessage = {
    role: 'assistant',
    text: done.text,
    ...reasoned(done.reasoning),
    ...(toolCalls.length ? { toolCalls } : {}),
  };
  const tokens = await journalMessage(ports, message);
  await ports.journal.append({
    type: 'usage',
    model: request.model,
    ...(done.usage ? { usage: done.usage } : { usage: estimateUsage(ports, tokens), estimated: true }),
  });
  const why = explainFinish(done);
  if (why) await ports.journal.append({ type: 'note', level: 'warning', text: why });
  if (done.notice) await ports.journal.append({ type: 'note', level: 'warning', text: done.notice });
  return { kind: 'answered', toolCalls };
}

async function journalMessage({ journal, estimate }: TurnPorts, message: AssistantMessage): Promise<number> {
  const tokens = estimate(message);
  await journal.append({ type: 'message', message, tokens });
  return tokens;
}

const reasoned = (reasoning: AssistantMessage['reasoning']) => (reasoning ? { reasoning } : {});

/** A provider that reports no usage must not count as 0. */
function estimateUsage({ journal }: TurnPorts, output: number): Usage {
  const { header, conversation } = journal.context;
  const input = conversation.reduce((sum, item) => sum + item.tokens, header?.tokens ?? 0) - output;
  return { input, cached: 0, output, reasoning: 0 };
}

function explainFinish({ finish, discarded = [] }: Done): string | null {
  switch (finish) {
    case 'length':
      if (discarded.length) {
        return `The answer reached the output limit inside a call (${discarded.join(', ')}), which was not run. Ask to go on, or raise the output limit.`;
      }
      return 'The answer reached the output limit and was cut there. Ask to go on, or raise the output limit.';
    case 'contentFilter':
      return "The provider's content filter ended the answer.";
    case 'other':
      return 'The provider ended the answer without saying why.';
    case 'stop':
    case 'toolCalls':
    case 'overflow':
      return null;
  }
}
