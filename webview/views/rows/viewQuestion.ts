/**
 * Questions of the model (a plan to approve, change or refuse, or a question with choices) and of the agent itself, which
 * are answered with yes or no. Invariant: no key answers a card that has just appeared under a typing hand.
 */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { ref } from 'lit/directives/ref.js';
import type { PanelState, ToHost } from '../../../src/protocol/messages.ts';
import { answerOnce, isKeyFor, onCardShown } from '../../page/caret.ts';
import { formatTokens } from '../../page/format.ts';
import type { Panel } from '../../page/panel.ts';
import { viewRevealed } from './viewDiff.ts';

type Question = NonNullable<PanelState['question']>;

type Answer = Extract<ToHost, { type: 'answerQuestion' }>['answer'];

/** Characters of an answer and of a plan. */
const LONGEST_ANSWER = 10_000;
const LONGEST_PLAN = 100_000;

export function viewQuestion(panel: Panel, question: Question): TemplateResult {
  const heading = question.kind === 'plan' ? t('Approve this plan?') : question.text;
  return html`
    <section
      class="row consent question-card"
      role="group"
      tabindex="-1"
      aria-label=${heading}
      data-asks=${question.id}
      ${ref((element) => onCardShown(panel, question.id, element))}
      @keydown=${(event: KeyboardEvent) => onKey(panel, question, event)}
    >
      <h2>
        <span class="codicon codicon-${question.kind === 'plan' ? 'checklist' : 'question'}" aria-hidden="true"></span>
        <span class="grow">${heading}</span>
        ${
          question.kind === 'choice'
            ? nothing
            : html`<span class="keys" aria-hidden="true">
                <kbd>y</kbd> ${question.kind === 'plan' ? html`<kbd>e</kbd> ` : nothing}
                ${question.kind === 'permit' && question.always ? html`<kbd>a</kbd> ` : nothing}<kbd>n</kbd>
              </span>`
        }
      </h2>
      ${viewAnswers(panel, question)}
    </section>
  `;
}

function viewAnswers(panel: Panel, question: Question): TemplateResult {
  switch (question.kind) {
    case 'plan':
      return viewPlan(panel, question);
    case 'permit':
      return viewPermit(panel, question);
    case 'choice':
      return viewChoices(panel, question);
  }
}

function viewPermit(panel: Panel, { id, yes, always, detail }: Extract<Question, { kind: 'permit' }>): TemplateResult {
  return html`${detail ? html`<pre class="command plain" tabindex="0">${viewRevealed(detail)}</pre>` : nothing}
  <div class="approval-actions">
    <vscode-button title="${yes} (y)" @click=${() => permit(panel, id)}>${yes}</vscode-button>
    ${
      always
        ? html`<vscode-button appearance="secondary" title="${always} (a)" @click=${() => permitAlways(panel, id)}>
            ${always}
          </vscode-button>`
        : nothing
    }
    <vscode-button appearance="secondary" title="${t('No')} (n)" @click=${() => refuse(panel, id)}>${t('No')}</vscode-button>
  </div>`;
}

const permit = (panel: Panel, id: string) => send(panel, id, { kind: 'approve', changed: null });

const permitAlways = (panel: Panel, id: string) => send(panel, id, { kind: 'approve', changed: null, always: true });

