/** A text a person decides on: characters that cannot be seen are shown as codes. */

import { html, type TemplateResult } from 'lit';
import { splitHidden } from './hiddenCharacters.ts';

export function viewRevealed(text: string): TemplateResult | string {
  const segments = splitHidden(text);
  if (!segments.some((segment) => segment.hidden)) return text;
  return html`${segments.map((one) => (one.hidden ? html`<span class="hidden-character">${one.text}</span>` : one.text))}`;
}
