/** A compactor whose outcomes carry their reasons as English text, so that tests compare whole outcomes. */

import { Compactor } from '../../src/core/compaction/compactor.ts';
import type { CompactorPorts } from '../../src/core/compaction/compactorPorts.ts';
import { inEnglish, type Words } from '../../src/core/words.ts';

type Spoken<T> = T extends { readonly reason: Words } ? Omit<T, 'reason'> & { readonly reason: string } : T;

/** The compactor's own members, with `Words` in what they resolve to read out. */
export type SpokenCompactor = {
  readonly [K in keyof Compactor]: Compactor[K] extends (...args: infer A) => Promise<infer T>
    ? (...args: A) => Promise<Spoken<T>>
    : Compactor[K];
};

export function createSpokenCompactor(ports: CompactorPorts): SpokenCompactor {
  return new Proxy(new Compactor(ports), {
    get(compactor, name) {
      const member: unknown = Reflect.get(compactor, name, compactor);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        const made: unknown = member.apply(compactor, args);
        return made instanceof Promise ? made.then(speak) : made;
      };
    },
  }) as unknown as SpokenCompactor;
}

function speak(outcome: unknown): unknown {
  if (typeof outcome !== 'object' || outcome === null || !('reason' in outcome)) return outcome;
  return { ...outcome, reason: inEnglish(outcome.reason as Words) };
}
