/** Many calls that only looked at something, as one line that opens to all of them. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { RowOf } from '../../../src/protocol/rows.ts';
import type { Panel } from '../../page/panel.ts';
import { formatTokens } from '../../words/format.ts';

type Calls = readonly RowOf<'tool'>[];

/** Tools that are named in the line. */
const MOST_NAMES = 3;

export function viewGroup(panel: Panel, key: string, rows: Calls, open: boolean): TemplateResult {
  const failed = rows.filter(({ status }) => status === 'failed').length;
  const unseen = rows.filter(({ fate }) => fate !== 'seen').length;
  const tokens = rows.reduce((sum, row) => sum + row.tokens, 0);
  return html`
    <div class="row group">
      <div class="tool-line">
        <button type="button" class="tool-toggle" aria-expanded=${open} @click=${() => panel.toggle(key)}>
          <span class="codicon ${open ? 'codicon-chevron-down' : 'codicon-chevron-right'}" aria-hidden="true"></span>
          <span class="codicon codicon-checklist" aria-hidden="true"></span>
          <span class="clip">${nameGroup(rows)}</span>
        </button>
        ${failed > 0 ? html`<span class="tool-outcome bad">${t('{0} failed', failed)}</span>` : nothing}
        ${unseen > 0 ? html`<span class="tool-outcome">${t('{0} hidden', unseen)}</span>` : nothing}
        <span class="tool-facts">${tokens > 0 ? formatTokens(tokens) : nothing}</span>
      </div>
    </div>
  `;
}

export function nameGroup(rows: Calls): string {
  const counts = new Map<string, number>();
  for (const { toolName } of rows) counts.set(toolName, (counts.get(toolName) ?? 0) + 1);
  if (counts.size === 1 && counts.has('read_file')) {
    const files = new Set(rows.map(({ title }) => title)).size;
    return files === 1 ? t('Read one file {0} times', rows.length) : t('Read {0} files', files);
  }
  const names = [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => (count > 1 ? `${count} × ${name}` : name));
  const more = names.length > MOST_NAMES ? ', …' : '';
  return `${t('{0} calls', rows.length)}: ${names.slice(0, MOST_NAMES).join(', ')}${more}`;
}
