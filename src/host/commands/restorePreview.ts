/**
 * Shows the effect of a restore on each file and lets the person choose. A file that somebody else has changed is
 * listed but not preselected. Each file can be compared in the diff editor.
 */

import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { FileHistory } from '../../core/checkpoints/fileHistory.ts';
import type { CheckpointPorts } from '../../core/checkpoints/fileKeeper.ts';
import { previewRestore } from '../../core/checkpoints/restoreFiles.ts';
import type { RestoreStep } from '../../core/checkpoints/restorePlan.ts';
import type { ReadOnlyDocuments } from '../inspect/readOnlyDocuments.ts';
import { say, showInformation } from '../tell/notify.ts';
import { caret } from '../tell/pickers.ts';

type Change = Extract<RestoreStep, { kind: 'write' | 'remove' }>;
type Lost = Extract<RestoreStep, { kind: 'lost' }>;

interface StepItem extends vscode.QuickPickItem {
  readonly step: Change | Lost;
}

/** Maximum size of a file passed to the diff editor. */
const MOST_SHOWN = 10_000_000;

/**
 * The steps chosen by the person, with their conflicts decided, plus the impossible steps, so that they are reported.
 * Null when the person cancelled. `only`: other files stay as they are.
 */
export async function askForRestore(
  moment: number,
  title: string,
  { restorePorts }: FileHistory,
  documents: ReadOnlyDocuments,
  only?: ReadonlySet<string>,
): Promise<readonly RestoreStep[] | null> {
  const { steps: all, incomplete } = await previewRestore(moment, restorePorts);
  const steps = only ? all.filter(({ path }) => only.has(path)) : all;
  const changes = steps.filter((step) => step.kind === 'write' || step.kind === 'remove');
  const lost = steps.filter((step) => step.kind === 'lost');
  if (changes.length > 0 || lost.length > 0) {
    return askForFiles(changes, lost, describeRest(lost.length, incomplete), title, (step) =>
      openDiff(step, restorePorts, documents),
    );
  }
  const text =
    steps.length > 0
      ? vscode.l10n.t('The files are as they were then: nothing is to be restored.')
      : vscode.l10n.t('No file is known to have changed since then.');
  void showInformation([text, describeIncomplete(incomplete)].filter(Boolean).join(' '));
  return [];
}

function askForFiles(
  changes: readonly Change[],
  lost: readonly Lost[],
  placeholder: string,
  title: string,
  showDiff: (step: Change) => Promise<void>,
): Promise<readonly RestoreStep[] | null> {
  const diffButton = { iconPath: new vscode.ThemeIcon('diff'), tooltip: vscode.l10n.t('Show the Changes') };
  const pick = vscode.window.createQuickPick<StepItem>();
  pick.title = title;
  pick.placeholder = placeholder;
  pick.canSelectMany = true;
  pick.ignoreFocusOut = true;
  pick.matchOnDescription = true;
  pick.items = [
    ...changes.map((step) => ({ ...describeChange(step), step, buttons: [diffButton] })),
    ...lost.map((step) => ({ ...describeLost(step), step })),
  ];
  pick.selectedItems = pick.items.filter(({ step }) => step.kind !== 'lost' && step.conflict === null);
  const ask = () =>
    new Promise<readonly RestoreStep[] | null>((resolve) => {
      pick.onDidTriggerItemButton(({ item: { step } }) => void (step.kind !== 'lost' && showDiff(step)));
      // Files that cannot be restored are listed but cannot be selected.
      pick.onDidChangeSelection((items) => {
        const possible = items.filter(({ step }) => step.kind !== 'lost');
        if (possible.length < items.length) pick.selectedItems = possible;
      });
      pick.onDidAccept(() => {
        const chosen = pick.selectedItems.map(({ step }) => step).filter(({ kind }) => kind !== 'lost');
        resolve([...chosen, ...lost]);
        pick.hide();
      });
      pick.onDidHide(() => {
        resolve(null);
        pick.dispose();
      });
      pick.show();
    });
  return caret.during(ask);
}

function describeRest(lost: number, incomplete: boolean): string {
  const rest =
    lost === 0
      ? vscode.l10n.t('These files will change. Enter restores the ticked ones.')
      : vscode.l10n.t('Enter restores the ticked files. {0} cannot be restored and stay as they are.', lost);
  return [rest, describeIncomplete(incomplete)].filter(Boolean).join(' ');
}

function describeIncomplete(incomplete: boolean): string {
  if (!incomplete) return '';
  return vscode.l10n.t(
    'A command ran where not every file could be checked, so it may have changed more than is listed here.',
  );
}

function describeChange({ path, kind, now, conflict }: Change): vscode.QuickPickItem {
  const what =
    kind === 'remove'
      ? vscode.l10n.t('will be deleted: it did not exist then')
      : now === null
        ? vscode.l10n.t('will be created again')
        : vscode.l10n.t('will be restored');
  if (conflict === null) return { label: path, description: what };
  const why =
    conflict === 'changedSince'
      ? vscode.l10n.t('Someone else has changed it since. Tick it to overwrite those changes.')
      : vscode.l10n.t('It is unknown who changed it last. Tick it to overwrite it.');
  return { label: `$(warning) ${path}`, description: what, detail: why };
}

function describeLost({ path, reason }: Lost): vscode.QuickPickItem {
  return { label: `$(circle-slash) ${path}`, description: vscode.l10n.t('cannot be restored'), detail: say(reason) };
}

async function openDiff(step: Change, { files, blobs }: CheckpointPorts, documents: ReadOnlyDocuments): Promise<void> {
  const empty = new Uint8Array();
  const held = await files.read(step.path, MOST_SHOWN, 'editor');
  const before = step.kind === 'write' ? ((await blobs.get(step.blob)) ?? empty) : empty;
  const textOf = async (bytes: Uint8Array) =>
    (await files.textOf(step.path, bytes)) ?? vscode.l10n.t('This is not a text file.');
  const now = documents.add(step.path, await textOf(held.kind === 'held' ? held.bytes : empty));
  const then = documents.add(step.path, await textOf(before));
  const title = vscode.l10n.t('{0} (current ↔ restored)', basename(step.path));
  await vscode.commands.executeCommand('vscode.diff', now, then, title, { preview: true, preserveFocus: true });
}
