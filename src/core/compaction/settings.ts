/**
 * `palimpsest.compaction.*`, checked: every parameter of the source documents with its faithful default. A bad value is
 * named and the default used. Precedence: what was set in the strategy's own section, what was set in general, the
 * section's default, the general default.
 */

import * as z from 'zod';
import { checkSetting, describeSettingProblem, type SettingProblem } from '../checkSetting.ts';
import { words } from '../words.ts';
import { CONTRIBUTED_ID } from './run/strategyId.ts';
import { DEFAULT_RULES, RULE_PATTERN } from './strategies/selective/selectiveRules.ts';
import type { TriggerSettings } from './when/triggers.ts';

/** `explicit`: set by a person or a workspace, as opposed to the default. `key` is without the `palimpsest.` prefix. */
export type SettingRead = (key: string) => { readonly value: unknown; readonly explicit: boolean };

export interface SettingField {
  readonly schema: z.ZodType;
  readonly fallback: unknown;
}

export interface OffloadSettings {
  /** Offload large results when the tool returns, not only when they leave the context (C10). */
  readonly onReturn: boolean;
  /** Results of more tokens are offloaded. */
  readonly threshold: number;
  readonly previewTokens: number;
}

export interface CompactionSettings {
  /** Id of a built-in or contributed strategy. */
  readonly strategy: string;
  readonly auto: boolean;
  readonly requireConfirmation: boolean;
  readonly autoContinue: boolean;
  readonly trigger: TriggerSettings;
  /** Share of the maximum that a compaction aims at. */
  readonly targetRatio: number;
  /** Share of the window the context must grow by before a held automatic trigger fires again. */
  readonly holdGrowth: number;
  readonly deadlineMs: number;
  readonly maxRecoveries: number;
  readonly coolDown: { readonly failures: number; readonly minutes: number };
  /** `model`: name of a model for summaries (B11); empty for the session's own. */
  readonly summary: {
    readonly model: string;
    readonly outputTokenMax: number;
    readonly retries: number;
    /** B10: tokens of a person's own messages that stay word for word. */
    readonly keepUserTokens: number;
  };
  readonly verify: { readonly enabled: boolean; readonly ledgerTokens: number };
  readonly offload: OffloadSettings;
  /** Tokens of recalled content a turn may read (B3); 0 switches recall off. */
  readonly recallTokensPerTurn: number;
  /** The model is offered a tool to ask for a compaction. */
  readonly agentTool: boolean;
  readonly emitMetaEvents: boolean;
  /** The section in force for the strategy, by parameter name. */
  readonly section: Readonly<Record<string, unknown>>;
}

const share = (min: number, max: number) => z.number().min(min).max(max);
const count = (min = 0, max = 10_000_000) => z.number().int().min(min).max(max);
const field = (schema: z.ZodType, fallback: unknown): SettingField => ({ schema, fallback });

export const BASES = ['estimate', 'usage', 'input', 'inputOutput', 'halfCharacters'] as const;
export const SUMMARY_STYLE_CHOICES = ['strategy', 'kimi', 'comate', 'pi'] as const;

/** Settings of every strategy, below `palimpsest.compaction.`. */
export const GENERAL_FIELDS: Readonly<Record<string, SettingField>> = {
  strategy: field(z.string(), 'llm-summary'),
  contributedStrategy: field(z.string(), ''),
  auto: field(z.boolean(), true),
  requireConfirmation: field(z.boolean(), false),
  autoContinue: field(z.boolean(), true),
  'trigger.ratio': field(share(0, 0.99), 0.8),
  'trigger.reserve': field(count(), 2_000),
  'trigger.maxContextTokens': field(count(), 0),
  'trigger.basis': field(z.enum(BASES), 'estimate'),
  'trigger.safetyMargin': field(count(0, 100_000), 500),
  'trigger.holdGrowth': field(share(0.01, 1), 0.05),
  targetRatio: field(share(0.05, 0.95), 0.5),
  deadline: field(count(1, 3_600), 180),
  maxRecoveries: field(count(1, 20), 3),
  'coolDown.failures': field(count(1, 100), 2),
  'coolDown.minutes': field(share(0, 1_440), 5),
  'summary.model': field(z.string(), ''),
  'summary.style': field(z.enum(SUMMARY_STYLE_CHOICES), 'strategy'),
  'summary.prompt': field(z.string().max(20_000), ''),
  'summary.outputTokenMax': field(count(64, 100_000), 4096),
  'summary.retries': field(count(0, 10), 2),
  'summary.structured': field(z.boolean(), false),
  'summary.keepUserTokens': field(count(0, 1_000_000), 0),
  'summary.maxGenerations': field(count(1, 100), 3),
  'verify.enabled': field(z.boolean(), true),
  'verify.ledgerTokens': field(count(0, 10_000), 600),
  'offload.onReturn': field(z.boolean(), false),
  'offload.threshold': field(count(1), 1_000),
  'offload.previewTokens': field(count(0, 10_000), 200),
  'recall.tokensPerTurn': field(count(0), 8_000),
  agentTool: field(z.boolean(), false),
  emitMetaEvents: field(z.boolean(), false),
};

