import { describe, expect, it } from 'vitest';
import type { CompactionEvent, CompactionPhase, StrategyFactory, StrategyId } from '../../../../src/api/index.ts';
import { readDeclarations } from '../../../../src/core/compaction/hosting/contributed.ts';
import { type InstalledExtensions, PublicApi } from '../../../../src/host/api/publicApi.ts';
import { announceCompaction } from '../../../../src/host/session/openConversation.ts';

const factory: StrategyFactory = { needs: [], create: () => ({ compact: async () => null }) };

/** An API over extensions that each declare the strategy `digest`. */
function apiBeside(...ids: readonly string[]) {
  const manifest = { contributes: { palimpsest: { compactionStrategies: [{ name: 'digest', label: 'Digest' }] } } };
  const all = ids.map((id) => ({ id, packageJSON: manifest }));
  // As VS Code does: any spelling finds an extension.
  const getExtension = (id: string) => all.find((it) => it.id.toLowerCase() === id.toLowerCase());
  const installed = { all, getExtension } as unknown as InstalledExtensions;
  const own = new PublicApi(installed);
  const changes: string[] = [];
  own.follow((change, { declared }) => changes.push(`${change} ${declared.id}`));
  const register = (id: string) => own.exports.getAPI(1).registerCompactionStrategy(id as StrategyId, factory);
  return { own, api: own.exports.getAPI(1), register, changes, installed: all };
}

const event: CompactionEvent = {
  kind: 'compacted',
  strategy: 'selective',
  trigger: 'manual',
  tokensBefore: 100,
  tokensAfter: 40,
  durationMs: 5,
  modelCalls: 1,
  promptTokens: 100,
  completionTokens: 10,
};

describe('registering a strategy', () => {
  it.each(['ACME.tools/digest', 'acme.Tools/digest', 'acme.tools/Digest'])(
    'another spelling of a registered id is no second strategy: %s',
    { tags: ['B7'] },
    (id) => {
      const { register, changes } = apiBeside('acme.tools');
      register('acme.tools/digest');
      expect(() => register(id)).toThrow(/is not declared/);
      expect(changes).toEqual(['added acme.tools/digest']);
    },
  );

  it.each([
    ['a letter of another script', '\u0430cme.tools'],
    ['a hidden character', 'acme\u200b.tools'],
    ['a full-width letter', '\uff41cme.tools'],
    ['a second full stop', 'acme.acme.tools'],
  ])('a publisher that looks like another by %s contributes nothing', { tags: ['B7'] }, (_how, id) => {
    const { own, register } = apiBeside('acme.tools', id);
    const problems: string[] = [];
    expect(own.declared((text) => problems.push(text)).map((it) => it.extension)).toEqual(['acme.tools']);
    expect(problems).toEqual([`${id}: its publisher and name are not of letters, digits and hyphens`]);
    expect(() => register(`${id}/digest`)).toThrow(/is not declared/);
  });

  it.each([
    ['built-in', 'tool-result-hiding'],
    ['empty', ''],
    ['a path', '../acme.tools/digest'],
    ['a name of every object', 'acme.tools/__proto__'],
    ['no text', Symbol('acme.tools/digest') as unknown as string],
  ])('an id that is %s is refused', { tags: ['B7'] }, (_what, id) => {
    const { register, changes } = apiBeside('acme.tools');
    expect(() => register(id)).toThrow();
    expect(changes).toEqual([]);
  });

  it('a label cannot close its quotes in the question of consent and name another publisher', { tags: ['B7'] }, () => {
    const label = 'Summary” by the publisher “Palimpsest';
    const manifest = { contributes: { palimpsest: { compactionStrategies: [{ name: 'x', label }] } } };
    const { strategies } = readDeclarations('mallory.tools', manifest);
    expect(strategies.map((it) => it.label)).toEqual(["Summary' by the publisher 'Palimpsest"]);
  });

  it('what was registered goes with its extension, disposed of or not', { tags: ['B7'] }, () => {
    const { own, register, changes, installed } = apiBeside('acme.tools', 'mallory.x');
    const registration = register('mallory.x/digest');
    register('acme.tools/digest');
    installed.pop();
    own.removeGone();
    registration.dispose();
    expect(changes).toEqual(['added mallory.x/digest', 'added acme.tools/digest', 'removed mallory.x/digest']);
  });

  it('an extension that holds the API cannot change it for others', { tags: ['B7'] }, () => {
    const { own, api } = apiBeside('acme.tools');
    const change = (target: object, key: string) => () => Object.defineProperty(target, key, { value: () => 'mine' });
    expect(change(api, 'registerCompactionStrategy')).toThrow(TypeError);
    expect(change(own.exports, 'getAPI')).toThrow(TypeError);
    expect(() => Object.setPrototypeOf(api, {})).toThrow(TypeError);
  });
});

