/**
 * Questions of the model (a plan to approve, change or refuse, or a question with choices) and of the agent itself, which
 * are answered with yes or no. Each is answered once, by its id.
 */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { PanelState, ToHost } from '../../../src/protocol/messages.ts';
import { answerOnce } from '../../page/caret.ts';
import { isComposing } from '../../page/composing.ts';
import type { Panel } from '../../page/panel.ts';
import { viewRevealed } from './hiddenCharacters.ts';
import { type Card, type CardAnswer, viewAnswers, viewCard } from './viewCard.ts';

type Question = NonNullable<PanelState['question']>;

type Answer = Extract<ToHost, { type: 'answerQuestion' }>['answer'];

/** Characters of an answer and of a plan. */
const LONGEST_ANSWER = 10_000;
const LONGEST_PLAN = 100_000;

export function viewQuestion(panel: Panel, question: Question): unknown {
  const heading = question.kind === 'plan' ? t('Approve this plan?') : question.text;
  const card: Card = {
    asks: question.id,
    name: heading,
    kind: 'row consent question-card',
    answers: listAnswers(panel, question),
  };
  return viewCard(
    panel,
    card,
    html`
      <h2>
        <span class="codicon codicon-${question.kind === 'plan' ? 'checklist' : 'question'}" aria-hidden="true"></span>
        <span class="grow">${heading}</span>
      </h2>
      ${viewBody(panel, question, card)}
    `,
  );
}

function listAnswers(panel: Panel, question: Question): CardAnswer[] {
  const { id } = question;
  const no: CardAnswer = { name: 'decline', key: 'n', label: t('No'), give: () => refuse(panel, id) };
  switch (question.kind) {
    case 'plan': {
      const change: CardAnswer = {
        name: 'change',
        key: 'e',
        label: t('Change…'),
        give: () => beginChange(panel, question),
      };
      const isChanging = writtenFor(panel, changeKey(id)) !== null;
      return [
        { name: 'allow', key: 'y', label: t('Approve'), primary: true, give: () => approve(panel, question) },
        ...(isChanging ? [] : [change]),
        no,
      ];
    }
    case 'permit': {
      const { yes, always } = question;
      const permit = (more: { readonly always?: true }) => () =>
        send(panel, id, { kind: 'approve', changed: null, ...more });
      const lasting = (label: string): CardAnswer => ({
        name: 'always',
        key: 'a',
        label,
        give: permit({ always: true }),
        confirm: {
          question: label,
          scope: t('It is not asked again, in this session or any other.'),
          yes: t('Always allow'),
        },
      });
      return [
        { name: 'allow', key: 'y', label: yes, primary: true, give: permit({}) },
        ...(always === undefined ? [] : [lasting(always)]),
        no,
      ];
    }
    case 'choice':
      return question.choices.map(({ label, description }, at) => ({
        name: String(at + 1),
        key: String(at + 1),
        label,
        outcome: description,
        give: () => send(panel, id, { kind: 'answer', text: label }),
      }));
  }
}

function viewBody(panel: Panel, question: Question, card: Card): TemplateResult {
  switch (question.kind) {
    case 'plan':
      return viewPlan(panel, question, card);
    case 'permit': {
      const { detail } = question;
      return html`${detail ? html`<pre class="command plain" tabindex="0">${viewRevealed(detail)}</pre>` : nothing}
      ${viewAnswers(panel, card)}`;
    }
    case 'choice':
      return viewChoices(panel, question, card);
  }
}

function viewPlan(panel: Panel, { id, text }: Extract<Question, { kind: 'plan' }>, card: Card): TemplateResult {
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
    ${viewAnswers(panel, card)}
    ${changed === null ? viewOwn(panel, id, t('If no: what should be different? (optional)'), () => refuse(panel, id)) : nothing}
  `;
}

function viewChoices(panel: Panel, { id, secret }: Extract<Question, { kind: 'choice' }>, card: Card): TemplateResult {
  return html`
    ${viewAnswers(panel, card)}
    ${viewOwn(panel, id, t('Your own answer'), () => answerOwn(panel, id), secret)}
    <div class="approval-actions">
      <vscode-button ?disabled=${ownAnswer(panel, id) === ''} @click=${() => answerOwn(panel, id)}>${t('Answer')}</vscode-button>
      <vscode-button appearance="secondary" @click=${() => refuse(panel, id)}>${t('No answer')}</vscode-button>
    </div>
  `;
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
      if (event.key !== 'Enter' || isComposing(event)) return;
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
