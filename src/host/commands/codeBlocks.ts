/**
 * Applies a code block of an answer as an edit: the person reviews and changes it in the diff editor, like an edit of
 * the agent, and the approved version becomes one undoable change. The model is informed with the next message.
 */

import * as vscode from 'vscode';
import { type Fit, fitBlock } from '../../core/codeBlocks/fitBlock.ts';
import { UserFacingError } from '../../core/errors.ts';
import { makeNote } from '../../core/journal/makeNote.ts';
import type { Log } from '../../core/log.ts';
import { hideSecrets } from '../../core/secrets/hideSecrets.ts';
import type { ApprovalAnswer } from '../../core/tools/approvals.ts';
import { encodeAs, readForChange } from '../../core/tools/builtIn/prepareChange.ts';
import { styleFor } from '../../core/tools/builtIn/writeFile.ts';
import { equalBytes, withLineEnds } from '../../core/tools/text/decodeText.ts';
import { diffTexts } from '../../core/tools/text/diffTexts.ts';
import { neutralise } from '../../core/tools/text/neutralise.ts';
import { words } from '../../core/words.ts';
import type { Files, TextStyle } from '../../core/workspace/files.ts';
import { knownSecrets } from '../../node/secrets/knownSecrets.ts';
import type { Conversation } from '../../node/session/conversation.ts';
import { Approvals } from '../../node/session/questions.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import { nodeCrypto } from '../../node/storage/disk/fileBlobStore.ts';
import { commonStart, replaceChanged } from '../files/editorText.ts';
import type { Handlers } from '../handlers.ts';
import type { ProposedEdits } from '../inspect/proposedEdits.ts';
import type { OpenedMcp } from '../mcp/openMcp.ts';
import type { Models } from '../models/models.ts';
import { say, showInformation, showWarning } from '../tell/notify.ts';
import { showOpenDialog, showQuickPick } from '../tell/pickers.ts';
import { readTrust, type WatchedWorkspace } from '../workspace.ts';
import { findFile } from './editorCommands.ts';

interface Parts {
  readonly edits: ProposedEdits;
  readonly workspace: WatchedWorkspace;
  readonly session: ShownSession;
  readonly models: Models;
  readonly mcp: OpenedMcp;
  readonly log: Log;
}

/** Characters of the person's changes included in the message to the model. */
const LONGEST_TOLD = 8_000;

export class CodeBlocks {
  readonly #parts: Parts;

  readonly handlers = { applyCode: (block) => this.#apply(block) } satisfies Partial<Handlers>;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Settles when the change is made or discarded. */
  async #apply(block: CodeBlock): Promise<void> {
    const { workspace, session } = this.#parts;
    const trusted = readTrust();
    if (trusted === 'noFolder')
      throw new UserFacingError(words('No folder is open. Open the folder of the file first.'));
    if (trusted === 'untrusted')
      throw new UserFacingError(
        words('This folder is not trusted, so nothing in it is changed. Trust it, or copy the code.'),
      );
    const from = session.conversation;
    const target = await chooseTarget(block, workspace.current.files);
    if (!target) return;
    const after = await this.#textAfter(target);
    if (after === null) return;
    // Refused before the question if the file's encoding cannot represent it.
    await encodeAs(after, target.style, target.shown, workspace.current.files);
    const written = await this.#review(target, after);
    if (written !== null) await this.#write(target, after, written, from);
  }

