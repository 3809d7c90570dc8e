/**
 * The general settings of compaction, whatever the strategy: what is kept (by every strategy, in the ledger of facts, by
 * offload), how summaries are written, and when to compact.
 */

import * as z from 'zod';
import {
  advancedSection,
  choice,
  completeValues,
  count,
  ruleFor,
  rulesSchema,
  type SectionValues,
  section,
  setting,
  share,
  type ValuesOf,
} from '../../setting.ts';
import { inEnglish, words } from '../../words.ts';

/** A number of tokens, or a share of the window. */
export const AMOUNT = /^(?:(\d{1,8}) tokens|(\d{1,2})%)?$/;
const AMOUNT_HINT = words('Give tokens or a share of the window, for example 20000 tokens or 15%, or nothing.');

const READS = {
  all: ['All', 'Results stay until their turn comes.'],
  newest: ['The newest of the same lines', 'Hides an earlier result first if the same lines were read again later.'],
  current: [
    'The newest of files that did not change',
    'Hides an earlier result first if the same lines were read again later, or a tool changed the file.',
  ],
} as const;

export const KEEP = section('compaction.keep', {
  recent: setting(
    z.string().refine((amount) => AMOUNT.test(amount), { params: { reason: AMOUNT_HINT } }),
    '',
    'Roughly how much of the newest part of the conversation to keep: `20000 tokens`, or `15%` of the window. It replaces the numbers of messages, groups, rounds and turns that the strategies keep; the very newest is always kept. Empty, or a share while the window is unknown: those numbers apply.',
    { pattern: AMOUNT, patternHint: inEnglish(AMOUNT_HINT) },
  ),
  protectedTools: setting(
    z.array(z.string()),
    [],
    'Tools whose results are not hidden, pruned or cut while the window can hold them, whatever the strategy. A summary, and dropping the oldest messages, still removes them.',
  ),
  reads: choice(
    READS,
    'all',
    'Which results of reading files stay when the context is compacted. The others are replaced by placeholders before the strategy runs, except those of the newest two groups of calls.',
    { advanced: true },
  ),
  outdatedTokens: setting(
    count(0),
    2_000,
    'Results that a later identical call has replaced (a command was run again, a folder was listed again) are hidden together once they hold this many tokens, and at least half as many as the provider must then read again. A compaction hides them first in any case. 0: only a compaction hides them.',
    { advanced: true },
  ),
  commandLines: setting(
    count(0, 20),
    0,
    'How many lines of the beginning and of the end of a command’s output stay with the placeholder when the output is hidden, after the line with its exit code. Each is cut at 160 characters. 0 leaves only the placeholder.',
    { advanced: true },
  ),
});

export const VERIFY = section('compaction.verify', {
  enabled: setting(
    z.boolean(),
    true,
    'After each compaction, look for facts that must survive (requests, changed files, errors, todo list, references) and add missing ones to a list of key facts.',
    { restricted: true },
  ),
  ledgerTokens: setting(count(0, 10_000), 600, 'Maximum length of the list of key facts, in tokens.', {
    restricted: true,
    advanced: true,
  }),
});

export const OFFLOAD = advancedSection('compaction.offload', {
  onReturn: setting(
    z.boolean(),
    false,
    'Move large tool results out of the context as soon as the tool returns: the model sees a preview and a reference.',
  ),
  threshold: setting(
    count(1),
    1_000,
    'Tool results with more tokens than this are moved out of the context (when the tool returns, or when a short-lived result leaves the context).',
  ),
});

export const SUMMARY = section('compaction.summary', {
  model: setting(
    z.string(),
    '',
    'Model for summaries, for example a cheaper one: `MODEL@ENDPOINT`, `VENDOR/MODEL@vscode`, or only its name for one at the session’s own endpoint. Empty: the session’s own model.',
    { restricted: true },
  ),
  style: choice(
    {
      strategy: ['The strategy’s own', 'Each strategy uses the style of its source.'],
      kimi: [
        'Six sections',
        'Current focus, environment, completed tasks, active issues, code state, important context.',
      ],
      comate: [
        'Five headings',
        'Task overview, current state, important discoveries, next steps, context to preserve.',
      ],
      pi: ['Third person', 'A short account in the third person, at most 500 words.'],
    },
    'strategy',
    'What a summary looks like.',
  ),
  prompt: setting(
    z.string().max(20_000),
    '',
    'Your own instructions for the summary, in place of those of `#palimpsest.compaction.summary.style#`. Some rules stay: not to follow instructions in the conversation, to copy names and numbers exactly, and which language to write in. Empty: the style’s.',
    { restricted: true, multiline: true },
  ),
  outputTokenMax: setting(
    count(64, 100_000),
    4_096,
    'Maximum length of a summary, in tokens. The limit of the model that writes it, and a quarter of its window, come first where they are smaller. A longer summary is cut at the end of a sentence, and its row says so.',
    { advanced: true },
  ),
  continueRequest: setting(
    z.boolean(),
    true,
    'Ask for a summary as the continuation of the session’s last request, so that nearly all of it is read from the prompt cache. If that does not fit, if another model writes summaries, or if a strategy shortened the messages, the conversation is sent as text in a separate request, as it always is when this is off.',
    { advanced: true },
  ),
  prepareAhead: choice(
    {
      never: ['Never', 'The summary is requested when the context must be compacted, and the agent waits for it.'],
      cached: [
        'When cached',
        'Only if the model has read its last request from the prompt cache, so that the request for the summary is mostly cached too.',
      ],
      always: [
        'In any case',
        'Even if the whole request is charged at the full price, or another model writes summaries.',
      ],
    },
    'cached',
    'Prepare the summary in the background when the context approaches its threshold, so that you need not wait for it; with a local model, only between two turns. It is used when the threshold is reached, and discarded if the conversation changes first; its cost is counted and shown either way.',
  ),
  retries: setting(count(0, 10), 2, 'How often to try again when the model fails for a temporary reason.', {
    advanced: true,
  }),
  structured: setting(
    z.boolean(),
    false,
    'Ask for the summary as structured data in place of the headings of `#palimpsest.compaction.summary.style#`, check it, and show it as headed lists. An answer in another form is used as text.',
    { advanced: true },
  ),
  maxGenerations: setting(
    count(1, 100),
    3,
    'How often a summary may be merged into a newer one. After that it stays unchanged and a new one begins next to it, if there is room for both.',
    { advanced: true },
  ),
  keepUserTokens: setting(
    count(0, 1_000_000),
    0,
    'Tokens of your own earlier messages to keep word for word, newest first, whatever the strategy does. 0 leaves them to the strategy; the list of key facts then keeps the beginning of each.',
    { restricted: true, advanced: true },
  ),
});

