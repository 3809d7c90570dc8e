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
  if (fate === 'kept') return nothing;
  const icon = fate === 'shortened' ? 'codicon-fold' : 'codicon-eye-closed';
  const text = inPanelLanguage(FATES[fate]);
  return html`<span class="mark codicon ${icon}" role="img" title=${text} aria-label=${text}></span>`;
}

/** The same in words, for an answer: on the page its dashed margin is the mark. */
export function speakFate({ fate }: Standing): TemplateResult | typeof nothing {
  return fate === 'kept' ? nothing : html`<span class="unseen">${inPanelLanguage(FATES[fate])}</span>`;
}

/** The texts of marks. */
export const FATES: Readonly<Record<Exclude<Fate, 'kept'>, Words>> = {
  inLines: words('The model sees some of its lines in a note. Open to read, or expand to show all of it again.'),
  shortened: words('The model sees a shortened version. Open to read, or expand to show all of it.'),
  hidden: words('Hidden from the model. Open to read, or expand to show it again.'),
  read: words(
    'The model no longer sees this; a summary was written from it. Open to read, or expand to show it again.',
  ),
  unread: words(
    'Dropped unread: the model no longer sees this, and no summary covers it. Open to read, or expand to show it again.',
  ),
  removed: words('The model no longer sees this. Open to read, or expand to show it again.'),
};

/** Buttons that show on hover and focus. */
export function viewFateActions(panel: Panel, itemId: string, { fate, pinned }: Standing): TemplateResult {
  const pin = pinned ? t('Unpin') : t('Pin: no compaction may touch this');
  const expand = () => panel.post({ type: 'expand', itemId, expanded: true });
  const turn = () => panel.post({ type: 'pin', itemId, pinned: !pinned });
  return html`
    ${fate === 'kept' ? nothing : viewIconButton('unfold', t('Expand: show it to the model in full again'), expand)}
    ${viewIconButton(pinned ? 'pinned' : 'pin', pin, turn, { pressed: pinned })}
  `;
}