function viewPlan(panel: Panel, question: Extract<Question, { kind: 'plan' }>): TemplateResult {
  const { id, text } = question;
  const changed = writtenFor(panel, changeKey(id));
  return html`
    ${
      changed === null
        ? html`<div class="markdown plan" tabindex="0">${panel.markdown(`question/${id}`, text)}</div>`
        : html`<textarea
            class="plan-text"
            aria-label=${t('The plan')}
            maxlength=${LONGEST_PLAN}
            .value=${changed}
            @input=${(event: Event) => panel.setReason(changeKey(id), (event.target as HTMLTextAreaElement).value)}
          ></textarea>`
    }
    <div class="approval-actions">
      <vscode-button title="${t('Approve')} (y)" @click=${() => approve(panel, question)}>${t('Approve')}</vscode-button>
      ${
        changed === null
          ? html`<vscode-button appearance="secondary" title="${t('Change…')} (e)" @click=${() => beginChange(panel, question)}>
              ${t('Change…')}
            </vscode-button>`
          : nothing
      }
      <vscode-button appearance="secondary" title="${t('No')} (n)" @click=${() => refuse(panel, id)}>${t('No')}</vscode-button>
    </div>
    ${changed === null ? viewOwn(panel, id, t('If no: what should be different? (optional)'), () => refuse(panel, id)) : nothing}
  `;
}

function viewChoices(panel: Panel, { id, choices, secret }: Extract<Question, { kind: 'choice' }>): TemplateResult {
  return html`
    <div class="choices">
      ${choices.map(({ label, description }, at) =>
        viewChoice(String(at + 1), label, description, () => send(panel, id, { kind: 'answer', text: label })),
      )}
    </div>
    ${viewOwn(panel, id, t('Your own answer'), () => answerOwn(panel, id), secret)}
    <div class="approval-actions">
      <vscode-button ?disabled=${ownAnswer(panel, id) === ''} @click=${() => answerOwn(panel, id)}>${t('Answer')}</vscode-button>
      <vscode-button appearance="secondary" @click=${() => refuse(panel, id)}>${t('No answer')}</vscode-button>
    </div>
  `;
}

/** One answer of several, with the key that gives it. `answer`: its name in the page. */
function viewChoice(key: string, label: string, description: string, act: () => void, answer?: string): TemplateResult {
  return html`<button type="button" class="choice" data-answer=${answer ?? nothing} @click=${act}>
    <kbd aria-hidden="true">${key}</kbd>
    <span class="choice-text">
      <span class="choice-label">${label}</span>
      ${description ? html`<span class="choice-description">${description}</span>` : nothing}
    </span>
  </button>`;
}

/** The field for an answer, or a reason, in the person's own words. What is `secret` is not shown while it is written. */
export function viewOwn(
  panel: Panel,
  id: string,
  label: string,
  submit: () => void,
  secret: boolean | undefined = false,
): TemplateResult {
  return html`<vscode-text-field
    class="deny-reason"
    type=${secret ? 'password' : 'text'}
    maxlength=${LONGEST_ANSWER}
    placeholder=${label}
    .value=${writtenFor(panel, id) ?? ''}
    @input=${(event: Event) => panel.setReason(id, (event.target as HTMLInputElement).value, secret)}
    @keydown=${(event: KeyboardEvent) => {
      if (event.key !== 'Enter' || event.isComposing) return;
      submit();
      // The focus is in the composer by now, where the key would insert a line break.
      event.preventDefault();
    }}
    >${label}</vscode-text-field
  >`;
}

const changeKey = (id: string) => `${id}/plan`;

/** Null when nothing was written for it. */
function writtenFor({ reason }: Panel, key: string): string | null {
  return reason?.approvalId === key ? reason.text : null;
}

function beginChange(panel: Panel, { id, text }: Extract<Question, { kind: 'plan' }>): void {
  panel.setReason(changeKey(id), text);
  panel.afterRender(() => panel.root.querySelector<HTMLElement>('.plan-text')?.focus());
}

function approve(panel: Panel, { id, text }: Extract<Question, { kind: 'plan' }>): void {
  const changed = writtenFor(panel, changeKey(id))?.trim() ?? '';
  send(panel, id, { kind: 'approve', changed: changed === '' || changed === text.trim() ? null : changed });
}

function refuse(panel: Panel, id: string): void {
  send(panel, id, { kind: 'refuse', reason: ownAnswer(panel, id) });
}

export const ownAnswer = (panel: Panel, id: string) => (writtenFor(panel, id) ?? '').trim().slice(0, LONGEST_ANSWER);

