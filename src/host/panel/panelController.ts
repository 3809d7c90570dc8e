/** What the panel asks of the session behind it. The view knows nothing else; the controller knows no webview. */

import type { RowPage } from '../../core/transcript/transcript.ts';
import type { PanelState, SessionInfo, ToHost } from '../../protocol/messages.ts';
import type { Row } from '../../protocol/rows.ts';

export interface Disposable {
  dispose(): void;
}

export type PanelChange =
  | { readonly kind: 'state' }
  /** New rows (appended in this order), changed ones, or ones that left. */
  | { readonly kind: 'rows'; readonly ids: readonly string[] }
  /** Text to add to a row: the streaming answer's, or a running tool's output. */
  | { readonly kind: 'delta'; readonly rowId: string; readonly text: string; readonly reasoning: string }
  /** All rows on screen may differ: a compaction, its undo, a pin. The reader stays where they are. */
  | { readonly kind: 'page' }
  /** Another session is shown, or another branch of this one. */
  | { readonly kind: 'replaced' }
  | { readonly kind: 'sessions'; readonly sessions: readonly SessionInfo[] }
  /** Opens the list of sessions. */
  | { readonly kind: 'history' }
  /** Puts text into the composer and the focus there. */
  | { readonly kind: 'compose'; readonly text: string };

/** What the view answers itself, from `rows`. */
export type PanelRequest = Exclude<ToHost, { type: 'ready' } | { type: 'loadRows' }>;

export interface PanelController {
  state(): PanelState;
  /** Up to `count` rows before `beforeId`, oldest first; the newest with null. */
  rows(beforeId: string | null, count: number): RowPage;
  /** Null when the row has left. */
  row(id: string): Row | null;
  /** Rejections are shown to the person by the view. */
  handle(message: PanelRequest): Promise<void>;
  onDidChange(listener: (change: PanelChange) => void): Disposable;
}
