/** The rows, what is asked at their end, and the way back to the end. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { PanelState } from '../../../src/protocol/messages.ts';
import { fileInComment, fileOfLink, filesInText } from '../../markdown/namedFile.ts';
import type { Panel } from '../../page/panel.ts';
import { windowed } from '../../window/windowed.ts';
import { viewConsent } from '../rows/viewConsent.ts';
import { viewQuestion } from '../rows/viewQuestion.ts';
import { viewSending } from '../rows/viewSending.ts';
import { viewWelcome } from '../viewWelcome.ts';
import { copyWithMark } from './copyWithMark.ts';
import { onFocusIn, onRowKey } from './rowKeys.ts';
import { listEntries } from './viewEntry.ts';

export function viewConversation(panel: Panel, state: PanelState): TemplateResult {
  const rows = panel.rows.all;
  return html`
    <main class="conversation-frame">
      <div
        class="conversation"
        role="log"
        aria-live="off"
        aria-label=${t('Conversation')}
        tabindex="0"
        @click=${(event: MouseEvent) => onClick(panel, event)}
        @keydown=${(event: KeyboardEvent) => onKey(panel, event)}
        @focusin=${(event: FocusEvent) => onFocusIn(panel, event)}
      >
        <div class="rows">
          ${panel.rows.more ? html`<p class="older">${t('Loading older messages…')}</p>` : nothing}
          ${rows.length === 0 ? viewWelcome(panel, state) : nothing}
          <div class="row-list" ${windowed(panel.reader.window, listEntries(panel, state))}></div>
          <div class="rows-end" tabindex="-1"></div>
          ${state.sending === null ? nothing : viewSending(state.sending, state)}
          ${state.question ? viewQuestion(panel, state.question) : nothing}
          ${state.consent ? viewConsent(panel, state.consent) : nothing}
        </div>
      </div>
      ${
        panel.reader.following || rows.length === 0
          ? nothing
          : html`<button type="button" class="latest" @click=${() => panel.reader.follow()}>
              <span class="codicon codicon-arrow-down" aria-hidden="true"></span>${t('Jump to latest')}
            </button>`
      }
    </main>
  `;
}

/** Links and code buttons inside of rendered Markdown, which has no listeners of its own. */
function onClick(panel: Panel, event: Event): void {
  const target = event.target instanceof Element ? event.target : null;
  const href = target?.closest<HTMLElement>('a[data-href]')?.dataset.href;
  if (href !== undefined) {
    event.preventDefault();
    const file = fileOfLink(href.slice(0, 4_000));
    panel.post(file ? { type: 'openFile', ...file } : { type: 'openLink', href: href.slice(0, 4_000) });
    return;
  }
  const action = target?.closest<HTMLElement>('[data-action]');
  const block = action?.closest('.code');
  const code = block?.querySelector('pre')?.textContent;
  if (!action || code === null || code === undefined) return;
  switch (action.dataset.action) {
    case 'insert':
      panel.post({ type: 'insert', text: code });
      break;
    case 'apply':
      panel.post({ type: 'applyCode', text: code, ...filesOf(block, code), language: languageOf(block) });
      break;
    case 'newFile':
      panel.post({
        type: 'newFile',
        text: code,
        language: languageOf(block),
      });
      break;
    default:
      copyWithMark(panel, code, action);
  }
}

function languageOf(block: Element | null | undefined): string {
  return block?.querySelector('.code-language')?.textContent.slice(0, 100) ?? '';
}

/** Files that the block names itself, and those that the paragraph before it names, the nearest first. */
function filesOf(block: Element | null | undefined, code: string): { named: string[]; near: string[] } {
  const info = block instanceof HTMLElement ? (block.dataset.info ?? '') : '';
  const comment = fileInComment(code);
  const before = block?.previousElementSibling?.textContent.slice(-400) ?? '';
  return {
    named: [...filesInText(info), ...(comment === null ? [] : [comment])].slice(0, 3),
    near: filesInText(before).reverse().slice(0, 5),
  };
}

function onKey(panel: Panel, event: KeyboardEvent): void {
  const link = event.target instanceof HTMLElement && event.target.matches('a[data-href]');
  if (link && (event.key === 'Enter' || event.key === ' ')) onClick(panel, event);
  else onRowKey(panel, event);
}
