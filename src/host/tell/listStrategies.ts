/**
 * The strategies with their names in the person's language. Contributed strategies bring their own words; a person's own
 * file is named as theirs.
 */

import * as vscode from 'vscode';
import type { StrategyRegistry } from '../../core/compaction/run/registry.ts';
import type { ListedStrategy } from '../../core/compaction/run/strategyEntry.ts';
import { MODE_WORDS, MODES } from '../../core/instructions/modes.ts';
import { say } from './notify.ts';

export function listStrategies(registry: StrategyRegistry): ListedStrategy[] {
  return registry.list().map((facts) => {
    const { id, label, description, publisher, file } = facts;
    if (file !== undefined) return { ...facts, description: vscode.l10n.t('Yours, from {0}', file) };
    return publisher === null
      ? { id, label: vscode.l10n.t(label), description: vscode.l10n.t(description), publisher }
      : facts;
  });
}

/** The modes, as a person chooses among them. */
export function listModes() {
  return MODES.map((id) => ({
    id,
    label: say(MODE_WORDS[id].label),
    description: say(MODE_WORDS[id].description),
  }));
}
