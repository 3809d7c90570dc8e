/** What `vscode.l10n.t` does in an English editor. */

import { inEnglish, words } from '../../src/core/words.ts';
import type { Translate } from '../../src/host/tell/say.ts';

export const t: Translate = (text, ...values) => inEnglish(words(text, ...values));
