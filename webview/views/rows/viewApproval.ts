/** The question inside a tool card. Invariant: an answer carries the id and hash of exactly the shown text. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { formatCount } from '../../../src/core/figures.ts';
import type { ApprovalCard } from '../../../src/protocol/rows.ts';
import { answerOnce } from '../../page/caret.ts';
import { formatQuestion, inPanelLanguage } from '../../page/format.ts';
import type { Panel } from '../../page/panel.ts';
import { viewIconButton, viewTextButton } from '../viewButton.ts';
import { splitHidden, viewRevealed } from './hiddenCharacters.ts';
import { type CardAnswer, viewAnswers, viewCard } from './viewCard.ts';
import { viewDiff } from './viewDiff.ts';
import { ownAnswer, viewOwn } from './viewQuestion.ts';

/** In lines and in characters. A longer text may not be visible in full in a narrow panel. */
const LONG_LINES = 12;
const LONG_TEXT = 400;

type Answer = 'allow' | 'allowSession' | 'allowAlways' | 'allowReading' | 'deny';

type CommandDetail = Extract<ApprovalCard['detail'], { kind: 'command' }>;

type LocalPlace = NonNullable<Extract<ApprovalCard['detail'], { kind: 'web' }>['local']>['place'];

export function viewApproval(panel: Panel, rowId: string, approval: ApprovalCard): unknown {
  const { detail, hash, title } = approval;
  const edit = detail.kind === 'edit' || detail.kind === 'delete';
  const text = textOf(detail);
  const danger = dangerOf(detail);
  const question = formatQuestion(detail);
  const review = viewTextButton(t('Review'), () => panel.post({ type: 'openRow', rowId }));
  const card = { asks: hash, name: `${question} ${title}`, kind: 'approval', answers: listAnswers(panel, approval) };
  return viewCard(
    panel,
    card,
    html`
      ${
        edit
          ? html`<div class="approval-head"><span class="grow">${viewRevealed(title)}</span>${detail.kind === 'edit' && !detail.creates ? viewOpen(panel, detail.path) : nothing}${review}</div>
              ${detail.diff === '' ? nothing : viewDiff(detail.diff, t('Changes to {0}', detail.path))}
              ${detail.kind === 'delete' && detail.diff === '' ? viewCaution(t('Its {0} bytes cannot be shown as text.', formatCount(detail.bytes))) : nothing}`
          : html`<pre class=${detail.kind === 'command' ? 'command' : 'command plain'} tabindex="0">${viewRevealed(text)}</pre>
              ${detail.kind === 'command' ? html`<p class="approval-place">${t('in {0}', detail.cwd)}</p>${viewParts(detail)}` : nothing}`
      }
      ${danger.length > 0 ? viewCaution(viewRevealed(inPanelLanguage(danger))) : nothing}
      ${approval.why.length > 0 ? html`<p class="approval-why">${viewRevealed(inPanelLanguage(approval.why))}</p>` : nothing}
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
      <p class="question">${question}</p>
      ${viewAnswers(panel, card)}
      ${viewOwn(panel, approval.id, t('Say why (optional; Enter: No)'), () => answerApproval(panel, approval, 'deny'))}
    `,
  );
}

const dangerOf = (detail: ApprovalCard['detail']) => (detail.kind === 'command' ? detail.danger : []);

function listAnswers(panel: Panel, approval: ApprovalCard): CardAnswer[] {
  const { detail, mayRemember, mayAlways } = approval;
  const give = (answer: Answer) => () => answerApproval(panel, approval, answer);
  const allow = confirmOnce(detail);
  const answers: CardAnswer[] = [
    {
      name: 'allow',
      key: 'y',
      label: allow ? t('Allow…') : t('Allow'),
      primary: allow === null,
      give: give('allow'),
      ...(allow && { confirm: allow }),
    },
  ];
  if (mayRemember)
    answers.push({
      name: 'allowForSession',
      key: 'a',
      label: t('For this session…'),
      meaning: nameOfSession(detail),
      give: give('allowSession'),
      confirm: confirmSession(detail),
    });
  if (mayAlways)
    answers.push({
      name: 'always',
      key: 'A',
      label: t('Always…'),
      meaning: nameOfAlways(detail),
      give: give('allowAlways'),
      confirm: confirmAlways(detail),
    });
  answers.push({ name: 'decline', key: 'n', label: t('No'), give: give('deny') });
  if (detail.kind === 'command' && detail.reads)
    answers.push({
      name: 'reading',
      label: t('Let commands that only read run without asking…'),
      give: give('allowReading'),
      confirm: {
        question: t('Let commands that only read run without asking?'),
        scope: html`<p>${t('Allows this and all other commands on a short built-in list that only read inside the open folders')}</p>
          ${viewRevoking()}`,
        yes: t('Always allow'),
      },
    });
  return answers;
}

