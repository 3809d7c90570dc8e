/** The context meter: a bar of the window's content, the mark where compaction starts, and the numbers on request. */

import { t } from '@vscode/l10n';
import { html, nothing, svg, type TemplateResult } from 'lit';
import { explainCosts, formatCosts, formatMoney } from '../../src/core/cost/formatMoney.ts';
import { formatCount } from '../../src/core/figures.ts';
import { PART_NAMES } from '../../src/core/tokens/partNames.ts';
import type { Meter, PanelState, ToHost } from '../../src/protocol/messages.ts';
import { formatBytes, formatPercent, formatShare, formatTokens, formatWhen, inPanelLanguage } from '../page/format.ts';
import type { Panel } from '../page/panel.ts';
import { viewPart } from './viewPart.ts';

export function viewMeter(panel: Panel, { meter, costs, demo }: PanelState): TemplateResult {
  const used = formatTokens(meter.tokens);
  const size =
    meter.window > 0
      ? t('Context: {0} / {1} tokens', used, formatTokens(meter.window))
      : t('Context: {0} tokens, window unknown', used);
  const cost = describeCosts(costs, demo);
  const sums = formatCosts(costs);
  const shown = [describeUse(meter), sums].filter(Boolean).join(' · ');
  // The name begins with the visible text, for people who use voice control.
  const label = sums === '' ? size : t('Context: {0}. {1}', shown, cost);
  const full = isFull(meter);
  return html`
    <button
      type="button"
      class="meter ${full ? 'full' : ''}"
      title=${[label, describeWindow(meter)].filter(Boolean).join('\n')}
      aria-label=${label}
      aria-haspopup="dialog"
      aria-expanded=${panel.popovers.open === 'meter'}
      @click=${() => panel.popovers.show('meter')}
    >
      ${viewBar(meter)}
      <span class="meter-numbers">${shown}</span>
    </button>
    ${panel.popovers.open === 'meter' ? viewBreakdown(panel, meter, size, cost) : nothing}
    ${viewFixed(meter)}
  `;
}

/** Stands as long as it is true, because nothing that runs by itself changes it. */
const viewFixed = ({ fixed }: Meter) =>
  fixed === ''
    ? nothing
    : html`<p class="meter-fixed" role="status">
        <span class="codicon codicon-warning" aria-hidden="true"></span><span>${fixed}</span>
      </p>`;

/** Empty for the demo, which is free, and before the first request. */
function describeCosts(costs: PanelState['costs'], demo: boolean): string {
  const sums = inPanelLanguage(explainCosts(costs));
  if (sums !== '') return t('This session has cost {0}', sums);
  return demo || costs.unknown === 0 ? '' : t('No price is known for the models of this session');
}

/** True where a compaction is due before the next request. */
export function isFull({ tokens, trigger, counted, messages }: Meter): boolean {
  const byTokens = counted ? counted.tokens >= counted.limit : trigger !== null && tokens >= trigger;
  if (!messages) return byTokens;
  const byMessages = messages.now >= messages.limit;
  return messages.together ? byTokens && byMessages : byTokens || byMessages;
}

/** Empty before there is a model. */
function describeUse({ tokens, window }: Meter): string {
  if (window > 0) return `${formatTokens(tokens)} / ${formatTokens(window)}`;
  return tokens > 0 ? `${formatTokens(tokens)} / ?` : '';
}

function viewBar(meter: Meter): TemplateResult {
  const whole = Math.max(meter.window || meter.tokens, 1);
  const share = (tokens: number) => Math.min((tokens / whole) * 100, 100);
  let x = 0;
  // Without a window the share is unknown.
  const known = meter.window > 0 ? meter.parts : [];
  const parts = known.map(({ name, tokens }) => {
    const width = Math.min(share(tokens), 100 - x);
    const part = viewPart(name, x, width);
    x += width;
    return part;
  });
  const reserve =
    meter.window > 0 && meter.reserve > 0
      ? viewPart('reserve', 100 - share(meter.reserve), share(meter.reserve))
      : nothing;
  const trigger =
    meter.trigger !== null && meter.window > 0
      ? svg`<rect class="trigger" x="${share(meter.trigger)}%" y="0" width="2" height="100%"></rect>`
      : nothing;
  return html`<svg class="bar" aria-hidden="true">
    <rect class="free" width="100%" height="100%"></rect>${reserve}${parts}${trigger}
  </svg>`;
}

