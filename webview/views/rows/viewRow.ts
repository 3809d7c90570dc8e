/** Every kind of row: how it is drawn, and what a screen reader says when it is new. */

import { t } from '@vscode/l10n';
import { html, nothing, type TemplateResult } from 'lit';
import type { Row } from '../../../src/protocol/rows.ts';
import { formatQuestion, formatTokens } from '../../page/format.ts';
import type { Panel } from '../../page/panel.ts';
import type { RowKind, RowPlace } from './rowKind.ts';
import { viewApproval } from './viewApproval.ts';
import { viewCompaction } from './viewCompaction.ts';
import { EVENTS } from './viewEvent.ts';
import { viewAssistant, viewUser } from './viewMessage.ts';
import { viewTool } from './viewTool.ts';

/** Characters of an answer that are read out; the rest is in the conversation. */
const EXCERPT = 240;

const KINDS: { readonly [T in Row['type']]: RowKind<T> } = {
  ...EVENTS,
  user: { view: viewUser, name: () => t('You') },
  assistant: {
    view: viewAssistant,
    name: () => t('Assistant'),
    spoken: ({ live, text }) => (live || !text ? '' : `${t('Assistant')}: ${text.slice(0, EXCERPT)}`),
  },
  tool: {
    view: viewTool,
    name: ({ toolName, title }) => `${toolName} ${title}`,
    spoken: ({ approval }) => (approval ? `${formatQuestion(approval.detail)} ${approval.title}` : ''),
  },
  compaction: {
    view: viewCompaction,
    name: () => t('Compaction'),
    spoken: ({ tokensBefore, tokensAfter }) =>
      `${t('Compaction')}: ${t('{0} → {1}', formatTokens(tokensBefore), formatTokens(tokensAfter))}`,
  },
};

export function viewRow(panel: Panel, row: Row, place: RowPlace): TemplateResult {
  try {
    return kindOf(row).view(panel, row, place);
  } catch (error) {
    return viewPlain(panel, row, error);
  }
}

/** A row that cannot be drawn costs only itself, and what it asks is still asked. */
function viewPlain(panel: Panel, row: Row, error: unknown): TemplateResult {
  console.warn('Palimpsest: a row is shown as plain text.', error);
  const asked = row.type === 'tool' ? row.approval : null;
  return html`
    <section class="row plain" data-row=${row.id}>
      ${asked ? viewApproval(panel, row.id, asked) : nothing}
      <pre tabindex="0">${plainText(row)}</pre>
    </section>
  `;
}

function plainText(row: Row): string {
  switch (row.type) {
    case 'user':
    case 'assistant':
      return row.text;
    case 'tool':
      return `${row.toolName} ${row.title}\n${row.result}`;
    case 'dmail':
      return row.text;
    case 'compaction':
      return row.summary;
    case 'notice':
    case 'checkpoint':
      return row.id;
  }
}

export function nameRow(row: Row): string {
  return kindOf(row).name(row);
}

export function speakRow(row: Row): string {
  return kindOf(row).spoken?.(row) ?? '';
}

/** The compiler knows that each line of the table takes its own rows, but not that `row` finds its own line. */
function kindOf(row: Row): RowKind<Row['type']> {
  return KINDS[row.type] as RowKind<Row['type']>;
}
