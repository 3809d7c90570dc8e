/** Messages that wait until the agent has answered: each is edited, said at once, or removed. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { PanelState } from '../../src/protocol/messages.ts';
import type { Panel } from '../page/panel.ts';

type Queued = PanelState['queue'][number];

export function viewQueue(panel: Panel, state: PanelState): TemplateResult | typeof nothing {
  if (state.queue.length === 0) return nothing;
  return html`<section class="queue" aria-label=${t('Waiting messages')}>
    ${
      state.queue.some(({ kept }) => kept)
        ? html`<p class="queue-note">${t('Not sent before the session was closed: send, edit or remove it.')}</p>`
        : nothing
    }
    <ol>
      ${state.queue.map((message) => viewOne(panel, state, message))}
    </ol>
  </section>`;
}

function viewOne(panel: Panel, { status }: PanelState, { id, text, now, kept }: Queued): TemplateResult {
  const act = (what: 'send' | 'edit' | 'remove') => () => panel.post({ type: 'queued', id, act: what });
  const send = status === 'idle' ? t('Send') : t('Say it now, in the running turn');
  const [icon, fate] = now
    ? ['arrow-up', t('will be said next')]
    : kept
      ? ['debug-pause', t('waits for you to send it')]
      : ['clock', t('waits for the current answer')];
  return html`<li>
    <span class="codicon codicon-${icon}" role="img" aria-label=${fate} title=${fate}></span>
    <span class="clip grow" dir="auto" title=${text}>${text}</span>
    ${button('edit', t('Edit'), text, act('edit'))}
    ${now ? nothing : button('arrow-up', send, text, act('send'))}
    ${button('close', t('Remove'), text, act('remove'))}
  </li>`;
}

function button(icon: string, label: string, text: string, act: () => void): TemplateResult {
  return html`<button
    type="button"
    class="icon codicon codicon-${icon}"
    title=${label}
    aria-label="${label}: ${text.slice(0, 60)}"
    @click=${act}
  ></button>`;
}
