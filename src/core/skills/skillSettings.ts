/** The setting of skills. */

import * as z from 'zod';
import { section, setting } from '../settings/setting.ts';

export const SKILLS = section('skills', {
  enabled: setting(
    z.boolean(),
    true,
    'Tell the model which skills there are, so that it can use them: each `SKILL.md` in `.agents/skills/*/` and `.claude/skills/*/` of the open folder and of your home folder. You use one by its name: `/name`. Nothing of a folder that you do not trust is read. *Palimpsest: Show Memory* lists them.',
  ),
});
