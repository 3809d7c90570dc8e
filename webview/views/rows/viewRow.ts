/** Every kind of row: its drawing, its name, and the announcement of a new one. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import { type Row, rowText } from '../../../src/protocol/rows.ts';
import { inPanelLanguage } from '../../page/format.ts';
import type { Panel } from '../../page/panel.ts';
import type { RowKind, RowKinds, RowPlace } from './rowKinds.ts';
import { viewApproval } from './viewApproval.ts';
import { COMPACTIONS } from './viewCompaction.ts';
import { EVENTS } from './viewEvent.ts';
import { MESSAGES } from './viewMessage.ts';
import { TOOLS } from './viewTool.ts';

const KINDS: RowKinds<Row['type']> = { ...MESSAGES, ...TOOLS, ...COMPACTIONS, ...EVENTS };

export function viewRow(panel: Panel, row: Row, place: RowPlace): TemplateResult {
  try {
    return kindOf(row).view(panel, row, place);
  } catch (error) {
    return viewPlain(panel, row, error);
  }
}

/** A row that cannot be drawn affects only itself, and its question is still asked. */
function viewPlain(panel: Panel, row: Row, error: unknown): TemplateResult {
  console.warn('Palimpsest: a row is shown as plain text.', error);
  const asked = row.type === 'tool' ? row.approval : null;
  return html`
    <section class="row plain" data-row=${row.id}>
      ${asked ? viewApproval(panel, row.id, asked) : nothing}
      <pre tabindex="0">${rowText(row, inPanelLanguage)}</pre>
    </section>
  `;
}

export function nameRow(row: Row): string {
  return kindOf(row).name(row);
}

const heights = new WeakMap<Row, number>();

export function heightOf(row: Row): number {
  const height = heights.get(row) ?? kindOf(row).height(row);
  heights.set(row, height);
  return height;
}

export function drawnFrom(panel: Panel, row: Row): string {
  return kindOf(row).drawnFrom?.(panel, row) ?? '';
}

export function speakRow(row: Row): string {
  return kindOf(row).spoken?.(row) ?? '';
}

/** A new compaction or notice, or a compaction undone or redone; empty for anything else. */
export function nameEvent(row: Row, before: Row | null): string {
  if (row.type === 'compaction' && before?.type === 'compaction') {
    if (row.state === before.state) return '';
    return row.state === 'undone' ? t('Compaction undone') : t('Compaction redone');
  }
  const isEvent = row.type === 'compaction' || row.type === 'notice' || row.type === 'dmail';
  return isEvent && !before ? speakRow(row) : '';
}

/** The compiler knows that each row of the table takes its own rows, but not that `row` selects its own. */
function kindOf(row: Row): RowKind<Row['type']> {
  return KINDS[row.type] as RowKind<Row['type']>;
}
