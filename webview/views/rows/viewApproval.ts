/**
 * The question inside a tool card. Invariant: an answer carries the id and hash of exactly the shown text, and no key
 * answers a card that has just appeared while typing.
 */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { ref } from 'lit/directives/ref.js';
import type { ApprovalCard } from '../../../src/protocol/rows.ts';
import { answerOnce, isKeyFor, onCardShown } from '../../page/caret.ts';
import { formatQuestion, tell } from '../../page/format.ts';
import type { Panel } from '../../page/panel.ts';
import { viewIconButton, viewTextButton } from '../viewButton.ts';
import { splitHidden, viewDiff, viewRevealed } from './viewDiff.ts';
import { ownAnswer, viewOwn } from './viewQuestion.ts';

/** In lines and in characters. A longer text may not be visible in full in a narrow panel. */
const LONG_LINES = 12;
const LONG_TEXT = 400;

type Answer = 'allow' | 'allowSession' | 'allowAlways' | 'allowReading' | 'deny';

type CommandDetail = Extract<ApprovalCard['detail'], { kind: 'command' }>;

type LocalPlace = NonNullable<Extract<ApprovalCard['detail'], { kind: 'web' }>['local']>['place'];

export function viewApproval(panel: Panel, rowId: string, approval: ApprovalCard): TemplateResult {
  const { detail } = approval;
  const answer = (answer: Answer) => answerApproval(panel, approval, answer);
  const always = () => (detail.kind === 'command' ? confirm(panel, approval) : answer('allowAlways'));
  const edit = detail.kind === 'edit' || detail.kind === 'delete';
  const text = textOf(detail);
  const danger = detail.kind === 'command' ? detail.danger : [];
  const question = formatQuestion(detail);
  const review = viewTextButton(t('Review'), () => panel.post({ type: 'openRow', rowId }));
  return html`
    <div
      class="approval"
      role="group"
      tabindex="-1"
      aria-label="${question} ${approval.title}"
      data-asks=${approval.hash}
      data-id=${approval.id}
      ${ref((element) => onCardShown(panel, approval.id, element))}
      @keydown=${(event: KeyboardEvent) => onKey(event, panel, approval, answer, always)}
    >
      ${
        edit
          ? html`<div class="approval-head"><span class="grow">${viewRevealed(approval.title)}</span>${detail.kind === 'edit' && !detail.creates ? viewOpen(panel, detail.path) : nothing}${review}</div>
              ${detail.diff === '' ? nothing : viewDiff(detail.diff, t('Changes to {0}', detail.path))}
              ${detail.kind === 'delete' && detail.diff === '' ? viewCaution(t('Its {0} bytes cannot be shown as text.', detail.bytes)) : nothing}`
          : html`<pre class=${detail.kind === 'command' ? 'command' : 'command plain'} tabindex="0">${viewRevealed(text)}</pre>
              ${detail.kind === 'command' ? html`<p class="approval-place">${t('in {0}', detail.cwd)}</p>${viewParts(detail)}` : nothing}`
      }
      ${danger.length > 0 ? viewCaution(viewRevealed(tell(danger))) : nothing}
      ${approval.why.length > 0 ? html`<p class="approval-why">${viewRevealed(tell(approval.why))}</p>` : nothing}
      ${detail.kind === 'web' ? viewWeb(detail) : nothing}
      ${
        detail.kind === 'edit' && detail.amended
          ? html`<p class="approval-place" role="status">${t('This is your edited version. The agent is told what you changed.')}</p>`
          : nothing
      }
      ${approval.by ? html`<p class="approval-place">${t('asked by the subagent {0}', approval.by)}</p>` : nothing}
      ${isLong(text) ? viewCaution(t('More below')) : nothing}
      ${detail.cut ? viewCaution(html`<span class="grow">${t('Too long to be shown here whole. Review opens all of it.')}</span>${edit ? nothing : review}`) : nothing}
      ${splitHidden(text).some((segment) => segment.hidden) ? viewCaution(t('This text contains invisible characters. They are shown as codes.')) : nothing}
      <p class="question">
        ${question}
        <span class="keys" aria-hidden="true" ?hidden=${panel.confirming === approval.id}>
          <kbd>y</kbd>${approval.mayRemember ? html`<kbd>a</kbd>` : nothing}${approval.mayAlways ? html`<kbd>A</kbd>` : nothing}<kbd>n</kbd>
        </span>
      </p>
      ${detail.kind === 'command' && panel.confirming === approval.id ? viewConfirm(panel, detail, answer) : nothing}
      <div class="approval-actions" ?hidden=${panel.confirming === approval.id}>
        <vscode-button data-answer="allow" appearance=${danger.length > 0 ? 'secondary' : 'primary'} title="${t('Allow')} (y)" @click=${() => answer('allow')}>${t('Allow')}</vscode-button>
        ${
          approval.mayRemember
            ? html`<vscode-button
                appearance="secondary"
                data-answer="allowForSession"
                title="${nameOfSession(detail)} (a)"
                aria-label=${nameOfSession(detail)}
                @click=${() => answer('allowSession')}
              >
                ${t('For this session')}
              </vscode-button>`
            : nothing
        }
        ${
          approval.mayAlways
            ? html`<vscode-button
                appearance="secondary"
                data-answer="always"
                title="${nameOfAlways(detail)} (A)"
                aria-label=${nameOfAlways(detail)}
                @click=${always}
              >
                ${detail.kind === 'command' ? t('Always…') : t('Always')}
              </vscode-button>`
            : nothing
        }
        <vscode-button appearance="secondary" data-answer="decline" title="${t('No')} (n)" @click=${() => answer('deny')}>${t('No')}</vscode-button>
        ${
          detail.kind === 'command' && detail.reads
            ? html`<vscode-button
                appearance="secondary"
                data-answer="reading"
                title=${t('Runs this and every other command of a short built-in list that only reads inside the open folders')}
                @click=${() => answer('allowReading')}
              >
                ${t('Let commands that only read run without asking')}
              </vscode-button>`
            : nothing
        }
      </div>
      ${viewOwn(panel, approval.id, t('Say why (optional; Enter: No)'), () => answer('deny'))}
    </div>
  `;
}