function viewBreakdown(panel: Panel, meter: Meter, label: string, cost: string): TemplateResult {
  const { estimated } = meter;
  const shown = meter.parts.filter(({ tokens }) => tokens > 0);
  const whole = Math.max(meter.window || meter.tokens, 1);
  const line = (name: string, text: string, tokens: number) => html`
    <tr>
      <th scope="row"><span class="swatch ${name}" aria-hidden="true"></span>${text}</th>
      <td>${formatTokens(tokens)}</td>
      <td>${formatShare(tokens, whole)}</td>
    </tr>
  `;
  const free = meter.window - meter.tokens - meter.reserve;
  const idle = panel.state?.status === 'idle' && panel.state.sessionId !== '';
  const action = (text: string, request: ToHost, usable: boolean) => html`
    <button
      type="button"
      class="text-button"
      ?disabled=${!usable}
      @click=${() => panel.popovers.leave(request)}
    >${text}</button>
  `;
  return html`
    <div class="popover below breakdown" role="dialog" aria-label=${label}>
      <p class="popover-title">${label}</p>
      <table>
        <tbody>
          ${shown.map(({ name, tokens }) => line(name, inPanelLanguage(PART_NAMES[name]), tokens))}
          ${free > 0 ? line('free', t('Free'), free) : nothing}
          ${meter.reserve > 0 ? line('reserve', t('Kept for the answer'), meter.reserve) : nothing}
        </tbody>
      </table>
      ${viewFact('server', describeWindow(meter))}
      <p class="fact">
        <span class="swatch trigger" aria-hidden="true"></span>
        ${describeTrigger(meter)}
      </p>
      ${viewFact('watch', describeCache(meter, Date.now()), 'cache')}
      ${viewFact('credit-card', cost)}
      ${viewFact('info', estimated ? t('Estimated: the provider has reported no token count that can be true for this context') : '')}
      ${viewFact('bookmark', describeKept(panel))}
      <div class="popover-actions">
        ${action(t('Compact now'), { type: 'compact', instructions: '' }, idle)}
        ${action(t('Preview…'), { type: 'previewCompaction' }, idle)}
        ${action(t('What the model sees…'), { type: 'showModelView' }, panel.state?.sessionId !== '')}
        ${action(t('Timeline…'), { type: 'showContextTimeline' }, panel.state?.sessionId !== '')}
      </div>
    </div>
  `;
}

function viewFact(icon: string, text: string, kind = ''): TemplateResult | typeof nothing {
  return text === ''
    ? nothing
    : html`<p class="fact ${kind}"><span class="codicon codicon-${icon}" aria-hidden="true"></span>${text}</p>`;
}

/** Gives the end time rather than a countdown, so that it stays true while visible. */
function describeCache({ cache, cacheHit }: Meter, now: number): string {
  const hit =
    cacheHit === null ? '' : t('{0} of the last request came from the provider’s cache', formatPercent(100 * cacheHit));
  if (!cache) return hit;
  return [describeCacheLife(cache, now), hit, describeNext(cache)].filter(Boolean).join(' · ');
}

function describeNext({ warm, cold }: NonNullable<Meter['cache']>): string {
  if (cold === null) return '';
  return warm
    ? t('next message about {0} cached, {1} not', formatMoney(warm), formatMoney(cold))
    : t('next message about {0}', formatMoney(cold));
}

function describeCacheLife({ says, usedAt, livesMs, held }: NonNullable<Meter['cache']>, now: number): string {
  if (says === 'none') return t('No cache: this endpoint has not reported one in this session');
  if (says === 'unknown' || usedAt === null) return t('No cache reported yet; prices go by what is known of the model');
  if (held === 0) return t('The context has changed since the cache was used');
  const used = formatWhen(usedAt, now);
  if (livesMs === null) return t('Cache last used at {0}; how long it lives is not published', used);
  const [ends, minutes] = [formatWhen(usedAt + livesMs, now), Math.round(livesMs / 60_000)];
  return now <= usedAt + livesMs
    ? t('Cached until {0}, {1} min after its last use', ends, formatCount(minutes))
    : t('The cache was last used at {0} and expires after {1} min', used, formatCount(minutes));
}

/** The source of its number. Empty where the model's own client defines it, like the demo's. */
function describeWindow({ window, windowFrom }: Meter): string {
  const size = formatTokens(window);
  if (window === 0) return '';
  switch (windowFrom) {
    case 'settings':
      return t('The window of {0} is the one in your settings', size);
    case 'server':
      return t('The window of {0} is what the server says it holds', size);
    case 'table':
      return t('The window of {0} is from the table of known models', size);
    case 'learnt':
      return t(
        'The window of {0} was learned: the server refused or cut anything longer. Choose Model… can forget it',
        size,
      );
    case 'default':
      return t('The window of {0} is assumed: the server does not say what it holds', size);
    case 'client':
      return '';
  }
}

function describeTrigger({ auto, trigger, counted, messages, rule }: Meter): string {
  if (!auto) return t('Automatic compaction is off');
  return [
    describeTokens(trigger, counted, messages),
    messages && trigger !== null && describeMessages(messages),
    rule && t('Set for {0}', rule),
  ]
    .filter(Boolean)
    .join(' · ');
}

function describeTokens(trigger: Meter['trigger'], counted: Meter['counted'], messages: Meter['messages']): string {
  if (counted) {
    const [now, limit] = [formatTokens(counted.tokens), formatTokens(counted.limit)];
    return t('Compaction starts at {1} by this strategy’s own count, which is {0} now', now, limit);
  }
  if (trigger !== null) return t('Compaction starts at {0}', formatTokens(trigger));
  return messages
    ? t(
        'Compaction starts at {0} messages and results; there are {1} now',
        formatCount(messages.limit),
        formatCount(messages.now),
      )
    : t('Compaction starts when a request is refused as too long');
}

function describeMessages({ now, limit, together }: NonNullable<Meter['messages']>): string {
  return together
    ? t('Only with at least {0} messages and results; there are {1} now', formatCount(limit), formatCount(now))
    : t('Also at {0} messages and results; there are {1} now', formatCount(limit), formatCount(now));
}

/** Disk space used by checkpoints, and their limit. */
function describeKept(panel: Panel): string {
  const { bytes, limit } = panel.state?.checkpoints ?? { bytes: 0, limit: 0 };
  return bytes === 0
    ? ''
    : t('Checkpoints keep {0} of earlier file contents, at most {1}', formatBytes(bytes), formatBytes(limit));
}
