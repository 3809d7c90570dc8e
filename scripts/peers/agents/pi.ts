/** The driver of pi. */

import { type Agent, MOST_OUTPUT } from './agent.ts';

export const pi: Agent = {
  id: 'pi',
  title: 'pi',
  package: '@earendil-works/pi-coding-agent',
  program: 'pi',
  prepare({ program, home, url, model, window }) {
    const models = [{ id: model, contextWindow: window, maxTokens: MOST_OUTPUT }];
    const loopback = { baseUrl: url, api: 'openai-completions', apiKey: 'none', models };
    return {
      files: { 'agent/models.json': JSON.stringify({ providers: { loopback } }), 'agent/settings.json': '{}' },
      env: { PI_CODING_AGENT_DIR: `${home}/agent`, PI_OFFLINE: '1', PI_TELEMETRY: '0' },
      command: (prompt, part) => [
        program,
        '-p',
        ...(part > 0 ? ['-c'] : []),
        ...['--offline', '--provider', 'loopback', '--model', model],
        prompt,
      ],
    };
  },
};