export interface StrategySection {
  /** Below `palimpsest.compaction.` */
  readonly name: string;
  readonly fields: Readonly<Record<string, SettingField>>;
}

/** Own parameters of the built-in strategies, by strategy id. Fields named like general ones override those. */
export const STRATEGY_SECTIONS: Readonly<Record<string, StrategySection>> = {
  'llm-summary': { name: 'llmSummary', fields: { preserveRecentMessages: field(count(0, 1_000), 2) } },
  'tool-result-hiding': { name: 'toolResultHiding', fields: { preserveRecentGroups: field(count(0, 1_000), 5) } },
  'hiding-then-summary': {
    name: 'hidingThenSummary',
    fields: {
      preserveRecentGroups: field(count(0, 1_000), 5),
      preserveRecentMessages: field(count(0, 1_000), 2),
      minimumReclaim: field(count(), 0),
    },
  },
  selective: {
    name: 'selective',
    fields: {
      rules: field(z.record(z.string(), z.string().regex(RULE_PATTERN)), DEFAULT_RULES),
      protectRecentRounds: field(count(0, 1_000), 2),
      argumentThreshold: field(count(1), 500),
      resultThreshold: field(count(1), 600),
      previewTokens: field(count(1), 200),
      fallbackToFullSummary: field(z.boolean(), true),
    },
  },
  'prune-then-summary': {
    name: 'pruneThenSummary',
    fields: {
      triggerRatio: field(share(0.5, 0.9), 0.7),
      triggerReserve: field(count(), 0),
      triggerBasis: field(z.enum(BASES), 'input'),
      pruningEnabled: field(z.boolean(), true),
      protectTurns: field(count(0, 1_000), 2),
      protectThreshold: field(count(), 40_000),
      minimumPrune: field(count(), 20_000),
      protectedTools: field(z.array(z.string()), ['skill', 'task']),
      toolThresholds: field(z.record(z.string(), z.string().regex(/^(never|\d{1,8})$/)), {}),
    },
  },
  'round-summary': {
    name: 'roundSummary',
    fields: {
      triggerRatio: field(share(0, 0.99), 0.8),
      triggerReserve: field(count(), 0),
      triggerBasis: field(z.enum(BASES), 'halfCharacters'),
      maxContextTokens: field(count(), 80_000),
      requireConfirmation: field(z.boolean(), true),
      keepRecentRounds: field(count(0, 1_000), 2),
      summaryMaxLength: field(count(50, 1_000_000), 1_000),
    },
  },
};

/** Of a section's fields, those that stand for a general setting. */
const OVERRIDES: Readonly<Record<string, string>> = {
  triggerRatio: 'trigger.ratio',
  triggerReserve: 'trigger.reserve',
  triggerBasis: 'trigger.basis',
  maxContextTokens: 'trigger.maxContextTokens',
  requireConfirmation: 'requireConfirmation',
  auto: 'auto',
  autoContinue: 'autoContinue',
  outputTokenMax: 'summary.outputTokenMax',
};

/** Values of a contributed strategy's own section, as its extension configured them. */
export type ContributedSection = (strategy: string) => Readonly<Record<string, unknown>>;

export interface CheckedSettings {
  readonly settings: CompactionSettings;
  readonly problems: readonly SettingProblem[];
}

