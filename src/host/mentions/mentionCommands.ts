/**
 * Mentions between the person and the session: what is said of them before a message is sent, adding one from elsewhere in
 * the editor, and opening what one names.
 */

import * as vscode from 'vscode';
import { ToldError } from '../../core/errors.ts';
import type { McpPrompt } from '../../core/mcp/mcpServers.ts';
import { locateMention } from '../../core/mentions/locateMention.ts';
import {
  findMentions,
  type MentionPorts,
  type MentionSources,
  type PromptCall,
  readPromptCall,
  writeMention,
  writePromptCall,
} from '../../core/mentions/mention.ts';
import { doubtMentions, type MentionDoubt } from '../../core/mentions/sessionMentions.ts';
import { words } from '../../core/words.ts';
import type { ReadOnlyDocuments } from '../inspect/readOnlyDocuments.ts';
import type { ShownSession } from '../session/shownSession.ts';
import { pathIn } from './mentionChoices.ts';

interface Parts {
  readonly session: Pick<ShownSession, 'conversation'>;
  readonly ports: () => MentionPorts;
  readonly sources: MentionSources;
  readonly prompts: () => readonly McpPrompt[];
  readonly documents: Pick<ReadOnlyDocuments, 'show'>;
  /** Puts a text into the composer where the person writes. */
  readonly insert: (text: string) => Promise<void>;
}

export class MentionCommands {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  doubts(text: string): Promise<readonly MentionDoubt[]> {
    return doubtMentions(text, this.#parts.ports(), this.#parts.sources);
  }

  /** The message with what it still needs; null when the person does not give it. */
  async complete(text: string): Promise<string | null> {
    const call = readPromptCall(text);
    const prompt =
      call && this.#parts.prompts().find(({ server, name }) => server === call.server && name === call.prompt);
    return prompt ? askForArguments(text, call, prompt) : text;
  }

  /** Begins a mention in the composer, where the list of them opens. */
  begin(): Promise<void> {
    return this.#parts.insert('@');
  }

  /** A file or folder of the Explorer, or the editor with what is selected in it. */
  async addFile(given: unknown): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const uri = given instanceof vscode.Uri ? given : editor?.document.uri;
    if (!uri) throw new ToldError(words('No file is open to add. Open one, or choose one in the Explorer.'));
    const { files } = this.#parts.ports();
    const path = uri.scheme === 'file' ? await pathIn(files, uri.fsPath) : null;
    if (path === null)
      throw new ToldError(words('{0} is not in the open folder, or it is where nothing is read.', uri.fsPath));
    const isShown = editor?.document.uri.toString() === uri.toString();
    const lines = isShown && !editor.selection.isEmpty ? linesOf(editor.selection) : '';
    await this.#parts.insert(`${writeMention(path + lines)} `);
  }

  addTerminalSelection(): Promise<void> {
    return this.#parts.insert('@terminal:selection ');
  }

  /** `rowId` is the row of the message with the mention. What is no file is shown as it was read. */
  async open(rowId: string, mention: string): Promise<void> {
    const [named] = findMentions(mention);
    const located = named ? await locateMention(named, this.#parts.ports(), this.#parts.sources) : null;
    const thing = located?.kind === 'found' ? located.thing : null;
    if (thing?.kind !== 'place') return this.#showText(rowId, mention);
    const { place, facts } = thing;
    const uri = vscode.Uri.file(facts.real);
    if (facts.type === 'folder') {
      await vscode.commands.executeCommand('revealInExplorer', uri);
      return;
    }
    const first = place.lines?.first ?? (await this.#lineOf(facts.shown, place.symbol));
    const last = place.lines?.last ?? first;
    const selection = first === null || last === null ? undefined : new vscode.Range(first - 1, 0, last - 1, 0);
    // The editor's own way to open a file, which also shows images.
    if (selection) await vscode.window.showTextDocument(uri, { selection, preview: true });
    else await vscode.commands.executeCommand('vscode.open', uri);
  }

  async #lineOf(path: string, symbol: string | null): Promise<number | null> {
    const { language } = this.#parts.ports();
    if (symbol === null || !language) return null;
    const all = await language.symbolsIn(path, AbortSignal.timeout(5_000));
    return all.find(({ name, container }) => name === symbol || `${container}.${name}` === symbol)?.line ?? null;
  }

  async #showText(rowId: string, mention: string): Promise<void> {
    const [, seq] = /^m(\d+)$/.exec(rowId) ?? [];
    const journal = this.#parts.session.conversation?.journal;
    if (!journal || seq === undefined) return;
    const entries = [...journal.newest(journal.nextSeq - Number(seq))].filter((entry) => entry.seq > Number(seq));
    const read = entries
      .sort((a, b) => a.seq - b.seq)
      .flatMap((entry) => (entry.type === 'message' && entry.message.role === 'user' ? [entry.message] : []))
      .find((message) => message.mention === mention);
    if (read) await this.#parts.documents.show('mention.txt', read.text);
  }
}

/** The last line counts only where something of it is selected. */
function linesOf({ start, end }: vscode.Selection): string {
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return last === start.line + 1 ? `:${last}` : `:${start.line + 1}-${last}`;
}

/** The message with all arguments; null when the person leaves one of the questions. */
async function askForArguments(
  text: string,
  { server, prompt: name, given }: PromptCall,
  { parameters }: McpPrompt,
): Promise<string | null> {
  const missing = parameters.filter((parameter) => given[parameter.name] === undefined);
  const answers: Record<string, string> = { ...given };
  for (const [at, { name: parameter, description, required }] of missing.entries()) {
    const typed = await vscode.window.showInputBox({
      title: `/${server}:${name} (${at + 1}/${missing.length})`,
      prompt: required
        ? [parameter, description].filter(Boolean).join(': ')
        : vscode.l10n.t('{0} (may stay empty)', [parameter, description].filter(Boolean).join(': ')),
      ignoreFocusOut: true,
      validateInput: (value) =>
        required && value.trim() === '' ? vscode.l10n.t('The prompt needs {0}.', parameter) : null,
    });
    if (typed === undefined) return null;
    if (typed !== '') answers[parameter] = typed;
  }
  return missing.length === 0 ? text : writePromptCall(text, answers);
}
