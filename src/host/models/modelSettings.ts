/** The settings of models and of the endpoints that serve them. A workspace never chooses an endpoint. */

import * as z from 'zod';
import { EFFORTS } from '../../core/ports.ts';
import { count, section, setting } from '../../core/settings/setting.ts';
import { DEFAULT_IDLE_LIMITS } from '../../providers/endpointFetch.ts';
import { endpointsSchema } from './endpoints/endpointConfig.ts';

const seconds = count(5, 86_400);

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
    { scope: 'application', eachAlone: true },
  ),
  'endpoint.baseUrl': setting(
    z.union([z.literal(''), z.url({ protocol: /^https?$/ })]),
    '',
    'Short form of `#palimpsest.endpoints#` for a single endpoint: its base URL, for example `https://api.openai.com/v1` or `http://127.0.0.1:11434/v1`. The key is kept in the secret storage: run *Palimpsest: Manage Endpoints*. A workspace cannot change this.',
    {
      scope: 'application',
      pattern: /^(https?:\/\/.+)?$/,
      patternHint: 'Give a URL that begins with https:// (or http:// for this machine).',
    },
  ),
  'endpoint.models': setting(
    z.array(z.string()),
    [],
    'Short form of `#palimpsest.endpoints#`: models of the single endpoint to offer in the panel.',
    { scope: 'application' },
  ),
  contextWindow: setting(
    count(),
    128_000,
    "Context window of the endpoints' models, in tokens, where a model has none of its own in `#palimpsest.endpoints#`. If unset, the size reported by the server is used. 0 means unknown: only an overflow reported by the provider then starts a compaction.",
    { restricted: true },
  ),
  maxOutputTokens: setting(count(), 0, 'Longest answer to ask for, in tokens. 0 leaves it to the provider.', {
    restricted: true,
  }),
  effort: setting(
    z.enum(['default', ...EFFORTS]),
    'default',
    'How much a model thinks before it answers, if it takes a reasoning effort and has none of its own in `#palimpsest.endpoints#`. `default` leaves it to the provider. More thinking costs more tokens and time.',
    { restricted: true },
  ),
  'demo.contextWindow': setting(
    count(2_000, 1_000_000),
    8_000,
    'Context window that the scripted demo pretends to have, in tokens. It is small so that compaction can be seen at work.',
  ),
  'endpoint.firstByteTimeout': setting(
    seconds,
    DEFAULT_IDLE_LIMITS.firstByteMs / 1_000,
    'Seconds to wait for the first byte of an answer before the request is given up and tried again. Raise it for a server that loads large models.',
    { scope: 'application' },
  ),
  'endpoint.silenceTimeout': setting(
    seconds,
    DEFAULT_IDLE_LIMITS.betweenBytesMs / 1_000,
    'Seconds of silence in the middle of an answer before it counts as broken off. Keep-alive comments count as bytes.',
    { scope: 'application' },
  ),
});
