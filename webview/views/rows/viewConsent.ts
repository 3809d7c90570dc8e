/** Asks before a compaction, with the numbers. */

import { t } from '@vscode/l10n';
import { html, type TemplateResult } from 'lit';
import type { PanelState, ToHost } from '../../../src/protocol/messages.ts';
import type { Panel } from '../../page/panel.ts';
import { formatTokens } from '../../words/format.ts';

type Consent = NonNullable<PanelState['consent']>;
type Answer = Extract<ToHost, { type: 'consent' }>['answer'];

export function viewConsent(panel: Panel, consent: Consent): TemplateResult {
  const answer = (answer: Answer) => () => {
    panel.post({ type: 'consent', consentId: consent.id, answer });
    panel.focusComposer();
  };
  const figures = [consent.strategyLabel, formatTokens(consent.tokens), formatTokens(consent.window)] as const;
  const text = consent.ownCount
    ? t("{1} of {2} tokens are used by this strategy's own count. {0} would make room; it can be undone.", ...figures)
    : t('{1} of {2} tokens are used. {0} would make room; it can be undone.', ...figures);
  const { messages } = consent;
  const reason = messages === null ? '' : t('The context holds {0} messages, as many as you set.', messages);
  return html`
    <section class="row consent" role="group" aria-label=${t('Compact the context now?')}>
      <h2><span class="codicon codicon-fold" aria-hidden="true"></span>${t('Compact the context now?')}</h2>
      ${reason && html`<p>${reason}</p>`}
      <p>${text}</p>
      <div class="approval-actions">
        <vscode-button @click=${answer('compact')}>${t('Compact')}</vscode-button>
        <vscode-button appearance="secondary" @click=${answer('dropOldest')}>${t('Drop oldest')}</vscode-button>
        <vscode-button appearance="secondary" @click=${answer('newSession')}>${t('New session')}</vscode-button>
        <vscode-button appearance="secondary" @click=${answer('notNow')}>${t('Not now')}</vscode-button>
      </div>
    </section>
  `;
}
