/** Behaves like `vscode.l10n.t` in an English editor. */

import { inEnglish, type Translate, words } from '../../src/core/words.ts';

export const t: Translate = (text, ...values) => inEnglish(words(text, ...values));
