/** Asks before a compaction, with what comes of each answer. It is answered by key or by click. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { ref } from 'lit/directives/ref.js';
import type { PanelState, ToHost } from '../../../src/protocol/messages.ts';
import { isKeyFor, onCardShown, placeCaret } from '../../page/caret.ts';
import type { Panel } from '../../page/panel.ts';
import { formatTokens } from '../../words/format.ts';

type Consent = NonNullable<PanelState['consent']>;
type Answer = Extract<ToHost, { type: 'consent' }>['answer'];

interface Choice {
  readonly answer: Answer;
  readonly key: string;
  readonly label: string;
  /** What comes of it. */
  readonly outcome: string;
}

export function viewConsent(panel: Panel, consent: Consent): TemplateResult {
  const [used, window] = [formatTokens(consent.tokens), formatTokens(consent.window)];
  const text = consent.ownCount
    ? t('{0} of {1} tokens are used, by this strategy’s own count.', used, window)
    : t('{0} of {1} tokens are used.', used, window);
  const { messages } = consent;
  const reason = messages === null ? '' : t('The context has {0} messages, as many as you set.', messages);
  const choices = listChoices(consent);
  return html`
    <section
      class="row consent"
      role="group"
      tabindex="-1"
      data-asks=${consent.id}
      aria-label=${t('Compact the context now?')}
      ${ref((element) => onCardShown(panel, consent.id, element))}
      @keydown=${(event: KeyboardEvent) => onKey(panel, consent, choices, event)}
    >
      <h2><span class="codicon codicon-fold" aria-hidden="true"></span>${t('Compact the context now?')}</h2>
      ${reason && html`<p>${reason}</p>`}
      <p>${text}</p>
      <div class="choices">
        ${choices.map(
          ({ answer, key, label, outcome }) => html`<button
            type="button"
            class="choice"
            data-answer=${answer}
            @click=${() => send(panel, consent, answer)}
          >
            <kbd aria-hidden="true">${key}</kbd>
            <span class="choice-text">
              <span class="choice-label">${label}</span>
              ${outcome ? html`<span class="choice-description">${outcome}</span>` : nothing}
            </span>
          </button>`,
        )}
      </div>
      <button type="button" class="text-button" @click=${() => preview(panel, consent)}>
        ${t('Preview…')} <kbd aria-hidden="true">p</kbd>
      </button>
    </section>
  `;
}

function listChoices({ strategyLabel, tokens, compact, dropOldest }: Consent): Choice[] {
  const change = (after: number) => t('{0} → {1}', formatTokens(tokens), formatTokens(after));
  const drop: Choice[] = dropOldest
    ? [
        {
          answer: 'dropOldest',
          key: 'd',
          label: t('Drop oldest'),
          outcome:
            dropOldest.dropped === 1
              ? t('{0}: 1 message is dropped, without a summary', change(dropOldest.tokens))
              : t('{0}: {1} messages are dropped, without a summary', change(dropOldest.tokens), dropOldest.dropped),
        },
      ]
    : [];
  return [
    {
      answer: 'compact',
      key: 'y',
      label: t('Compact'),
      outcome: compact
        ? [`${strategyLabel}: ${change(compact.tokens)}`, ...listFates(compact)].join(' · ')
        : t('{0}: a preview shows what would be left. It can be undone.', strategyLabel),
    },
    ...drop,
    {
      answer: 'newSession',
      key: 's',
      label: t('New session'),
      outcome: t('It begins with your message. This session stays in the history.'),
    },
    {
      answer: 'notNow',
      key: 'n',
      label: t('Not now'),
      outcome: t('You will be asked again once the context has grown.'),
    },
  ];
}

function listFates({ hidden, dropped, shortened }: NonNullable<Consent['compact']>): string[] {
  return [
    ...(hidden > 0 ? [t('{0} hidden', hidden)] : []),
    ...(dropped > 0 ? [t('{0} dropped', dropped)] : []),
    ...(shortened > 0 ? [t('{0} shortened', shortened)] : []),
  ];
}

function onKey(panel: Panel, consent: Consent, choices: readonly Choice[], event: KeyboardEvent): void {
  if (!isKeyFor(consent.id, event)) return;
  const choice = choices.find(({ key }) => key === event.key);
  if (choice) send(panel, consent, choice.answer);
  else if (event.key === 'p') preview(panel, consent);
  else return;
  event.preventDefault();
}

function preview(panel: Panel, { id }: Consent): void {
  panel.post({ type: 'previewConsent', consentId: id });
}

function send(panel: Panel, { id }: Consent, answer: Answer): void {
  if (panel.answered.has(id)) return;
  panel.answered.add(id);
  panel.post({ type: 'consent', consentId: id, answer });
  placeCaret(panel);
}
