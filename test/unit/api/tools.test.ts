import { describe, expect, expectTypeOf, it } from 'vitest';
import type * as z from 'zod';
import { declareTools } from '../../../scripts/api/declareTools.ts';
import { BUILT_IN_TOOLS, offerTools, TOOLS } from '../../../src/core/tools/toolList.ts';
import type { BuiltInToolArguments } from '../../fixtures/palimpsest-api-1.d.ts';
import { createMemoryGit } from '../../support/ports/memoryGit.ts';
import { createMemoryLanguage } from '../../support/ports/memoryLanguage.ts';
import { createMemoryWeb } from '../../support/ports/memoryWeb.ts';
import { NO_BACKGROUND } from '../../support/ports/noBackground.ts';

/** Two types of arguments become equal when the same ones are needed and have the same types. */
type Plain<T> = { -readonly [K in keyof T]: Whole<Exclude<T[K], undefined>> };
type Whole<T> = T extends readonly (infer Item)[]
  ? Whole<Item>[]
  : T extends object
    ? { -readonly [K in keyof T]-?: Whole<NonNullable<T[K]>> }
    : T;

/** What a schema takes; of one that first mends what it is given, what it mends it to. */
type Given<S> = S extends { readonly out: infer Mended } ? z.input<Mended> : z.input<S>;

type Published = { -readonly [N in keyof BuiltInToolArguments]: Plain<BuiltInToolArguments[N]> };
type BuiltInTool = (typeof BUILT_IN_TOOLS)[number];

const NOBODY = { ask: async () => ({ kind: 'refuse', reason: '' }) as const };

describe('the tools as other extensions see them', () => {
  it('their names are those that a model is told, in that order', { tags: ['B7'] }, () => {
    const settings = {
      recall: { tokensPerTurn: 1 },
      agentTool: true,
      dmail: true,
      subagents: true,
      skills: true,
      reports: true,
    };
    expect(
      offerTools(TOOLS, 'trusted', settings, {
        language: createMemoryLanguage(),
        git: createMemoryGit(),
        background: NO_BACKGROUND,
        questions: NOBODY,
        web: createMemoryWeb(),
      }),
    ).toEqual(BUILT_IN_TOOLS);
  });

  it('the types of their arguments are those of the tools', { tags: ['B7'] }, () => {
    expectTypeOf<Published>().toEqualTypeOf<{
      [T in BuiltInTool as T['name']]: Plain<Given<T['input']>>;
    }>();
  });

  it('a tool is declared from its schema', { tags: ['B7'] }, () => {
    expect(declareTools()).toContain(`    readonly write_todos: {
        /** The whole list in order; it replaces the earlier one. */
        readonly todos: readonly {
            /** What is to be done, in one line. */
            readonly text: string;
            readonly state: 'open' | 'doing' | 'done';
        }[];
    };
`);
  });
});
