/** A unified diff with colours; signs stay in the text, so that it can be read without colours and copied as a diff. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';

/** Maximum lines drawn; the whole diff opens in the editor. */
const MAX_LINES = 600;

/** `open` is called with a line number of the changed file. */
export function viewDiff(diff: string, label: string, open?: (line: number) => void): TemplateResult {
  const lines = diff.replace(/\n$/, '').split('\n');
  return html`
    <div class="diff" role="group" aria-label=${label} tabindex="0">
      ${lines.slice(0, MAX_LINES).map((line) => viewLine(line, open))}
      ${lines.length > MAX_LINES ? html`<div class="diff-line hunk">⋯ ${t('Lines not shown: {0}. Review shows them all', lines.length - MAX_LINES)}</div>` : nothing}
    </div>
  `;
}

function viewLine(text: string, open: ((line: number) => void) | undefined): TemplateResult {
  const [, begins] = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(text) ?? [];
  const line = Math.max(Number(begins ?? 1), 1);
  const inside = viewRevealed(text) || ' ';
  return html`<div class="diff-line ${classOf(text)}">${
    open && begins !== undefined
      ? html`<button type="button" class="hunk-line" title=${t('Open at line {0}', line)} @click=${() => open(line)}>${inside}</button>`
      : inside
  }</div>`;
}

function classOf(line: string): string {
  switch (line.charAt(0)) {
    case '+':
      return 'added';
    case '-':
      return 'removed';
    case '@':
    case '\\':
      return 'hunk';
    default:
      return '';
  }
}

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
