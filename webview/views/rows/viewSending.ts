/** A message that waits for what must be done before the model gets it, such as a compaction, with what is being done. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { PanelState } from '../../../src/protocol/messages.ts';

export function viewSending(text: string, { status, activity }: PanelState): TemplateResult {
  const compacting = status === 'compacting' ? activity || t('Compacting…') : '';
  const doing = status === 'waiting' ? t('Waiting for your answer') : compacting;
  return html`
    <section class="row user sending" aria-label=${t('You')}>
      <div class="row-head"><span class="who">${t('You')}</span></div>
      <div class="user-text folded" dir="auto">${text}</div>
      ${
        doing
          ? html`<p class="sending-note">
              <span class="codicon codicon-loading codicon-modifier-spin" aria-hidden="true"></span>${doing}
            </p>`
          : nothing
      }
    </section>
  `;
}
