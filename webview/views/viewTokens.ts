/** Counts: the number alone to be seen, and with its unit to be heard or pointed at. */

import { t } from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import { formatTokens } from '../page/format.ts';

/** `kind`: the class that it is drawn with. */
export function viewTokens(tokens: number, kind = ''): TemplateResult {
  const shown = formatTokens(tokens);
  return viewCount(shown, t('{0} tokens', shown), kind);
}

/** A short text with what it stands for in words. */
export const viewCount = (shown: string, inWords: string, kind = ''): TemplateResult =>
  html`<span class=${kind} role="img" aria-label=${inWords} title=${inWords}>${shown}</span>`;
