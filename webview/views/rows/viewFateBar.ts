/** The fates of a context in a compaction, as a thin bar: solid for all that stayed, and from left to right ever less of it. */

import { t } from '@vscode/l10n';
import { html, svg, type TemplateResult } from 'lit';
import { FATE_NAMES, FATES, type Fate } from '../../../src/core/fates.ts';
import { formatShare, inPanelLanguage } from '../../page/format.ts';

export interface FateShare {
  readonly fate: Fate;
  /** Tokens before the compaction. */
  readonly tokens: number;
}

/** Shares in the order of `FATES`, without those of nothing. What has no fate of its own in `lost` was kept. */
export function fateShares(tokensBefore: number, lost: readonly FateShare[]): FateShare[] {
  const sums = new Map<Fate, number>();
  let left = tokensBefore;
  for (const { fate, tokens } of lost) {
    sums.set(fate, (sums.get(fate) ?? 0) + tokens);
    left -= tokens;
  }
  sums.set('kept', (sums.get('kept') ?? 0) + Math.max(0, left));
  return FATES.map((fate) => ({ fate, tokens: sums.get(fate) ?? 0 })).filter(({ tokens }) => tokens > 0);
}

/** Texture tells the fates apart as well as colour: the line of each has its own dashes. */
export function viewFateBar(shares: readonly FateShare[]): TemplateResult {
  const whole = shares.reduce((sum, { tokens }) => sum + tokens, 0);
  let x = 0;
  const lines = shares.map(({ fate, tokens }) => {
    const from = x;
    x += (tokens / whole) * 100;
    return svg`<line class="fate ${fate}" x1="${from}%" x2="${x}%" y1="50%" y2="50%"></line>`;
  });
  const spoken = shares
    .map(({ fate, tokens }) => t('{0}: {1}', inPanelLanguage(FATE_NAMES[fate]), formatShare(tokens, whole)))
    .join(' · ');
  return html`<svg class="fates" role="img" aria-label=${spoken}><title>${spoken}</title>${lines}</svg>`;
}
