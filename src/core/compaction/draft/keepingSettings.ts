/** Settings of what is kept: by every strategy, in the ledger of facts, and by offload. */

import * as z from 'zod';
import {
  advancedSection,
  choice,
  count,
  earlier,
  type SectionValues,
  section,
  setting,
} from '../../settings/setting.ts';
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

export type Reads = keyof typeof READS;

export const KEEP = section('compaction.keep', {
  recent: setting(
    z.string().refine((amount) => AMOUNT.test(amount), { params: { reason: AMOUNT_HINT } }),
    '',
    'Roughly how much of the newest part of the conversation to keep: `20000 tokens`, or `15%` of the window. It replaces the numbers of messages, groups, rounds and turns that the strategies keep; the very newest is always kept. Empty: those numbers apply.',
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
  previewTokens: earlier(
    count(0, 10_000),
    200,
    'A preview has 200 tokens; this setting has no replacement. `#palimpsest.compaction.offload.threshold#` decides which results are moved.',
  ),
});

export type OffloadSettings = SectionValues<typeof OFFLOAD>;
