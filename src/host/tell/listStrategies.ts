/** The strategies with their names in the person's language. Contributed strategies bring their own words. */

import * as vscode from 'vscode';
import type { StrategyRegistry } from '../../core/compaction/run/registry.ts';
import type { ListedStrategy } from '../../core/compaction/run/strategyEntry.ts';

export function listStrategies(registry: StrategyRegistry): ListedStrategy[] {
  return registry.list().map((facts) => {
    const { id, label, description, publisher } = facts;
    return publisher === null
      ? { id, label: vscode.l10n.t(label), description: vscode.l10n.t(description), publisher }
      : facts;
  });
}
