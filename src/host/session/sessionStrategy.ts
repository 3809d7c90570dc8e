/** The compaction strategy in force, who chose it, and what a choice changes, in the person's language. */

import * as vscode from 'vscode';
import type { StrategyRegistry } from '../../core/compaction/hosting/registry.ts';
import type { CompactionSettings } from '../../core/compaction/settings/compactionSettings.ts';
import { DEFAULT_STRATEGY } from '../../core/compaction/strategies/builtIn.ts';
import { joinSentences } from '../../core/words.ts';
import type { ShownSession } from '../../node/session/shownSession.ts';
import type { PanelState } from '../../protocol/messages.ts';
import type { AgentCommands } from '../instructions/agentCommands.ts';
import { listStrategies } from '../notices/listStrategies.ts';
import { type SettingScope, scopeOf, type WatchedSettings } from '../settings.ts';

export interface SessionStrategyParts {
  readonly agents: Pick<AgentCommands, 'name' | 'nextStrategy'>;
  readonly registry: StrategyRegistry;
  readonly session: ShownSession;
  readonly settings: WatchedSettings;
}

/** Of the session on screen, or of the one that the next message creates. */
export function strategyInForce({ agents, session, settings }: SessionStrategyParts): CompactionSettings {
  if (session.conversation) return session.conversation.agent.compactionSettings();
  const chosen = session.nextStrategy;
  if (chosen) return { ...settings.compactionFor(chosen), chosenBy: { by: 'session' } };
  if (chosen === undefined && agents.nextStrategy)
    return { ...settings.compactionFor(agents.nextStrategy), chosenBy: { by: 'agent', file: agents.name } };
  return settings.current.compaction;
}

/** The settings that name the strategy with that id, and where they are written. */
export function settingsNaming(id: string, registry: StrategyRegistry) {
  const isBuiltIn = registry.list().find((it) => it.id === id)?.publisher === null;
  const values: readonly (readonly [key: string, value: string])[] = isBuiltIn
    ? [['compaction.strategy', id]]
    : [
        ['compaction.contributedStrategy', id],
        ['compaction.strategy', 'contributed'],
      ];
  return { values, scope: scopeOf(...values.map(([key]) => key)) };
}

export function nameScope(scope: SettingScope): string {
  return scope === 'user' ? vscode.l10n.t('user settings') : vscode.l10n.t('workspace settings');
}

export function describeStrategyChoice(parts: SessionStrategyParts): PanelState['strategyChoice'] {
  const { agents, registry, settings } = parts;
  const { strategy, chosenBy } = strategyInForce(parts);
  const strategies = listStrategies(registry);
  const labelOf = (id: string) => strategies.find((each) => each.id === id)?.label ?? id;
  const byDefault = labelOf(settings.current.compaction.strategy);
  const isKnown = strategies.some(({ id }) => id === strategy);
  const notes = [
    ...(isKnown
      ? []
      : [vscode.l10n.t('There is no strategy {0} here: {1} is used.', strategy, labelOf(DEFAULT_STRATEGY))]),
    describeChoice(chosenBy?.by, byDefault, agents.name),
  ];
  return {
    note: joinSentences(notes),
    forAll:
      chosenBy && isKnown
        ? vscode.l10n.t('Use for all sessions ({0})', nameScope(settingsNaming(strategy, registry).scope))
        : '',
    back: chosenBy ? vscode.l10n.t('Back to the default: {0}', byDefault) : '',
  };
}

function describeChoice(by: 'session' | 'agent' | undefined, byDefault: string, agent: string): string {
  switch (by) {
    case 'session':
      return vscode.l10n.t('Chosen for this session only. The default for all is {0}.', byDefault);
    case 'agent':
      return vscode.l10n.t('The agent {0} names it for this session. The default for all is {1}.', agent, byDefault);
    default:
      return vscode.l10n.t('This session follows the default. Another choice changes this session only.');
  }
}
