/**
 * *Background Commands…*: commands that keep running while the conversation continues, with their output, and a way to
 * stop each.
 */

import * as vscode from 'vscode';
import { showCommandInOneLine } from '../../core/tools/text/showHidden.ts';
import type { BackgroundCommand } from '../../core/tools/tool.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import type { BackgroundShell } from '../../node/shell/backgroundShell.ts';
import type { Handlers } from '../handlers.ts';
import type { ReadOnlyDocuments } from '../inspect/readOnlyDocuments.ts';
import { type Listed, manageList } from '../notices/pickers.ts';

interface Parts {
  readonly background: BackgroundShell;
  readonly documents: ReadOnlyDocuments;
  readonly session: ShownSession;
}

export function backgroundCommands({ background, documents, session }: Parts) {
  const stop = (id: string) => background.stop(id, 'unread');
  const showOutput = (id: string) => documents.show(`${id}.log`, background.outputOf(id));
  const ownerOf = (id: string) =>
    background.list(session.conversation?.id ?? '').some((each) => each.id === id)
      ? []
      : [vscode.l10n.t('of another session')];
  const describe = ({ id, command, ended }: BackgroundCommand): Listed => ({
    // VS Code would draw `$(…)` as an icon.
    label: `$(${ended ? 'circle-outline' : 'vm-running'}) ${showCommandInOneLine(command).replaceAll('$(', '$ (')}`,
    description: [id, describeState(ended), ...ownerOf(id)].join(' · '),
    act: () => showOutput(id),
    buttons: ended ? [] : [{ icon: 'debug-stop', tooltip: vscode.l10n.t('Stop'), stays: true, act: () => stop(id) }],
  });
  return {
    /** The list updates with the commands while it is open. */
    backgroundCommands: () =>
      manageList({
        title: vscode.l10n.t('Background Commands'),
        placeholder: vscode.l10n.t('Choose one to see its output. They end when this window closes.'),
        empty: vscode.l10n.t('No command has been started in the background of this window.'),
        read: () => background.list().toReversed().map(describe),
        follow: (listener) => background.onDidChangeList(listener),
      }),
    showBackground: ({ id }) => showOutput(id),
    stopBackground: ({ id }) => stop(id),
  } satisfies Partial<Handlers>;
}

function describeState(ended: BackgroundCommand['ended']): string {
  if (!ended) return vscode.l10n.t('running');
  if (ended.ended === 'aborted') return vscode.l10n.t('stopped');
  return ended.exitCode === null
    ? vscode.l10n.t('ended by a signal')
    : vscode.l10n.t('exit {0}', String(ended.exitCode));
}
