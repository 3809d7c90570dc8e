/** The driver of Qwen Code. */

import { type Agent, MOST_OUTPUT } from './agent.ts';

export const qwenCode: Agent = {
  id: 'qwen',
  title: 'Qwen Code',
  package: '@qwen-code/qwen-code',
  program: 'qwen',
  prepare({ program, url, model, window }) {
    const generationConfig = { contextWindowSize: window, samplingParams: { max_tokens: MOST_OUTPUT } };
    const settings = {
      modelProviders: { openai: [{ id: model, name: model, envKey: 'LOOPBACK_KEY', baseUrl: url, generationConfig }] },
      security: { auth: { selectedType: 'openai' } },
      model: { name: model },
      telemetry: { enabled: false },
      privacy: { usageStatisticsEnabled: false },
      general: { disableAutoUpdate: true, enableAutoUpdate: false },
    };
    return {
      files: { '.qwen/settings.json': JSON.stringify(settings) },
      env: { LOOPBACK_KEY: 'none' },
      command: (prompt, part) => [
        program,
        ...['-y', '--auth-type', 'openai'],
        ...(part > 0 ? ['-c'] : []),
        ...['-p', prompt],
      ],
    };
  },
};
