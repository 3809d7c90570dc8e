/** Words in the language of the page, from the translations that the host put into it; English needs none. */

import { config, t } from '@vscode/l10n';
import { tell as tellIn, type Words } from '../../src/core/words.ts';

/** For dates and numbers. */
export const language = loadTranslations() ? document.documentElement.lang : 'en';

export function tell(said: Words): string {
  return tellIn(said, t);
}

export function tellLines(lines: readonly Words[]): string {
  return lines.map(tell).join('\n');
}

function loadTranslations(): boolean {
  const contents = globalThis.document?.getElementById('translations')?.textContent;
  if (!contents) return false;
  config({ contents });
  return true;
}