  /** Null when there is nothing to review. */
  async #textAfter({ fit, shown }: BlockTarget): Promise<string | null> {
    if (fit.kind === 'fits') return fit.text;
    if (fit.kind === 'same') {
      await showInformation(vscode.l10n.t('{0} already says this. Nothing was changed.', shown));
      return null;
    }
    const whole = vscode.l10n.t('Replace the Whole File…');
    const text = vscode.l10n.t('The code does not fit {0}. {1} Nothing was changed.', shown, say(fit.reason));
    const chosen = await showWarning(text, ...(fit.whole === null ? [] : [whole]));
    return chosen === whole ? fit.whole : null;
  }

  /** The text that the person approves for the file; null when they discard the change. */
  async #review({ shown, before }: BlockTarget, after: string): Promise<string | null> {
    const { edits, log } = this.#parts;
    const opened = Promise.withResolvers<void>();
    let asked = false;
    const approvals: Approvals = new Approvals(nodeCrypto, () => {
      const [question] = approvals.pending;
      // A text changed by the person belongs to the same question.
      if (question && asked) return;
      asked = true;
      if (question) edits.review(question, approvals, answered).then(opened.resolve, opened.reject);
      else edits.closeAnswered().catch((thrown) => log('warn', String(thrown)));
    });
    const stop = new AbortController();
    const answered = approvals.ask(
      {
        toolCallId: `apply-${nodeCrypto.randomHex(8)}`,
        toolName: 'apply',
        toolClass: 'write',
        title: shown,
        detail: { kind: 'edit', path: shown, before, after },
        mayRemember: false,
        mayAmend: true,
      },
      stop.signal,
    );
    opened.promise.catch(() => stop.abort());
    const answer: ApprovalAnswer = await answered;
    await opened.promise;
    return answer.kind === 'allow' ? (answer.amended ?? after) : null;
  }

  async #write(target: BlockTarget, asked: string, text: string, from: Conversation | null): Promise<void> {
    const { uri, shown, before, bytes, style, real } = target;
    if (text === before) return;
    const { files } = this.#parts.workspace.current;
    const written = await encodeAs(text, style, shown, files);
    const document = before === null ? null : await vscode.workspace.openTextDocument(uri);
    if (bytes && !equalBytes(await files.read(shown), bytes))
      throw new UserFacingError(
        words('{0} changed since the review began. Nothing was changed: apply the code again.', shown),
      );
    const saved = document !== null && !document.isDirty;
    if (!document || document.getText() === before) {
      const edit = new vscode.WorkspaceEdit();
      if (document) replaceChanged(edit, document, text);
      else edit.createFile(uri, { overwrite: false, contents: written });
      if (!(await vscode.workspace.applyEdit(edit)))
        throw new UserFacingError(words('The editor did not take the change to {0}. Nothing was changed.', shown));
      // A saved file stays saved, so that the agent reads and changes the same text.
      if (saved) await document.save();
    }
    // Editors unify a file's line ends, and drop invalid bytes.
    if (saved && !equalBytes(await files.read(shown), written)) await files.write(shown, written, real);
    const { added, removed } = diffTexts(before ?? '', text);
    const line = document ? (text.slice(0, commonStart(before ?? '', text)).match(/\n/gu)?.length ?? 0) : 0;
    const at = new vscode.Position(line, 0);
    await vscode.window.showTextDocument(uri, { selection: new vscode.Range(at, at), preview: false });
    await from?.remind(
      hideSecrets(tellModel(shown, at.line + 1, asked, text), knownSecrets(this.#parts)),
      makeNote('info', words('The code was applied to {0}: +{1} −{2}. The model is told.', shown, added, removed)),
    );
  }
}

function tellModel(shown: string, line: number, asked: string, text: string): string {
  const told = `The user applied a code block of your answer to ${shown}, from line ${line} on. The file holds it now.`;
  if (asked === text) return told;
  const { diff } = diffTexts(asked, text);
  return neutralise(
    `${told} They changed it first. From your text to what the file holds:\n${diff.slice(0, LONGEST_TOLD)}`,
  );
}

/**
 * Finds the target file of a code block: the file it names, the one named before it, or the one in the editor. In doubt
 * the person chooses, with the outcome shown for each.
 */
interface CodeBlock {
  readonly text: string;
  readonly language: string;
  /** Files named by the block itself: after its fence, or in its first line. */
  readonly named: readonly string[];
  /** Files named in the text before it, the nearest first. */
  readonly near: readonly string[];
}

interface BlockTarget {
  readonly uri: vscode.Uri;
  /** As shown to people. */
  readonly shown: string;
  readonly real: string;
  /** The file's text, unsaved changes included; null for a file that does not exist yet. */
  readonly before: string | null;
  readonly bytes: Uint8Array | null;
  readonly style: TextStyle;
  readonly fit: Fit;
}

