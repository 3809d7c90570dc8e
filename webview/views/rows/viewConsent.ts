/** Asks before a compaction, with the numbers. */

import { html, type TemplateResult } from 'lit';
import type { PanelState, ToHost } from '../../../src/protocol/messages.ts';
import type { Panel } from '../../page/panel.ts';
import { formatTokens } from '../../words/format.ts';
import { strings } from '../../words/strings.ts';

type Consent = NonNullable<PanelState['consent']>;
type Answer = Extract<ToHost, { type: 'consent' }>['answer'];

export function viewConsent(panel: Panel, consent: Consent): TemplateResult {
  const answer = (answer: Answer) => () => {
    panel.post({ type: 'consent', consentId: consent.id, answer });
    panel.focusComposer();
  };
  const text = strings.consentText(consent.strategyLabel, formatTokens(consent.tokens), formatTokens(consent.window));
  return html`
    <section class="row consent" role="group" aria-label=${strings.consentTitle}>
      <h2><span class="codicon codicon-fold" aria-hidden="true"></span>${strings.consentTitle}</h2>
      <p>${text}</p>
      <div class="approval-actions">
        <vscode-button @click=${answer('compact')}>${strings.consentCompact}</vscode-button>
        <vscode-button appearance="secondary" @click=${answer('dropOldest')}>${strings.consentDrop}</vscode-button>
        <vscode-button appearance="secondary" @click=${answer('newSession')}>${strings.consentNew}</vscode-button>
        <vscode-button appearance="secondary" @click=${answer('notNow')}>${strings.consentNot}</vscode-button>
      </div>
    </section>
  `;
}
