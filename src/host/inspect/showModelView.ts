/** *What the Model Sees*: any request of the session, past or next, as a read-only document. */

import * as vscode from 'vscode';
import { listRequests, viewNext, viewRequest } from '../../core/context/modelView.ts';
import type { RequestEntry, UsageEntry } from '../../core/journal/entry.ts';
import type { Journal } from '../../core/journal/journal.ts';
import type { BlobStore } from '../../core/ports.ts';
import { nodeCrypto } from '../storage/disk/nodeCrypto.ts';
import { describeModelView } from './describeModelView.ts';
import type { ReadOnlyDocuments } from './readOnlyDocuments.ts';
import { formatCount, toCell } from './textTable.ts';

interface RequestItem extends vscode.QuickPickItem {
  /** Null is the request that would be made now. */
  readonly seq: number | null;
  readonly title: string;
  readonly facts: readonly string[];
}

const LONGEST_QUESTION = 100;

/** The session that is inspected. */
interface Inspected {
  readonly journal: Journal;
  readonly blobs: BlobStore;
}

export async function showModelView({ journal, blobs }: Inspected, documents: ReadOnlyDocuments): Promise<void> {
  const items = [describeNext(journal), ...describeRequests(journal).reverse()];
  const chosen =
    items.length === 1
      ? items[0]
      : await vscode.window.showQuickPick(items, {
          title: vscode.l10n.t('What the Model Sees'),
          placeHolder: vscode.l10n.t('Choose a request of this session'),
          matchOnDescription: true,
          matchOnDetail: true,
        });
  if (!chosen) return;
  const { seq, title, facts } = chosen;
  const view = seq === null ? viewNext(journal) : await viewRequest(journal, seq, { crypto: nodeCrypto, blobs });
  if (!view) throw new Error(vscode.l10n.t('This request is no longer in the session.'));
  await documents.show(title, describeModelView(title, facts, view, vscode.l10n.t));
}

function describeNext(journal: Journal): RequestItem {
  const view = viewNext(journal);
  return {
    label: `$(eye) ${vscode.l10n.t('Next request')}`,
    description: vscode.l10n.t('{0} tokens in {1} parts', formatCount(view.tokens), view.parts.length),
    detail: vscode.l10n.t('What would be sent if the model were asked now'),
    seq: null,
    title: vscode.l10n.t('Next request'),
    facts: [],
  };
}

function describeUsage({ usage, estimated, counted }: Pick<UsageEntry, 'usage' | 'estimated' | 'counted'>): string {
  const [input, cached, output] = [usage.input, usage.cached, usage.output].map(formatCount);
  if (!estimated) {
    return vscode.l10n.t(
      'The provider counted {0} tokens read ({1} of them cached) and {2} written.',
      ...[input, cached, output].map(String),
    );
  }
  return counted
    ? vscode.l10n.t(
        "No token count was reported: about {0} read by the model's own tokenizer, and about {1} written.",
        ...[input, output].map(String),
      )
    : vscode.l10n.t(
        'No token count was reported: about {0} read and {1} written, estimated.',
        ...[input, output].map(String),
      );
}

/** Oldest first, each with the message that it answers and what the provider counted. */
function describeRequests(journal: Journal): RequestItem[] {
  const usages = new Map<number, string>();
  const asked = new Map<number, string>();
  let newest: RequestEntry | null = null;
  let question = '';
  for (const entry of journal.path()) {
    if (entry.type === 'request') {
      newest = entry;
      asked.set(entry.seq, question);
    } else if ((entry.type === 'usage' || entry.type === 'summaryUsage') && newest) {
      // Older journals hold what a summary used with its compaction only.
      if ((entry.type === 'usage') === (newest.purpose === 'turn')) usages.set(newest.seq, describeUsage(entry));
    } else if (entry.type === 'message' && entry.message.role === 'user' && entry.message.kind === 'user') {
      question = entry.message.text;
    }
  }
  return listRequests(journal).map(({ seq, model, time, messages, purpose }, at): RequestItem => {
    const title =
      purpose === 'summary'
        ? vscode.l10n.t('Request {0}, for a summary', at + 1)
        : vscode.l10n.t('Request {0}', at + 1);
    const when = new Date(time).toLocaleString(vscode.env.language);
    const usage = usages.get(seq);
    return {
      label: `$(arrow-up) ${title}`,
      description: `${model} · ${when} · ${vscode.l10n.t('{0} messages', messages)}`,
      detail: toCell(asked.get(seq) ?? '', LONGEST_QUESTION),
      seq,
      title,
      facts: [vscode.l10n.t('Sent to {0}, {1}.', model, when), ...(usage ? [usage] : [])],
    };
  });
}
