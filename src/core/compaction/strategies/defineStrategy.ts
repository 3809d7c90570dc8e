/**
 * A built-in strategy: its words, its section of the settings, and its factory. It goes through the same interface as a
 * contributed one; only its settings are typed, because their table is known here.
 */

import type { CompactionStrategy, StrategyPorts } from '../../../api/index.ts';
import { completeValues } from '../../settings/readSection.ts';
import { advancedSection, type SettingSection, type Settings, type ValuesOf } from '../../settings/setting.ts';
import { KEEP } from '../draft/keepingSettings.ts';
import type { LastWord, StrategyEntry } from '../run/strategyEntry.ts';
import { SUMMARY } from '../run/summarySettings.ts';
import type { Leaves } from '../when/strategySay.ts';
import { TRIGGER } from '../when/triggerSettings.ts';
import type { Whole } from './recentPart.ts';

/** Percent, as `docs/benchmarks.md` has it for a window of 64,000 tokens with the strategy's default settings. */
interface LabFigures {
  /** Of what an agent needed again long after. */
  readonly kept: number;
  /** Of what the sessions cost without compaction. */
  readonly cost: number;
}

export interface BuiltInStrategy extends StrategyEntry {
  readonly lab: LabFigures;
  /** Pickers list it once somebody asks for more. */
  readonly more?: true;
  readonly title: string;
  readonly section: SettingSection;
}

/** General settings that the section of every strategy holds beside its own, under these names. */
const GENERAL_PARAMETERS = {
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

type Shown = Pick<BuiltInStrategy, 'id' | 'label' | 'description' | 'title' | 'lab' | 'more'>;

interface Definition<Fields extends Settings, Needs extends Port> extends Shown {
  /** Name of its section below `palimpsest.compaction.`, and what is set there. */
  readonly section: string;
  readonly settings: Fields;
  /** Ports besides `settings`, which every built-in strategy has. */
  readonly needs: readonly Needs[];
  readonly lastWord?: (values: GeneralParameters & ValuesOf<Fields>, whole: Whole) => LastWord;
  readonly leaves?: (values: GeneralParameters & ValuesOf<Fields>, window: number) => Leaves;
  readonly create: (
    ports: Pick<StrategyPorts, Needs> & { readonly settings: () => GeneralParameters & ValuesOf<Fields> },
  ) => CompactionStrategy;
}

export function defineStrategy<Fields extends Settings, Needs extends Port>(
  definition: Definition<Fields, Needs>,
): BuiltInStrategy {
  const { section, settings: fields, needs, create, lastWord, leaves, ...shown } = definition;
  const all = { ...GENERAL_PARAMETERS, ...fields };
  return {
    ...shown,
    publisher: null,
    section: advancedSection(`compaction.${section}`, fields),
    ...(lastWord ? { lastWord: (given, whole) => lastWord(completeValues(all, given), whole) } : {}),
    ...(leaves ? { leaves: (given, window) => leaves(completeValues(all, given), window) } : {}),
    factory: {
      needs: [...needs, 'settings'],
      create: (ports) => create({ ...ports, settings: () => completeValues(all, ports.settings()) }),
    },
  };
}
