/** The state of a row's message for the model: the mark for hidden or shortened ones, pin and expand. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { type Words, words } from '../../../src/core/words.ts';
import type { Fate } from '../../../src/protocol/rows.ts';
import { inPanelLanguage } from '../../page/format.ts';
import type { Panel } from '../../page/panel.ts';
import { viewIconButton } from '../viewButton.ts';

interface Standing {
  readonly fate: Fate;
  readonly pinned: boolean;
}

export function viewFateMark({ fate, pinned }: Standing): TemplateResult | typeof nothing {
  if (pinned) {
    return html`<span class="mark codicon codicon-pinned" role="img" title=${t('Pinned')} aria-label=${t('Pinned')}></span>`;
  }
  if (fate === 'seen') return nothing;
  const icon = fate === 'shortened' ? 'codicon-fold' : 'codicon-eye-closed';
  const text = inPanelLanguage(FATES[fate]);
  return html`<span class="mark codicon ${icon}" role="img" title=${text} aria-label=${text}></span>`;
}

export const FATES: Readonly<Record<Exclude<Fate, 'seen'>, Words>> = {
  hidden: words('Hidden from the model. Open to read, or expand to show it again.'),
  shortened: words('The model sees a shortened version. Open to read, or expand to show all of it.'),
  dropped: words('The model no longer sees this. Open to read, or expand to show it again.'),
};

/** Buttons that show on hover and focus. */
export function viewFateActions(panel: Panel, itemId: string, { fate, pinned }: Standing): TemplateResult {
  const pin = pinned ? t('Unpin') : t('Pin: no compaction may touch this');
  const expand = () => panel.post({ type: 'expand', itemId, expanded: true });
  const turn = () => panel.post({ type: 'pin', itemId, pinned: !pinned });
  return html`
    ${fate === 'seen' ? nothing : viewIconButton('unfold', t('Expand: show it to the model in full again'), expand)}
    ${viewIconButton(pinned ? 'pinned' : 'pin', pin, turn, { pressed: pinned })}
  `;
}
