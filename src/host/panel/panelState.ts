/** Everything of the panel but the rows, from what is open and what is set. Pure. */

import type { Compactor } from '../../core/compaction/compactor.ts';
import type { StrategyFacts } from '../../core/compaction/run/strategyEntry.ts';
import type { CompactionSettings } from '../../core/compaction/settings.ts';
import { triggerLimit } from '../../core/compaction/when/triggers.ts';
import type { Journal } from '../../core/journal/journal.ts';
import { splitIntoParts } from '../../core/tokens/meter.ts';
import type { Choice, Meter, PanelState } from '../../protocol/messages.ts';
import type { Conversation } from '../session/conversation.ts';

export interface PanelFacts {
  readonly conversation: Conversation | null;
  /** Id of the model in force: the session's, or the one a new session would get. */
  readonly model: string;
  readonly models: readonly Choice[];
  /** The model in force is a script. */
  readonly scripted: boolean;
  readonly modelReady: boolean;
  /** Context window of that model. */
  readonly window: number;
  readonly compaction: CompactionSettings;
  readonly strategies: readonly StrategyFacts[];
  readonly folderOpen: boolean;
  readonly trusted: boolean;
  /** Of earlier file contents that checkpoints keep. */
  readonly quota: { readonly bytes: number; readonly limit: number };
}

export function describePanel(facts: PanelFacts): PanelState {
  const { conversation, model, strategies } = facts;
  const consent = conversation?.consent.pending ?? null;
  return {
    sessionId: conversation?.id ?? '',
    title: conversation ? titleOf(conversation.journal) : '',
    status: conversation?.status ?? 'idle',
    activity: conversation?.activity ?? '',
    meter: conversation
      ? readMeterOf(conversation.journal, conversation.compactor, facts.compaction)
      : emptyMeter(facts.window, facts.compaction),
    strategy: facts.compaction.strategy,
    strategies: strategies.map(({ id, label, description, publisher }) => ({
      id,
      label,
      description: publisher ? `${description} (${publisher})` : description,
    })),
    model,
    models: [...facts.models],
    demo: facts.scripted,
    readOnly: conversation?.journal.readOnly?.message ?? '',
    canTakeOver: conversation?.journal.readOnly?.kind === 'locked',
    checkpoints: { bytes: facts.quota.bytes, limit: facts.quota.limit },
    consent: consent && {
      id: consent.id,
      strategyLabel: strategies.find(({ id }) => id === consent.strategy)?.label ?? consent.strategy,
      tokens: consent.tokens,
      window: consent.window,
    },
    modelReady: facts.modelReady,
    folderOpen: facts.folderOpen,
    trusted: facts.trusted,
  };
}

/** As in the session list: the given title, else the first line a person wrote. */
function titleOf(journal: Journal): string {
  if (journal.title) return journal.title;
  for (const entry of journal.oldest()) {
    if (entry.type !== 'message' || entry.message.role !== 'user' || entry.message.kind !== 'user') continue;
    return entry.message.text.trim().split('\n', 1)[0]?.slice(0, 80) ?? '';
  }
  return '';
}

function readMeterOf({ context }: Journal, { reading, window }: Compactor, settings: CompactionSettings): Meter {
  const { tokens, reported } = reading;
  return {
    tokens,
    window,
    auto: settings.auto,
    trigger: settings.auto ? triggerLimit(settings.trigger, window) : null,
    parts: splitIntoParts(context, reading).map((part) => ({ ...part })),
    cacheHit: reported?.input ? reported.cached / reported.input : null,
  };
}

function emptyMeter(window: number, settings: CompactionSettings): Meter {
  return {
    tokens: 0,
    window,
    auto: settings.auto,
    trigger: settings.auto ? triggerLimit(settings.trigger, window) : null,
    parts: [],
    cacheHit: null,
  };
}
