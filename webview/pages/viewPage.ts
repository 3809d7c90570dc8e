/** A whole page: its title, then its blocks. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { Page } from '../../src/protocol/pages.ts';
import '../words/tell.ts';
import type { Pane } from './pane.ts';
import { viewBlocks } from './viewBlock.ts';

export function viewPage(pane: Pane, { title, subtitle, blocks }: Page): TemplateResult {
  return html`
    <main class="report" tabindex="0" aria-label=${title}>
      <header>
        <div class="report-head">
          <h1 class="grow">${title}</h1>
          <button
            type="button"
            class="icon codicon codicon-go-to-file"
            title=${t('Open as text')}
            aria-label=${t('Open as text')}
            @click=${() => pane.openText()}
          ></button>
        </div>
        ${subtitle ? html`<p class="quiet">${subtitle}</p>` : nothing}
      </header>
      ${viewBlocks(pane, blocks, 2)}
    </main>
  `;
}
