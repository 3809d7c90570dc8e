/** Settings of models and of the endpoints that serve them. A workspace never chooses an endpoint. */

import * as z from 'zod';
import { EFFORTS } from '../../core/ports.ts';
import { count, earlier, section, setting } from '../../core/settings/setting.ts';
import { DEFAULT_IDLE_LIMITS } from '../../providers/endpointFetch.ts';
import { endpointsSchema, idleSeconds } from './endpoints/endpointConfig.ts';

export const MODEL = section('', {
  model: setting(
    z.string(),
    '',
    'Model for new sessions: `demo` for the scripted demo, which needs no key and no network, or `MODEL@ENDPOINT`, such as `gpt-5@openai`, with the id of an endpoint, or `VENDOR/MODEL@vscode` for a model of another extension. Without an endpoint: the first that lists the model. A session keeps the model it was given in the panel.',
    { restricted: true },
  ),
  endpoints: setting(
    endpointsSchema,
    [],
    'OpenAI-compatible endpoints, each with its models and with a key of its own in the secret storage, one for each origin. *Palimpsest: Set Up Model Endpoint* fills this in. A workspace cannot change this.',
    { scope: 'application', ofThisMachine: true, eachAlone: true },
  ),
  'endpoint.baseUrl': earlier(
    z.union([z.literal(''), z.url({ protocol: /^https?$/ })]),
    '',
    'Use an entry of `#palimpsest.endpoints#` instead: its `baseUrl`.',
    { scope: 'application', ofThisMachine: true },
  ),
  'endpoint.models': earlier(
    z.array(z.string()),
    [],
    'Use an entry of `#palimpsest.endpoints#` instead: its `models`.',
    { scope: 'application' },
  ),
  contextWindow: setting(
    count(),
    128_000,
    "Context window of the endpoints' models, in tokens, where a model has none of its own in `#palimpsest.endpoints#`. If unset, the size reported by the server is used. 0 means unknown: only an overflow reported by the provider then starts a compaction.",
    { restricted: true },
  ),
  maxOutputTokens: earlier(count(), 0, 'Use `maxOutputTokens` of a model in `#palimpsest.endpoints#` instead.', {
    restricted: true,
  }),
  effort: setting(
    z.enum(['default', ...EFFORTS]),
    'default',
    'How much a model thinks before it answers, if it takes a reasoning effort and has none of its own in `#palimpsest.endpoints#`. `default` leaves it to the provider. More thinking costs more tokens and time.',
    { restricted: true },
  ),
  'demo.contextWindow': earlier(
    count(2_000, 1_000_000),
    8_000,
    'The scripted demo has a window of 8,000 tokens. Use `#palimpsest.compaction.trigger.maxContextTokens#` instead to have it compacted earlier.',
  ),
  'endpoint.firstByteTimeout': earlier(
    idleSeconds,
    DEFAULT_IDLE_LIMITS.firstByteMs / 1_000,
    'Use `firstByteTimeout` of an entry in `#palimpsest.endpoints#` instead.',
    { scope: 'application' },
  ),
  'endpoint.silenceTimeout': earlier(
    idleSeconds,
    DEFAULT_IDLE_LIMITS.betweenBytesMs / 1_000,
    'Use `silenceTimeout` of an entry in `#palimpsest.endpoints#` instead.',
    { scope: 'application' },
  ),
});
