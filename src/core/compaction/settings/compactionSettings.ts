/**
 * The compaction settings in force. Precedence: the strategy's own section, the general settings, the strategy's own
 * default, the general default.
 */

import * as z from 'zod';
import { isObject } from '../../json.ts';
import {
  type Choices,
  checkSetting,
  count,
  describeEntryProblem,
  describeSettingProblem,
  keyOf,
  readSection,
  ruleFor,
  type SectionValues,
  type SettingProblem,
  type SettingReader,
  type SettingSection,
  type SettingValue,
  section,
  setting,
  share,
} from '../../setting.ts';
import { COMPACTION_TOOL, RECALL } from '../../tools/toolSettings.ts';
import { words } from '../../words.ts';
import {
  COOL_DOWN,
  KEEP,
  OFFLOAD,
  type PaysRule,
  paysRule,
  SUMMARY,
  TRIGGER,
  type TriggerSettings,
  VERIFY,
  WITHOUT_RULE,
} from '../sections/generalSettings.ts';
import { BUILT_IN_STRATEGIES, DEFAULT_STRATEGY } from '../strategies/builtIn.ts';
import type { GeneralParameters } from '../strategies/defineStrategy.ts';
import { CONTRIBUTED_ID, isFileId } from '../strategies/strategyIds.ts';
import { FileSettings } from './fileSettings.ts';

const CONTRIBUTED = 'contributed';

const STRATEGIES: Choices = {
  ...Object.fromEntries(BUILT_IN_STRATEGIES.map(({ id, label, description }) => [id, [label, description] as const])),
  [CONTRIBUTED]: [
    'From another extension, or a file',
    'A strategy from another extension or from one of your own files, named in `#palimpsest.compaction.contributedStrategy#`.',
  ],
};

/**
 * Query for the Settings editor that shows the parameters of a strategy, which are advanced settings. Each is named, because
 * older editors know no `@id:prefix.*`.
 */
export function parametersQuery(section: SettingSection): string {
  const keys = Object.keys(section.fields).map((field) => `palimpsest.${keyOf(section, field)}`);
  return `@tag:advanced @id:${keys.join(',')}`;
}

export const COMPACTION = section('compaction', {
  strategy: setting(
    z.string(),
    DEFAULT_STRATEGY,
    'How the context is compacted when it gets full. Every compaction is shown in the panel and can be undone. `#palimpsest.compaction.trigger.ratio#` says when; with `#palimpsest.compaction.requireConfirmation#` you are asked first. Parameters: {0}.',
    {
      choices: STRATEGIES,
      links: BUILT_IN_STRATEGIES.map(({ label, section: own }) => [label, parametersQuery(own)] as const),
    },
  ),
  contributedStrategy: setting(
    z.string(),
    '',
    'Id of a contributed strategy, `publisher.extension/name`, or `file/name` for one of `#palimpsest.compaction.strategyFiles#`. Used when `#palimpsest.compaction.strategy#` is `contributed`. Its first use asks you, because it sees the conversation.',
    {
      restricted: true,
      pattern: /^(([A-Za-z0-9-]+\.[A-Za-z0-9-]+|file)\/[A-Za-z0-9-]{1,64})?$/,
      patternHint: 'Enter an id of the form publisher.extension/name or file/name.',
    },
  ),
  strategyFiles: setting(
    z.array(z.string()),
    [],
    'Absolute paths of files, each with one compaction strategy of your own, in JavaScript (or TypeScript, where the editor can read it), or a program that begins with `#!` and its interpreter. Each is loaded into the extension host, or run, with full rights once you have allowed its contents, and again whenever it is saved. Files in the open folder are not loaded, and none are in Restricted Mode.',
    { scope: 'application', ofThisMachine: true },
  ),
  fileSettings: setting(
    z.record(
      z.string().regex(/^[A-Za-z0-9-]{1,64}\.[A-Za-z][A-Za-z0-9_-]{0,63}$/),
      z.union([z.boolean(), z.number(), z.string().max(10_000)]),
    ),
    {},
    'Values for the settings that your strategy files declare, such as `"mine.longest": 4000` for the setting `longest` of `mine.js`. What a file does not declare or cannot use is named, and its default is used.',
    { scope: 'application', advanced: true },
  ),
  auto: setting(
    z.boolean(),
    true,
    'Compact automatically when the context reaches its threshold (`#palimpsest.compaction.trigger.ratio#`), or when the model refuses a request as too long. When off, only you start a compaction.',
  ),
  requireConfirmation: setting(
    z.boolean(),
    false,
    'Ask before each automatic compaction: compact, drop the oldest messages, start a new session, or not now.',
  ),
  autoContinue: setting(z.boolean(), true, 'Continue the turn by itself after a compaction in the middle of it.'),
  targetRatio: setting(
    share(0.05, 0.95),
    0.5,
    'Share of the window that a compaction aims at, never more than what it starts at. By hand it aims at half of the conversation where that is less.',
  ),
  deadline: setting(count(1, 3_600), 180, 'Seconds a strategy may take. What it returns later is ignored.', {
    advanced: true,
  }),
});

