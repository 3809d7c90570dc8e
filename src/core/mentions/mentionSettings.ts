/** The setting of mentions. */

import { count, section, setting } from '../settings/setting.ts';

export const MENTIONS = section('mentions', {
  maxTokens: setting(
    count(500, 200_000),
    8_000,
    'Maximum tokens of one mention (`@file`) in a message. The model gets the beginning of anything longer and is told so; it can read on. All mentions of a message together take at most four times as much, and at most a quarter of the context window.',
  ),
});
