/**
 * A built-in strategy: its texts, its section of the settings, and its factory. It uses the same interface as a
 * contributed one; only its settings are typed, because their table is known here.
 */

import type { CompactionStrategy, StrategyPorts } from '../../../api/index.ts';
import { advancedSection, completeValues, type SettingSection, type Settings, type ValuesOf } from '../../setting.ts';
import { KEEP, SUMMARY, TRIGGER } from '../sections/generalSettings.ts';
import type { Whole } from './recentPart.ts';
import type { Leaves, ResultPolicy, StrategyEntry } from './strategyEntry.ts';

export interface BuiltInStrategy extends StrategyEntry {
  /** Pickers list it only under *More*. */
  readonly more?: true;
  readonly title: string;
  readonly section: SettingSection;
  /** Values of general settings that nobody set, by key, in place of the general defaults. */
  readonly defaults?: Readonly<Record<string, unknown>>;
}

/** General settings that every strategy's section includes under these names. */
export const GENERAL_PARAMETERS = {
  summaryStyle: SUMMARY.fields.style,
  summaryPrompt: SUMMARY.fields.prompt,
  summaryStructured: SUMMARY.fields.structured,
  maxSummaryGenerations: SUMMARY.fields.maxGenerations,
  outputTokenMax: SUMMARY.fields.outputTokenMax,
  triggerRatio: TRIGGER.fields.ratio,
  keepRecent: KEEP.fields.recent,
  protectedTools: KEEP.fields.protectedTools,
};

export type GeneralParameters = ValuesOf<typeof GENERAL_PARAMETERS>;

type Port = Exclude<keyof StrategyPorts, 'settings'>;

type Shown = Pick<BuiltInStrategy, 'id' | 'label' | 'description' | 'title' | 'more' | 'defaults'>;

interface Definition<Fields extends Settings, Needs extends Port> extends Shown {
  /** Name of its section below `palimpsest.compaction.`, and the section's settings. */
  readonly section: string;
  readonly settings: Fields;
  /** Ports in addition to `settings`, which every built-in strategy has. */
  readonly needs: readonly Needs[];
  readonly resultPolicy?: (values: GeneralParameters & ValuesOf<Fields>, whole: Whole) => ResultPolicy;
  readonly leaves?: (values: GeneralParameters & ValuesOf<Fields>, window: number) => Leaves;
  readonly create: (
    ports: Pick<StrategyPorts, Needs> & { readonly settings: () => GeneralParameters & ValuesOf<Fields> },
  ) => CompactionStrategy;
}

export function defineStrategy<Fields extends Settings, Needs extends Port>(
  definition: Definition<Fields, Needs>,
): BuiltInStrategy {
  const { section, settings: fields, needs, create, resultPolicy, leaves, ...shown } = definition;
  const all = { ...GENERAL_PARAMETERS, ...fields };
  return {
    ...shown,
    publisher: null,
    section: advancedSection(`compaction.${section}`, fields),
    ...(resultPolicy ? { resultPolicy: (given, whole) => resultPolicy(completeValues(all, given), whole) } : {}),
    ...(leaves ? { leaves: (given, window) => leaves(completeValues(all, given), window) } : {}),
    factory: {
      needs: [...needs, 'settings'],
      create: (ports) => create({ ...ports, settings: () => completeValues(all, ports.settings()) }),
    },
  };
}
