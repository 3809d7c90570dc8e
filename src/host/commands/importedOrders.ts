/**
 * The one question about standing orders in an imported session: which of them hold from now on. Nothing in it is chosen
 * beforehand, so none holds unless the person says so.
 */

import * as vscode from 'vscode';
import { acceptedOrders, findImportedOrders } from '../../core/instructions/orders/standingOrders.ts';
import type { Conversation } from '../../node/session/conversation.ts';
import { showQuickPick } from '../notices/pickers.ts';

/** Orders listed: the newest. */
const MOST_LISTED = 300;

/** Asks once for each session, and not where nothing can be written. */
export async function askOnceForImportedOrders(conversation: Conversation | null): Promise<void> {
  if (!conversation || conversation.journal.readOnly || acceptedOrders(conversation.journal) !== null) return;
  await askForImportedOrders(conversation);
}

/** Those that hold already are chosen; a question that is left without an answer changes nothing but that it was asked. */
export async function askForImportedOrders(conversation: Conversation): Promise<void> {
  const { journal } = conversation;
  const found = findImportedOrders(journal).slice(-MOST_LISTED);
  if (found.length === 0) return;
  const before = acceptedOrders(journal) ?? [];
  const holds = (seq: number, text: string) => before.some((order) => order.seq === seq && order.text === text);
  const items = found.map(({ seq, text, later }) => ({
    label: text,
    ...describeLater(later),
    picked: holds(seq, text),
    order: { seq, text },
  }));
  const chosen = await showQuickPick(items, {
    title: vscode.l10n.t('Standing Orders in the Imported Messages'),
    placeHolder: vscode.l10n.t(
      'Choose the ones that are yours and should apply from now on. The others remain ordinary messages.',
    ),
    canPickMany: true,
    matchOnDetail: true,
    ignoreFocusOut: true,
  });
  const orders = chosen?.map(({ order }) => order) ?? before;
  await conversation.change(() => journal.append({ type: 'importedOrders', orders }));
}

/** The later words about an order, as the detail of its item. */
export function describeLater(later: readonly { readonly text: string }[]): { readonly detail?: string } {
  if (later.length === 0) return {};
  return { detail: vscode.l10n.t('Said later: {0}', later.map(({ text }) => text).join(' · ')) };
}
