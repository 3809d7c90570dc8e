/**
 * The settings of the model and the agent, checked once. A value of the wrong type is named and the default used, so
 * that nobody works with a setting that silently means something else.
 */

import * as z from 'zod';
import { checkSetting, type SettingProblem } from '../../core/checkSetting.ts';
import type { SettingReader } from './settings.ts';

const FIELDS = {
  model: { schema: z.string(), fallback: '' },
  'endpoint.baseUrl': { schema: z.union([z.literal(''), z.url({ protocol: /^https?$/ })]), fallback: '' },
  'endpoint.models': { schema: z.array(z.string()), fallback: [] as string[] },
  'endpoint.firstByteTimeout': { schema: z.number().int().min(5).max(86_400), fallback: 120 },
  'endpoint.silenceTimeout': { schema: z.number().int().min(5).max(86_400), fallback: 90 },
  contextWindow: { schema: z.number().int().min(0).max(10_000_000), fallback: 128_000 },
  maxOutputTokens: { schema: z.number().int().min(0).max(10_000_000), fallback: 0 },
  'demo.contextWindow': { schema: z.number().int().min(2_000).max(1_000_000), fallback: 8_000 },
  'agent.stepLimit': { schema: z.number().int().min(1).max(1_000), fallback: 50 },
  'agent.tellCheckpoints': { schema: z.boolean(), fallback: false },
  'agent.dmail': { schema: z.boolean(), fallback: false },
  'agent.dmailLimit': { schema: z.number().int().min(1).max(20), fallback: 3 },
  'agent.dmailRestoresFiles': { schema: z.boolean(), fallback: false },
  'agent.output.maxLines': { schema: z.number().int().min(10).max(100_000), fallback: 2_000 },
  'agent.output.maxKilobytes': { schema: z.number().int().min(1).max(10_000), fallback: 50 },
  'agent.output.direction': { schema: z.enum(['tool', 'head', 'tail', 'middle']), fallback: 'tool' },
  'checkpoints.enabled': { schema: z.boolean(), fallback: true },
  'checkpoints.quota': { schema: z.number().int().min(0).max(100_000), fallback: 200 },
  'checkpoints.days': { schema: z.number().int().min(1).max(3_650), fallback: 30 },
} as const;

type Fields = typeof FIELDS;

export type AgentSettings = { readonly [K in keyof Fields]: z.infer<Fields[K]['schema']> };

export interface CheckedAgentSettings {
  readonly settings: AgentSettings;
  readonly problems: readonly SettingProblem[];
}

export function readAgentSettings(read: SettingReader): CheckedAgentSettings {
  const problems: SettingProblem[] = [];
  const entries = Object.entries(FIELDS).map(([key, field]) => {
    const checked = checkSetting<unknown>(`palimpsest.${key}`, read(key).value, field, problems);
    return [key, checked ? checked.value : field.fallback];
  });
  return { settings: Object.fromEntries(entries) as AgentSettings, problems };
}
