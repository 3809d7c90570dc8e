/**
 * Requests as text, so that anybody can score them without this program. One line a request: a number is the index of an
 * unmodified recorded message, a name refers to a literal message that this or an earlier line of the file defines.
 */

import type { Literal, ModelCharge, Part } from './request.ts';
import type { RecordedMessage } from './session.ts';

export interface DumpedLiteral {
  /** The recorded message it replaces; absent for an inserted one. */
  readonly index?: number;
  /** Indices of hidden messages that its handles lead to; absent without handles. */
  readonly leadsTo?: readonly number[];
  readonly message: RecordedMessage;
}

export interface DumpedRequest {
  readonly step: number;
  readonly request: readonly (number | string)[];
  /** New names of this line. */
  readonly literals?: Readonly<Record<string, DumpedLiteral>>;
  /** Requests to a model since the previous line; absent without any. */
  readonly charge?: ModelCharge;
}

/** Writes the requests of one replay in order; names new literals. */
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
