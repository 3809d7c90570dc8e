/**
 * Connects mentions with the person and the session: completes and checks them before a message is sent, adds one from
 * elsewhere in the editor, and opens one.
 */

import * as vscode from 'vscode';
import { isAbort, ToldError } from '../../core/errors.ts';
import type { McpPrompt } from '../../core/mcp/mcpServers.ts';
import { locateMention } from '../../core/mentions/locateMention.ts';
import {
  findMentions,
  type PromptCall,
  readPromptCall,
  writeMention,
  writePromptCall,
} from '../../core/mentions/mention.ts';
import { doubtMentions } from '../../core/mentions/sessionMentions.ts';
import { words } from '../../core/words.ts';
import type { Handlers } from '../handlers.ts';
import type { Parts } from '../parts.ts';
import { showInputBox } from '../tell/pickers.ts';
import { MentionChoices, pathIn } from './mentionChoices.ts';

type Siblings = Pick<Parts, 'mentions' | 'mcp' | 'session' | 'documents' | 'changes'>;

export class MentionCommands {
  readonly #parts: Siblings;
  readonly #choices: MentionChoices;
  /** The newest text after `@`. */
  #completing = '';

  readonly handlers = {
    addContext: () => this.#insert('@'),
    addFileToChat: (_, given) => this.#addFile(given),
    addTerminalSelectionToChat: () => this.#insert('@terminal:selection '),
    checkMentions: async ({ text }) => {
      const { mentions, changes } = this.#parts;
      const doubts = await doubtMentions(text, mentions.ports, mentions.sources);
      changes.tell({ type: 'mentionsChecked', text, doubts: [...doubts] });
    },
    completeMention: ({ typed }) => this.#offer(typed),
    openMention: ({ rowId, mention }) => this.#open(rowId, mention),
  } satisfies Partial<Handlers>;

  constructor(parts: Siblings) {
    this.#parts = parts;
    this.#choices = new MentionChoices(parts.mentions, parts.mcp.content);
  }

  /** The message with everything it needs; null when the person cancels. */
  async complete(text: string): Promise<string | null> {
    const call = readPromptCall(text);
    const prompt =
      call &&
      this.#parts.mcp.content.prompts.find(({ server, name }) => server === call.server && name === call.prompt);
    return prompt ? askForArguments(text, call, prompt) : text;
  }

  /** Into the composer, where `@` opens the list of mentions. */
  #insert(text: string): Promise<void> {
    return this.#parts.changes.tellInFront({ type: 'insertText', text });
  }

  /** Resources follow later when their servers must be started or asked again. */
  async #offer(typed: string): Promise<void> {
    const { mcp, changes } = this.#parts;
    const listed = mcp.content.list();
    const answer = async () => {
      try {
        changes.tell({ type: 'mentionChoices', typed, choices: [...(await this.#choices.complete(typed))] });
      } catch (thrown) {
        // The person has typed something else meanwhile.
        if (!isAbort(thrown)) throw thrown;
      }
    };
    this.#completing = typed;
    await answer();
    const before = mcp.content.resources;
    await listed;
    if (this.#completing === typed && mcp.content.resources !== before) await answer();
  }

  /** A file or folder of the Explorer, or the editor with its selection. */
  async #addFile(given: unknown): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const uri = given instanceof vscode.Uri ? given : editor?.document.uri;
    if (!uri) throw new ToldError(words('No file is open to add. Open one, or choose one in the Explorer.'));
    const { files } = this.#parts.mentions.ports;
    const path = uri.scheme === 'file' ? await pathIn(files, uri.fsPath) : null;
    if (path === null)
      throw new ToldError(words('{0} is not in the open folder, or it is where nothing is read.', uri.fsPath));
    const isShown = editor?.document.uri.toString() === uri.toString();
    const lines = isShown && !editor.selection.isEmpty ? linesOf(editor.selection) : '';
    await this.#insert(`${writeMention(path + lines)} `);
  }

  /** `rowId` is the row of the message with the mention. Anything but a file is shown as it was read. */
  async #open(rowId: string, mention: string): Promise<void> {
    const [named] = findMentions(mention);
    const located = named ? await locateMention(named, this.#parts.mentions.ports, this.#parts.mentions.sources) : null;
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
    const { language } = this.#parts.mentions.ports;
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

/** The last line counts only if part of it is selected. */
function linesOf({ start, end }: vscode.Selection): string {
  const last = end.character === 0 && end.line > start.line ? end.line : end.line + 1;
  return last === start.line + 1 ? `:${last}` : `:${start.line + 1}-${last}`;
}

/** The message with all arguments; null when the person cancels. */
async function askForArguments(
  text: string,
  { server, prompt: name, given }: PromptCall,
  { parameters }: McpPrompt,
): Promise<string | null> {
  const missing = parameters.filter((parameter) => given[parameter.name] === undefined);
  const answers: Record<string, string> = { ...given };
  for (const [at, { name: parameter, description, required }] of missing.entries()) {
    const typed = await showInputBox({
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
