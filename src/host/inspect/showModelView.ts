/** Shows any request of the session, past or next, as a page, with the raw request one click away. */

import * as vscode from 'vscode';
import { listRequests, type ModelView, scaleTo, viewNext, viewRequest } from '../../core/context/modelView.ts';
import type { RequestEntry, UsageEntry } from '../../core/journal/entry.ts';
import type { Journal } from '../../core/journal/journal.ts';
import type { Translate } from '../../core/words.ts';
import type { Page } from '../../protocol/pages.ts';
import { column, folded, formatCount, formatShare, right, section, table, text, toCell } from '../pages/blocks.ts';
import type { PageContent } from '../pages/pages.ts';
import type { Conversation } from '../session/conversation.ts';
import { nodeCrypto } from '../storage/disk/fileBlobStore.ts';
import type { ReadOnlyDocuments } from './readOnlyDocuments.ts';

interface RequestFacts {
  readonly seq: number;
  readonly title: string;
  readonly model: string;
  readonly when: string;
  readonly messages: number;
  /** The message that it answers. */
  readonly asked: string;
  readonly facts: readonly string[];
  /** Tokens counted for the whole request; null when not counted. */
  readonly tokens: number | null;
}

const LONGEST_QUESTION = 100;
/** Requests in the list to choose from. */
const MOST_REQUESTS = 500;

/** *Now*: the next request, or an earlier one that the person chose. */
export function viewModel(
  { journal, blobs, compactor }: Conversation,
  documents: ReadOnlyDocuments,
  redraw: () => unknown,
): () => Promise<PageContent> {
  let chosen: number | null = null;
  const choose = (seq: number | null) => () => {
    chosen = seq;
    return redraw();
  };
  return async () => {
    const requests = describeRequests(journal);
    const request = requests.find(({ seq }) => seq === chosen);
    const found = request ? await viewRequest(journal, request.seq, { crypto: nodeCrypto, blobs }) : viewNext(journal);
    if (!found) throw new Error(vscode.l10n.t('This request is no longer in the session.'));
    const tokens = request ? request.tokens : compactor.reading.tokens;
    const view = tokens === null ? found : scaleTo(found, tokens);
    const title = request?.title ?? vscode.l10n.t('Next request');
    return {
      page: describeModelView(title, request?.facts ?? [], view, vscode.l10n.t, requests),
      actions: {
        raw: () => documents.show('request.json', `${JSON.stringify(view.request, null, 2)}\n`),
        next: choose(null),
        ...Object.fromEntries(requests.map(({ seq }) => [`request ${seq}`, choose(seq)])),
      },
    };
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

/** Oldest first, each with the message that it answers and the provider's count. */
function describeRequests(journal: Journal): RequestFacts[] {
  const usages = new Map<number, UsageEntry['usage'] & { readonly said: string }>();
  const asked = new Map<number, string>();
  const newest: Partial<Record<RequestEntry['purpose'], RequestEntry>> = {};
  let question = '';
  for (const entry of journal.path()) {
    if (entry.type === 'request') {
      newest[entry.purpose] = entry;
      asked.set(entry.seq, question);
    } else if (entry.type === 'usage' || entry.type === 'summaryUsage') {
      // Older journals record a summary's usage only with its compaction.
      const request = newest[entry.type === 'usage' ? 'turn' : 'summary'];
      if (request) usages.set(request.seq, { ...entry.usage, said: describeUsage(entry) });
    } else if (entry.type === 'message' && entry.message.role === 'user' && entry.message.kind === 'user') {
      question = entry.message.text;
    }
  }
  return listRequests(journal).map(({ seq, model, time, messages, purpose }, at): RequestFacts => {
    const title =
      purpose === 'summary'
        ? vscode.l10n.t('Request {0}, for a summary', at + 1)
        : vscode.l10n.t('Request {0}', at + 1);
    const when = new Date(time).toLocaleString(vscode.env.language);
    const usage = usages.get(seq);
    return {
      seq,
      title,
      model,
      when,
      messages,
      asked: asked.get(seq) ?? '',
      facts: [vscode.l10n.t('Sent to {0}, {1}.', model, when), ...(usage ? [usage.said] : [])],
      tokens: usage?.input ?? null,
    };
  });
}

/** Describes a request as a page: the tokens by kind, then each part verbatim. Pure. */
const LONGEST_BEGINNING = 90;

/** `title` names the request; `facts` are further lines about it, such as the provider's report. */
export function describeModelView(
  title: string,
  facts: readonly string[],
  view: ModelView,
  t: Translate,
  requests: readonly RequestFacts[] = [],
): Page {
  const { parts, tokens } = view;
  return {
    title,
    subtitle: t('{0} tokens in {1} parts', formatCount(tokens), parts.length),
    blocks: [
      ...facts.map((each) => text(each)),
      text(describeExactness(view.exact, t), view.exact === false ? 'warning' : 'quiet'),
      {
        kind: 'actions',
        actions: [
          { id: 'raw', label: t('Raw request') },
          ...(view.exact === null ? [] : [{ id: 'next', label: t('Show the next request') }]),
        ],
      },
      ...(requests.length > 0 ? [listRequestsMade(requests, t)] : []),
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

/** Newest first, each can be opened. */
function listRequestsMade(requests: readonly RequestFacts[], t: Translate) {
  const title = t('Earlier requests');
  return folded(
    'requests',
    title,
    [
      table(
        title,
        [column(t('Request')), column(t('When')), right(t('Messages')), column(t('Model')), column(t('Answers'))],
        requests
          .toReversed()
          .slice(0, MOST_REQUESTS)
          .map(({ seq, title: name, when, messages, model, asked }) => [
            { text: name, act: `request ${seq}` },
            ...[when, formatCount(messages), model, toCell(asked, LONGEST_QUESTION)],
          ]),
      ),
    ],
    formatCount(requests.length),
  );
}

/** Groups the parts by kind, because a reader first asks which kinds take the room. */
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
