/**
 * The branches of a session as a small tree: each below the one it starts from; each can be read on a page, and chosen.
 */

import * as vscode from 'vscode';
import type { Message } from '../../core/context/message.ts';
import { formatCount } from '../../core/figures.ts';
import { type Branch, listBranches } from '../../core/journal/branches.ts';
import type { TreeEntry } from '../../core/journal/entry.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { nameTool } from '../../core/tools/toolNames.ts';
import { inLanguage, readWords, type Translate } from '../../core/words.ts';
import { folded, text, toCell } from '../../node/pages/blocks.ts';
import type { Page, PageBlock } from '../../protocol/pages.ts';
import { manageList } from '../notices/pickers.ts';

/** A space that VS Code also draws at the beginning of a line. */
const INDENT = '\u2003';

interface BranchActs {
  readonly view: (branch: Branch) => unknown;
  readonly choose: (branch: Branch) => unknown;
}

/** `loss`: what the move costs, or empty. */
export function listBranchTree(journal: Journal, loss: string, { view, choose }: BranchActs): Promise<void> {
  return manageList({
    title: vscode.l10n.t('Branches of This Session'),
    placeholder: [loss, vscode.l10n.t('Choose one to return to. What is shown now is kept as a branch.')]
      .filter(Boolean)
      .join(' '),
    empty: vscode.l10n.t('This session has no other branch. Going back, editing a message and clearing leave one.'),
    lasting: true,
    read: () =>
      listBranches(journal).map((branch) => ({
        ...describeBranch(branch),
        act: () => choose(branch),
        buttons: [{ icon: 'eye', tooltip: vscode.l10n.t('View This Branch'), act: () => view(branch) }],
      })),
  });
}

/** Where a branch starts, why, and when. */
export function describeOrigin({ time, cause, after }: Branch): string {
  const when = new Date(time).toLocaleString(vscode.env.language);
  const where = after === '' ? vscode.l10n.t('from the beginning') : vscode.l10n.t('after “{0}”', after);
  return [where, describeCause(cause), when].join(' · ');
}

function describeBranch(branch: Branch) {
  const { label, depth, parts } = branch;
  const count =
    parts === 1 ? vscode.l10n.t('1 message or result') : vscode.l10n.t('{0} messages and results', formatCount(parts));
  const indent = INDENT.repeat(2 * depth);
  return {
    label: `${indent}$(git-branch) ${label}`,
    description: count,
    detail: `${indent}${describeOrigin(branch)}`,
  };
}

function describeCause(cause: Branch['cause']): string {
  switch (cause) {
    case 'user':
      return vscode.l10n.t('left by going back');
    case 'edit':
      return vscode.l10n.t('left by editing a message');
    case 'dmail':
      return vscode.l10n.t('left by the agent’s message to its past');
    case 'clear':
      return vscode.l10n.t('left by clearing the conversation');
    case null:
      return vscode.l10n.t('left earlier');
  }
}

/** With more turns than this, they start collapsed. */
const ALL_OPEN = 8;
const EXCERPT = 90;

/** On one page. */
const MOST_TURNS = 2_000;

interface Turn {
  readonly title: string;
  readonly time: string;
  readonly blocks: PageBlock[];
}

interface BranchFacts {
  readonly title: string;
  /** Where the branch starts and why. */
  readonly subtitle: string;
  /** The cost of returning to it, or empty. */
  readonly loss: string;
  readonly language: string;
}

export function describeBranchPage(
  { title, subtitle, loss, language }: BranchFacts,
  entries: readonly TreeEntry[],
  t: Translate,
): Page {
  const turns: Turn[] = [];
  for (const entry of entries) {
    const blocks = blocksOf(entry, t);
    const isFromPerson = entry.type === 'message' && entry.message.role === 'user' && entry.message.kind === 'user';
    if (blocks.length === 0) continue;
    if (isFromPerson || turns.length === 0) {
      const first = entry.type === 'message' ? entry.message.text : '';
      turns.push({ title: toCell(first, EXCERPT) || t('Beginning'), time: entry.time, blocks: [] });
    }
    turns.at(-1)?.blocks.push(...blocks);
  }
  const shown = turns.slice(0, MOST_TURNS);
  return {
    title,
    subtitle,
    blocks: [
      {
        kind: 'actions',
        actions: [
          { id: 'return', label: t('Return to this branch'), primary: true },
          { id: 'others', label: t('Show branches') },
        ],
      },
      ...(loss ? [text(loss, 'quiet')] : []),
      ...shown.map(
        (turn, at): PageBlock => ({
          kind: 'section',
          id: `turn${at}`,
          title: turn.title,
          note: new Date(turn.time).toLocaleString(language),
          fold: shown.length > ALL_OPEN ? 'closed' : 'open',
          blocks: turn.blocks,
        }),
      ),
      ...(turns.length > shown.length ? [text(t('{0} more.', formatCount(turns.length - shown.length)), 'quiet')] : []),
    ],
  };
}

function blocksOf(entry: TreeEntry, t: Translate): PageBlock[] {
  switch (entry.type) {
    case 'message':
      return messageBlocks(entry.message, entry.seq, t);
    case 'compaction':
      return [
        text(
          t('Compacted: {0} → {1} tokens', formatCount(entry.tokensBefore), formatCount(entry.tokensAfter)),
          'quiet',
        ),
      ];
    case 'note':
      return [text(inLanguage(readWords(entry.words, entry.text), t), 'quiet')];
    default:
      return [];
  }
}

function messageBlocks(message: Message, seq: number, t: Translate): PageBlock[] {
  const body = (id: string, title: string, code: string) =>
    folded(`${id}${seq}`, title, [{ kind: 'code', text: code }], toCell(code, EXCERPT));
  switch (message.role) {
    case 'user':
      return message.kind === 'user'
        ? [text(t('{0}: {1}', t('You'), message.text))]
        : [body('told', message.kind === 'summary' ? t('Summary') : t('Told to the model'), message.text)];
    case 'assistant':
      return [
        ...(message.reasoning?.text ? [body('thought', t('Thinking'), message.reasoning.text)] : []),
        ...(message.text ? [text(message.text)] : []),
        ...(message.toolCalls ?? []).map((call, at) => body(`call${at}-`, nameTool(call.name, t), call.arguments)),
      ];
    case 'tool':
      return [body('result', t('Result of “{0}”', nameTool(message.toolName, t)), message.text)];
  }
}
