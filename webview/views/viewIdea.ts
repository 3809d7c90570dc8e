/** The idea in one picture: a window that fills, what a compaction makes of it, and that window again. */

import { t } from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import type { PART_NAMES } from '../../src/core/tokens/partNames.ts';
import { viewPart } from './viewPart.ts';

/** Percent of the window. */
type Parts = readonly (readonly [keyof typeof PART_NAMES, number])[];

const FULL: Parts = [
  ['system', 6],
  ['user', 5],
  ['assistant', 17],
  ['toolResults', 52],
  ['user', 3],
  ['assistant', 9],
];

const COMPACTED: Parts = [
  ['system', 6],
  ['summaries', 8],
  ['toolResults', 9],
  ['user', 3],
  ['assistant', 9],
];

export function viewIdea(): TemplateResult {
  const stages: readonly (readonly [string, string, Parts])[] = [
    ['comment-discussion', t('The window fills'), FULL],
    ['fold', t('Compacted: you see what went'), COMPACTED],
    ['discard', t('Undone: all of it is back'), FULL],
  ];
  return html`<ol class="idea">
    ${stages.map(
      ([icon, name, parts]) => html`<li>
        <span class="codicon codicon-${icon} idea-icon" aria-hidden="true"></span>
        <span>${name}</span>
        ${viewWindow(parts)}
      </li>`,
    )}
  </ol>`;
}

function viewWindow(parts: Parts): TemplateResult {
  let x = 0;
  const shown = parts.map(([name, share]) => {
    const from = x;
    x += share;
    return viewPart(name, from, share);
  });
  return html`<svg class="bar" aria-hidden="true"><rect class="free" width="100%" height="100%"></rect>${shown}</svg>`;
}
