/** Shows any request of the session, past or next, as a page, with the raw request one click away. */

import * as vscode from 'vscode';
import { isSaid } from '../../core/context/message.ts';
import {
  compareViews,
  listRequests,
  type ModelView,
  type ModelViewChange,
  type ModelViewPart,
  scaleTo,
  viewNext,
  viewRequest,
} from '../../core/context/modelView.ts';
import { formatCount, formatShare } from '../../core/figures.ts';
import type { RequestEntry, UsageEntry } from '../../core/journal/entry.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { asText, parseObject } from '../../core/json.ts';
import { sumTokens } from '../../core/tokens/meter.ts';
import { PART_NAMES } from '../../core/tokens/partNames.ts';
import { inLanguage, type Translate } from '../../core/words.ts';
import {
  column,
  countParts,
  EXCERPT,
  folded,
  minor,
  nameItem,
  right,
  section,
  table,
  text,
  toCell,
} from '../../node/pages/blocks.ts';
import type { Conversation } from '../../node/session/conversation.ts';
import { nodeCrypto } from '../../node/storage/disk/fileBlobStore.ts';
import type { Page, PageBlock, PageCell, PageTone } from '../../protocol/pages.ts';
import type { PageContent } from '../pages/pages.ts';
import type { ReadOnlyDocuments } from './readOnlyDocuments.ts';

interface RequestFacts {
  readonly seq: number;
  /** It asked for a summary. */
  readonly summary: boolean;
  readonly title: string;
  readonly model: string;
  readonly when: string;
  /** Of the request, calls and results included. */
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
  { journal, agent, compactor }: Conversation,
  documents: ReadOnlyDocuments,
  redraw: () => unknown,
): () => Promise<PageContent> {
  const ports = { crypto: nodeCrypto, blobs: agent.blobs };
  let chosen: number | null = null;
  const choose = (seq: number | null) => () => {
    chosen = seq;
    return redraw();
  };
  return async () => {
    const requests = describeRequests(journal);
    const request = requests.find(({ seq }) => seq === chosen);
    const found = request ? await viewRequest(journal, request.seq, ports) : viewNext(journal);
    if (!found) throw new Error(vscode.l10n.t('This request is no longer in the session.'));
    const tokens = request ? request.tokens : compactor.gauge.reading.tokens;
    const view = tokens === null ? found : scaleTo(found, tokens);
    const earlier = requests.findLast(
      ({ seq, summary }) => !summary && seq < (request?.seq ?? Number.POSITIVE_INFINITY),
    );
    const before = earlier && !request?.summary ? await viewRequest(journal, earlier.seq, ports) : null;
    const room = request
      ? {}
      : { window: compactor.gauge.window, trigger: compactor.gauge.mark?.at ?? null, reserve: compactor.gauge.reserve };
    return {
      page: describeModelView(
        view,
        {
          title: request?.title ?? vscode.l10n.t('Next request'),
          facts: request?.facts ?? [],
          before: before && (before.tokens > 0 && earlier?.tokens ? scaleTo(before, earlier.tokens) : before),
          requests,
          ...room,
        },
        vscode.l10n.t,
      ),
      actions: {
        raw: () => documents.show('request.json', `${JSON.stringify(view.request, null, 2)}\n`),
        next: choose(null),
        ...Object.fromEntries(requests.map(({ seq }) => [`request ${seq}`, choose(seq)])),
      },
    };
  };
}