/** `strategyInstead`: what would be in force with another strategy, for previews and comparisons. */
export function readCompactionSettings(
  read: SettingRead,
  contributed: ContributedSection = () => ({}),
  strategyInstead?: string,
): CheckedSettings {
  const problems: SettingProblem[] = [];
  const check = (key: string, field: SettingField) => {
    const { value, explicit } = read(`compaction.${key}`);
    const checked = value === undefined ? null : checkSetting(`palimpsest.compaction.${key}`, value, field, problems);
    return checked ? { value: checked.value, explicit } : { value: field.fallback, explicit: false };
  };
  const general = new Map(Object.entries(GENERAL_FIELDS).map(([key, own]) => [key, check(key, own)]));
  const strategy =
    strategyInstead ??
    readStrategy(general.get('strategy')?.value, general.get('contributedStrategy')?.value, problems);
  const section = STRATEGY_SECTIONS[strategy];
  const own = new Map(
    Object.entries(section?.fields ?? {}).map(([name, it]) => [name, check(`${section?.name}.${name}`, it)]),
  );
  const values = new Map([...general].map(([key, { value }]) => [key, value]));
  for (const [name, key] of Object.entries(OVERRIDES)) {
    const special = own.get(name);
    if (special && (special.explicit || !general.get(key)?.explicit)) values.set(key, special.value);
  }
  const parameters = Object.fromEntries([...own].map(([name, { value }]) => [name, value]));
  return { settings: assemble(strategy, values, { ...contributed(strategy), ...parameters }), problems };
}

/** K3: an unknown name is named, and the default is in force. Contributed ids are resolved by the registry. */
function readStrategy(chosen: unknown, contributed: unknown, problems: SettingProblem[]): string {
  const fallback = 'llm-summary';
  if (chosen === 'contributed') {
    if (typeof contributed === 'string' && CONTRIBUTED_ID.test(contributed)) return contributed;
    const reason = words('It must be the id of a contributed strategy, publisher.extension/name.');
    problems.push(describeSettingProblem('palimpsest.compaction.contributedStrategy', contributed, reason, fallback));
    return fallback;
  }
  if (typeof chosen === 'string' && Object.hasOwn(STRATEGY_SECTIONS, chosen)) return chosen;
  const known = Object.keys(STRATEGY_SECTIONS).join(', ');
  const reason = words('There is no such strategy; choose {0} or contributed.', known);
  problems.push(describeSettingProblem('palimpsest.compaction.strategy', chosen, reason, fallback));
  return fallback;
}

function assemble(
  strategy: string,
  values: ReadonlyMap<string, unknown>,
  parameters: Readonly<Record<string, unknown>>,
): CompactionSettings {
  const number = (key: string) => values.get(key) as number;
  const flag = (key: string) => values.get(key) as boolean;
  const summary = {
    model: values.get('summary.model') as string,
    outputTokenMax: number('summary.outputTokenMax'),
    retries: number('summary.retries'),
    keepUserTokens: number('summary.keepUserTokens'),
  };
  return {
    strategy,
    auto: flag('auto'),
    requireConfirmation: flag('requireConfirmation'),
    autoContinue: flag('autoContinue'),
    trigger: {
      ratio: number('trigger.ratio'),
      reserve: number('trigger.reserve'),
      maxContextTokens: number('trigger.maxContextTokens'),
      basis: values.get('trigger.basis') as TriggerSettings['basis'],
      safetyMargin: number('trigger.safetyMargin'),
    },
    targetRatio: number('targetRatio'),
    holdGrowth: number('trigger.holdGrowth'),
    deadlineMs: number('deadline') * 1_000,
    maxRecoveries: number('maxRecoveries'),
    coolDown: { failures: number('coolDown.failures'), minutes: number('coolDown.minutes') },
    summary,
    verify: { enabled: flag('verify.enabled'), ledgerTokens: number('verify.ledgerTokens') },
    offload: {
      onReturn: flag('offload.onReturn'),
      threshold: number('offload.threshold'),
      previewTokens: number('offload.previewTokens'),
    },
    recallTokensPerTurn: number('recall.tokensPerTurn'),
    agentTool: flag('agentTool'),
    emitMetaEvents: flag('emitMetaEvents'),
    section: {
      summaryStyle: values.get('summary.style'),
      summaryPrompt: values.get('summary.prompt'),
      summaryStructured: values.get('summary.structured'),
      maxSummaryGenerations: values.get('summary.maxGenerations'),
      triggerRatio: values.get('trigger.ratio'),
      ...parameters,
      outputTokenMax: summary.outputTokenMax,
    },
  };
}
