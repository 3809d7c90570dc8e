/** The search bar of the conversation: the query, the number of hits, next, previous and close. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { formatCount } from '../../src/core/figures.ts';
import { isComposing } from '../page/composing.ts';
import type { Panel } from '../page/panel.ts';
import { viewIconButton } from './viewButton.ts';

export function viewFind(panel: Panel): TemplateResult | typeof nothing {
  const { find } = panel.seeker;
  if (!find.open) return nothing;
  const { total } = find;
  const none = total === 0 && find.query !== '';
  const step = (by: 1 | -1) => () => find.step(by);
  return html`
    <div class="find" role="search" @keydown=${(event: KeyboardEvent) => onKey(panel, event)}>
      <input
        class="find-text ${none ? 'none' : ''}"
        type="text"
        maxlength="1000"
        aria-label=${t('Find in the conversation')}
        placeholder=${t('Find in the conversation')}
        .value=${find.query}
        @input=${(event: Event) => find.search((event.target as HTMLInputElement).value)}
      />
      <span class="find-count">${
        find.query === '' || total === null
          ? ''
          : none
            ? t('Nothing found')
            : t('{0} of {1}', formatCount(find.position), formatCount(total))
      }</span>
      ${viewIconButton('arrow-up', `${t('Previous')} (Shift+Enter)`, step(-1), { disabled: !total })}
      ${viewIconButton('arrow-down', `${t('Next')} (Enter)`, step(1), { disabled: !total })}
      ${viewIconButton('close', `${t('Close')} (Esc)`, () => closeFind(panel))}
    </div>
  `;
}

function onKey(panel: Panel, event: KeyboardEvent): void {
  if (isComposing(event)) return;
  if (event.key === 'Escape') closeFind(panel);
  else if (event.key === 'Enter' && event.target instanceof HTMLInputElement)
    panel.seeker.find.step(event.shiftKey ? -1 : 1);
  else if (event.key === 'F3') panel.seeker.find.step(event.shiftKey ? -1 : 1);
  else return;
  event.preventDefault();
  event.stopPropagation();
}

export function openFind(panel: Panel): void {
  const selected = String(document.getSelection() ?? '');
  if (selected !== '' && selected.length < 200 && !selected.includes('\n')) panel.seeker.find.search(selected);
  panel.seeker.find.show();
  panel.afterRender(() => panel.root.querySelector<HTMLInputElement>('.find-text')?.select());
}

/** Closing the search keeps the position and returns the keyboard to the conversation. */
function closeFind(panel: Panel): void {
  panel.seeker.find.close();
  panel.root.querySelector<HTMLElement>('.conversation')?.focus({ preventScroll: true });
}
