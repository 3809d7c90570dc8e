/**
 * Asks in one list for what a restore takes back: the conversation, and each file with its effect on it. A file that
 * somebody else has changed is listed but not ticked. Each file can be compared in the diff editor.
 */

import { basename } from 'node:path';
import * as vscode from 'vscode';
import type { FileHistory } from '../../core/checkpoints/fileHistory.ts';
import type { CheckpointPorts } from '../../core/checkpoints/fileKeeper.ts';
import { previewRestore } from '../../core/checkpoints/restoreFiles.ts';
import type { RestoreStep } from '../../core/checkpoints/restorePlan.ts';
import { formatCount } from '../../core/figures.ts';
import { showInOneLine } from '../../core/tools/text/showHidden.ts';
import type { ReadOnlyDocuments } from '../inspect/readOnlyDocuments.ts';
import { inEditorLanguage, showInformation } from '../notices/notify.ts';
import { caret, showPlainly } from '../notices/pickers.ts';

type Change = Extract<RestoreStep, { kind: 'write' | 'remove' }>;
type Lost = Extract<RestoreStep, { kind: 'lost' }>;

/** The meaning of a tick. */
type Part = { readonly kind: 'conversation' | 'summary' } | { readonly kind: 'file'; readonly step: Change | Lost };

interface PartItem extends vscode.QuickPickItem {
  /** None for a heading. */
  readonly part?: Part;
}

/** Maximum size of a file passed to the diff editor. */
const MOST_SHOWN = 10_000_000;

/** One question about a restore. */
interface RestoreQuestion {
  /** The files become as of this entry. */
  readonly moment: number;
  readonly title: string;
  /** Other files stay as they are. */
  readonly only?: ReadonlySet<string>;
  /** The conversation that can be taken back too; left out where it cannot. */
  readonly conversation?: {
    /** How much of it leaves. */
    readonly effect: string;
    /** A model can be asked for a summary of what leaves. */
    readonly summary: boolean;
  };
  /** Said before anything else; empty for nothing. */
  readonly first?: string;
}

interface RestoreAnswer {
  /** The ticked files, with their conflicts decided, and the impossible steps, so that they are reported. */
  readonly steps: readonly RestoreStep[];
  /** The files become as they were, apart from those that were not ticked. */
  readonly files: boolean;
  readonly conversation: boolean;
  readonly summary: boolean;
}

/** Null when the person cancelled. Where only files are asked about and none differs, that is said, and nothing asked. */
export async function askForRestore(
  question: RestoreQuestion,
  { restorePorts }: FileHistory,
  documents: ReadOnlyDocuments,
): Promise<RestoreAnswer | null> {
  const { moment, only, conversation } = question;
  const { steps: all, incomplete } = await previewRestore(moment, restorePorts);
  const steps = only ? all.filter(({ path }) => only.has(path)) : all;
  const changes = steps.filter((step) => step.kind === 'write' || step.kind === 'remove');
  const lost = steps.filter((step) => step.kind === 'lost');
  const none = steps.length > 0 ? vscode.l10n.t('The files are as they were then.') : NO_FILE();
  if (changes.length + lost.length === 0 && !conversation) {
    void showInformation([none, describeIncomplete(incomplete)].filter(Boolean).join(' '));
    return { steps: [], files: false, conversation: false, summary: false };
  }
  const items: PartItem[] = [
    ...changes.map((step) => ({ ...describeChange(step), part: { kind: 'file' as const, step } })),
    ...lost.map((step) => ({ ...describeLost(step), part: { kind: 'file' as const, step } })),
  ];
  if (conversation) {
    items.unshift(...describeConversation(conversation), heading(items.length > 0 ? vscode.l10n.t('Files') : none));
  }
  const says = [question.first ?? '', describeRest(lost.length), describeIncomplete(incomplete)];
  const ticked = await askForParts(items, question.title, says.filter(Boolean).join(' '), (step) =>
    openDiff(step, restorePorts, documents),
  );
  if (!ticked) return null;
  const chosen = ticked.flatMap((part) => (part.kind === 'file' ? [part.step] : []));
  const files = chosen.length > 0 || changes.length === 0;
  return {
    steps: chosen.length > 0 || !conversation ? [...chosen, ...lost] : [],
    files,
    conversation: ticked.some(({ kind }) => kind === 'conversation'),
    summary: ticked.some(({ kind }) => kind === 'summary'),
  };
}

const NO_FILE = () => vscode.l10n.t('No file is known to have changed since then.');

const heading = (label: string): PartItem => ({ label, kind: vscode.QuickPickItemKind.Separator });

