/**
 * Makes an edit of a code block of an answer: the person reviews and changes it in the diff editor, as an edit of the
 * agent, and what they allow becomes one change that the editor can undo. The model is told with the next message.
 */

import * as vscode from 'vscode';
import { hideSecrets } from '../../core/agent/hideSecrets.ts';
import { ToldError } from '../../core/errors.ts';
import { noteOf } from '../../core/journal/noteOf.ts';
import type { ApprovalAnswer, Crypto, Files, Log } from '../../core/ports.ts';
import type { WorkspaceTrust } from '../../core/tools/approvals.ts';
import { diffTexts } from '../../core/tools/text/diffTexts.ts';
import { neutralise } from '../../core/tools/text/neutralise.ts';
import { words } from '../../core/words.ts';
import type { ProposedEdits } from '../inspect/proposedEdits.ts';
import { Approvals } from '../session/approvals.ts';
import type { Conversation } from '../session/conversation.ts';
import { showInformation, showWarning } from '../tell/notify.ts';
import { say } from '../tell/say.ts';
import { type BlockTarget, type CodeBlock, chooseTarget } from './blockTarget.ts';

export interface CodeBlockParts {
  readonly edits: ProposedEdits;
  readonly files: () => Files;
  readonly trust: () => WorkspaceTrust;
  readonly conversation: () => Conversation | null;
  /** Not told to the model. */
  readonly secrets: () => readonly string[];
  readonly crypto: Crypto;
  readonly log: Log;
}

/** Characters of what the person changed that the model is told. */
const LONGEST_TOLD = 8_000;

export class CodeBlocks {
  readonly #parts: CodeBlockParts;

  constructor(parts: CodeBlockParts) {
    this.#parts = parts;
  }

  /** Settles when the change is made or given up. */
  async apply(block: CodeBlock): Promise<void> {
    const { files, trust, conversation } = this.#parts;
    const trusted = trust();
    if (trusted === 'noFolder') throw new ToldError(words('No folder is open. Open the folder of the file first.'));
    if (trusted === 'untrusted')
      throw new ToldError(
        words('This folder is not trusted, so nothing in it is changed. Trust it, or copy the code.'),
      );
    const from = conversation();
    const target = await chooseTarget(block, files());
    if (!target) return;
    const after = await this.#textAfter(target);
    if (after === null) return;
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

  /** What the person wants in the file; null when they do not want the change. */
  async #review({ shown, before }: BlockTarget, after: string): Promise<string | null> {
    const { edits, crypto, log } = this.#parts;
    const opened = Promise.withResolvers<void>();
    let asked = false;
    const approvals: Approvals = new Approvals(crypto, () => {
      const [question] = approvals.pending;
      // A text that the person changes is the same question.
      if (question && asked) return;
      asked = true;
      if (question) edits.review(question, approvals, answered).then(opened.resolve, opened.reject);
      else edits.closeAnswered().catch((thrown) => log('warn', String(thrown)));
    });
    const stop = new AbortController();
    const answered = approvals.ask(
      {
        toolCallId: `apply-${crypto.randomHex(8)}`,
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

  async #write(
    { uri, shown, before }: BlockTarget,
    asked: string,
    text: string,
    from: Conversation | null,
  ): Promise<void> {
    if (text === before) return;
    const document = before === null ? null : await vscode.workspace.openTextDocument(uri);
    if (document && document.getText() !== before)
      throw new ToldError(
        words('{0} changed since the review began. Nothing was changed: apply the code again.', shown),
      );
    const edit = new vscode.WorkspaceEdit();
    const saved = document !== null && !document.isDirty;
    if (document) replaceChanged(edit, document, text);
    else edit.createFile(uri, { overwrite: false, contents: new TextEncoder().encode(text) });
    if (!(await vscode.workspace.applyEdit(edit)))
      throw new ToldError(words('The editor did not take the change to {0}. Nothing was changed.', shown));
    // What was saved stays so: the agent then reads and changes the same text.
    if (saved) await document.save();
    const { added, removed } = diffTexts(before ?? '', text);
    const at = document ? document.positionAt(commonStart(before ?? '', text)) : new vscode.Position(0, 0);
    await vscode.window.showTextDocument(uri, { selection: new vscode.Range(at, at), preview: false });
    await from?.remind(
      hideSecrets(tellModel(shown, at.line + 1, asked, text), this.#parts.secrets()),
      noteOf('info', words('The code was applied to {0}: +{1} −{2}. The model is told.', shown, added, removed)),
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

/** Only what differs, so that cursors, folds and marks elsewhere stay. */
function replaceChanged(edit: vscode.WorkspaceEdit, document: vscode.TextDocument, text: string): void {
  const before = document.getText();
  const from = commonStart(before, text);
  let same = 0;
  const most = Math.min(before.length, text.length) - from;
  while (same < most && before[before.length - 1 - same] === text[text.length - 1 - same]) same++;
  const range = new vscode.Range(document.positionAt(from), document.positionAt(before.length - same));
  edit.replace(document.uri, range, text.slice(from, text.length - same));
}

function commonStart(one: string, other: string): number {
  let at = 0;
  while (at < one.length && at < other.length && one[at] === other[at]) at++;
  // Not between the two characters of a line end.
  return one[at - 1] === '\r' ? at - 1 : at;
}
