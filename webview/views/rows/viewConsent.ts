/** Asks before a compaction, with what comes of each answer. */

import { t } from '@vscode/l10n';
import { html } from 'lit';
import { formatMoney } from '../../../src/core/cost/formatMoney.ts';
import { formatCount } from '../../../src/core/figures.ts';
import type { PanelState, ToHost } from '../../../src/protocol/messages.ts';
import { answerOnce } from '../../page/caret.ts';
import { formatBoth, formatTokens, listFates } from '../../page/format.ts';
import type { Panel } from '../../page/panel.ts';
import { isFull } from '../viewMeter.ts';
import { type Card, type CardAnswer, viewAnswers, viewCard } from './viewCard.ts';

type Consent = NonNullable<PanelState['consent']>;

type ConsentAnswer = Extract<ToHost, { type: 'consent' }>['answer'];

export function viewConsent(panel: Panel, consent: Consent): unknown {
  const [used, window] = [formatTokens(consent.tokens), formatTokens(consent.window)];
  const text = consent.ownCount
    ? t('{0} of {1} tokens are used, by this strategy’s own count.', used, window)
    : t('{0} of {1} tokens are used.', used, window);
  const { id, messages } = consent;
  const reason =
    messages === null ? '' : t('The context has {0} messages and results, as many as you set.', formatCount(messages));
  const instead =
    consent.insteadOf === ''
      ? ''
      : t(
          'You did not allow the strategy {0}. {1} would compact in its place.',
          consent.insteadOf,
          consent.strategyLabel,
        );
  const large = consent.summary === null ? '' : describeLarge(consent.summary);
  const name = t('Compact the context now?');
  const card: Card = { asks: id, name, kind: 'row consent', answers: listWays(panel, consent) };
  return viewCard(
    panel,
    card,
    html`
      <h2><span class="codicon codicon-fold" aria-hidden="true"></span>${name}</h2>
      ${instead && html`<p>${instead}</p>`} ${reason && html`<p>${reason}</p>`}
      <p>${text}</p>
      ${large && html`<p>${large}</p>`}
      ${viewAnswers(panel, card)}
    `,
  );
}

function describeLarge({ requests, tokens, cost }: NonNullable<Consent['summary']>): string {
  if (requests === 0) return t('No model is asked for it, so that it costs nothing.');
  const read = formatTokens(tokens);
  if (requests === 1)
    return cost
      ? t('The summary takes one request, which reads {0} tokens and costs about {1}.', read, formatMoney(cost))
      : t('The summary takes one request, which reads {0} tokens. Its cost is unknown.', read);
  return cost
    ? t(
        'The summary takes about {0} requests, which read {1} tokens in all and cost about {2}.',
        formatCount(requests),
        read,
        formatMoney(cost),
      )
    : t('The summary takes about {0} requests, which read {1} tokens in all.', formatCount(requests), read);
}

function listWays(panel: Panel, consent: Consent): CardAnswer[] {
  const { id, strategyLabel, tokens, compact, dropOldest, summary, byHand } = consent;
  const change = (after: number) => t('{0} → {1}', ...formatBoth(tokens, after));
  const give = (answer: ConsentAnswer) => () => answerOnce(panel, id, { type: 'consent', consentId: id, answer });
  const newSession: CardAnswer = {
    name: 'newSession',
    key: 's',
    label: t('New session'),
    outcome: t('It begins with your message. This session stays in the history.'),
    give: give('newSession'),
  };
  const drop = ({ tokens: after, fates }: NonNullable<Consent['dropOldest']>): CardAnswer => {
    const outcome = t('{0}: {1}, without a summary', change(after), listFates(fates).join(', '));
    return {
      name: 'dropOldest',
      key: 'd',
      label: t('Drop oldest…'),
      outcome,
      give: give('dropOldest'),
      confirm: { question: t('Drop the oldest messages?'), scope: outcome, yes: t('Drop oldest') },
    };
  };
  const preview: CardAnswer = {
    name: 'preview',
    key: 'p',
    label: t('Preview…'),
    outcome: '',
    give: () => panel.post({ type: 'previewConsent', consentId: id }),
  };
  return [
    {
      name: 'compact',
      key: 'y',
      label: t('Compact'),
      outcome: compact
        ? [t('{0}: {1}', strategyLabel, change(compact.tokens)), ...listFates(compact.fates)].join(' · ')
        : summary
          ? t('{0}: the summary is made by these requests. It can be undone.', strategyLabel)
          : t('{0}: a preview shows what would be left. It can be undone.', strategyLabel),
      give: give('compact'),
    },
    ...(dropOldest ? [drop(dropOldest)] : []),
    // Without a message there is nothing to begin it with.
    ...(byHand ? [] : [newSession]),
    {
      name: 'notNow',
      key: 'n',
      label: t('Not now'),
      outcome: byHand
        ? panel.state?.meter.auto && isFull(panel.state.meter)
          ? t('Nothing changes now. The next message compacts it, as your settings say.')
          : t('Nothing changes.')
        : t('You will be asked again once the context has grown.'),
      give: give('notNow'),
    },
    // A preview would take them too.
    ...(summary === null || summary.requests === 0 ? [preview] : []),
  ];
}
