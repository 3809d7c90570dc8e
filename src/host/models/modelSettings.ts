/** The settings of models and of the endpoint that serves them. A workspace never chooses an endpoint. */

import * as z from 'zod';
import { count, section, setting } from '../../core/settings/setting.ts';
import { DEFAULT_IDLE_LIMITS } from '../../providers/endpointFetch.ts';

const seconds = count(5, 86_400);

export const MODEL = section('', {
  model: setting(
    z.string(),
    '',
    'Model for new sessions: `demo` for the scripted demo, which needs no key and no network, or the name of a model at the endpoint. A session keeps the model it was given in the panel.',
    { restricted: true },
  ),
  'endpoint.baseUrl': setting(
    z.union([z.literal(''), z.url({ protocol: /^https?$/ })]),
    '',
    'Base URL of an OpenAI-compatible endpoint, for example `https://api.openai.com/v1` or `http://127.0.0.1:11434/v1`. The key is kept in the secret storage, one for each origin: run *Palimpsest: Set API Key*. A workspace cannot change this.',
    {
      scope: 'application',
      pattern: /^(https?:\/\/.+)?$/,
      patternHint: 'Give a URL that begins with https:// (or http:// for this machine).',
    },
  ),
  'endpoint.models': setting(
    z.array(z.string()),
    [],
    'Models of the endpoint to offer in the panel. *Palimpsest: Set Up Model Endpoint* fills this in.',
    { scope: 'application' },
  ),
  contextWindow: setting(
    count(),
    128_000,
    "Context window of the endpoint's models, in tokens. 0 means unknown: only an overflow reported by the provider then starts a compaction.",
    { restricted: true },
  ),
  maxOutputTokens: setting(count(), 0, 'Largest answer to ask for, in tokens. 0 leaves it to the provider.', {
    restricted: true,
  }),
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
