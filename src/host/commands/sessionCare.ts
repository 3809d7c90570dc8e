/**
 * *Care of Sessions…*: check, repair and redact, on the session on screen or a chosen one, followed by a page with the
 * result and the next steps; and their storage.
 */

import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import { formatCount } from '../../core/figures.ts';
import { inLanguage, type Translate } from '../../core/words.ts';
import { list, section, text } from '../../node/pages/blocks.ts';
import { nodeCrypto } from '../../node/storage/disk/fileBlobStore.ts';
import {
  checkSession,
  type RepairReport,
  repairSession,
  type SessionCheck,
} from '../../node/storage/sessions/checkSession.ts';
import { type RedactReport, redactWithSubagents } from '../../node/storage/sessions/redactSession.ts';
import { JOURNAL } from '../../node/storage/sessions/sessionStore.ts';
import type { Page, PageAction } from '../../protocol/pages.ts';
import type { Handlers } from '../handlers.ts';
import type { ReadOnlyDocuments } from '../inspect/readOnlyDocuments.ts';
import { confirmInDialog } from '../notices/notify.ts';
import { manageList, showInputBox } from '../notices/pickers.ts';
import type { Pages } from '../pages/pages.ts';
import type { SessionCommands } from './sessionCommands.ts';

const PORTS = { clock: { now: Date.now }, crypto: nodeCrypto };

/** Maximum size of a file shown in an editor; a larger one is revealed in its folder. */
const LARGEST = 20_000_000;

interface Parts {
  readonly sessions: SessionCommands;
  readonly pages: Pages;
  readonly documents: ReadOnlyDocuments;
}

export class SessionCare {
  readonly #parts: Parts;
  readonly #showStorage: () => Promise<void>;

  readonly handlers = {
    careOfSessions: () => this.#list(),
  } satisfies Partial<Handlers>;

  constructor(parts: Parts, showStorage: () => Promise<void>) {
    this.#parts = parts;
    this.#showStorage = showStorage;
  }

  #list(): Promise<void> {
    return manageList({
      title: vscode.l10n.t('Care of Sessions'),
      read: () => [
        {
          label: `$(checklist) ${vscode.l10n.t('Check a session')}`,
          detail: vscode.l10n.t('Reads every line of its file and says what is damaged or missing.'),
          act: () => this.#check(),
        },
        {
          label: `$(tools) ${vscode.l10n.t('Repair a session')}`,
          detail: vscode.l10n.t('Rewrites its file from the good lines. A copy of the file as it was is kept.'),
          act: () => this.#repair(),
        },
        {
          label: `$(eye-closed) ${vscode.l10n.t('Redact a session…')}`,
          detail: vscode.l10n.t('Removes a text, such as a key, from the session for good.'),
          act: () => this.#redact(),
        },
        {
          label: `$(database) ${vscode.l10n.t('Storage used')}`,
          detail: vscode.l10n.t('How much storage sessions use, and what can be cleaned up.'),
          act: this.#showStorage,
        },
      ],
    });
  }

  async #check(given?: string): Promise<void> {
    const id = given ?? (await this.#parts.sessions.choose());
    if (!id) return;
    const check = await checkSession(await this.#parts.sessions.folderOf(id), id, PORTS);
    await this.#show(id, describeCheck(await this.#parts.sessions.titleOf(id), check, vscode.l10n.t));
  }

  async #repair(given?: string): Promise<void> {
    const id = given ?? (await this.#parts.sessions.choose());
    if (!id) return;
    const title = await this.#parts.sessions.titleOf(id);
    const report = await this.#parts.sessions.whileClosed(id, (folder) => repairSession(folder, id, PORTS));
    await this.#show(id, describeRepair(title, report, vscode.l10n.t), report.kept);
  }

  async #redact(given?: string): Promise<void> {
    const id = given ?? (await this.#parts.sessions.choose());
    if (!id) return;
    const secret = await showInputBox({
      title: vscode.l10n.t('Redact Session'),
      prompt: vscode.l10n.t('The text to remove everywhere in this session, such as a key'),
      password: true,
      ignoreFocusOut: true,
      validateInput: (text) =>
        text !== '' && text.length < 4
          ? vscode.l10n.t('Enter at least four characters, so that nothing else matches by accident.')
          : '',
    });
    if (!secret) return;
    const title = await this.#parts.sessions.titleOf(id);
    const redact = vscode.l10n.t('Redact');
    const question = vscode.l10n.t('Remove this text from “{0}” for good?', title);
    const detail = vscode.l10n.t(
      'It is replaced by [redacted] everywhere. This is the one change that cannot be undone.',
    );
    if (!(await confirmInDialog(question, detail, redact))) return;
    const report = await this.#parts.sessions.whileClosed(id, (folder) =>
      redactWithSubagents(folder, [secret], nodeCrypto),
    );
    await this.#show(id, describeRedaction(title, report, vscode.l10n.t));
  }

  /** One tab for each session. `kept` is the copy of the file from before a repair. */
  async #show(id: string, page: Page, kept: string | null = null): Promise<void> {
    const path = join(await this.#parts.sessions.folderOf(id), JOURNAL);
    const actions: Readonly<Record<CareAction, () => Promise<void>>> = {
      check: () => this.#check(id),
      repair: () => this.#repair(id),
      redact: () => this.#redact(id),
      openFile: () => this.#open(path),
      openKept: async () => {
        if (kept) await this.#open(kept);
      },
    };
    this.#parts.pages.show(`care ${id}`, page, actions);
  }

  /** Read-only: saving it in an editor would break its checksums. */
  async #open(path: string): Promise<void> {
    const { size } = await stat(path);
    if (size > LARGEST) await vscode.commands.executeCommand('revealFileInOS', vscode.Uri.file(path));
    else await this.#parts.documents.show(basename(path), await readFile(path, 'utf8'));
  }
}

