/** Settings of summaries: the model that writes them, their style, and their length. */

import * as z from 'zod';
import { choice, count, section, setting } from '../../settings/setting.ts';

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
    'Your own instructions for the summary, in place of those of `#palimpsest.compaction.summary.style#`. Empty: the style’s.',
    { restricted: true, multiline: true },
  ),
  outputTokenMax: setting(count(64, 100_000), 4_096, 'Longest summary, in tokens.', { advanced: true }),
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
    'Ask for the summary as structured data, check it, and show it as headed lists. An answer in another form is used as text.',
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
