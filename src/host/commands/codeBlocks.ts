/**
 * Applies a code block of an answer as an edit: the person reviews and changes it in the diff editor, like an edit of
 * the agent, and the approved version becomes one undoable change. The model is informed with the next message.
 */

import * as vscode from 'vscode';
import { UserFacingError } from '../../core/errors.ts';
import { makeNote } from '../../core/journal/makeNote.ts';
import type { Log } from '../../core/log.ts';
import { hideSecrets } from '../../core/secrets/hideSecrets.ts';
import type { ApprovalAnswer } from '../../core/tools/approvals.ts';
import { encodeAs } from '../../core/tools/builtIn/prepareChange.ts';
import { equalBytes } from '../../core/tools/text/decodeText.ts';
import { diffTexts } from '../../core/tools/text/diffTexts.ts';
import { neutralise } from '../../core/tools/text/neutralise.ts';
import { words } from '../../core/words.ts';
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
import { inEditorLanguage, showInformation, showWarning } from '../notices/notify.ts';
import { readTrust, type WatchedWorkspace } from '../workspace.ts';
import { type BlockTarget, type CodeBlock, chooseTarget } from './blockTarget.ts';

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
    const text = vscode.l10n.t(
      'The code does not fit {0}. {1} Nothing was changed.',
      shown,
      inEditorLanguage(fit.reason),
    );
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
      hideSecrets(describeModel(shown, at.line + 1, asked, text), knownSecrets(this.#parts)),
      makeNote('info', words('The code was applied to {0}: +{1} −{2}. The model is told.', shown, added, removed)),
    );
  }
}

function describeModel(shown: string, line: number, asked: string, text: string): string {
  const message = `The user applied a code block of your answer to ${shown}, from line ${line} on. The file holds it now.`;
  if (asked === text) return message;
  const { diff } = diffTexts(asked, text);
  return neutralise(
    `${message} They changed it first. From your text to what the file holds:\n${diff.slice(0, LONGEST_TOLD)}`,
  );
}
