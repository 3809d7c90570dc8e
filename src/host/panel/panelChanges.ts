/** What the panel is told of: each part tells it here, whether a page of the panel is open or not. */

import * as vscode from 'vscode';
import type { GivenImage } from '../../core/images/attachImages.ts';
import type { ImageMime } from '../../core/images/readImage.ts';
import { PANEL_VIEW, type PageAct } from '../../protocol/commands.ts';
import type { Doubt, MentionChoice, SessionInfo } from '../../protocol/messages.ts';
import type { Disposable, SessionChange } from '../session/shownSession.ts';
import type { FoundRow } from './findInRows.ts';

export type PanelChange =
  | SessionChange
  | { readonly kind: 'sessions'; readonly sessions: readonly SessionInfo[] }
  /** An image of the session, as it was asked for. */
  | { readonly kind: 'image'; readonly blob: string; readonly mime: ImageMime; readonly bytes: Uint8Array }
  /** Images for the message that is being written. */
  | { readonly kind: 'attach'; readonly images: readonly GivenImage[] }
  /** A command that the page carries out. */
  | { readonly kind: 'act'; readonly act: PageAct }
  /** Opens the list of sessions. */
  | { readonly kind: 'history' }
  /** Answers what the panel sought. */
  | { readonly kind: 'found'; readonly query: string; readonly hits: readonly FoundRow[] }
  /** Brings a row into sight. */
  | { readonly kind: 'reveal'; readonly rowId: string; readonly text: string }
  /** For what is being written. */
  | { readonly kind: 'insertText'; readonly text: string }
  | { readonly kind: 'mentionChoices'; readonly typed: string; readonly choices: readonly MentionChoice[] }
  | { readonly kind: 'mentionsChecked'; readonly text: string; readonly doubts: readonly Doubt[] };

export class PanelChanges {
  readonly #listeners = new Set<(change: PanelChange) => void>();
  /** Text that was added before there was a panel to write it into. */
  readonly #waiting: PanelChange[] = [];

  onDidChange(listener: (change: PanelChange) => void): Disposable {
    this.#listeners.add(listener);
    for (const change of this.#waiting.splice(0)) listener(change);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  tell(change: PanelChange): void {
    if (this.#listeners.size === 0 && change.kind === 'insertText') this.#waiting.push(change);
    for (const listener of this.#listeners) listener(change);
  }

  /** What the panel shows beside rows has changed. */
  refresh(): void {
    this.tell({ kind: 'state' });
  }

  /** The same, once the panel has the focus. */
  async tellInFront(change: PanelChange): Promise<void> {
    await focusPanel();
    this.tell(change);
  }
}

/** The one at the side. */
export async function focusPanel(): Promise<void> {
  await vscode.commands.executeCommand(`${PANEL_VIEW}.focus`);
}
