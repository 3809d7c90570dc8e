/** Describes the item in the status bar. Pure. */

import { explainCosts, formatCosts } from '../../core/cost/formatMoney.ts';
import type { Spending } from '../../core/cost/spending.ts';
import { formatCount, formatShare } from '../../core/figures.ts';
import { inLanguage, type Translate } from '../../core/words.ts';
import type { Status } from './conversation.ts';

export interface StatusFacts {
  readonly status: Status;
  readonly title: string;
  readonly tokens: number;
  /** 0 when unknown. */
  readonly window: number;
  readonly spending: Spending;
}

interface StatusTexts {
  readonly text: string;
  /** One line each. */
  readonly tooltip: readonly string[];
  readonly waits: boolean;
}

export function describeStatus(facts: StatusFacts, t: Translate): StatusTexts {
  const { status, title, tokens, window, spending } = facts;
  const share = window > 0 ? formatShare(tokens, window) : formatCount(tokens);
  const costs = formatCosts(spending);
  const doing = {
    idle: '',
    running: t('The agent is working'),
    compacting: t('The context is being compacted'),
    waiting: t('The agent is waiting for your answer'),
  }[status];
  const icon = { idle: 'layers', running: 'loading~spin', compacting: 'fold', waiting: 'bell-dot' }[status];
  return {
    text: `$(${icon}) ${[share, costs].filter(Boolean).join(' · ')}`,
    tooltip: [
      `Palimpsest: ${title}`,
      doing,
      window > 0
        ? t('Context: {0} / {1} tokens', formatCount(tokens), formatCount(window))
        : t('Context: {0} tokens, window unknown', formatCount(tokens)),
      costs === '' ? '' : t('Cost of this session: {0}', inLanguage(explainCosts(spending), t)),
    ].filter(Boolean),
    waits: status === 'waiting',
  };
}