const GENERAL = [COMPACTION, COOL_DOWN, TRIGGER, SUMMARY, KEEP, VERIFY, OFFLOAD, RECALL, COMPACTION_TOOL];

/** The person, for one session, or an agent's file. */
type StrategyChoice = { readonly by: 'session' } | { readonly by: 'agent'; readonly file: string };

export interface CompactionSettings extends SectionValues<typeof COMPACTION>, SectionValues<typeof COMPACTION_TOOL> {
  /** Omitted where the setting names the strategy. */
  readonly chosenBy?: StrategyChoice;
  readonly coolDown: SectionValues<typeof COOL_DOWN>;
  readonly trigger: TriggerSettings;
  readonly summary: SectionValues<typeof SUMMARY>;
  readonly keep: SectionValues<typeof KEEP>;
  readonly verify: SectionValues<typeof VERIFY>;
  readonly offload: SectionValues<typeof OFFLOAD>;
  readonly recall: SectionValues<typeof RECALL>;
  /** From when on compacting early pays with the strategy; null where it waits for the trigger. */
  readonly pays: PaysRule | null;
  /** The strategy's effective section, by parameter name. */
  readonly section: Readonly<Record<string, unknown>>;
}

/** Names in a strategy's own section, and the general setting that each overrides. */
const OVERRIDES: Readonly<Record<string, string>> = {
  triggerRatio: 'compaction.trigger.ratio',
  triggerBasis: 'compaction.trigger.basis',
  maxContextTokens: 'compaction.trigger.maxContextTokens',
  requireConfirmation: 'compaction.requireConfirmation',
  auto: 'compaction.auto',
  autoContinue: 'compaction.autoContinue',
  outputTokenMax: 'compaction.summary.outputTokenMax',
  protectedTools: 'compaction.keep.protectedTools',
};

/** Values of a contributed strategy's own section, as configured by its extension. */
type ContributedSection = (strategy: string) => Readonly<Record<string, unknown>>;

interface CheckedSettings {
  readonly settings: CompactionSettings;
  readonly problems: readonly SettingProblem[];
}

/** `strategyInstead`: another strategy to read the settings for, for previews and comparisons. */
export function readCompactionSettings(
  read: SettingReader,
  contributed: ContributedSection = () => ({}),
  strategyInstead?: string,
): CheckedSettings {
  const problems: SettingProblem[] = [];
  const inForce = new Map<string, SettingValue>();
  for (const general of GENERAL) for (const [key, value] of readAll(general, read, problems)) inForce.set(key, value);
  const value = (key: string) => inForce.get(key)?.value;
  const strategy =
    strategyInstead ?? readStrategy(value('compaction.strategy'), value('compaction.contributedStrategy'), problems);
  problems.push(...findUnknownStrategies(value('compaction.trigger.whenItPays')));
  const files = value('compaction.fileSettings');
  const ofFile = isFileId(strategy) && isObject(files) ? new FileSettings(files).valuesFor(strategy) : {};
  const parameters: Record<string, unknown> = { ...ofFile, ...contributed(strategy) };
  const { section: own, defaults = {} } = BUILT_IN_STRATEGIES.find(({ id }) => id === strategy) ?? {};
  for (const [key, value] of Object.entries(defaults))
    if (!inForce.get(key)?.explicit) inForce.set(key, { value, explicit: false });
  for (const [key, special] of own ? readAll(own, read, problems) : []) {
    const name = key.slice(key.lastIndexOf('.') + 1);
    const general = OVERRIDES[name];
    if (general && (special.explicit || !inForce.get(general)?.explicit)) inForce.set(general, special);
    parameters[name] = (general ? inForce.get(general) : special)?.value;
  }
  return { settings: assemble(strategy, (key) => inForce.get(key) ?? NOT_SET, parameters), problems };
}

