/** Anthropic's messages, as spoken by its own endpoint and many gateways. */

import type Anthropic from '@anthropic-ai/sdk';
import type { CacheLifetimes } from '../../core/cost/pauses.ts';
import type { ModelError } from '../../core/errors.ts';
import type { ModelRequest } from '../../core/ports.ts';
import { type Words, words } from '../../core/words.ts';
import { anthropicSdk } from '../anthropicSdk.ts';
import { type Dialect, explainEffort, isUnknownParameter, type NarrowingSteps, takeStep } from '../dialect.ts';
import { encodeRequest, type MessagesNarrowing } from './encodeRequest.ts';
import { createMessageAssembler } from './messageAssembler.ts';

/** Models that think within a budget or not at all, and their longest answers. The first match counts. */
const OLDER: readonly (readonly [RegExp, Partial<MessagesNarrowing>])[] = [
  [/claude-3-7/, { thinking: 'budget', effort: false, mostOutput: 64_000 }],
  [/claude-3-5/, { thinking: 'none', effort: false, mostOutput: 8_192 }],
  [/claude-(3|2|instant)/, { thinking: 'none', effort: false, mostOutput: 4_096 }],
  [/claude-opus-4(-[01])?(-\d{8})?$/, { thinking: 'budget', effort: false, mostOutput: 32_000 }],
  [/claude-(opus|sonnet|haiku)-4(-[015])?(-\d{8})?$/, { thinking: 'budget', effort: false }],
];

/** Enough for any file, and accepted by every newer model. */
const MOST_OUTPUT = 64_000;

function begin(model: string): MessagesNarrowing {
  const older = OLDER.find(([names]) => names.test(model))?.[1];
  return {
    thinking: 'adaptive',
    display: true,
    effort: true,
    temperature: true,
    replay: true,
    cacheMarks: true,
    longMarks: true,
    mostOutput: MOST_OUTPUT,
    ...older,
  };
}

const STEPS: NarrowingSteps<MessagesNarrowing> = [
  [({ display }, refusal) => display && isUnknownParameter(refusal, 'display'), { display: false }],
  [({ effort }, refusal) => effort && isUnknownParameter(refusal, 'output_config|effort'), { effort: false }],
  [
    ({ thinking }, refusal) => thinking === 'adaptive' && /\badaptive\b/i.test(refusal),
    { thinking: 'budget', effort: false },
  ],
  [
    ({ replay }, refusal) => replay && /\bsignature\b|thinking.{0,80}(cannot be modified|must remain)/is.test(refusal),
    { replay: false },
  ],
  [
    ({ thinking }, refusal) =>
      thinking !== 'none' && (isUnknownParameter(refusal, 'thinking') || /\bthinking\b.{0,40}support/i.test(refusal)),
    { thinking: 'none' },
  ],
  [({ temperature }, refusal) => temperature && /\btemperature\b/i.test(refusal), { temperature: false }],
  [({ longMarks }, refusal) => longMarks && /\bttl\b/i.test(refusal), { longMarks: false }],
  [({ cacheMarks }, refusal) => cacheMarks && /\bcache_control\b/i.test(refusal), { cacheMarks: false }],
];

/** `max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for …` */
const TOO_LONG = /max_tokens: (\d+) > (\d+)/;

function narrow(narrowing: MessagesNarrowing, refusal: string): MessagesNarrowing | null {
  const limit = Number(TOO_LONG.exec(refusal)?.[2] ?? 0);
  if (limit > 0 && limit < narrowing.mostOutput) return { ...narrowing, mostOutput: limit };
  return takeStep(STEPS, narrowing, refusal);
}

const ADVICE = words(
  'Perhaps this address does not speak Anthropic’s messages: set "dialect": "chat" for this endpoint in the setting palimpsest.endpoints, then send the message again.',
);

/** The address does not exist. A missing model is reported differently. */
function advise({ kind, message }: ModelError): Words | null {
  const said = /: “(.*)”/s.exec(message)?.[1] ?? '';
  return kind === 'notFound' && !/\bmodel\b/i.test(said) ? ADVICE : null;
}

function explainOmissions(request: ModelRequest, { thinking, replay }: MessagesNarrowing): Words | null {
  const { effort, model, messages } = request;
  const said: Words = [
    ...(effort && effort !== 'none' && thinking === 'none' ? explainEffort(model, effort) : []),
    ...(!replay && messages.some((message) => message.role === 'assistant' && message.reasoning?.items?.length)
      ? words('The endpoint refused the earlier reasoning of {0}, which is no longer sent back.', model)
      : []),
  ];
  return said.length > 0 ? said : null;
}

export const messagesDialect = (lifetimes: () => CacheLifetimes): Dialect<MessagesNarrowing> => ({
  path: 'messages',
  begin: (_, model) => begin(model),
  narrow,
  withoutToolChoice: () => null,
  encode: (request, narrowing) => encodeRequest(request, narrowing, lifetimes()),
  send: async (body, sending) => {
    const parameters = body as unknown as Anthropic.MessageCreateParamsStreaming;
    return (await anthropicSdk(sending)).messages.create(parameters, { signal: sending.signal, maxRetries: 0 });
  },
  count: async (body, sending) => {
    // Only this belongs to the prompt, and the endpoint refuses anything else.
    const { model, system, messages, tools, thinking, output_config } = body;
    const prompt = { model, system, messages, tools, thinking, output_config } as unknown;
    const parameters = prompt as Anthropic.MessageCountTokensParams;
    const client = await anthropicSdk(sending);
    const counted = await client.messages.countTokens(parameters, { signal: sending.signal, maxRetries: 0 });
    return counted.input_tokens;
  },
  assemble: createMessageAssembler,
  explainOmissions,
  advise,
});
