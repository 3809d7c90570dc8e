/**
 * Answers the commands of the table and the requests of the panel. Each part provides the handlers of its own domain;
 * the product combines them, and the compiler reports missing ones.
 */

import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { CommandArguments, HostCommand, RegisteredCommand } from '../protocol/commands.ts';
import type { CommandRequest, ToHost } from '../protocol/messages.ts';
import { showFault } from './notices/notify.ts';

/** The panel's own page answers the others. */
export type PanelRequest = Exclude<ToHost, { type: 'ready' | 'gone' | 'loadRows' | 'keep' | 'focused' }>;
type PlainRequest = Exclude<PanelRequest, CommandRequest>;

/** Each rejects with a text for the person. */
export type Handlers = {
  /** `asked`: the panel's arguments. `given`: the arguments from the editor or another extension. */
  readonly [Name in HostCommand]: (asked: CommandArguments, ...given: unknown[]) => unknown;
} & {
  readonly [Type in PlainRequest['type']]: (request: Extract<PlainRequest, { type: Type }>) => unknown;
};

export class Dispatch {
  readonly #handlers: Handlers;
  readonly #log: Log;
  /**
   * Settles with the newest choice of a model, strategy or agent, so that a message sent right afterwards waits for it.
   */
  #chosen: Promise<unknown> = Promise.resolve();

  constructor(handlers: Handlers, log: Log) {
    this.#handlers = handlers;
    this.#log = log;
  }

  /** Rejects with a text for the person. */
  async answer(request: PanelRequest): Promise<void> {
    if (request.type === 'send') await this.#chosen;
    const handle = this.#handlers[request.type] as (request: PanelRequest) => unknown;
    const answered = (async () => handle(request))();
    if (isChoice(request)) this.#chosen = Promise.allSettled([answered]);
    await answered;
  }

  /**
   * Called from a menu, a key or the palette. Errors are shown as notifications: VS Code itself would show a dialog.
   */
  async run(name: RegisteredCommand, given: readonly unknown[]): Promise<void> {
    try {
      await this.#handlers[name]({}, ...given);
    } catch (thrown) {
      this.#log('warn', `${name}: ${messageOf(thrown)}`);
      void showFault(thrown, () => this.run(name, given));
    }
  }
}

/** True when a model, strategy or agent was named. An open list of them holds no message back. */
function isChoice(request: PanelRequest): boolean {
  const { model, strategy, agent, mode } = request as CommandArguments;
  return request.type === 'useDemo' || [model, strategy, agent, mode].some((named) => named !== undefined);
}
