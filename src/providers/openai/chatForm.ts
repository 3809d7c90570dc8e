/** OpenAI's chat completions, which most endpoints speak, as a wire form. */

import type OpenAI from 'openai';
import type { ModelRequest } from '../../core/ports.ts';
import { type Words, words } from '../../core/words.ts';
import { createAnswerAssembler } from './answerAssembler.ts';
import { adaptDialect, type Dialect, dialectFor, tellEffort } from './dialect.ts';
import { encodeRequest } from './encodeRequest.ts';
import type { WireForm } from './wireForm.ts';

export const CHAT: WireForm<Dialect> = {
  path: 'chat/completions',
  begin: dialectFor,
  // What only the other form takes is not left out silently.
  narrow: (dialect, refusal) => (WANTS_RESPONSES.test(refusal) ? null : adaptDialect(dialect, refusal)),
  withoutToolChoice: (dialect) => (dialect.toolChoice ? { ...dialect, toolChoice: false } : null),
  encode: encodeRequest,
  send: (client, body, options) =>
    // Wider than the client's type: other providers' fields (reasoning, cache markers) travel in the same body.
    client.chat.completions.create(body as unknown as OpenAI.ChatCompletionCreateParamsStreaming, options),
  assemble: createAnswerAssembler,
  tellLeftOut,
  advise: ({ message }) => (WANTS_RESPONSES.test(message) ? ADVICE : null),
};

const WANTS_RESPONSES = /\bv1\/responses\b/i;

/** OpenAI's newer models take tools together with reasoning, or anything at all, in the other form only. */
const ADVICE = words(
  'Set "dialect": "responses" for this endpoint in the setting palimpsest.endpoints, then send the message again.',
);

function tellLeftOut(request: ModelRequest, { effort }: Dialect): Words | null {
  return request.effort && effort === null ? tellEffort(request.model, request.effort) : null;
}
