/** The settings of checkpoints: whether earlier contents of files are kept, how much, and how long. */

import * as z from 'zod';
import { count, section, setting } from '../settings/setting.ts';

export const CHECKPOINTS = section('checkpoints', {
  enabled: setting(
    z.boolean(),
    true,
    'Keep what files held before the agent changes them, and look at the folder before and after each command, so that a checkpoint can restore files. Your version control is not touched.',
    { scope: 'application' },
  ),
  quota: setting(
    count(0, 100_000),
    200,
    'Megabytes of earlier file contents to keep for the sessions of this workspace. The oldest go first, and each goes after `#palimpsest.checkpoints.days#`; a restore then says so. *Palimpsest: Show Storage Used* shows how much is kept.',
    { scope: 'application' },
  ),
  days: setting(count(1, 3_650), 30, 'For how many days earlier file contents are kept.', { scope: 'application' }),
});