function describeConversation({ effect, summary }: NonNullable<RestoreQuestion['conversation']>): PartItem[] {
  const whole = { label: vscode.l10n.t('Conversation'), description: effect, part: { kind: 'conversation' as const } };
  const added = {
    label: vscode.l10n.t('Summary of what is removed'),
    description: vscode.l10n.t('a model is asked for it'),
    part: { kind: 'summary' as const },
  };
  return summary ? [whole, added] : [whole];
}

/** A summary goes with the conversation, and is asked for only by its own tick. */
const isTickedFirst = ({ part }: PartItem): boolean =>
  part?.kind === 'conversation' || (part?.kind === 'file' && part.step.kind !== 'lost' && part.step.conflict === null);

/** The ticked parts; null when the person cancelled. */
function askForParts(
  items: readonly PartItem[],
  title: string,
  placeholder: string,
  showDiff: (step: Change) => Promise<void>,
): Promise<readonly Part[] | null> {
  const diffButton = { iconPath: new vscode.ThemeIcon('diff'), tooltip: vscode.l10n.t('Show the Changes') };
  const noFiles = { iconPath: new vscode.ThemeIcon('comment-discussion'), tooltip: vscode.l10n.t('Conversation only') };
  const onlyFiles = { iconPath: new vscode.ThemeIcon('files'), tooltip: vscode.l10n.t('Files only') };
  const pick = vscode.window.createQuickPick<PartItem>();
  pick.title = showInOneLine(title);
  pick.placeholder = placeholder;
  pick.canSelectMany = true;
  pick.ignoreFocusOut = true;
  pick.matchOnDescription = true;
  pick.items = items
    .map((item) => showPlainly(item))
    .map((item) => (item.part?.kind === 'file' ? { ...item, buttons: [diffButton] } : item));
  pick.selectedItems = pick.items.filter(isTickedFirst);
  if (items.some(({ part }) => part?.kind === 'conversation')) pick.buttons = [noFiles, onlyFiles];
  const ask = () =>
    new Promise<readonly Part[] | null>((resolve) => {
      let before: readonly PartItem[] = pick.selectedItems;
      pick.onDidTriggerButton((button) => {
        const wanted = button === noFiles ? 'conversation' : 'file';
        pick.selectedItems = pick.items.filter((item) => isTickedFirst(item) && item.part?.kind === wanted);
      });
      pick.onDidTriggerItemButton(({ item: { part } }) => {
        if (part?.kind === 'file' && part.step.kind !== 'lost') void showDiff(part.step);
      });
      pick.onDidChangeSelection((now) => {
        const possible = tickable(now, before, pick.items);
        before = possible;
        if (possible.length !== now.length) pick.selectedItems = possible;
      });
      pick.onDidAccept(() => {
        resolve(pick.selectedItems.flatMap(({ part }) => (part ? [part] : [])));
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

/**
 * The selection as it can be: without files that cannot be restored, and with a summary only beside the conversation,
 * which a newly ticked summary brings along.
 */
export function tickable<T extends { readonly part?: Part }>(
  now: readonly T[],
  before: readonly T[],
  all: readonly T[],
): readonly T[] {
  const is = (kind: Part['kind']) => (item: T) => item.part?.kind === kind;
  const possible = now.filter(({ part }) => part?.kind !== 'file' || part.step.kind !== 'lost');
  if (!possible.some(is('summary')) || possible.some(is('conversation'))) return possible;
  const isNew = !before.some(is('summary'));
  return isNew ? [...all.filter(is('conversation')), ...possible] : possible.filter((item) => !is('summary')(item));
}

function describeRest(lost: number): string {
  return lost === 0
    ? vscode.l10n.t('Enter restores what is ticked, and can be undone.')
    : vscode.l10n.t(
        'Enter restores what is ticked, and can be undone. Files that cannot be restored: {0}.',
        formatCount(lost),
      );
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
  return {
    label: `$(circle-slash) ${path}`,
    description: vscode.l10n.t('cannot be restored'),
    detail: inEditorLanguage(reason),
  };
}

async function openDiff(step: Change, { files, blobs }: CheckpointPorts, documents: ReadOnlyDocuments): Promise<void> {
  const empty = new Uint8Array();
  const present = await files.read(step.path, MOST_SHOWN, 'editor');
  const before = step.kind === 'write' ? ((await blobs.get(step.blob)) ?? empty) : empty;
  const textOf = async (bytes: Uint8Array) =>
    (await files.textOf(step.path, bytes)) ?? vscode.l10n.t('This is not a text file.');
  const now = documents.add(step.path, await textOf(present.kind === 'held' ? present.bytes : empty));
  const then = documents.add(step.path, await textOf(before));
  const title = vscode.l10n.t('{0} (current ↔ restored)', basename(step.path));
  await vscode.commands.executeCommand('vscode.diff', now, then, title, { preview: true, preserveFocus: true });
}
