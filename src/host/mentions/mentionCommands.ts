/**
 * Connects mentions with the person and the session: completes and checks them before a message is sent, adds one from
 * elsewhere in the editor, and opens one.
 */

import * as vscode from 'vscode';
import { isAbort, UserFacingError } from '../../core/errors.ts';
import { findByName } from '../../core/instructions/sessionSkills.ts';
import type { McpPrompt } from '../../core/mcp/mcpContent.ts';
import { doubtMentions } from '../../core/mentions/doubtMentions.ts';
import { locateMention } from '../../core/mentions/locateMention.ts';
import { findMentions, writePathMention } from '../../core/mentions/mention.ts';
import type { MentionSources } from '../../core/mentions/mentionSources.ts';
import { readArguments, readPromptCall, writeArguments } from '../../core/mentions/promptCall.ts';
import { writeLines } from '../../core/mentions/selectedLines.ts';
import { words } from '../../core/words.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import type { Handlers } from '../handlers.ts';
import type { ReadOnlyDocuments } from '../inspect/readOnlyDocuments.ts';
import type { SkillList } from '../instructions/skillList.ts';
import type { OpenedMcp } from '../mcp/openMcp.ts';
import { showInputBox } from '../notices/pickers.ts';
import type { PanelChanges } from '../panel/panelChanges.ts';
import { linesOf } from './followedSelection.ts';
import { MentionChoices } from './mentionChoices.ts';
import type { Mentions } from './mentions.ts';
import { pathIn } from './openFiles.ts';

interface Parts {
  readonly mentions: Mentions;
  readonly mcp: OpenedMcp;
  readonly skills: SkillList;
  readonly session: ShownSession;
  readonly documents: ReadOnlyDocuments;
  readonly changes: PanelChanges;
}