function describeUsage({
  usage,
  estimated,
  counted,
  doubted,
}: Pick<UsageEntry, 'usage' | 'estimated' | 'counted' | 'doubted'>): string {
  const [input, output] = [formatCount(usage.input), formatCount(usage.output)];
  if (!estimated) {
    return vscode.l10n.t(
      'The provider counted {0} tokens read ({1} of them cached) and {2} written.',
      input,
      formatCount(usage.cached),
      output,
    );
  }
  if (doubted) {
    return vscode.l10n.t(
      'The count that was reported cannot be true: about {0} read and {1} written, estimated.',
      input,
      output,
    );
  }
  return counted
    ? vscode.l10n.t(
        'No token count was reported: about {0} read according to the model’s own tokenizer, and about {1} written.',
        input,
        output,
      )
    : vscode.l10n.t('No token count was reported: about {0} read and {1} written, estimated.', input, output);
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
        ? vscode.l10n.t('Request {0}, for a summary', formatCount(at + 1))
        : vscode.l10n.t('Request {0}', formatCount(at + 1));
    const when = new Date(time).toLocaleString(vscode.env.language);
    const usage = usages.get(seq);
    return {
      seq,
      summary: purpose === 'summary',
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

/** Facts about a request besides its parts. */
interface ViewFacts {
  readonly title: string;
  /** Further lines about it, such as the provider's report. */
  readonly facts?: readonly string[];
  /** The request before it; null when there is none. */
  readonly before?: Pick<ModelView, 'parts'> | null;
  /** In tokens; 0 when unknown. */
  readonly window?: number;
  /** Tokens of the window that are kept for the answer. */
  readonly reserve?: number;
  /** Tokens at which a compaction starts; null when tokens do not decide. */
  readonly trigger?: number | null;
  readonly requests?: readonly RequestFacts[];
}

/** Describes a request as a page: what fills it, what is new in it, then its tools and messages word for word. Pure. */
export function describeModelView(view: ModelView, given: ViewFacts, t: Translate): Page {
  const { title, facts = [], before = null, window = 0, requests = [] } = given;
  const { parts, tokens, exact } = view;
  const tools = parts.filter(({ role }) => role === 'tools');
  const messages = parts.filter(({ role }) => role !== 'tools');
  const change = before && compareViews(before, view);
  const said = messages.filter(({ item }) => item !== null && isSaid(item.message));
  const others = messages.length - said.length;
  const holds = [countMessages(said, t), countOthers(others, t), countTools(tools, t), formatCount(tokens)];
  const sentence =
    exact !== null
      ? t('The model was sent {0}, {1} and {2}: {3} tokens.', ...holds)
      : window > 0
        ? t('The model will be sent {0}, {1} and {2}: {3} of {4} tokens.', ...holds, formatCount(window))
        : t('The model will be sent {0}, {1} and {2}: {3} tokens.', ...holds);
  return {
    title,
    subtitle: sentence,
    blocks: [
      ...(view.kinds.length > 0 ? describeKinds(view, given, t) : []),
      ...(change ? describeChange(change, t) : []),
      ...facts.map((each) => text(each)),
      text(describeExactness(exact, t), exact === false ? 'warning' : 'quiet'),
      {
        kind: 'actions',
        actions: [
          { id: 'raw', label: t('Raw request') },
          ...(exact === null ? [] : [{ id: 'next', label: t('Show the next request') }]),
        ],
      },
      section(
        t('Messages, word for word'),
        messages.map((part, at) => foldPart(`part${at}`, part, change?.added.has(part) ?? false, t)),
      ),
      ...(tools.length > 0 ? [listTools(tools, t)] : []),
      ...(requests.length > 0 ? [listRequestsMade(requests, t)] : []),
    ],
  };
}

/** The meter of the panel, with the same names and figures. */
function describeKinds({ kinds, tokens }: ModelView, given: ViewFacts, t: Translate): PageBlock[] {
  const { window = 0, reserve = 0, trigger = null } = given;
  const whole = Math.max(window, tokens, 1);
  const shown = kinds.filter((kind) => kind.tokens > 0);
  const free = window - tokens - reserve;
  const row = (tone: PageTone, name: string, own: number): PageCell[] => [
    { text: name, tone },
    formatCount(own),
    formatShare(own, whole),
  ];
  return [
    {
      kind: 'meter',
      label:
        window > 0
          ? t('{0} of {1} tokens ({2})', formatCount(tokens), formatCount(window), formatShare(tokens, window))
          : t('{0} tokens', formatCount(tokens)),
      of: whole,
      bars: [{ name: '', parts: shown.map(({ name, tokens: value }) => ({ tone: name, value, label: '' })) }],
      marks: trigger === null ? [] : [{ at: trigger, label: t('Compaction starts at {0}', formatCount(trigger)) }],
    },
    table(
      t('Where the tokens are'),
      [column(t('What')), right(t('Tokens')), right(t('Share'))],
      [
        ...shown.map(({ name, tokens: own }) => row(name, inLanguage(PART_NAMES[name], t), own)),
        ...(free > 0 ? [row('free', t('Free'), free)] : []),
        ...(reserve > 0 && window > 0 ? [row('reserve', t('Kept for the answer'), reserve)] : []),
      ],
    ),
  ];
}

/** One sentence, and what is gone. */
function describeChange({ added, gone }: ModelViewChange, t: Translate): PageBlock[] {
  const figures = (parts: readonly ModelViewPart[]) => [countParts(parts, t), formatCount(sumTokens(parts))];
  const fresh = [...added];
  const said =
    fresh.length + gone.length === 0
      ? t('Nothing has changed since the request before it.')
      : gone.length === 0
        ? t('New since the request before it: {0}, {1} tokens. The rest is the same.', ...figures(fresh))
        : t(
            'New since the request before it: {0}, {1} tokens. Gone or changed: {2}, {3} tokens.',
            ...figures(fresh),
            ...figures(gone),
          );
  const title = t('Gone or changed since the request before it');
  return [
    text(said),
    ...(gone.length === 0
      ? []
      : [
          folded(
            'gone',
            title,
            gone.map((part, at) => foldPart(`gone${at}`, part, false, t)),
            formatCount(gone.length),
          ),
        ]),
  ];
}

const countMessages = ({ length }: readonly unknown[], t: Translate) =>
  length === 1 ? t('1 message') : t('{0} messages', formatCount(length));

/** The instructions, and what is no message to people: calls, results, reminders. */
const countOthers = (count: number, t: Translate) =>
  count === 1 ? t('1 other part') : t('{0} other parts', formatCount(count));

const countTools = ({ length }: readonly unknown[], t: Translate) =>
  length === 1 ? t('1 tool') : t('{0} tools', formatCount(length));

function foldPart(id: string, part: ModelViewPart, isNew: boolean, t: Translate): PageBlock {
  const { item, tokens, origin } = part;
  const facts = [
    t('{0} tokens', formatCount(tokens)),
    ...(isNew ? [t('new in this request')] : []),
    ...(item?.hidden ? [t('hidden before')] : []),
    ...(item?.pinned ? [t('pinned')] : []),
  ];
  return folded(
    id,
    namePart(part, t),
    [text(origin, 'quiet'), { kind: 'code', text: part.text }],
    [...facts, toCell(part.text, EXCERPT)].filter(Boolean).join(' · '),
  );
}

function namePart({ role, origin, item }: ModelViewPart, t: Translate): string {
  if (item) return nameItem(item, t);
  if (role === 'tools') return origin;
  return role === 'system' ? t('System prompt') : role === 'assistant' ? t('Answer') : t('Told to the model');
}

/** The largest first: a tool that nobody uses costs in each request. */
function listTools(tools: readonly ModelViewPart[], t: Translate): PageBlock {
  return folded(
    'tools',
    t('Tools'),
    [...tools]
      .sort((a, b) => b.tokens - a.tokens)
      .map(({ origin, tokens, text: said }, at) =>
        folded(
          `tool${at}`,
          origin,
          [{ kind: 'code', text: said }],
          `${t('{0} tokens', formatCount(tokens))} · ${toCell(describeTool(said), EXCERPT)}`,
        ),
      ),
    `${formatCount(tools.length)} · ${t('{0} tokens', formatCount(sumTokens(tools)))}`,
  );
}

/** A declaration is JSON of our own making; one from an MCP server has its text in it. */
function describeTool(declaration: string): string {
  const { description } = parseObject(declaration) ?? {};
  return asText(description);
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
        [
          column(t('Request')),
          column(t('When')),
          minor(right(t('Parts'))),
          minor(column(t('Model'))),
          column(t('Answers')),
        ],
        requests
          .toReversed()
          .slice(0, MOST_REQUESTS)
          .map(({ seq, title: name, when, messages, model, asked }) => [
            { text: name, act: `request ${seq}` },
            when,
            formatCount(messages),
            model,
            toCell(asked, LONGEST_QUESTION),
          ]),
      ),
    ],
    formatCount(requests.length),
  );
}

function describeExactness(exact: boolean | null, t: Translate): string {
  if (exact === null) return t('This is the request that would be made now. Nothing was sent.');
  if (exact) return t('The checksum taken when it was sent matches: this is what was sent.');
  return t(
    'The checksum taken when it was sent does not match what is rebuilt here: another version of Palimpsest sent it, or the session’s file was redacted or damaged.',
  );
}
