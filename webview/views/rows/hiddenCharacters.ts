import { html, type TemplateResult } from 'lit';

/**
 * Finds invisible characters: controls, zero-width and bidirectional marks, tags, invisible fillers. Texts to approve
 * show these as codes, because they can make a text look like another one.
 */
interface Segment {
  readonly text: string;
  readonly hidden: boolean;
}

/** Tabs and line feeds are layout; other characters of these classes have no place in code. */
const HIDDEN =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\u115F\u1160\u2800\u3164\uFFA0]|\p{Default_Ignorable_Code_Point}|\p{Variation_Selector}/u;

export function splitHidden(text: string): Segment[] {
  const segments: Segment[] = [];
  let plain = '';
  for (const char of text) {
    if (char === '\n' || char === '\t' || !HIDDEN.test(char)) plain += char;
    else {
      if (plain) segments.push({ text: plain, hidden: false });
      plain = '';
      segments.push({ text: `U+${codePoint(char)}`, hidden: true });
    }
  }
  if (plain) segments.push({ text: plain, hidden: false });
  return segments;
}

const codePoint = (char: string) => (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');

/** A text for a person's decision: invisible characters are shown as codes. */
export function viewRevealed(text: string): TemplateResult | string {
  const segments = splitHidden(text);
  if (!segments.some((segment) => segment.hidden)) return text;
  return html`${segments.map((one) => (one.hidden ? html`<span class="hidden-character">${one.text}</span>` : one.text))}`;
}