describe('telling of compactions', () => {
  const tell = (own: PublicApi) => {
    const errors: unknown[] = [];
    own.compacted.fire(event, (thrown) => errors.push(thrown));
    return errors;
  };

  it('gives each listener a copy of its own that it cannot change', { tags: ['B7'] }, () => {
    const { own, api } = apiBeside();
    const heard: CompactionEvent[] = [];
    for (let i = 0; i < 2; i++) {
      api.onDidCompact((it) => {
        heard.push(it);
        (it as { tokensAfter: number }).tokensAfter = 0;
      });
    }
    expect(tell(own)).toEqual([expect.any(TypeError), expect.any(TypeError)]);
    expect(heard).toEqual([event, event]);
    expect(heard[0]).not.toBe(heard[1]);
  });

  it('phases reach who listens, in numbers, and the log at its level Debug', { tags: ['C13', 'B7'] }, () => {
    const { own, api } = apiBeside();
    const figures = { strategy: 'selective', trigger: 'manual', tokensBefore: 50_000, tokensAfter: 35_000 };
    const heard: CompactionPhase[] = [];
    const logs: string[] = [];
    const announce = () =>
      announceCompaction({ type: 'phase', phase: 'selective_done', ...figures }, own, (level, text) =>
        logs.push(`${level} ${text}`),
      );
    announce();
    const listening = api.onDidProgress((phase) => heard.push(phase));
    announce();
    listening.dispose();
    announce();
    expect(heard).toEqual([{ phase: 'selective_done', ...figures }]);
    const line = 'phase=selective_done, tokens_before=50000, tokens_after=35000';
    expect(logs).toEqual(Array(3).fill(`debug ${line}`));
  });

  it('that a strategy begins to run, and what came of it, reach those who asked for it', { tags: ['B7'] }, () => {
    const { own, api } = apiBeside();
    const heard: unknown[] = [];
    const log = () => undefined;
    const start = { strategy: 'selective', trigger: 'manual' } as const;
    const willing = api.onWillCompact((event) => heard.push(event));
    api.onDidCompact((event) => heard.push(event));
    const announce = () => {
      announceCompaction({ type: 'preCompact', ...start, tokens: 100, window: 1_000 }, own, log);
      const cost = { modelCalls: 1, promptTokens: 90, completionTokens: 9 };
      const facts = { ...start, code: 'nothing', tokens: 100, durationMs: 5, cost } as const;
      announceCompaction({ type: 'compactionUnchanged', ...facts }, own, log);
    };
    announce();
    const unchanged = {
      kind: 'unchanged',
      ...start,
      reason: 'nothing',
      tokensBefore: 100,
      tokensAfter: 100,
      durationMs: 5,
      modelCalls: 1,
      promptTokens: 90,
      completionTokens: 9,
    };
    expect(heard).toEqual([{ ...start, tokensBefore: 100, maxContextSize: 1_000 }, unchanged]);
    expect(heard.every((event) => Object.isFrozen(event))).toBe(true);
    willing.dispose();
    announce();
    expect(heard.slice(2)).toEqual([unchanged]);
    expect(() => api.onWillCompact(7 as never)).toThrow('onWillCompact needs a function.');
  });

  it('a listener that subscribes another at each event does not keep it going', { tags: ['B7'] }, () => {
    const { own, api } = apiBeside();
    let heard = 0;
    const listener = () => {
      heard++;
      api.onDidCompact(() => listener());
    };
    api.onDidCompact(listener);
    tell(own);
    expect(heard).toBe(1);
    tell(own);
    expect(heard).toBe(3);
  });

  it('one function subscribed twice is two subscriptions', { tags: ['B7'] }, () => {
    const { own, api } = apiBeside();
    let heard = 0;
    const listener = () => {
      heard++;
    };
    const first = api.onDidCompact(listener);
    api.onDidCompact(listener);
    first.dispose();
    first.dispose();
    tell(own);
    expect(heard).toBe(1);
  });
});
