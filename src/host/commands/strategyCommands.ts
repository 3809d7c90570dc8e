/** Choice of the compaction strategy, templates for a person's own, the lab that compares them, and the autopsy of a session. */

import * as vscode from 'vscode';
import type { ListedStrategy } from '../../core/compaction/strategies/strategyEntry.ts';
import { UserFacingError } from '../../core/errors.ts';
import { words } from '../../core/words.ts';
import type { Handlers } from '../handlers.ts';
import type { AutopsyParts } from '../lab/autopsyPage.ts';
import type { LabParts, StrategyLab } from '../lab/strategyLab.ts';
import { askForStrategy, listStrategies, queryParameters } from '../notices/listStrategies.ts';
import { showInformation } from '../notices/notify.ts';
import {
  describeStrategyChoice,
  nameScope,
  type SessionStrategyParts,
  settingsNaming,
  strategyInForce,
} from '../session/sessionStrategy.ts';
import { writeSettings } from '../settings.ts';
import { newStrategy } from '../strategyFiles/newStrategy.ts';
import { openSettings } from './editorCommands.ts';

type Parts = LabParts & AutopsyParts & SessionStrategyParts;

export class StrategyCommands implements vscode.Disposable {
  readonly #parts: Parts;
  /** Loaded on first use: most windows never open it. */
  #lab: StrategyLab | null = null;

  readonly handlers = {
    chooseStrategy: ({ strategy, forAll }) => this.#choose(strategy, forAll),
    newStrategy: () => newStrategy(this.#parts.registry.list().map(({ id }) => id)),
    openStrategyLab: async () => {
      const { StrategyLab: Lab } = await import('../lab/strategyLab.ts');
      this.#lab ??= new Lab(this.#parts, (id) => this.#useForAll(id));
      await this.#lab.open();
    },
    openAutopsy: async ({ sessionId }) => {
      const { openAutopsy } = await import('../lab/autopsyPage.ts');
      await openAutopsy(this.#parts, sessionId);
    },
  } satisfies Partial<Handlers>;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  dispose(): void {
    this.#lab?.dispose();
  }

  /** Asks unless named. */
  async #choose(given: string | undefined, forAll = false): Promise<void> {
    const inUse = strategyInForce(this.#parts).strategy;
    if (given !== undefined) return forAll ? this.#useForAll(given) : this.#use(given);
    const chosen = await askForStrategy(this.#parts.registry, inUse, describeStrategyChoice(this.#parts));
    switch (chosen?.kind) {
      case 'strategy':
        return this.#use(chosen.id);
      case 'back':
        return this.#use('');
      case 'forAll':
        return this.#useForAll(inUse);
      case 'parameters':
        await openSettings(queryParameters(inUse));
    }
  }

  /** In the session on screen, or in the next one. The setting's own, or none, lets the setting decide again. */
  async #use(id: string): Promise<void> {
    const { session, settings } = this.#parts;
    if (id !== '') this.#require(id);
    await session.setStrategy(id === '' || id === settings.current.compaction.strategy ? null : id);
  }

  /** Writes the setting, which the session on screen then follows. */
  async #useForAll(id: string): Promise<void> {
    const { registry, session } = this.#parts;
    const { label } = this.#require(id);
    const { values, scope } = settingsNaming(id, registry);
    await writeSettings(values, scope);
    if (!session.conversation?.journal.readOnly) await session.setStrategy(null);
    void showInformation(vscode.l10n.t('{0} is the default for all sessions now ({1}).', label, nameScope(scope)));
  }

  #require(id: string): ListedStrategy {
    const strategies = listStrategies(this.#parts.registry);
    const found = strategies.find((each) => each.id === id);
    if (found) return found;
    const known = strategies.map((each) => each.id).join(', ');
    throw new UserFacingError(words('There is no strategy {0}. There are: {1}.', id, known));
  }
}