/** Actions of the buttons on these pages. */
type CareAction = 'check' | 'repair' | 'redact' | 'openFile' | 'openKept';

export function describeCheck(
  title: string,
  { report, findings, blobs, repairable }: SessionCheck,
  t: Translate,
): Page {
  return {
    title: t('Check of “{0}”', title),
    subtitle: '',
    blocks: [
      buttons(t, repairable ? ['repair', 'check', 'openFile'] : ['check', 'openFile'], repairable),
      list([
        t('File: {0}', report.path),
        t(
          'Size: {0} bytes, lines: {1}, format {2}',
          formatCount(report.bytes),
          formatCount(report.lines),
          String(report.format),
        ),
        t(
          'Contents stored beside it: {0}; needed but missing: {1}',
          formatCount(blobs.count),
          formatCount(blobs.missing),
        ),
      ]),
      section(t('Findings'), [
        findings.length === 0
          ? text(t('Everything is as it should be.'))
          : list(findings.map((each) => inLanguage(each, t))),
        ...(repairable
          ? [
              text(
                t('Repairing rewrites the file from its good lines. A copy of the file as it is now stays beside it.'),
                'warning',
              ),
            ]
          : []),
      ]),
    ],
  };
}

export function describeRepair(
  title: string,
  { kept, goodLines, damagedLines, gaps }: RepairReport,
  t: Translate,
): Page {
  const unchanged = kept === null;
  const lines = unchanged
    ? []
    : [
        t('Intact lines, kept byte for byte: {0}', formatCount(goodLines)),
        t('Damaged lines, set aside in {0}: {1}', 'journal.jsonl.damaged', formatCount(damagedLines)),
        t('The file as it was: {0}', kept),
      ];
  return {
    title: t('Repair of “{0}”', title),
    subtitle: unchanged ? t('Good lines: {0}, which is all of them. Nothing was changed.', formatCount(goodLines)) : '',
    blocks: [
      buttons(t, unchanged ? ['check', 'openFile'] : ['check', 'openFile', 'openKept']),
      list([...lines, ...describeGaps(gaps, t)]),
    ],
  };
}

export function describeRedaction(
  title: string,
  { entries, occurrences, blobs, removedLines, cutValues, sealedItems, unrestorable, structural, opaque }: RedactReport,
  t: Translate,
): Page {
  const left = [
    structural > 0
      ? t(
          'The text is also part of how the file itself is written, such as the name of a field or a kind, a number or a time. There it stays, in lines: {0}',
          formatCount(structural),
        )
      : '',
    opaque > 0
      ? t(
          'Stored contents that are not text, such as images, which may contain it in another form: {0}',
          formatCount(opaque),
        )
      : '',
  ].filter(Boolean);
  return {
    title: t('Redaction of “{0}”', title),
    subtitle: occurrences + blobs === 0 ? t('The text does not occur in this session.') : '',
    blocks: [
      buttons(t, ['redact', 'check', 'openFile']),
      list([
        t(
          'Places replaced by {0}: {1}, in entries: {2}',
          '[redacted]',
          formatCount(occurrences),
          formatCount(entries.length),
        ),
        t('Stored contents rewritten to remove it: {0}', formatCount(blobs)),
        t('Unreadable lines removed, because their contents cannot be checked: {0}', formatCount(removedLines)),
        ...(cutValues > 0 ? [t('Values nested too deeply to be checked, removed: {0}', formatCount(cutValues))] : []),
        ...(sealedItems > 0
          ? [
              t(
                'Pieces of encrypted reasoning removed, because nobody can tell what they contain: {0}',
                formatCount(sealedItems),
              ),
            ]
          : []),
        ...(unrestorable > 0 ? [t('Files that can no longer be restored: {0}', formatCount(unrestorable))] : []),
      ]),
      ...(entries.length > 0 ? [text(t('Entries: {0}', entries.join(', ')), 'quiet')] : []),
      section(t('Not reached'), [
        ...(left.length > 0 ? [list(left)] : []),
        text(
          t(
            'Copies elsewhere, such as exports, are not changed. If the text is a key, ask its provider for a new one.',
          ),
        ),
      ]),
    ],
  };
}

function describeGaps(gaps: RepairReport['gaps'], t: Translate): string[] {
  return gaps.map(({ from, to }) =>
    from === to
      ? t('Entry {0} is lost.', formatCount(from))
      : t('Entries {0} to {1} are lost.', formatCount(from), formatCount(to)),
  );
}

/** With `first`, the first of them is highlighted. */
function buttons(t: Translate, ids: readonly CareAction[], first = false) {
  const labels: Readonly<Record<CareAction, string>> = {
    check: t('Check again'),
    repair: t('Repair'),
    redact: t('Redact another text'),
    openFile: t('Show the file'),
    openKept: t('Show the file as it was'),
  };
  const actions = ids.map((id, at): PageAction => ({ id, label: labels[id], primary: first && at === 0 }));
  return { kind: 'actions' as const, actions };
}
