/** Settings of when to compact. All but the ratio are advanced. */

import * as z from 'zod';
import {
  advancedSection,
  choice,
  count,
  earlier,
  type Rules,
  ruleFor,
  rulesSchema,
  type SectionValues,
  type Setting,
  type Settings,
  setting,
  share,
} from '../../settings/setting.ts';

/** `fields` are the settings that a rule may name. */
function perModelSetting(fields: Settings): Setting<Rules> {
  return setting(
    rulesSchema(fields),
    {},
    'Different thresholds for some models: by the model’s name or a pattern with `*`, what differs, for example `ratio 0.7, reserve 4000`. `ratio`, `reserve`, `messages`, `maxContextTokens` and `basis` are the settings of this group. `require` is how conditions combine (`any` or `all`), `safetyMargin` is the number of tokens added to the estimate before a request is sent (500), and `holdGrowth` is the share of the window by which the context must grow after an undo or a refusal before it is compacted automatically again (0.05). They take precedence over the general ones and over those of a strategy. If several match, a whole name wins, then the longest pattern.',
    { patternHint: 'Give names and values, for example `ratio 0.7, reserve 4000`.' },
  );
}

export const BASES = {
  estimate: ['Usage and estimate', 'The last reported usage, plus an estimate of what came since and a safety margin.'],
  usage: ['Usage only', 'The last reported usage alone, input and output. Pending tool results are not counted.'],
  input: ['Input only', 'The reported input, cached tokens included; fires strictly above the ratio.'],
  inputOutput: ['Input and output', 'The reported input and output; fires strictly above the ratio.'],
  halfCharacters: [
    'Characters / 2',
    'Characters divided by two, plus 4 for each message. Counts English too high, but needs no usage report.',
  ],
  mixedText: [
    'Characters and words',
    '1.5 for each Chinese character, 1.3 for each word and 4 for each message. Suits mixed text and needs no usage report.',
  ],
} as const;

/** Thresholds that a rule for a model may name too. */
const THRESHOLDS = {
  ratio: setting(
    share(0, 1),
    0.8,
    'Compact when this share of the maximum (`#palimpsest.compaction.trigger.maxContextTokens#`) is used. 0 turns this condition off. `#palimpsest.compaction.trigger.perModel#` sets it for single models.',
  ),
  reserve: setting(
    count(),
    2_000,
    'Compact when the tokens used and this reserve together reach the maximum. 0 turns this condition off; a reserve as large as the maximum is ignored.',
  ),
  messages: setting(
    count(0, 1_000_000),
    0,
    'Compact when the context has this many messages, counting answers and tool results. 0 turns this condition off.',
  ),
  require: earlier(
    z.enum(['any', 'all']),
    'any',
    'Use `"*": "require all"` in `#palimpsest.compaction.trigger.perModel#` instead.',
  ),
  maxContextTokens: setting(
    count(),
    0,
    'The maximum, in tokens. 0 stands for the model’s context window; a number above the window does too.',
  ),
  basis: choice(
    BASES,
    'estimate',
    'The figure compared with the maximum (`#palimpsest.compaction.trigger.maxContextTokens#`).',
  ),
  safetyMargin: earlier(
    count(0, 100_000),
    500,
    'Use `"*": "safetyMargin 500"` in `#palimpsest.compaction.trigger.perModel#` instead.',
  ),
  holdGrowth: earlier(
    share(0.01, 1),
    0.05,
    'Use `"*": "holdGrowth 0.05"` in `#palimpsest.compaction.trigger.perModel#` instead.',
  ),
};

/** Parameters of the rule for when compacting pays. */
export interface PaysRule {
  /** Share of the window below which nothing is gained. */
  readonly share: number;
  /** Lost information counts too: carrying the content must have cost this many times a compaction. */
  readonly factor: number;
  /** Most providers drop a prompt unused for this time. */
  readonly idleMinutes: number;
}

export const USUALLY_PAYS: PaysRule = { share: 0.47, factor: 3, idleMinutes: 5 };

const PAYS = {
  share: setting(share(0, 1), USUALLY_PAYS.share, 'Share of the window.'),
  factor: setting(share(0.1, 100), USUALLY_PAYS.factor, 'How many times the cost of a compaction.'),
  idleMinutes: setting(share(0, 10_080), USUALLY_PAYS.idleMinutes, 'Minutes without a request.'),
};

/** For a strategy without a reserve unless one is set. */
export const NO_RESERVE = earlier(
  count(),
  0,
  'This strategy keeps no reserve. Use `#palimpsest.compaction.trigger.reserve#` instead to set one.',
);

export const TRIGGER = advancedSection('compaction.trigger', {
  ...THRESHOLDS,
  perModel: perModelSetting(THRESHOLDS),
  whenItPays: setting(
    rulesSchema(PAYS),
    { layered: 'share 0.47, factor 3, idleMinutes 5' },
    'Compact before the trigger fires if that costs less than continuing at the model’s price; the numbers are set by strategy, or with `*` for all. At least `share` of the window must be used; in addition, keeping the removable part must have cost `factor` times as much as a compaction, or the provider’s cache must have expired, which is assumed after `idleMinutes` without a request if the provider does not report it. `#palimpsest.compaction.layered.whenItPays#` switches it off for *Layered*.',
    { patternHint: 'Give names and values, for example `share 0.4, factor 2`.' },
  ),
  beforeCold: setting(
    z.boolean(),
    false,
    'Compact shortly before the provider’s cache expires, while you are away: once in a pause, and only if the endpoint has reported its cache, the strategy asks the session’s own model for a summary, and reading the whole session again would cost much more. A row shows it, and undoing it restores everything. This has no effect if you are asked before each compaction (`#palimpsest.compaction.requireConfirmation#`).',
  ),
});

export type TriggerSettings = SectionValues<typeof TRIGGER>;

/** The rule for a strategy; null if it has none. `own`: its own switch, if any. */
export function paysRule({ whenItPays }: TriggerSettings, strategy: string, own: unknown): PaysRule | null {
  const rule = ruleFor(whenItPays, strategy);
  if (own === false || (own !== true && !rule)) return null;
  return { ...USUALLY_PAYS, ...rule?.values };
}

export const COOL_DOWN = advancedSection('compaction.coolDown', {
  failures: setting(
    count(1, 100),
    2,
    'After this many failures in a row, no model is asked for a summary for a while. Hiding and dropping go on meanwhile.',
  ),
  minutes: earlier(
    share(0, 1_440),
    5,
    'The pause lasts five minutes. Use `#palimpsest.compaction.coolDown.failures#` instead to have it begin earlier or later.',
  ),
});
