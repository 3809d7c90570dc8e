/** Every kind of row: how it is drawn, and what a screen reader says when it is new. */

import { t } from '@vscode/l10n';
import type { TemplateResult } from 'lit';
import type { Row } from '../../../src/protocol/rows.ts';
import type { Panel } from '../../page/panel.ts';
import { formatQuestion, formatTokens } from '../../words/format.ts';
import type { RowKind, RowPlace } from './rowKind.ts';
import { viewCompaction } from './viewCompaction.ts';
import { EVENTS } from './viewEvent.ts';
import { viewAssistant, viewUser } from './viewMessage.ts';
import { viewTool } from './viewTool.ts';

/** Characters of an answer that are read out; the rest is in the conversation. */
const EXCERPT = 240;

const KINDS: { readonly [T in Row['type']]: RowKind<T> } = {
  ...EVENTS,
  user: { view: viewUser },
  assistant: {
    view: viewAssistant,
    spoken: ({ live, text }) => (live || !text ? '' : `${t('Assistant')}: ${text.slice(0, EXCERPT)}`),
  },
  tool: {
    view: viewTool,
    spoken: ({ approval }) => (approval ? `${formatQuestion(approval.detail)} ${approval.title}` : ''),
  },
  compaction: {
    view: viewCompaction,
    spoken: ({ tokensBefore, tokensAfter }) =>
      `${t('Compaction')}: ${t('{0} → {1}', formatTokens(tokensBefore), formatTokens(tokensAfter))}`,
  },
};

export function viewRow(panel: Panel, row: Row, place: RowPlace): TemplateResult {
  return kindOf(row).view(panel, row, place);
}

export function speakRow(row: Row): string {
  return kindOf(row).spoken?.(row) ?? '';
}

/** The compiler knows that each line of the table takes its own rows, but not that `row` finds its own line. */
function kindOf(row: Row): RowKind<Row['type']> {
  return KINDS[row.type] as RowKind<Row['type']>;
}
