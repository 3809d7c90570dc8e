/** Passes changes from parts of the host to the panel, whether or not one of its pages is open. */

import * as vscode from 'vscode';
import type { Disposable } from '../../api/index.ts';
import type { GivenImage } from '../../core/context/images.ts';
import type { SessionChange } from '../../node/session/shownSession.ts';
import { PANEL_VIEW } from '../../protocol/commands.ts';
import type { ToPanel } from '../../protocol/messages.ts';

/** Passed on unchanged. */
export type PanelMessage = Extract<
  ToPanel,
  {
    type:
      | 'sessions'
      | 'sessionsHere'
      | 'found'
      | 'act'
      | 'history'
      | 'reveal'
      | 'lead'
      | 'image'
      | 'attach'
      | 'insertText'
      | 'mentionChoices'
      | 'mentionsChecked'
      | 'editPreview';
  }
>;

export type PanelChange = SessionChange | PanelMessage;

export class PanelChanges {
  readonly #listeners = new Set<(change: PanelChange) => void>();
  /** Text added before a panel existed. */
  readonly #waiting: PanelChange[] = [];

  onDidChange(listener: (change: PanelChange) => void): Disposable {
    this.#listeners.add(listener);
    for (const change of this.#waiting.splice(0)) listener(change);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  publish(change: PanelChange): void {
    if (this.#listeners.size === 0 && 'type' in change && change.type === 'insertText') this.#waiting.push(change);
    for (const listener of this.#listeners) listener(change);
  }

  /** Something in the panel other than its rows has changed. */
  refresh(): void {
    this.publish({ kind: 'state' });
  }

  /** The same, once the panel has the focus. */
  async publishInFront(change: PanelChange): Promise<void> {
    await focusPanel();
    this.publish(change);
  }

  /** Adds images to the message being written. */
  attach(images: readonly GivenImage[]): void {
    this.publish({ type: 'attach', images: images.map(({ name, bytes }) => ({ name, data: base64(bytes) })) });
  }
}

export const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** Focuses the panel in the side bar. */
export async function focusPanel(): Promise<void> {
  await vscode.commands.executeCommand(`${PANEL_VIEW}.focus`);
}
