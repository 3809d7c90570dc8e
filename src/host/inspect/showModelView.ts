/** *What the Model Sees*: any request of the session, past or next, as a page, with the raw request one click away. */

import * as vscode from 'vscode';
import { listRequests, type ModelView, scaleTo, viewNext, viewRequest } from '../../core/context/modelView.ts';
import type { RequestEntry, UsageEntry } from '../../core/journal/entry.ts';
import type { Journal } from '../../core/journal/journal.ts';
import type { BlobStore } from '../../core/ports.ts';
import type { Translate } from '../../core/words.ts';
import type { Page } from '../../protocol/pages.ts';
import { column, folded, formatCount, formatShare, right, section, table, text, toCell } from '../pages/blocks.ts';
import type { Pages } from '../pages/pages.ts';
import { nodeCrypto } from '../storage/disk/fileBlobStore.ts';
import type { ReadOnlyDocuments } from './readOnlyDocuments.ts';

interface RequestItem extends vscode.QuickPickItem {
  /** Null is the request that would be made now. */
  readonly seq: number | null;
  readonly title: string;
  readonly facts: readonly string[];
  /** What is counted for the whole of it; null when nobody has. */
  readonly tokens: number | null;
}

const LONGEST_QUESTION = 100;

/** The session that is inspected. */
interface Inspected {
  readonly journal: Journal;
  readonly blobs: BlobStore;
  /** What the meter shows. */
  readonly compactor: { readonly reading: { readonly tokens: number } };
}

export async function showModelView(inspected: Inspected, pages: Pages, documents: ReadOnlyDocuments): Promise<void> {
  const { journal, blobs } = inspected;
  const items = [describeNext(inspected), ...describeRequests(journal).reverse()];
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
  const { seq, title, facts, tokens } = chosen;
  const found = seq === null ? viewNext(journal) : await viewRequest(journal, seq, { crypto: nodeCrypto, blobs });
  if (!found) throw new Error(vscode.l10n.t('This request is no longer in the session.'));
  const view = tokens === null ? found : scaleTo(found, tokens);
  pages.show(`model view ${seq}`, describeModelView(title, facts, view, vscode.l10n.t), {
    raw: () => showRaw(view, documents),
  });
}

function showRaw({ request }: ModelView, documents: ReadOnlyDocuments): Promise<void> {
  return documents.show('request.json', `${JSON.stringify(request, null, 2)}\n`);
}

function describeNext({ journal, compactor }: Inspected): RequestItem {
  const { parts } = viewNext(journal);
  const { tokens } = compactor.reading;
  return {
    label: `$(eye) ${vscode.l10n.t('Next request')}`,
    description: vscode.l10n.t('{0} tokens in {1} parts', formatCount(tokens), parts.length),
    detail: vscode.l10n.t('What would be sent if the model were asked now'),
    seq: null,
    title: vscode.l10n.t('Next request'),
    facts: [],
    tokens,
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
        'No token count was reported: about {0} read by the model’s own tokenizer, and about {1} written.',
        ...[input, output].map(String),
      )
    : vscode.l10n.t(
        'No token count was reported: about {0} read and {1} written, estimated.',
        ...[input, output].map(String),
      );
}

/** Oldest first, each with the message that it answers and what the provider counted. */
function describeRequests(journal: Journal): RequestItem[] {
  const usages = new Map<number, UsageEntry['usage'] & { readonly said: string }>();
  const asked = new Map<number, string>();
  const newest: Partial<Record<RequestEntry['purpose'], RequestEntry>> = {};
  let question = '';
  for (const entry of journal.path()) {
    if (entry.type === 'request') {
      newest[entry.purpose] = entry;
      asked.set(entry.seq, question);
    } else if (entry.type === 'usage' || entry.type === 'summaryUsage') {
      // Older journals hold what a summary used with its compaction only.
      const request = newest[entry.type === 'usage' ? 'turn' : 'summary'];
      if (request) usages.set(request.seq, { ...entry.usage, said: describeUsage(entry) });
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
      facts: [vscode.l10n.t('Sent to {0}, {1}.', model, when), ...(usage ? [usage.said] : [])],
      tokens: usage?.input ?? null,
    };
  });
}

/** What the model saw, as a page: where the tokens are, then each part word for word. Pure. */
const LONGEST_BEGINNING = 90;

/** `title` names the request; `facts` are further lines about it, such as what the provider reported. */
export function describeModelView(title: string, facts: readonly string[], view: ModelView, t: Translate): Page {
  const { parts, tokens } = view;
  return {
    title,
    subtitle: t('{0} tokens in {1} parts', formatCount(tokens), parts.length),
    blocks: [
      ...facts.map((each) => text(each)),
      text(describeExactness(view.exact, t), view.exact === false ? 'warning' : 'quiet'),
      { kind: 'actions', actions: [{ id: 'raw', label: t('Raw request') }] },
      section(t('Where the tokens are'), [indexOf(view, t)]),
      section(
        t('Every part, word for word'),
        parts.map((part, at) =>
          folded(
            `part${at}`,
            `${at + 1} · ${part.role}`,
            [{ kind: 'code', text: part.text }],
            `${t('{0} tokens', formatCount(part.tokens))} · ${part.origin} · ${toCell(part.text, LONGEST_BEGINNING)}`,
          ),
        ),
      ),
    ],
  };
}

/** Parts of one kind together: which kinds take the room is what a reader asks first. */
function indexOf({ parts, tokens }: ModelView, t: Translate) {
  const kinds = new Map<string, { count: number; tokens: number }>();
  for (const { role, tokens: own } of parts) {
    const kind = kinds.get(role) ?? { count: 0, tokens: 0 };
    kinds.set(role, { count: kind.count + 1, tokens: kind.tokens + own });
  }
  return table(
    t('Where the tokens are'),
    [column(t('Role')), right(t('Parts')), right(t('Tokens')), right(t('Share'))],
    [...kinds].map(([role, kind]) => [
      role,
      formatCount(kind.count),
      formatCount(kind.tokens),
      formatShare(kind.tokens, tokens),
    ]),
  );
}

function describeExactness(exact: boolean | null, t: Translate): string {
  if (exact === null) return t('This is the request that would be made now. Nothing was sent.');
  if (exact) return t('The checksum taken when it was sent matches: this is what was sent.');
  return t(
    'The checksum taken when it was sent does not match what is rebuilt here: another version of Palimpsest sent it, or the session’s file was redacted or damaged.',
  );
}
