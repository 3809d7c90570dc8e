/** The limit of what a turn may cost, beside the one of its requests. What nobody has a price for is said, not guessed. */

import { formatCosts, formatMoney } from '../cost/formatMoney.ts';
import { type Spending, spentSince } from '../cost/spending.ts';
import type { NoteEntry } from '../journal/entry.ts';
import { noteOf } from '../journal/noteOf.ts';
import { DEMO } from '../ports.ts';
import { type Words, words } from '../words.ts';
import type { TurnPorts } from './turn.ts';

export class CostLimit {
  readonly #ports: TurnPorts;
  readonly #before: Spending;
  #told = false;

  /** Counts from now on: summaries that the turn makes are part of it. */
  constructor(ports: TurnPorts) {
    this.#ports = ports;
    this.#before = ports.journal.spending;
  }

  /** Why the turn pauses; null while it may go on. Each currency has the whole limit to itself. */
  async reached(): Promise<Words | null> {
    const { journal, settings } = this.#ports;
    const { costLimit } = settings();
    if (costLimit === 0) return null;
    const spent = spentSince(this.#before, journal.spending);
    if (spent.unknown > 0) await this.#tellUnknown();
    const over = spent.known.find(({ amount }) => amount >= costLimit);
    if (!over) return null;
    const limit = formatMoney({ ...over, amount: costLimit });
    return words('The turn has cost {0}; its limit is {1}. Continue, or send a message.', formatCosts(spent), limit);
  }

  /** Once in a session for each model: a limit that does not hold must not look as if it did. */
  async #tellUnknown(): Promise<void> {
    if (this.#told) return;
    this.#told = true;
    const { journal, model } = this.#ports;
    const name = model().model;
    if (model().price || name === DEMO) return;
    const said = words(
      'The cost limit cannot be checked: the price of {0} is unknown. Set it in the settings of its endpoint.',
      name,
    );
    const isSame = (note: NoteEntry) => JSON.stringify(note.words) === JSON.stringify(said);
    for (const note of journal.ofType('note')) if (isSame(note)) return;
    await journal.append(noteOf('warning', said, { action: 'openSettings' }));
  }
}