/** Null for what can be allowed in one step: it deletes nothing, and does not leave its folder. */
function confirmOnce(detail: ApprovalCard['detail']): CardAnswer['confirm'] | null {
  if (detail.kind === 'delete')
    return { question: t('Delete this file?'), scope: viewRevealed(detail.path), yes: t('Delete') };
  const danger = dangerOf(detail);
  if (danger.length === 0) return null;
  return {
    question: formatQuestion(detail),
    scope: html`<p>${viewRevealed(inPanelLanguage(danger))}</p>`,
    yes: t('Run'),
  };
}

function confirmSession(detail: ApprovalCard['detail']): NonNullable<CardAnswer['confirm']> {
  const yes = t('Allow for this session');
  switch (detail.kind) {
    case 'command':
      return {
        question: leavesOpen(detail)
          ? t('Allow this command for this session?')
          : t('Allow exactly this command for this session?'),
        scope: viewWords(detail),
        yes,
      };
    case 'mcp':
      return {
        question: t('Allow this tool for this session?'),
        scope: html`<p>${t('{0} of {1} is not asked about again in this session, whatever its input is.', detail.tool, detail.server)}</p>`,
        yes,
      };
    default:
      return {
        question: t('Allow changes to files for this session?'),
        scope: t(
          'Files are changed, moved and deleted without asking until the session ends. You are still asked about guarded files.',
        ),
        yes,
      };
  }
}

function confirmAlways(detail: ApprovalCard['detail']): NonNullable<CardAnswer['confirm']> {
  const yes = t('Always allow');
  if (detail.kind === 'command')
    return {
      question: leavesOpen(detail) ? t('Always allow this command?') : t('Always allow exactly this command?'),
      scope: html`${viewWords(detail)}${viewRevoking()}`,
      yes,
    };
  return {
    question: t('Allow always, in every session?'),
    scope: html`${
      detail.kind === 'mcp'
        ? html`<p>${t('{0} of {1} is not asked about again in any session, whatever its input is.', detail.tool, detail.server)}</p>`
        : nothing
    }${viewRevoking()}`,
    yes,
  };
}

const viewRevoking = () => html`<p>${t('Revoke it with “Palimpsest: Approvals…”.')}</p>`;

export function viewOpen(panel: Panel, path: string): TemplateResult {
  return viewIconButton('go-to-file', t('Open {0}', path), () => openPath(panel, path));
}

export function openPath(panel: Panel, path: string, line?: number): void {
  panel.post({ type: 'openFile', path: path.slice(0, 4_000), ...(line === undefined ? {} : { line }) });
}

const nameOfSession = (detail: ApprovalCard['detail']) => {
  if (detail.kind !== 'command') return t('Allow for this session');
  return leavesOpen(detail)
    ? t('Allow this command for this session, even with a different message, test or file')
    : t('Allow exactly this command for this session');
};

const nameOfAlways = (detail: ApprovalCard['detail']) => {
  if (detail.kind !== 'command') return t('Allow always, in every session');
  return leavesOpen(detail) ? t('Always allow this command…') : t('Always allow exactly this command…');
};

/** Some words of what a lasting answer covers stand for any text. */
const leavesOpen = ({ parts }: CommandDetail) => parts.some(({ allowed, always }) => !allowed && always !== undefined);

/** The words that a lasting answer covers, and what is still asked about. */
function viewWords(detail: CommandDetail): TemplateResult {
  const { parts, background = false } = detail;
  return html`<p>${leavesOpen(detail) ? t('Always these words, in this order. “…” is any message, test or file in this folder.') : t('Only these exact words, in this order.')}</p>
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
    </p>`;
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
      return t('{0} is your own computer. Programs that answer there may trust anyone who can reach them.', address);
    case 'network':
      return t('{0} is on a private network. Whatever answers there may trust anyone who can reach it.', address);
    case 'link':
      return t(
        '{0} can only be reached from this computer. In a cloud environment, it may expose this computer’s credentials.',
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

function answerApproval(panel: Panel, approval: ApprovalCard, answer: Answer): void {
  const { id, hash } = approval;
  const reason = ownAnswer(panel, id);
  answerOnce(panel, hash, { type: 'answer', approvalId: id, hash, answer, ...(reason ? { reason } : {}) });
}
