/**
 * A card that asks: its frame, its answers with their keys on them, and the step before an answer that deletes, or that
 * holds for longer than this once. Invariant: no letter takes that step, and its button has the focus only when a person has
 * gone to it.
 */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { keyed } from 'lit/directives/keyed.js';
import { CARD_KEY } from '../../page/cardKeys.ts';
import type { Panel } from '../../page/panel.ts';

/** Asked before an answer is given. */
interface Confirmation {
  readonly question: string;
  /** The answer covers this, and ends so. */
  readonly scope: TemplateResult | string;
  /** On the button that gives it. */
  readonly yes: string;
}

export interface CardAnswer {
  /** Its name in the page. */
  readonly name: string;
  /** Without one it is given by its button only. */
  readonly key?: string;
  readonly label: string;
  /** Its whole meaning, where the label says too little. */
  readonly meaning?: string;
  /** Its consequence, below the label: all answers of the card are then drawn as a list. */
  readonly outcome?: string;
  readonly primary?: boolean;
  readonly give: () => void;
  /** For what deletes, or holds for the session or for good. */
  readonly confirm?: Confirmation;
}

export interface Card {
  /** Tells this question, with exactly what is shown, from every other. */
  readonly asks: string;
  readonly name: string;
  readonly kind: string;
  readonly answers: readonly CardAnswer[];
}

/** Another question is another element: what was pressed on the one before never reaches it. */
export function viewCard(panel: Panel, card: Card, body: TemplateResult): unknown {
  return keyed(
    card.asks,
    html`<section
      class=${card.kind}
      role="group"
      tabindex="-1"
      aria-label=${card.name}
      data-asks=${card.asks}
      @keydown=${(event: KeyboardEvent) => onKey(panel, card, event)}
    >
      ${body}
    </section>`,
  );
}

/** The answers as buttons, or as a list where each says what comes of it; or the step before one of them. */
export function viewAnswers(panel: Panel, card: Card): TemplateResult {
  const { answers } = card;
  const awaited = awaitedAnswer(panel, card);
  if (awaited?.confirm) return viewStep(panel, awaited, awaited.confirm);
  const listed = answers.some(({ outcome }) => outcome !== undefined);
  return html`<div class=${listed ? 'choices' : 'approval-actions'}>
    ${answers.map((answer) => (listed ? viewChoice(panel, card, answer) : viewAnswer(panel, card, answer)))}
    <span class="card-key" aria-hidden="true">${t('{0} to use these keys', CARD_KEY)}</span>
  </div>`;
}

/** Whether the step before an answer is shown, and before which: part of what a card is drawn from. */
export const stepOf = ({ confirming }: Panel, asks: string) => (confirming?.asks === asks ? confirming.answer : '');

function awaitedAnswer(panel: Panel, { asks, answers }: Card): CardAnswer | undefined {
  const awaited = stepOf(panel, asks);
  return answers.find(({ name }) => name === awaited);
}

function viewAnswer(panel: Panel, card: Card, answer: CardAnswer): TemplateResult {
  const { name, key, label, meaning, primary } = answer;
  return html`<vscode-button
    appearance=${primary ? 'primary' : 'secondary'}
    data-answer=${name}
    title=${nameKey(meaning ?? label, key)}
    aria-label=${meaning ?? nothing}
    @click=${() => choose(panel, card, answer)}
  >
    ${label}${viewKey(key)}
  </vscode-button>`;
}

function viewChoice(panel: Panel, card: Card, answer: CardAnswer): TemplateResult {
  const { name, key, label, outcome } = answer;
  return html`<button type="button" class="choice" data-answer=${name} @click=${() => choose(panel, card, answer)}>
    ${viewKey(key)}
    <span class="choice-text">
      <span class="choice-label">${label}</span>
      ${outcome ? html`<span class="choice-description">${outcome}</span>` : nothing}
    </span>
  </button>`;
}

/** Drawn by its style: it is not part of what the button is called. */
const viewKey = (key: string | undefined) =>
  key === undefined ? nothing : html`<kbd aria-hidden="true" data-key=${key}></kbd>`;

const nameKey = (label: string, key: string | undefined) => (key === undefined ? label : `${label} (${key})`);

function viewStep(panel: Panel, { give }: CardAnswer, { question, scope, yes }: Confirmation): TemplateResult {
  return html`<div class="approval-rule" role="group" tabindex="-1" aria-label=${question}>
    <p class="approval-step">${question}</p>
    ${typeof scope === 'string' ? html`<p>${scope}</p>` : scope}
    <div class="approval-actions">
      <vscode-button appearance="secondary" data-answer="back" title=${nameKey(t('Back'), 'Esc')} @click=${() => leaveStep(panel)}>
        ${t('Back')}
      </vscode-button>
      <vscode-button data-answer="confirm" @click=${give}>${yes}</vscode-button>
    </div>
  </div>`;
}

function onKey(panel: Panel, card: Card, event: KeyboardEvent): void {
  if (!panel.cardKeys.counts(event)) return;
  if (awaitedAnswer(panel, card)) {
    if (event.key !== 'Escape') return;
    leaveStep(panel);
  } else {
    const answer = card.answers.find(({ key }) => key === event.key);
    if (!answer) return;
    choose(panel, card, answer);
  }
  event.preventDefault();
}

function choose(panel: Panel, { asks }: Card, { name, give, confirm }: CardAnswer): void {
  if (!confirm) {
    give();
    return;
  }
  panel.confirming = { asks, answer: name };
  focusInCard(panel, asks, '.approval-rule');
}

function leaveStep(panel: Panel): void {
  const { confirming } = panel;
  panel.confirming = null;
  if (confirming) focusInCard(panel, confirming.asks, `[data-answer="${confirming.answer}"]`);
}

/** The pressed button has left the page, and the focus with it. */
function focusInCard(panel: Panel, asks: string, selector: string): void {
  panel.afterRender(() => {
    panel.root.querySelector<HTMLElement>(`[data-asks="${CSS.escape(asks)}"] ${selector}`)?.focus();
  });
}
