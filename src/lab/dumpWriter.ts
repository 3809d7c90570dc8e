/**
 * Requests as text, so that anybody can score them without this program. One line a request: a number is the index of an
 * unmodified recorded message, a name stands for a literal message that this line or an earlier one of the file defines.
 */

import type { Literal, ModelCharge, Part } from './request.ts';
import type { RecordedMessage } from './session.ts';

export interface DumpedLiteral {
  /** The recorded message it stands for; absent for an inserted one. */
  readonly index?: number;
  /** Indices of hidden messages that a handle in it leads to; absent when there are none. */
  readonly leadsTo?: readonly number[];
  readonly message: RecordedMessage;
}

export interface DumpedRequest {
  readonly step: number;
  readonly request: readonly (number | string)[];
  /** New names of this line. */
  readonly literals?: Readonly<Record<string, DumpedLiteral>>;
  /** What the strategy asked a model for since the line before; absent when it asked for nothing. */
  readonly charge?: ModelCharge;
}

/** Writes the requests of one replay in order; names literals as it meets them. */
export class DumpWriter {
  readonly #names = new Map<Literal, string>();

  /** One line, without line break. */
  line(step: number, parts: readonly Part[], charge?: ModelCharge): string {
    const literals: Record<string, DumpedLiteral> = {};
    const request = parts.map((part) => {
      if (typeof part === 'number') return part;
      let name = this.#names.get(part);
      if (name === undefined) {
        name = `L${this.#names.size}`;
        this.#names.set(part, name);
        literals[name] = {
          ...(part.index === null ? {} : { index: part.index }),
          ...(part.leadsTo.length ? { leadsTo: part.leadsTo } : {}),
          message: part.message,
        };
      }
      return name;
    });
    const dumped: DumpedRequest = {
      step,
      request,
      ...(Object.keys(literals).length ? { literals } : {}),
      ...(charge ? { charge } : {}),
    };
    return JSON.stringify(dumped);
  }
}
