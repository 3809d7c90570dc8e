/**
 * Which file a code block is meant for: the one that it names, the one that the text before it names, or the one in the
 * editor. Where that is not sure, the person chooses, and sees for each what would come of it.
 */

import * as vscode from 'vscode';
import { type Fit, fitBlock } from '../../core/codeBlocks/fitBlock.ts';
import { ToldError } from '../../core/errors.ts';
import type { Files } from '../../core/ports.ts';
import { words } from '../../core/words.ts';
import { findFile } from '../panel/openFile.ts';
import { say } from '../tell/say.ts';

export interface CodeBlock {
  readonly text: string;
  readonly language: string;
  /** Files that it names itself: behind its fence, or in its first line. */
  readonly named: readonly string[];
  /** Those that the text before it names, the nearest first. */
  readonly near: readonly string[];
}

export interface BlockTarget {
  readonly uri: vscode.Uri;
  /** As shown to a person. */
  readonly shown: string;
  /** What the editor holds; null for a file that is not there yet. */
  readonly before: string | null;
  readonly fit: Fit;
}

/** Undefined when the person chose none. */
export async function chooseTarget(block: CodeBlock, files: Files): Promise<BlockTarget | undefined> {
  const text = withoutName(block);
  const read = async (uri: vscode.Uri) => readTarget(uri, { ...block, text }, files);
  for (const name of block.named) {
    const found = await findFile(name);
    const [only] = found;
    if (only && found.length === 1) return read(only);
    if (found.length > 1) return choose(await Promise.all(found.map(read)), read);
    const folder = vscode.workspace.workspaceFolders?.[0];
    if (folder && isNewFile(name)) return read(vscode.Uri.joinPath(folder.uri, name));
  }
  const near = (await Promise.all(block.near.map(findFile))).flat();
  const active = vscode.window.activeTextEditor?.document.uri;
  const inFolder = active && vscode.workspace.getWorkspaceFolder(active) ? [active] : [];
  const uris = new Map([...near, ...inFolder].map((uri) => [uri.toString(), uri]));
  const targets = await Promise.all([...uris.values()].map(read));
  const [only] = targets;
  return only && targets.length === 1 ? only : choose(targets, read);
}

/** Its first line may name the file and be no part of it. */
function withoutName({ text, named }: CodeBlock): string {
  const [line = ''] = text.split('\n', 1);
  const says = named.some((name) => line.includes(name)) && /^\s*(?:\/\/|#|--|\/\*|<!--|;|%)/.test(line);
  return says ? text.slice(line.length + 1) : text;
}

const isNewFile = (name: string) => !/^(?:[/~]|[a-z]:)|\.\./i.test(name);

async function readTarget(uri: vscode.Uri, block: CodeBlock, files: Files): Promise<BlockTarget> {
  // Refuses what lies outside of the open folders, and what belongs to the product or the editor.
  const { exists, shown, type } = await files.resolve(uri.fsPath);
  if (exists && type !== 'file') throw new ToldError(words('{0} is not a file.', shown));
  const before = exists ? (await vscode.workspace.openTextDocument(uri)).getText() : null;
  return { uri, shown, before, fit: fitBlock(before ?? '', block.text, block.language) };
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
  // What fits comes first.
  items.sort((a, b) => Number(b.target?.fit.kind === 'fits') - Number(a.target?.fit.kind === 'fits'));
  const chosen = await vscode.window.showQuickPick<TargetItem>(
    [...items, { label: vscode.l10n.t('Another file…'), iconPath: new vscode.ThemeIcon('folder-opened') }],
    { title: vscode.l10n.t('Apply to Which File?'), matchOnDescription: true },
  );
  if (!chosen || chosen.target) return chosen?.target;
  const [uri] =
    (await vscode.window.showOpenDialog({
      canSelectMany: false,
      openLabel: vscode.l10n.t('Apply Here'),
      ...(vscode.workspace.workspaceFolders?.[0] ? { defaultUri: vscode.workspace.workspaceFolders[0].uri } : {}),
    })) ?? [];
  return uri && read(uri);
}

export function describeFit(fit: Fit): string {
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
