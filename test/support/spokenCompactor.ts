/** A compactor whose outcomes carry their reasons as English text, so that tests compare whole outcomes. */

import type { CompactorPorts } from '../../src/core/compaction/compactor.ts';
import { Compactor } from '../../src/core/compaction/compactor.ts';
import { inEnglish, type Words } from '../../src/core/words.ts';

type Spoken<T> = T extends { readonly reason: Words } ? Omit<T, 'reason'> & { readonly reason: string } : T;

/** The members of a part of it, with `Words` in what they resolve to read out. */
type SpokenPart<P> = {
  readonly [K in keyof P]: P[K] extends (...args: infer A) => Promise<infer T>
    ? (...args: A) => Promise<Spoken<T>>
    : P[K];
};

const PARTS = ['trigger', 'consent', 'handover'] as const;

export type SpokenCompactor = SpokenPart<Omit<Compactor, (typeof PARTS)[number]>> & {
  readonly [K in (typeof PARTS)[number]]: SpokenPart<Compactor[K]>;
};

export function createSpokenCompactor(ports: CompactorPorts): SpokenCompactor {
  const compactor = new Compactor(ports);
  const parts = PARTS.map((name) => [name, readOut(compactor[name])] as const);
  return readOut(compactor, Object.fromEntries(parts)) as unknown as SpokenCompactor;
}

function readOut<P extends object>(part: P, parts: Readonly<Record<string, unknown>> = {}): P {
  return new Proxy(part, {
    get(_, name) {
      if (typeof name === 'string' && Object.hasOwn(parts, name)) return parts[name];
      const member: unknown = Reflect.get(part, name, part);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        const made: unknown = member.apply(part, args);
        return made instanceof Promise ? made.then(speak) : made;
      };
    },
  });
}

function speak(outcome: unknown): unknown {
  if (typeof outcome !== 'object' || outcome === null || !('reason' in outcome)) return outcome;
  return { ...outcome, reason: inEnglish(outcome.reason as Words) };
}