export class MentionCommands implements vscode.Disposable {
  readonly #parts: Parts;
  readonly #choices: MentionChoices;
  readonly #actions = vscode.languages.registerCodeActionsProvider({ scheme: 'file' }, new CodeActions(), {
    providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
  });
  /** The newest text after `@`. */
  #completing = '';

  readonly handlers = {
    addContext: () => this.#insert('@'),
    addFileToChat: (_, ...given) => this.#addFiles(given),
    addTerminalSelectionToChat: () => this.#insert('@terminal:selection '),
    addTerminalOutputToChat: () => this.#insert('@terminal '),
    addChangesToChat: () => this.#insert('@changes '),
    askAboutCode: (_, uri, range) => this.#ask(uri, range, askForWish),
    explainCode: (_, uri, range) => this.#ask(uri, range, (lines) => vscode.l10n.t('Explain {0}.', lines)),
    fixCode: (_, uri, range) =>
      this.#ask(uri, range, (lines) => vscode.l10n.t('Fix the problems that the editor shows in {0}.', lines)),
    checkMentions: async ({ text }) => {
      const { mentions, changes } = this.#parts;
      const doubts = await doubtMentions(text, mentions.ports, this.#sources);
      changes.publish({ type: 'mentionsChecked', text, doubts: [...doubts] });
    },
    completeMention: ({ typed }) => this.#offer(typed),
    openMention: ({ rowId, mention }) => this.#open(rowId, mention),
  } satisfies Partial<Handlers>;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#choices = new MentionChoices(parts.mentions, parts.mcp.content, () => parts.session.conversation?.id);
  }

  dispose(): void {
    this.#actions.dispose();
  }

  /** The message with everything it needs; null when the person cancels. */
  async complete(text: string): Promise<string | null> {
    const [, command] = /^\s*\/([^\s/]{1,64})(?=\s|$)/.exec(text) ?? [];
    if (command === undefined) return text;
    const call = readPromptCall(text);
    const prompt =
      call &&
      this.#parts.mcp.content.prompts.find(({ server, name }) => server === call.server && name === call.prompt);
    if (prompt) return askForArguments(text, command, prompt.parameters);
    const file = findByName(await this.#parts.skills.refresh(), command)?.prompt;
    if (!file) return text;
    const named = file.usesFile ? await this.#withFile(text) : text;
    return askForArguments(
      named,
      command,
      file.inputs.map((input) => ({ ...input, required: true })),
    );
  }

  /** The message with the path of the file in the editor, unless the person wrote one. */
  async #withFile(text: string): Promise<string> {
    const given = readArguments(text);
    const uri = vscode.window.activeTextEditor?.document.uri;
    const isNeeded = given.file === undefined && uri?.scheme === 'file';
    const path = isNeeded ? await pathIn(this.#parts.mentions.ports.files, uri.fsPath) : null;
    return path === null ? text : writeArguments(text, { file: path, ...given });
  }

  /** Into the composer, where `@` opens the list of mentions. */
  #insert(text: string): Promise<void> {
    return this.#parts.changes.publishInFront({ type: 'insertText', text });
  }

  /** Resources follow later when their servers must be started or asked again. */
  async #offer(typed: string): Promise<void> {
    const { mcp, changes } = this.#parts;
    const listed = mcp.content.list();
    const answer = async () => {
      try {
        changes.publish({ type: 'mentionChoices', typed, choices: [...(await this.#choices.complete(typed))] });
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

  /** Files and folders of the Explorer, files of Source Control, or the editor with its selection. */
  async #addFiles(given: readonly unknown[]): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const uris = urisIn(given);
    const chosen = uris.length > 0 ? uris : editor ? [editor.document.uri] : [];
    if (chosen.length === 0)
      throw new UserFacingError(words('No file is open to add. Open one, or choose one in the Explorer.'));
    const mentions = await Promise.all(
      chosen.slice(0, MOST_ADDED).map(async (uri) => {
        const isShown = editor?.document.uri.toString() === uri.toString();
        const lines = isShown && !editor.selection.isEmpty ? writeLines(linesOf(editor.selection)) : '';
        return writePathMention(await this.#pathOf(uri), lines);
      }),
    );
    await this.#insert(mentions.map((mention) => `${mention} `).join(''));
  }

  /** Asks about lines of a file: those of a code action, or the selected ones. Null of `compose` sends nothing. */
  async #ask(
    given: unknown,
    range: unknown,
    compose: (lines: string) => string | Promise<string | null>,
  ): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const uri = given instanceof vscode.Uri ? given : editor?.document.uri;
    const lines = range instanceof vscode.Range ? range : editor?.selection;
    if (!uri || !lines)
      throw new UserFacingError(words('No file is open to add. Open one, or choose one in the Explorer.'));
    const mention = writePathMention(await this.#pathOf(uri), writeLines(linesOf(lines)));
    const text = await compose(mention);
    if (text !== null) await this.#parts.changes.publishInFront({ type: 'insertText', text, send: true });
  }

  async #pathOf(uri: vscode.Uri): Promise<string> {
    const path = uri.scheme === 'file' ? await pathIn(this.#parts.mentions.ports.files, uri.fsPath) : null;
    if (path === null)
      throw new UserFacingError(words('{0} is not in the open folder, or it is where nothing is read.', uri.fsPath));
    return path;
  }

  get #sources(): MentionSources {
    return this.#parts.mentions.sourcesFor(this.#parts.session.conversation?.id);
  }

  /** `rowId` is the row of the message with the mention. Anything but a file is shown as it was read. */
  async #open(rowId: string, mention: string): Promise<void> {
    const [named] = findMentions(mention);
    const located = named ? await locateMention(named, this.#parts.mentions.ports, this.#sources) : null;
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

/** The person's wish for these lines, written after them: text in front could be read as a command. Null when they cancel. */
async function askForWish(lines: string): Promise<string | null> {
  const typed = await showInputBox({
    title: vscode.l10n.t('Ask Palimpsest about {0}', lines),
    placeHolder: vscode.l10n.t('What to do with these lines, or what you want to know about them'),
    ignoreFocusOut: true,
  });
  return typed?.trim() ? `${lines} ${typed.trim()}` : null;
}

/** Files added at once. */
const MOST_ADDED = 20;

/** The Explorer gives the file and all selected ones, Source Control each selected one with its state. */
function urisIn(given: readonly unknown[]): readonly vscode.Uri[] {
  const all = given.flat().flatMap((each) => {
    const uri = (each as Partial<vscode.SourceControlResourceState> | null)?.resourceUri ?? each;
    return uri instanceof vscode.Uri ? [uri] : [];
  });
  return [...new Map(all.map((uri) => [uri.toString(), uri])).values()];
}

/** Offered with the editor's own fixes where problems are shown. */
class CodeActions implements vscode.CodeActionProvider {
  provideCodeActions(
    { uri }: vscode.TextDocument,
    range: vscode.Range,
    { diagnostics }: vscode.CodeActionContext,
  ): vscode.CodeAction[] {
    if (diagnostics.length === 0) return [];
    const lines = diagnostics.reduce((all, each) => all.union(each.range), range);
    return [
      { command: 'palimpsest.fixCode', title: vscode.l10n.t('Fix with Palimpsest') },
      { command: 'palimpsest.explainCode', title: vscode.l10n.t('Explain with Palimpsest') },
    ].map(({ command, title }) => {
      const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
      action.command = { command, title, arguments: [uri, lines] };
      action.diagnostics = [...diagnostics];
      return action;
    });
  }
}

/** The message with all arguments; null when the person cancels. */
async function askForArguments(
  text: string,
  command: string,
  parameters: McpPrompt['parameters'],
): Promise<string | null> {
  const given = readArguments(text);
  const missing = parameters.filter((parameter) => given[parameter.name] === undefined);
  const answers: Record<string, string> = { ...given };
  for (const [at, { name: parameter, description, required }] of missing.entries()) {
    const typed = await showInputBox({
      title: `/${command} (${at + 1}/${missing.length})`,
      prompt: required
        ? [parameter, description].filter(Boolean).join(': ')
        : vscode.l10n.t('{0} (optional)', [parameter, description].filter(Boolean).join(': ')),
      ignoreFocusOut: true,
      validateInput: (value) =>
        required && value.trim() === '' ? vscode.l10n.t('The prompt needs {0}.', parameter) : null,
    });
    if (typed === undefined) return null;
    if (typed !== '') answers[parameter] = typed;
  }
  return missing.length === 0 ? text : writeArguments(text, answers);
}
