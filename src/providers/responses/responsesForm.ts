/** OpenAI's responses as a wire form: stateless, so that nothing is kept there and every request holds all it needs. */

import type OpenAI from 'openai';
import type { ModelError } from '../../core/errors.ts';
import type { ModelRequest } from '../../core/ports.ts';
import { type Words, words } from '../../core/words.ts';
import { tellEffort } from '../openai/tellEffort.ts';
import type { WireForm } from '../openai/wireForm.ts';
import { encodeResponses } from './encodeResponses.ts';
import { createResponseAssembler } from './responseAssembler.ts';
import { beginNarrowing, narrowResponses, type ResponsesNarrowing } from './responsesNarrowing.ts';

export const RESPONSES: WireForm<ResponsesNarrowing> = {
  path: 'responses',
  begin: (_, model) => beginNarrowing(model),
  narrow: narrowResponses,
  withoutToolChoice: (narrowing) => (narrowing.toolChoice ? { ...narrowing, toolChoice: false } : null),
  encode: encodeResponses,
  send: (client, body, options) =>
    client.responses.create(body as unknown as OpenAI.Responses.ResponseCreateParamsStreaming, options),
  assemble: createResponseAssembler,
  tellLeftOut,
  advise,
};

const ADVICE = words(
  'Perhaps this address has no Responses API: set "dialect": "chat" for this endpoint in the setting palimpsest.endpoints, then send the message again.',
);

/** The address does not exist, or the model is not for it. A model that does not exist is told as that. */
function advise({ kind, message }: ModelError): Words | null {
  const said = /: “(.*)”/s.exec(message)?.[1] ?? '';
  const isWrongAddress = kind === 'notFound' && !/\bmodel\b/i.test(said);
  return isWrongAddress || /\bv1\/chat\/completions\b/i.test(said) ? ADVICE : null;
}

function tellLeftOut(request: ModelRequest, narrowing: ResponsesNarrowing): Words | null {
  const said: Words = [
    ...(request.effort && !narrowing.effort ? tellEffort(request.model, request.effort) : []),
    ...(narrowing.items === 'none' && request.messages.some(hasItems)
      ? words('The endpoint refused the earlier reasoning of {0}, which is no longer sent back.', request.model)
      : []),
  ];
  return said.length > 0 ? said : null;
}

function hasItems(message: ModelRequest['messages'][number]): boolean {
  return message.role === 'assistant' && (message.reasoning?.items?.length ?? 0) > 0;
}
