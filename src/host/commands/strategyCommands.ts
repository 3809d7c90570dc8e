/** Choice of the compaction strategy, templates for a person's own, the lab that compares them, and the autopsy of a session. */

import type * as vscode from 'vscode';
import type { ShownSession } from '../../node/session/shownSession.ts';
import type { Handlers } from '../handlers.ts';
import type { AutopsyParts } from '../lab/autopsyPage.ts';
import type { LabParts, StrategyLab } from '../lab/strategyLab.ts';
import { askForStrategy, queryParameters } from '../notices/listStrategies.ts';
import type { WatchedSettings } from '../settings.ts';
import { writeSettings } from '../settings.ts';
import { newStrategy } from '../strategyFiles/newStrategy.ts';
import { openSettings } from './editorCommands.ts';

interface Parts extends LabParts, AutopsyParts {
  readonly session: ShownSession;
  readonly settings: WatchedSettings;
}

export class StrategyCommands implements vscode.Disposable {
  readonly #parts: Parts;
  /** Loaded on first use: most windows never open it. */
  #lab: StrategyLab | null = null;

  readonly handlers = {
    chooseStrategy: ({ strategy }) => this.#choose(strategy),
    newStrategy: () => newStrategy(this.#parts.registry.list().map(({ id }) => id)),
    openStrategyLab: async () => {
      const { StrategyLab: Lab } = await import('../lab/strategyLab.ts');
      this.#lab ??= new Lab(this.#parts, (id) => this.#use(id));
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

  async #choose(given: string | undefined): Promise<void> {
    const { session, settings, registry } = this.#parts;
    const inUse = (session.conversation?.agent.compactionSettings() ?? settings.current.compaction).strategy;
    const chosen = given ?? (await askForStrategy(registry, inUse));
    if (chosen === null) await openSettings(queryParameters(inUse));
    else if (chosen !== undefined) await this.#use(chosen);
  }

  async #use(id: string): Promise<void> {
    // The person's choice overrides the agent's file.
    const { conversation } = this.#parts.session;
    const agent = conversation?.agent.chosenAgent;
    if (agent?.strategy) conversation?.requireMovable();
    const contributed = this.#parts.registry.list().find((it) => it.id === id)?.publisher != null;
    await writeSettings(
      contributed
        ? [
            ['compaction.contributedStrategy', id],
            ['compaction.strategy', 'contributed'],
          ]
        : [['compaction.strategy', id]],
    );
    if (conversation && agent?.strategy)
      await conversation.change(() => conversation.agent.chooseAgent({ ...agent, strategy: '' }));
  }
}