function answerOwn(panel: Panel, id: string): void {
  const text = ownAnswer(panel, id);
  if (text !== '') send(panel, id, { kind: 'answer', text });
}

function send(panel: Panel, questionId: string, answer: Answer): void {
  answerOnce(panel, questionId, { type: 'answerQuestion', questionId, answer });
}

function onKey(panel: Panel, question: Question, event: KeyboardEvent): void {
  const writing = event.target instanceof HTMLElement && event.target.matches('.deny-reason, .plan-text');
  if (writing || !isKeyFor(question.id, event)) return;
  if (question.kind === 'choice') {
    const choice = /^[1-9]$/.test(event.key) ? question.choices[Number(event.key) - 1] : undefined;
    if (!choice) return;
    send(panel, question.id, { kind: 'answer', text: choice.label });
  } else if (event.key === 'y') question.kind === 'plan' ? approve(panel, question) : permit(panel, question.id);
  else if (event.key === 'e' && question.kind === 'plan') beginChange(panel, question);
  else if (event.key === 'a' && question.kind === 'permit' && question.always) permitAlways(panel, question.id);
  else if (event.key === 'n') refuse(panel, question.id);
  else return;
  event.preventDefault();
}

/** Asks before a compaction, with what comes of each answer. It is answered by key or by click. */
type Consent = NonNullable<PanelState['consent']>;

type ConsentAnswer = Extract<ToHost, { type: 'consent' }>['answer'];

interface Choice {
  readonly answer: ConsentAnswer;
  readonly key: string;
  readonly label: string;
  /** Its consequence. */
  readonly outcome: string;
}

export function viewConsent(panel: Panel, consent: Consent): TemplateResult {
  const [used, window] = [formatTokens(consent.tokens), formatTokens(consent.window)];
  const text = consent.ownCount
    ? t('{0} of {1} tokens are used, by this strategy’s own count.', used, window)
    : t('{0} of {1} tokens are used.', used, window);
  const { messages } = consent;
  const reason = messages === null ? '' : t('The context has {0} messages, as many as you set.', messages);
  const instead =
    consent.insteadOf === ''
      ? ''
      : t(
          'You did not allow the strategy {0}. {1} would compact in its place.',
          consent.insteadOf,
          consent.strategyLabel,
        );
  const choices = listChoices(consent);
  return html`
    <section
      class="row consent"
      role="group"
      tabindex="-1"
      data-asks=${consent.id}
      aria-label=${t('Compact the context now?')}
      ${ref((element) => onCardShown(panel, consent.id, element))}
      @keydown=${(event: KeyboardEvent) => onConsentKey(panel, consent, choices, event)}
    >
      <h2><span class="codicon codicon-fold" aria-hidden="true"></span>${t('Compact the context now?')}</h2>
      ${instead && html`<p>${instead}</p>`} ${reason && html`<p>${reason}</p>`}
      <p>${text}</p>
      <div class="choices">
        ${choices.map(({ answer, key, label, outcome }) =>
          viewChoice(key, label, outcome, () => sendConsent(panel, consent, answer), answer),
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
        ? [t('{0}: {1}', strategyLabel, change(compact.tokens)), ...listFates(compact)].join(' · ')
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

function onConsentKey(panel: Panel, consent: Consent, choices: readonly Choice[], event: KeyboardEvent): void {
  if (!isKeyFor(consent.id, event)) return;
  const choice = choices.find(({ key }) => key === event.key);
  if (choice) sendConsent(panel, consent, choice.answer);
  else if (event.key === 'p') preview(panel, consent);
  else return;
  event.preventDefault();
}

function preview(panel: Panel, { id }: Consent): void {
  panel.post({ type: 'previewConsent', consentId: id });
}

function sendConsent(panel: Panel, { id }: Consent, answer: ConsentAnswer): void {
  answerOnce(panel, id, { type: 'consent', consentId: id, answer });
}
