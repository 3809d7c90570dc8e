/**
 * An agent of palimpsest-core for editors that speak the Agent Client Protocol, over standard input and output:
 * MODEL_URL is an OpenAI-compatible endpoint, MODEL its model, MODEL_KEY its key if it needs one.
 */

import { createEndpointClient } from 'palimpsest-core';
import { serveAcp } from 'palimpsest-core/acp';

const { MODEL_URL = 'http://127.0.0.1:11434/v1', MODEL = 'qwen3:8b', MODEL_KEY, SESSIONS } = process.env;
const client = createEndpointClient({ baseUrl: MODEL_URL, key: async () => MODEL_KEY });

await serveAcp({
  name: 'my-agent',
  version: '1.0.0',
  ...(SESSIONS ? { folder: SESSIONS } : {}),
  agent: ({ cwd }) => ({
    model: { client, model: MODEL, window: 32_768 },
    tools: [],
    systemPrompt: `Be useful. The person works in ${cwd}.`,
    compaction: { settings: { strategy: 'layered' } },
  }),
}).closed;
