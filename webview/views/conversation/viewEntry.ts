/** How each entry of the conversation is drawn, and what must have changed for it to be drawn again. */

import { html } from 'lit';
import type { PanelState } from '../../../src/protocol/messages.ts';
import type { Row } from '../../../src/protocol/rows.ts';
import type { Panel } from '../../page/panel.ts';
import { EntryList, type RowEntry } from '../../window/entries.ts';
import type { Drawing, ShownList } from '../../window/rowWindow.ts';
import { waysNow } from '../rows/viewEvent.ts';
import { nameGroup, viewGroup } from '../rows/viewGroup.ts';
import { nameRow, viewRow } from '../rows/viewRow.ts';

const lists = new WeakMap<Panel, EntryList>();

export function listEntries(panel: Panel, state: PanelState): ShownList {
  const list = lists.get(panel) ?? new EntryList();
  lists.set(panel, list);
  const entries = list.of(panel.rows, panel.open, state.status !== 'idle', state.sessionId);
  return { entries, more: panel.rows.more, describe: (index) => describe(panel, state, entries[index] as RowEntry) };
}

function describe(panel: Panel, state: PanelState, entry: RowEntry): Drawing {
  return entry.kind === 'head' ? describeGroup(panel, entry) : describeRow(panel, state, entry);
}

function describeGroup(panel: Panel, { key, members }: RowEntry): Drawing {
  const rows = members.map((id) => panel.rows.get(id)).filter((row) => row?.type === 'tool');
  const open = panel.open.has(key);
  return { parts: [open, ...rows], label: nameGroup(rows), draw: () => viewGroup(panel, key, rows, open) };
}

function describeRow(panel: Panel, state: PanelState, { rowIds: [id = ''], kind }: RowEntry): Drawing {
  const row = panel.rows.get(id);
  if (!row) return { parts: [], label: '', draw: () => html`` };
  const place = { fixed: state.readOnly !== '', continues: row.type === 'assistant' && hasSpoken(panel, row), kind };
  return {
    parts: [
      row,
      openParts(panel, id),
      callNow(panel, state, row),
      picturesNow(panel, row),
      sizeNow(state, row),
      row.type === 'notice'
        ? waysNow(panel, row)
            .map(({ label }) => label)
            .join()
        : '',
      ...Object.values(place),
    ],
    label: nameRow(row),
    draw: () => viewRow(panel, row, place),
  };
}

/** True when an answer before this row belongs to the same turn. Of rows not loaded yet it is taken for granted. */
function hasSpoken({ rows }: Panel, { id }: Row): boolean {
  let at = (rows.indexOf(id) ?? 0) - 1;
  while (rows.all[at]?.type === 'tool') at--;
  return at < 0 ? rows.more : rows.all[at]?.type === 'assistant';
}

/** What a compaction's undo says beforehand depends on the context's size now. */
function sizeNow(state: PanelState, row: Row): number {
  return row.type === 'compaction' && (row.canUndo || row.canRedo) ? state.meter.tokens : 0;
}

/** Addresses of its images, as far as they are there. */
function picturesNow({ pictures }: Panel, row: Row): string {
  if (row.type !== 'user' && row.type !== 'tool') return '';
  return (row.images ?? []).map(({ blob }) => pictures.addressOf(blob)).join(' ');
}

/** Whether a call's lasting answer is looked at, and whether its command still runs. */
function callNow({ confirming }: Panel, state: PanelState, row: Row): string {
  if (row.type !== 'tool') return '';
  const { approval, detail } = row;
  const id = detail.kind === 'command' ? detail.background : undefined;
  return `${approval !== null && approval.id === confirming}${id !== undefined && state.background.includes(id)}`;
}

/** The parts of a row that the reader opened, as one comparable value. */
function openParts(panel: Panel, id: string): string {
  return ['', '/text', '/reasoning'].map((part) => Number(panel.open.has(id + part))).join('');
}