/** Undefined when the person cancelled. */
async function chooseTarget(block: CodeBlock, files: Files): Promise<BlockTarget | undefined> {
  const text = withoutName(block);
  const read = async (uri: vscode.Uri) => readTarget(uri, { ...block, text }, files);
  for (const name of block.named) {
    const found = await findFile(name);
    const [only] = found;
    if (only && found.length === 1) return read(only);
    if (found.length > 1) return choose(await Promise.all(found.map(read)), read);
    const folder = vscode.workspace.workspaceFolders?.[0];
    if (folder && isNewFile(name)) return read(vscode.Uri.joinPath(folder.uri, name.replaceAll('\\', '/')));
  }
  const near = (await Promise.all(block.near.map(findFile))).flat();
  const active = vscode.window.activeTextEditor?.document.uri;
  const inFolder = active && vscode.workspace.getWorkspaceFolder(active) ? [active] : [];
  const uris = new Map([...near, ...inFolder].map((uri) => [uri.toString(), uri]));
  const targets = await Promise.all([...uris.values()].map(read));
  const [only] = targets;
  return only && targets.length === 1 ? only : choose(targets, read);
}

/** Its first line may be only the file's name. */
function withoutName({ text, named }: CodeBlock): string {
  const [line = ''] = text.split('\n', 1);
  const says = named.some((name) => line.includes(name)) && /^\s*(?:\/\/|#|--|\/\*|<!--|;|%)/.test(line);
  return says ? text.slice(line.length + 1) : text;
}

const isNewFile = (name: string) => !/^(?:[/\\~]|[a-z]:)|\.\./i.test(name);

async function readTarget(uri: vscode.Uri, block: CodeBlock, files: Files): Promise<BlockTarget> {
  // Refuses files outside the open folders, and files of the product or the editor.
  const named = await files.shownOf(uri.fsPath);
  if (named === null)
    throw new UserFacingError(words('{0} is not in the open folder, or it is where nothing is read.', uri.fsPath));
  const { exists, shown, type, real } = await files.resolve(named);
  if (exists && type !== 'file') throw new UserFacingError(words('{0} is not a file.', shown));
  const { decoded, bytes } = await readForChange(named, files);
  const before = decoded?.text ?? null;
  const style = decoded ?? (await styleFor(block.text, { facts: { real }, decoded }, files));
  const fit = fitBlock(before ?? '', block.text, block.language);
  const made = fit.kind === 'fits' && !decoded ? { ...fit, text: withLineEnds(fit.text, style.lineEnd) } : fit;
  return { uri, shown, real, before, bytes, style, fit: made };
}

interface TargetItem extends vscode.QuickPickItem {
  readonly target?: BlockTarget;
}

async function choose(
  targets: readonly BlockTarget[],
  read: (uri: vscode.Uri) => Promise<BlockTarget>,
): Promise<BlockTarget | undefined> {
  const items: TargetItem[] = targets.map((target) => ({
    label: target.shown,
    description: describeFit(target.fit),
    iconPath: new vscode.ThemeIcon(target.fit.kind === 'fits' ? 'check' : 'circle-slash'),
    target,
  }));
  // Files that the block fits come first.
  items.sort((a, b) => Number(b.target?.fit.kind === 'fits') - Number(a.target?.fit.kind === 'fits'));
  const chosen = await showQuickPick<TargetItem>(
    [...items, { label: vscode.l10n.t('Another file…'), iconPath: new vscode.ThemeIcon('folder-opened') }],
    { title: vscode.l10n.t('Apply to Which File?'), matchOnDescription: true },
  );
  if (!chosen || chosen.target) return chosen?.target;
  const [uri] =
    (await showOpenDialog({
      canSelectMany: false,
      openLabel: vscode.l10n.t('Apply Here'),
      ...(vscode.workspace.workspaceFolders?.[0] ? { defaultUri: vscode.workspace.workspaceFolders[0].uri } : {}),
    })) ?? [];
  return uri && read(uri);
}

function describeFit(fit: Fit): string {
  switch (fit.kind) {
    case 'same':
      return vscode.l10n.t('already says this');
    case 'unfit':
      return say(fit.reason);
    case 'fits':
      return fit.lines
        ? vscode.l10n.t('changes lines {0}–{1}', fit.lines[0], fit.lines[1])
        : vscode.l10n.t('the whole file');
  }
}