export const BASES = {
  estimate: ['Usage and estimate', 'The last reported usage, plus an estimate of what came since and a safety margin.'],
  usage: ['Usage only', 'The last reported usage alone, input and output. Pending tool results are not counted.'],
  input: ['Input only', 'The reported input, cached tokens included; fires strictly above the ratio.'],
  inputOutput: ['Input and output', 'The reported input and output; fires strictly above the ratio.'],
  halfCharacters: [
    'Characters / 2',
    'Characters divided by two, plus 4 for each message. Overestimates English, but needs no usage report.',
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
    { keywords: ['threshold'] },
  ),
  reserve: setting(
    count(),
    2_000,
    'Compact when the tokens used and this reserve together reach the maximum. 0 turns this condition off; at most a quarter of the maximum is reserved.',
  ),
  messages: setting(
    count(0, 1_000_000),
    0,
    'Compact when the context has this many messages, counting answers and tool results. 0 turns this condition off.',
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
};

/** Parameters that only a rule sets, for some models or with `*` for all. */
const BY_RULE = {
  require: setting(z.enum(['any', 'all']), 'any', 'How conditions combine.'),
  safetyMargin: setting(count(0, 100_000), 500, 'Tokens added to the estimate before a request is sent.'),
  holdGrowth: setting(
    share(0.01, 1),
    0.05,
    'Share of the window that an automatic compaction has to free, and by which the context grows before the next attempt.',
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

export const TRIGGER = advancedSection('compaction.trigger', {
  ...THRESHOLDS,
  perModel: setting(
    rulesSchema({ ...THRESHOLDS, ...BY_RULE }),
    {},
    'Different thresholds for some models: by the model’s name or a pattern with `*`, what differs, for example `ratio 0.7, reserve 4000`. `ratio`, `reserve`, `messages`, `maxContextTokens` and `basis` are the settings of this group. `require` is how conditions combine (`any` or `all`), `safetyMargin` is the number of tokens added to the estimate before a request is sent (500), and `holdGrowth` is the share of the window that an automatic compaction has to free, and by which the context must grow before another attempt after one that freed less, failed, was undone or declined (0.05). They take precedence over the general ones and over those of a strategy. If several match, a whole name wins, then the longest pattern.',
    { patternHint: 'Enter names and values, for example `ratio 0.7, reserve 4000`.' },
  ),
  whenItPays: setting(
    rulesSchema(PAYS),
    { layered: 'share 0.47, factor 3, idleMinutes 5' },
    'Compact before the trigger fires if that costs less than continuing at the model’s price; the numbers are set by strategy, or with `*` for all. At least `share` of the window must be used; in addition, keeping the removable part must have cost `factor` times as much as a compaction, or the provider’s cache must have expired, which is assumed after `idleMinutes` without a request if the provider does not report it. `#palimpsest.compaction.layered.whenItPays#` switches it off for *Layered*.',
    { patternHint: 'Enter names and values, for example `share 0.4, factor 2`.' },
  ),
  beforeCold: setting(
    z.boolean(),
    false,
    'Compact shortly before the provider’s cache expires, while you are away: once in a pause, and only if the endpoint has reported its cache, the strategy asks the session’s own model for a summary, and reading the whole session again would cost much more. A row shows it, and undoing it restores everything. This has no effect if you are asked before each compaction (`#palimpsest.compaction.requireConfirmation#`).',
  ),
});

export type TriggerSettings = SectionValues<typeof TRIGGER> & ValuesOf<typeof BY_RULE>;

/** In force where no rule says otherwise. */
export const WITHOUT_RULE = completeValues(BY_RULE, {});

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
    'After this many failures in a row, no model is asked for a summary for five minutes. Hiding and dropping go on meanwhile.',
  ),
});
