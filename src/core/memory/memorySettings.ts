/** The settings of what the model is told at the beginning of every request: memory files and standing orders. */

import * as z from 'zod';
import { count, section, setting } from '../settings/setting.ts';

export const MEMORY = section('memory', {
  enabled: setting(
    z.boolean(),
    true,
    'Tell the model what `AGENTS.md`, `CLAUDE.md` and `.github/copilot-instructions.md` say: those of the open folder, those in folders of files that the agent works on, and your own. They are read again when they change. Nothing of a folder that you do not trust is read. *Palimpsest: Show Memory* lists them.',
  ),
  userFile: setting(
    z.string(),
    '~/.agents/AGENTS.md',
    'Your own memory file, for every folder. `~` is your home folder. Empty for none.',
    { scope: 'application' },
  ),
  maxTokens: setting(
    count(500, 200_000),
    8_000,
    'Maximum tokens of all memory files together. Anything beyond is cut off at the end of the file, and the model is told so.',
  ),
  standingOrders: setting(
    z.boolean(),
    true,
    'Keep your standing orders (“never …”, “always …”, “不要 …”) word for word through every compaction. *Palimpsest: Show Memory* lists what was found; there you can change it, remove it, or move it to `AGENTS.md`.',
    { scope: 'application' },
  ),
});
