/** Why a compaction ran, in words; an unknown trigger is shown as it is named. */

import { verbatim, type Words, words } from '../words.ts';

export function triggerWords(trigger: string): Words {
  return TRIGGERS[trigger] ?? verbatim(trigger);
}

const TRIGGERS: Readonly<Record<string, Words>> = {
  threshold: words('context nearly full'),
  precheck: words('before a request'),
  overflow: words('the provider said it was too long'),
  manual: words('asked for by you'),
  agent: words('asked for by the agent'),
  ahead: words('ahead of need'),
  ephemeral: words('results that asked to be kept briefly'),
  recorded: words('before the import'),
  branch: words('you went back and took a summary along'),
  handoff: words('this session continues from another one'),
};
