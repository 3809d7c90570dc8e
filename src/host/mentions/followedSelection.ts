/**
 * Follows the selection of the editor that the person works in: it goes along with their message unless they leave it out.
 * The newest choice is remembered for all windows. Invariant: nothing of a file that may hold secrets is offered.
 */

import * as vscode from 'vscode';
import type { Log } from '../../core/log.ts';
import { describeSelected, type LineRange, type SelectedLines } from '../../core/mentions/selectedLines.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import type { PanelState } from '../../protocol/messages.ts';
import type { Handlers } from '../handlers.ts';
import type { PanelChanges } from '../panel/panelChanges.ts';
import type { WatchedSettings } from '../settings.ts';
import type { Mentions } from './mentions.ts';
import { pathIn } from './openFiles.ts';

/** Global state: whether the selection goes along; undefined before the person has been told. */
const GOES_ALONG = 'palimpsest.selectionGoesAlong';

/** Milliseconds without a change after which a selection is read. */
const SETTLES = 150;

/** Documents whose selection is remembered. */
const MOST_REMEMBERED = 50;

/** In characters; a longer selection exceeds every limit of a mention. */
const MOST_COUNTED = 1_000_000;

interface Parts {
  readonly mentions: Mentions;
  readonly session: ShownSession;
  readonly settings: WatchedSettings;
  readonly changes: PanelChanges;
  readonly log: Log;
}

export class FollowedSelection implements vscode.Disposable {
  readonly #parts: Parts;
  readonly #memory: vscode.Memento;
  readonly #subscriptions: readonly vscode.Disposable[];
  /** Stays while the panel's own tab is active, as long as it is visible. */
  #editor = vscode.window.activeTextEditor;
  #selected: SelectedLines | null = null;
  /**
   * The selections that the person made, by the address of the document: one that an edit leaves behind, or that comes
   * with a file that is opened, was not meant. Edits may move a selection.
   */
  readonly #made = new Map<string, string>();
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** The newest reading: an earlier one that ends later is ignored. */
  #reading = 0;

  readonly handlers = {
    keepSelection: async ({ on }) => {
      await this.#memory.update(GOES_ALONG, on);
      this.#parts.changes.refresh();
    },
  } satisfies Partial<Handlers>;

  constructor(parts: Parts, memory: vscode.Memento) {
    this.#parts = parts;
    this.#memory = memory;
    const { window } = vscode;
    this.#subscriptions = [
      window.onDidChangeActiveTextEditor((editor) => this.#follow(editor ?? this.#editor)),
      window.onDidChangeVisibleTextEditors(() => this.#follow(this.#editor)),
      window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
        this.#remember(textEditor, kind !== undefined);
        if (textEditor === this.#editor) this.#follow(textEditor);
      }),
      // A turn may have moved or deleted the file.
      parts.session.onDidChange(({ kind }) => {
        if (kind === 'state' && this.#selected) this.#follow(this.#editor);
      }),
    ];
    if (this.#editor) this.#remember(this.#editor, true);
    this.#follow(this.#editor);
  }

  get current(): PanelState['selection'] {
    const chosen = this.#memory.get<boolean>(GOES_ALONG);
    return this.#selected && { ...this.#selected, on: chosen ?? true, isNew: chosen === undefined };
  }

  dispose(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const each of this.#subscriptions) each.dispose();
  }

  #remember({ document, selection }: vscode.TextEditor, byPerson: boolean): void {
    const key = document.uri.toString();
    const isKnown = this.#made.delete(key);
    if (selection.isEmpty || !(byPerson || isKnown)) return;
    this.#made.set(key, nameOf(selection));
    const [oldest] = this.#made.keys();
    if (this.#made.size > MOST_REMEMBERED && oldest !== undefined) this.#made.delete(oldest);
  }

  #follow(editor: vscode.TextEditor | undefined): void {
    this.#editor = editor && vscode.window.visibleTextEditors.includes(editor) ? editor : undefined;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#read().catch((thrown: unknown) => this.#parts.log('warn', `The selection could not be read: ${thrown}`));
    }, SETTLES);
  }

  async #read(): Promise<void> {
    this.#reading += 1;
    const reading = this.#reading;
    const selected = this.#editor ? await this.#describe(this.#editor) : null;
    const before = this.#selected;
    if (reading !== this.#reading) return;
    this.#selected = selected;
    if (selected?.mention !== before?.mention || selected?.tokens !== before?.tokens) this.#parts.changes.refresh();
  }

  async #describe({ document, selection }: vscode.TextEditor): Promise<SelectedLines | null> {
    if (document.uri.scheme !== 'file' || selection.isEmpty) return null;
    if (this.#made.get(document.uri.toString()) !== nameOf(selection)) return null;
    const { ports } = this.#parts.mentions;
    const path = await pathIn(ports.files, document.uri.fsPath);
    if (path === null) return null;
    const lines = linesOf(selection);
    const end = document.lineAt(lines.last - 1).range.end;
    const text = document.getText(new vscode.Range(lines.first - 1, 0, end.line, end.character)).slice(0, MOST_COUNTED);
    const total = document.lineCount - (document.lineAt(document.lineCount - 1).isEmptyOrWhitespace ? 1 : 0);
    return describeSelected(path, { lines, text, total }, ports, this.#parts.settings.current.agent.mentions.maxTokens);
  }
}

const nameOf = ({ start, end }: vscode.Range) => `${start.line}:${start.character}-${end.line}:${end.character}`;

/** The last line counts only if part of it is selected. */
export function linesOf({ start, end }: vscode.Range): LineRange {
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return { first: start.line + 1, last };
}
