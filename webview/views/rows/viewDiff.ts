/** A unified diff with colours; signs stay in the text, so that it can be read without colours and copied as a diff. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { formatCount } from '../../../src/core/figures.ts';
import { viewRevealed } from './hiddenCharacters.ts';

/** Maximum lines drawn; the whole diff opens in the editor. */
const MAX_LINES = 600;

/** `open` is called with a line number of the changed file. */
export function viewDiff(diff: string, label: string, open?: (line: number) => void): TemplateResult {
  const lines = diff.replace(/\n$/, '').split('\n');
  return html`
    <div class="diff" role="group" aria-label=${label} tabindex="0">
      ${lines.slice(0, MAX_LINES).map((line) => viewLine(line, open))}
      ${lines.length > MAX_LINES ? html`<div class="diff-line hunk">⋯ ${t('Lines not shown: {0}. Review shows them all', formatCount(lines.length - MAX_LINES))}</div>` : nothing}
    </div>
  `;
}

function viewLine(text: string, open: ((line: number) => void) | undefined): TemplateResult {
  const [, begins] = /^@@ -\d+(?:,\d+)? \+(\d+)/.exec(text) ?? [];
  const line = Math.max(Number(begins ?? 1), 1);
  const inside = text === '@@' ? '⋯' : viewRevealed(text) || ' ';
  return html`<div class="diff-line ${classOf(text)}">${
    open && begins !== undefined
      ? html`<button type="button" class="hunk-line" title=${t('Open at line {0}', String(line))} @click=${() => open(line)}>${inside}</button>`
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