/** With this model's own thresholds, which take precedence over those of its strategy. */
export function forModel(settings: CompactionSettings, model: string): CompactionSettings {
  const rule = ruleFor(settings.trigger.perModel, model);
  if (!rule) return settings;
  const trigger = { ...settings.trigger, ...rule.values };
  return { ...settings, trigger, section: { ...settings.section, triggerRatio: trigger.ratio } };
}

/** Every setting below `palimpsest.compaction.`, without that prefix. */
export function compactionKeys(): Set<string> {
  const all: readonly SettingSection[] = [...GENERAL, ...BUILT_IN_STRATEGIES.map(({ section: own }) => own)];
  const keys = all.flatMap((of) => Object.keys(of.fields).map((name) => keyOf(of, name)));
  return new Set(keys.map((key) => key.replace(/^compaction\./, '')));
}

const NOT_SET: SettingValue = { value: undefined, explicit: false };

function readAll(of: SettingSection, read: SettingReader, problems: SettingProblem[]): [string, SettingValue][] {
  return Object.entries(of.fields).map(([name, it]) => {
    const key = keyOf(of, name);
    return [key, checkSetting(key, it, read(key), problems)];
  });
}

/** Rules for no strategy. A contributed one may not be installed yet, and a pattern may match one. */
function findUnknownStrategies(rules: unknown): SettingProblem[] {
  const known = BUILT_IN_STRATEGIES.map(({ id }) => id);
  return Object.entries(isObject(rules) ? rules : {}).flatMap(([name, rule]) => {
    if (known.includes(name) || /[*/]/.test(name)) return [];
    const reason = words('There is no strategy {0}. There are: {1}.', name, known.join(', '));
    return [describeEntryProblem('compaction.trigger.whenItPays', { [name]: rule }, reason)];
  });
}

/** An unknown name is reported, and the default is used. The registry resolves contributed ids. */
function readStrategy(chosen: unknown, contributed: unknown, problems: SettingProblem[]): string {
  const byDefault = COMPACTION.fields.strategy.default;
  if (chosen === CONTRIBUTED) {
    if (typeof contributed === 'string' && CONTRIBUTED_ID.test(contributed)) return contributed;
    const reason = words('It must be the id of a contributed strategy, publisher.extension/name or file/name.');
    problems.push(describeSettingProblem('compaction.contributedStrategy', contributed, reason, byDefault));
    return byDefault;
  }
  const known = BUILT_IN_STRATEGIES.map(({ id }) => id);
  if (typeof chosen === 'string' && known.includes(chosen)) return chosen;
  const reason = words('There is no such strategy; choose {0} or contributed.', known.join(', '));
  problems.push(describeSettingProblem('compaction.strategy', chosen, reason, byDefault));
  return byDefault;
}

function assemble(
  strategy: string,
  inForce: SettingReader,
  parameters: Readonly<Record<string, unknown>>,
): CompactionSettings {
  const values = <Section extends SettingSection>(of: Section) => readSection(of, inForce, []);
  const trigger = { ...WITHOUT_RULE, ...values(TRIGGER) };
  const summary = values(SUMMARY);
  const keep = values(KEEP);
  const general: GeneralParameters = {
    summaryStyle: summary.style,
    summaryPrompt: summary.prompt,
    summaryStructured: summary.structured,
    maxSummaryGenerations: summary.maxGenerations,
    outputTokenMax: summary.outputTokenMax,
    triggerRatio: trigger.ratio,
    keepRecent: keep.recent,
    protectedTools: keep.protectedTools,
  };
  return {
    ...values(COMPACTION),
    ...values(COMPACTION_TOOL),
    strategy,
    trigger,
    summary,
    coolDown: values(COOL_DOWN),
    keep,
    verify: values(VERIFY),
    offload: values(OFFLOAD),
    recall: values(RECALL),
    pays: paysRule(trigger, strategy, CONTRIBUTED_ID.test(strategy) ? undefined : parameters.whenItPays),
    section: { ...general, ...parameters, outputTokenMax: summary.outputTokenMax },
  };
}