export function viewOpen(panel: Panel, path: string): TemplateResult {
  return viewIconButton('go-to-file', t('Open {0}', path), () => openPath(panel, path));
}

export function openPath(panel: Panel, path: string, line?: number): void {
  panel.post({ type: 'openFile', path: path.slice(0, 4_000), ...(line === undefined ? {} : { line }) });
}

const nameOfSession = (detail: ApprovalCard['detail']) => {
  if (detail.kind !== 'command') return t('Allow for this session');
  return leavesOpen(detail)
    ? t('Allow this command for this session, also with another message, test or file')
    : t('Allow exactly this command for this session');
};

const nameOfAlways = (detail: ApprovalCard['detail']) => {
  if (detail.kind !== 'command') return t('Allow always, in every session');
  return leavesOpen(detail) ? t('Always allow this command…') : t('Always allow exactly this command…');
};

/** Some words of what a lasting answer covers stand for any text. */
const leavesOpen = ({ parts }: CommandDetail) => parts.some(({ allowed, always }) => !allowed && always !== undefined);

/** Shows the scope of a lasting answer before it can be given. */
function confirm(panel: Panel, { id }: ApprovalCard): void {
  panel.confirming = id;
  focusInside(panel, '[data-answer="confirm"]');
}

function leaveConfirm(panel: Panel, id: string): void {
  if (panel.confirming !== id) return;
  panel.confirming = null;
  focusInside(panel, '[data-answer="always"]');
}

function focusInside(panel: Panel, selector: string): void {
  panel.afterRender(() => {
    const found = panel.root.querySelector(selector);
    if (found instanceof HTMLElement) found.focus();
  });
}

function viewConfirm(panel: Panel, detail: CommandDetail, answer: (answer: Answer) => void): TemplateResult {
  const { parts, background = false } = detail;
  const open = leavesOpen(detail);
  const name = open ? t('Always allow this command?') : t('Always allow exactly this command?');
  return html`<div class="approval-rule" role="group" aria-label=${name}>
    <p>${open ? t('Always allow these words, in this order? “…” is any message, test or file in this folder.') : t('Always allow exactly these words, in this order?')}</p>
    ${parts
      .filter(({ allowed }) => !allowed)
      .map(
        ({
          argv,
          always = argv,
          folder,
        }) => html`<p class="approval-words">${always.map((word) => html`<code>${viewRevealed(word)}</code>`)}</p>
          <p class="approval-place">${background ? t('in the background · {0}', folder) : t('in {0}', folder)}</p>`,
      )}
    <p>
      ${t('You are asked again if anything differs: another word, another folder, a redirection to a file, a variable. Joined with other commands, it still needs no question. What the command does can change with the files in the folder.')}
    </p>
    <p>${t('Revoke it with “Palimpsest: Approvals…”.')}</p>
    <div class="approval-actions">
      <vscode-button data-answer="confirm" @click=${() => answer('allowAlways')}>${t('Always allow')}</vscode-button>
      <vscode-button appearance="secondary" @click=${() => leaveConfirm(panel, panel.confirming ?? '')}>
        ${t('Back')}
      </vscode-button>
    </div>
  </div>`;
}

