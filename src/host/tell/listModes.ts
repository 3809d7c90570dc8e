/** The modes, as a person chooses among them. */

import { MODE_WORDS, MODES } from '../../core/modes/modes.ts';
import { say } from './say.ts';

export function listModes() {
  return MODES.map((id) => ({
    id,
    label: say(MODE_WORDS[id].label),
    description: say(MODE_WORDS[id].description),
  }));
}
