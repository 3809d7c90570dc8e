/** The driver of OpenCode. */

import { type Agent, MOST_OUTPUT } from './agent.ts';

export const openCode: Agent = {
  id: 'opencode',
  title: 'OpenCode',
  package: 'opencode-ai',
  program: 'opencode',
  needsInstallScript: true,
  prepare({ program, home, url, model, window }) {
    const name = `loopback/${model}`;
    const config = {
      autoupdate: false,
      share: 'disabled',
      model: name,
      small_model: name,
      permission: 'allow',
      provider: {
        loopback: {
          npm: '@ai-sdk/openai-compatible',
          name: 'loopback',
          options: { baseURL: url, apiKey: 'none' },
          models: { [model]: { name: model, tool_call: true, limit: { context: window, output: MOST_OUTPUT } } },
        },
      },
    };
    return {
      files: { 'opencode.json': JSON.stringify(config) },
      env: {
        OPENCODE_CONFIG: `${home}/opencode.json`,
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      },
      command: (prompt, part) => [program, 'run', ...(part > 0 ? ['-c'] : []), '-m', name, prompt],
    };
  },
};