/** The commands of a line of several, and which of them are not allowed yet. */
function viewParts({ parts }: CommandDetail): TemplateResult | typeof nothing {
  if (parts.length < 2) return nothing;
  return html`<ul class="approval-parts" aria-label=${t('The commands of this line')}>
    ${parts.map(
      ({ argv, allowed }) => html`<li>
        <span class="codicon ${allowed ? 'codicon-check' : 'codicon-question'}" aria-hidden="true"></span>
        <code>${viewRevealed(argv.join(' '))}</code>
        <span class="approval-state">${allowed ? t('allowed') : t('not allowed yet')}</span>
      </li>`,
    )}
  </ul>`;
}

/** Everything that an answer would allow. */
function textOf(detail: ApprovalCard['detail']): string {
  switch (detail.kind) {
    case 'edit':
    case 'delete':
      return detail.diff;
    case 'move':
      return `${detail.from}\n→ ${detail.to}`;
    case 'command':
      return detail.command;
    case 'mcp':
      return detail.input;
    case 'web':
      return detail.url;
  }
}

/** Points out what is hard to see in an address: the real host, and look-alike letters. */
function viewWeb({ host, local }: Extract<ApprovalCard['detail'], { kind: 'web' }>): TemplateResult {
  return html`<p class="approval-place">${t('The whole address is sent to {0}, and nothing else. It is read once.', host)}</p>
    ${local ? viewCaution(viewRevealed(placeOf(local))) : nothing}
    ${
      /(?:^|\.)xn--/u.test(host)
        ? viewCaution(
            t(
              'The server’s name contains letters that can look like others. It is shown in the form in which it is looked up.',
            ),
          )
        : nothing
    }`;
}

function placeOf({ address, place }: { readonly address: string; readonly place: LocalPlace }): string {
  switch (place) {
    case 'machine':
      return t('{0} is your own computer. Programs that answer there may trust everyone who reaches them.', address);
    case 'network':
      return t('{0} is in a private network. What answers there may trust everyone who reaches it.', address);
    case 'link':
      return t(
        '{0} can only be reached from this computer. In a cloud, it may hand out this computer’s credentials.',
        address,
      );
    case 'other':
      return t('{0} is not a public Internet address.', address);
  }
}

/** True when the card may show only the beginning: the last line may be the important one. */
function isLong(text: string): boolean {
  return text.length > LONG_TEXT || text.trimEnd().split('\n').length > LONG_LINES;
}

function viewCaution(text: string | TemplateResult): TemplateResult {
  return html`<p class="caution"><span class="codicon codicon-warning" aria-hidden="true"></span>${text}</p>`;
}

function onKey(
  event: KeyboardEvent,
  panel: Panel,
  approval: ApprovalCard,
  answer: (answer: Answer) => void,
  always: () => void,
): void {
  const writing = event.target instanceof HTMLElement && event.target.matches('.deny-reason');
  if (writing || !isKeyFor(approval.id, event)) return;
  // The keys belong to the buttons, which are hidden.
  if (panel.confirming === approval.id) {
    if (event.key !== 'Escape') return;
    leaveConfirm(panel, approval.id);
  } else if (event.key === 'y') answer('allow');
  else if (event.key === 'a' && approval.mayRemember) answer('allowSession');
  else if (event.key === 'A' && approval.mayAlways) always();
  else if (event.key === 'n') answer('deny');
  else return;
  event.preventDefault();
}

function answerApproval(panel: Panel, approval: ApprovalCard, answer: Answer): void {
  const { id, hash } = approval;
  const reason = ownAnswer(panel, id);
  answerOnce(panel, hash, { type: 'answer', approvalId: id, hash, answer, ...(reason ? { reason } : {}) });
}
