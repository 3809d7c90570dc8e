/** The settings of what is kept: for every strategy, in the ledger of facts that must survive, and by offload. */

import * as z from 'zod';
import { choice, count, type SectionValues, section, setting } from '../../settings/setting.ts';
import { inEnglish, words } from '../../words.ts';

/** So many tokens, or a share of the window. */
export const AMOUNT = /^(?:(\d{1,8}) tokens|(\d{1,2})%)?$/;
const AMOUNT_HINT = words('Give tokens or a share of the window, for example 20000 tokens or 15%, or nothing.');

const READS = {
  all: ['All', 'Results stay until their turn comes.'],
  newest: ['The newest of the same lines', 'What was read goes first once the same lines were read again.'],
  current: [
    'The newest of files that did not change',
    'What was read goes first once the same lines were read again, or a tool changed the file.',
  ],
} as const;

export type Reads = keyof typeof READS;

export const KEEP = section('compaction.keep', {
  recent: setting(
    z.string().refine((amount) => AMOUNT.test(amount), { params: { reason: AMOUNT_HINT } }),
    '',
    'About how much of the newest part of the conversation stays: `20000 tokens`, or `15%` of the window. It takes the place of the numbers of messages, groups, rounds and turns that the strategies keep; what is newest stays in any case. Empty: those numbers.',
    { pattern: AMOUNT, patternHint: inEnglish(AMOUNT_HINT) },
  ),
  protectedTools: setting(
    z.array(z.string()),
    [],
    'Tools whose results are not hidden, pruned or cut while the window can hold them, whatever the strategy. A summary and the dropping of the oldest messages still take them.',
  ),
  reads: choice(
    READS,
    'all',
    'Which results of reading files stay when the context is compacted. The others go behind stubs before the strategy looks, those of the newest two groups of calls excepted.',
  ),
  outdatedTokens: setting(
    count(0),
    2_000,
    'Results that the same call has brought up to date since (a command was run again, a folder was listed again) go behind stubs together, once they hold this many tokens and half as much as what a provider must then read again. When the context must be compacted, they go first in any case. 0: they stay until then.',
  ),
  commandLines: setting(
    count(0, 20),
    0,
    "Lines of the beginning and of the end of a command's output that stay with the stub when the output is hidden, after the line with its exit code. Each is cut at 160 characters. 0 leaves the stub alone.",
  ),
});

export const VERIFY = section('compaction.verify', {
  enabled: setting(
    z.boolean(),
    true,
    'After each compaction, look for facts that must survive (requests, changed files, errors, todo list, references) and put missing ones into a ledger.',
    { restricted: true },
  ),
  ledgerTokens: setting(count(0, 10_000), 600, 'Longest ledger, in tokens.', { restricted: true }),
});

export const OFFLOAD = section('compaction.offload', {
  onReturn: setting(
    z.boolean(),
    false,
    'Offload large tool results as soon as the tool returns: the model sees a preview and a reference.',
  ),
  threshold: setting(
    count(1),
    1_000,
    'Tool results of more tokens than this are offloaded (when the tool returns, or when an ephemeral result leaves the context).',
  ),
  previewTokens: setting(count(0, 10_000), 200, 'Tokens of the preview that stays.'),
});

export type OffloadSettings = SectionValues<typeof OFFLOAD>;
