/**
 * Tells a person which guarded names a command left behind where no call can ask about them: a hook, or a command whose
 * window was killed. Nothing is moved unless they choose it.
 */

import * as vscode from 'vscode';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import { listSome } from '../../core/words.ts';
import type { NewNames } from '../../core/workspace/shell.ts';
import type { LeftBehind } from '../../node/sandbox/sandboxRuns.ts';
import { inEditorLanguage, showInformation, showWarning } from '../notices/notify.ts';

const MOST_NAMED = 10;

export async function reportLeftBehind({ unseen }: LeftBehind, names: NewNames | null): Promise<void> {
  if (unseen !== null) {
    void showWarning(
      vscode.l10n.t(
        'After a command in the sandbox, the open folders could not be looked through for guarded names: {0}',
        inEditorLanguage(unseen),
      ),
    );
  }
  if (names === null) return;
  const moveOut = vscode.l10n.t('Move Out of the Folder');
  const chosen = await showWarning(
    vscode.l10n.t(
      'These guarded names are new since a command in the sandbox began, made by it or by somebody else meanwhile: {0}. Editors, agents or git may do what they say.',
      listSome(names.paths.map(showInOneLine), MOST_NAMED),
    ),
    moveOut,
  );
  if (chosen !== moveOut) return;
  const stay = await names.setAside();
  void showInformation(
    stay.length === 0
      ? vscode.l10n.t('They are now in {0}.', names.place)
      : vscode.l10n.t(
          'They are now in {0}, except those that could not be moved: {1}.',
          names.place,
          listSome(stay.map(showInOneLine), MOST_NAMED),
        ),
  );
}
