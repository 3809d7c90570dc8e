/** The settings of when to compact: the trigger, and what holds it back. */

import { choice, count, type SectionValues, section, setting, share } from '../../settings/setting.ts';

export const BASES = {
  estimate: ['Usage and estimate', 'The last reported usage, an estimate of what came since, and a safety margin.'],
  usage: ['Usage only', 'The last reported usage alone, input and output. Pending tool results are not counted.'],
  input: ['Input only', 'The reported input, cached tokens included; fires strictly above the ratio.'],
  inputOutput: ['Input and output', 'The reported input and output; fires strictly above the ratio.'],
  halfCharacters: [
    'Characters / 2',
    'Characters divided by two and 4 for each message. Counts English too high, needs no report.',
  ],
  mixedText: [
    'Characters and words',
    '1.5 for each Chinese character, 1.3 for each word, and 4 for each message. For mixed text, needs no report.',
  ],
} as const;

export const TRIGGER = section('compaction.trigger', {
  ratio: setting(
    share(0, 1),
    0.8,
    'Compact when this share of the maximum is used. 0 switches this clause off. Either clause is enough.',
  ),
  reserve: setting(
    count(),
    2_000,
    'Compact when tokens used and this reserve together reach the maximum. 0 switches this clause off; a reserve as large as the maximum is ignored.',
  ),
  maxContextTokens: setting(
    count(),
    0,
    "The maximum, in tokens. 0 stands for the model's context window; a number above the window does too.",
  ),
  basis: choice(BASES, 'estimate', 'What is compared with the maximum.'),
  safetyMargin: setting(count(0, 100_000), 500, 'Tokens added to the estimate before a request is sent.'),
});

export type TriggerSettings = SectionValues<typeof TRIGGER>;

export const HOLDS = section('compaction.trigger', {
  holdGrowth: setting(
    share(0.01, 1),
    0.05,
    'After an undo, a refusal, or a compaction that could not do more, automatic compaction holds until the context grew by this share of the window (or, after an undo, until you write).',
  ),
});

export const COOL_DOWN = section('compaction.coolDown', {
  failures: setting(
    count(1, 100),
    2,
    'Failures in a row after which no model is asked for a while. Hiding and dropping go on meanwhile.',
  ),
  minutes: setting(share(0, 1_440), 5, 'Minutes of that pause.'),
});
