/**
 * Finds the target file of a code block: the file it names, the one named before it, or the one in the editor. In doubt
 * the person chooses, with the outcome shown for each.
 */

import * as vscode from 'vscode';
import { type Fit, fitBlock } from '../../core/codeBlocks/fitBlock.ts';
import { UserFacingError } from '../../core/errors.ts';
import { readForChange } from '../../core/tools/builtIn/prepareChange.ts';
import { styleFor } from '../../core/tools/builtIn/writeFile.ts';
import { withLineEnds } from '../../core/tools/text/decodeText.ts';
import { words } from '../../core/words.ts';
import type { Files, TextStyle } from '../../core/workspace/files.ts';
import { inEditorLanguage } from '../notices/notify.ts';
import { showOpenDialog, showQuickPick } from '../notices/pickers.ts';
import { findFile } from './editorCommands.ts';

export interface CodeBlock {
  readonly text: string;
  readonly language: string;
  /** Files named by the block itself: after its fence, or in its first line. */
  readonly named: readonly string[];
  /** Files named in the text before it, the nearest first. */
  readonly near: readonly string[];
}

export interface BlockTarget {
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
export async function chooseTarget(block: CodeBlock, files: Files): Promise<BlockTarget | undefined> {
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
      return inEditorLanguage(fit.reason);
    case 'fits':
      return fit.lines
        ? vscode.l10n.t('changes lines {0}–{1}', String(fit.lines[0]), String(fit.lines[1]))
        : vscode.l10n.t('the whole file');
  }
}
