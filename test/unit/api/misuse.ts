/** Misuse of the exported API that must not compile: this file is only ever checked, never run. */

import { defineStrategy, type PalimpsestExports, type StrategyFactory } from '../../../src/api/index.ts';

type Result = ReturnType<ReturnType<StrategyFactory['create']>['compact']>;

export const undeclared: StrategyFactory<'llm'> = {
  needs: ['llm'],
  // @ts-expect-error a port that was not declared
  create: ({ log }) => ({ compact: async () => log && null }),
};

// @ts-expect-error an id for what is put in
export const inventsId = (): Result => Promise.resolve([{ role: 'user', kind: 'summary', text: 'x', id: 'mine' }]);

// @ts-expect-error a version this release does not have
export const otherVersion = (palimpsest: PalimpsestExports) => palimpsest.getAPI(2);

export const shortId = (palimpsest: PalimpsestExports, factory: StrategyFactory) =>
  // @ts-expect-error an id without its extension
  palimpsest.getAPI(1).registerCompactionStrategy('keep-tests', factory);

export const edits: StrategyFactory = {
  needs: [],
  create: () => ({
    compact: async ({ history }) => {
      const [first] = history;
      // @ts-expect-error history is read-only
      if (first) first.text = '';
      return history;
    },
  }),
};

/** The ports come from `needs`. */
export const derived: StrategyFactory<'log' | 'countTokens'> = defineStrategy({
  needs: ['log', 'countTokens'],
  create: ({ log, countTokens }) => ({
    compact: async ({ history }) => {
      log('info', String(countTokens(history[0]?.text ?? '')));
      return null;
    },
  }),
});

export const withoutPorts: StrategyFactory = defineStrategy({
  needs: [],
  create: () => ({ compact: async () => null, shouldCompact: ({ due }) => due || undefined }),
});

export const derivedUndeclared = defineStrategy({
  needs: ['log'],
  // @ts-expect-error a port that was not declared
  create: ({ llm }) => ({ compact: async () => llm && null }),
});

export const noPort = defineStrategy({
  // @ts-expect-error no port of that name
  needs: ['files'],
  create: () => ({ compact: async () => null }),
});

export const lateAnswer = defineStrategy({
  needs: [],
  // @ts-expect-error whether it is time is answered at once
  create: () => ({ compact: async () => null, shouldCompact: async () => true }),
});
