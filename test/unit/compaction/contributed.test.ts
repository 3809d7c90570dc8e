import { describe, expect, it } from 'vitest';
import { readDeclarations } from '../../../src/core/compaction/hosting/contributed.ts';
import { StrategyRegistry } from '../../../src/core/compaction/hosting/registry.ts';
import type { CompactionSignal } from '../../../src/core/compaction/signals/compactionSignal.ts';
import { publicEventOf } from '../../../src/core/compaction/signals/publicEvents.ts';
import { words } from '../../../src/core/words.ts';

const manifest = (compactionStrategies: unknown, properties: object = {}) => ({
  contributes: { palimpsest: { compactionStrategies }, configuration: { properties } },
});

describe('a manifest', () => {
  it('declares strategies with a section of its own settings only', { tags: ['B7'] }, () => {
    const properties = { 'acme.words': {}, 'acme.rounds': {}, 'other.key': {} };
    const given = [{ name: 'digest', label: 'Digest', description: 'Short.', settings: 'acme' }];
    expect(readDeclarations('acme.digest', manifest(given, properties))).toEqual({
      strategies: [
        {
          id: 'acme.digest/digest',
          label: 'Digest',
          description: 'Short.',
          extension: 'acme.digest',
          publisher: 'acme',
          section: 'acme',
          keys: ['acme.words', 'acme.rounds'],
        },
      ],
      problems: [],
    });
  });

  it.each([
    ['no list', {}, /is not a list/],
    ['no name', [{ label: 'x' }], /has no name/],
    ['a name with a slash', [{ name: 'a/b', label: 'x' }], /has no name of letters/],
    ['no label', [{ name: 'a' }], /has no label/],
    ['settings that are no section', [{ name: 'a', label: 'x', settings: [] }], /something else than a section/],
    [
      'one name twice',
      [
        { name: 'a', label: 'x' },
        { name: 'a', label: 'y' },
      ],
      /declared twice/,
    ],
  ])('with %s is named', { tags: ['B7'] }, (_what, given, problem) => {
    expect(readDeclarations('acme.x', manifest(given)).problems).toEqual([expect.stringMatching(problem)]);
  });

  it('cannot smuggle line breaks or hidden characters into menus', { tags: ['B7'] }, () => {
    const given = [{ name: 'a', label: 'x\n\u202eevil\u200b', description: 'd'.repeat(900) }];
    const [declared] = readDeclarations('acme.x', manifest(given)).strategies;
    expect(declared?.label).toBe('x evil');
    expect(declared?.description).toHaveLength(400);
  });

  it.each([undefined, null, 7, {}, { contributes: 'x' }])('of any shape is read: %j', { tags: ['B7'] }, (given) => {
    expect(readDeclarations('acme.x', given)).toEqual({ strategies: [], problems: [] });
  });
});

describe('what other extensions are told', () => {
  const performed: CompactionSignal = {
    type: 'compactionPerformed',
    strategy: 'selective',
    trigger: 'manual',
    tokensBefore: 9,
    tokensAfter: 4,
    roundsCompacted: 2,
    durationMs: 2,
    cost: { modelCalls: 1, promptTokens: 100, completionTokens: 10 },
  };

  it('is numbers, and no text of the session', { tags: ['B7'] }, () => {
    const { type: _type, cost, ...figures } = performed;
    expect(publicEventOf(performed)).toEqual({ of: 'end', event: { kind: 'compacted', ...figures, ...cost } });
    const facts = { strategy: 's', trigger: 'manual', tokens: 5, durationMs: 1, cost, code: 'threw' } as const;
    const failed = { type: 'compactionFailed', ...facts } as const;
    expect(JSON.stringify(publicEventOf({ ...failed, reason: 'the secret text', reasonWords: [] }))).not.toContain(
      'secret',
    );
    expect(publicEventOf({ type: 'conversationReplaced', items: 3 })).toBeNull();
  });
});

describe('the registry', () => {
  const factory = { needs: [], create: () => ({ compact: async () => null }) } as never;
  const entry = { id: 'a.b/c', label: 'C', description: '', publisher: 'a', factory };
  const { signal } = new AbortController();

  it('says why a strategy is not there', { tags: ['K3'] }, async () => {
    const registry = new StrategyRegistry();
    expect(await registry.resolve('a.b/c', false, signal)).toEqual({
      kind: 'missing',
      reason: words('no installed extension registers the strategy {0}', 'a.b/c'),
    });
    registry.connect({
      owns: () => true,
      activate: async () => ({ kind: 'missing', reason: words('the extension a.b is not installed') }),
      declared: () => [],
    });
    expect(await registry.resolve('a.b/c', false, signal)).toMatchObject({
      reason: words('the extension a.b is not installed'),
    });
  });

  it('asks before each use of a contributed strategy, and never for a built-in one', { tags: ['B7'] }, async () => {
    const asked: string[] = [];
    const registry = new StrategyRegistry();
    registry.connect({
      owns: () => true,
      activate: async (id) => {
        asked.push(id);
        return null;
      },
      declared: () => [],
    });
    registry.register(entry);
    expect(await registry.resolve('a.b/c', false, signal)).toEqual({ kind: 'found', entry });
    await registry.resolve('llm-summary', false, signal);
    expect(asked).toEqual(['a.b/c']);
  });

  it('activates what is only declared when it is first needed', { tags: ['B7'] }, async () => {
    const registry = new StrategyRegistry();
    registry.connect({
      owns: () => true,
      activate: async () => {
        registry.register(entry);
        return null;
      },
      declared: () => [entry],
    });
    expect(registry.list().at(-1)).toMatchObject({ id: 'a.b/c' });
    expect(registry.get('a.b/c')).toBeNull();
    expect(await registry.resolve('a.b/c', false, signal)).toEqual({ kind: 'found', entry });
  });

  it('takes an id once, and gives it free when it is disposed of', { tags: ['B7'] }, () => {
    const registry = new StrategyRegistry();
    const registration = registry.register(entry);
    expect(() => registry.register(entry)).toThrow(/already registered/);
    registration.dispose();
    registry.register(entry);
    registration.dispose();
    expect(registry.get('a.b/c')).toEqual(entry);
  });
});
