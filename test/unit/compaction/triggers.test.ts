import { describe, expect, it } from 'vitest';
import { TRIGGER, type TriggerSettings, WITHOUT_RULE } from '../../../src/core/compaction/sections/generalSettings.ts';
import { TriggerClauses, type TriggerMoment } from '../../../src/core/compaction/trigger/triggers.ts';
import { completeValues } from '../../../src/core/setting.ts';

const DEFAULTS: TriggerSettings = { ...WITHOUT_RULE, ...completeValues(TRIGGER.fields, { reserve: 0 }) };

interface Case {
  readonly settings?: Partial<TriggerSettings>;
  /** Tokens of the reading: all of it, and what was appended after the report. */
  readonly tokens?: number;
  readonly appended?: number;
  readonly reported?: { readonly input: number; readonly cached?: number; readonly output?: number };
  readonly window?: number;
  readonly moment?: TriggerMoment;
  readonly half?: number;
}

const fires = ({ settings, tokens = 0, appended = 0, reported, window = 100_000, moment, half = 0 }: Case) => {
  const reading = {
    tokens,
    source: reported ? ('usage' as const) : ('estimate' as const),
    reported: reported ? { input: reported.input, cached: reported.cached ?? 0, output: reported.output ?? 0 } : null,
    appended,
    factor: 1,
  };
  const clauses = new TriggerClauses({ ...DEFAULTS, ...settings }, window);
  const decision = clauses.decide(moment ?? { at: 'afterResponse' }, { reading, counted: () => half, messages: 0 });
  return decision.kind === 'fire' ? `${decision.clauses.join()} ${decision.trigger}` : 'below';
};

describe('the decision of a trigger', () => {
  it('fires exactly when reported tokens + reserved ≥ max, pending tool results not counted', { tags: ['K2'] }, () => {
    const exact = { settings: { basis: 'usage', ratio: 0, reserve: 20_000 } } as const;
    expect(fires({ ...exact, tokens: 500_000, appended: 420_001, reported: { input: 79_000, output: 999 } })).toBe(
      'below',
    );
    expect(fires({ ...exact, reported: { input: 79_000, output: 1_000 } })).toBe('reserve threshold');
  });

  it.each([25_001, 99_999, 100_000, 500_000])(
    'a reserve of %i keeps a quarter of the maximum free, not more',
    {
      tags: ['K2'],
    },
    (reserve) => {
      const settings = { ratio: 0, reserve };
      expect(fires({ settings, tokens: 74_999 })).toBe('below');
      expect(fires({ settings, tokens: 75_000 })).toBe('reserve threshold');
      const fixed = { ...settings, maxContextTokens: 40_000 };
      expect(fires({ settings: fixed, tokens: 29_999 })).toBe('below');
      expect(fires({ settings: fixed, tokens: 30_000 })).toBe('reserve threshold');
    },
  );

  it('a reserve of a quarter of the maximum holds as it is', { tags: ['K2'] }, () => {
    expect(fires({ settings: { ratio: 0, reserve: 24_999 }, tokens: 75_000 })).toBe('below');
    expect(fires({ settings: { ratio: 0, reserve: 24_999 }, tokens: 75_001 })).toBe('reserve threshold');
  });

  it('clauses are OR-ed', { tags: ['K2'] }, () => {
    const both = { ratio: 0.8, reserve: 22_000 };
    expect(fires({ settings: both, tokens: 77_999 })).toBe('below');
    expect(fires({ settings: both, tokens: 78_000 })).toBe('reserve threshold');
    expect(fires({ settings: both, tokens: 80_000 })).toBe('ratio,reserve threshold');
    expect(fires({ settings: { ...both, reserve: 1_000 }, tokens: 80_000 })).toBe('ratio threshold');
  });

  it('input with cached tokens strictly above 0.7 of the window, the answer not counted', { tags: ['N3'] }, () => {
    const neovate = { settings: { basis: 'input', ratio: 0.7 } } as const;
    expect(fires({ ...neovate, reported: { input: 70_000, cached: 69_000, output: 20_000 } })).toBe('below');
    expect(fires({ ...neovate, reported: { input: 70_001, cached: 69_000 } })).toBe('ratio threshold');
  });

  it('with the basis input and output the answer counts too', { tags: ['N3'] }, () => {
    const both = { settings: { basis: 'inputOutput', ratio: 0.7 } } as const;
    expect(fires({ ...both, reported: { input: 60_000, output: 10_001 } })).toBe('ratio threshold');
  });

  it('nothing fires when the window is unknown', { tags: ['N3'] }, () => {
    expect(fires({ window: 0, tokens: 10_000_000, reported: { input: 10_000_000 } })).toBe('below');
  });

  it('a fixed maximum of 80,000 fires at 64,000, and never above the window', { tags: ['P1'] }, () => {
    const pi = { ratio: 0.8, maxContextTokens: 80_000, basis: 'halfCharacters' } as const;
    expect(fires({ settings: pi, half: 63_999 })).toBe('below');
    expect(fires({ settings: pi, half: 64_000 })).toBe('ratio threshold');
    expect(fires({ settings: pi, half: 8_000, window: 10_000 })).toBe('ratio threshold');
    expect(fires({ settings: pi, half: 8_000, window: 200_000 })).toBe('below');
  });

  it('the threshold is a whole number of tokens, rounded down', { tags: ['P1'] }, () => {
    const odd = { ratio: 0.8, maxContextTokens: 80_003, basis: 'halfCharacters' } as const;
    expect(fires({ settings: odd, half: 64_001 })).toBe('below');
    expect(fires({ settings: odd, half: 64_002 })).toBe('ratio threshold');
  });

  it('what is there is looked at before a message is added, not the message', { tags: ['P1', 'P8'] }, () => {
    const pi = { ratio: 0.8, maxContextTokens: 80_000, basis: 'halfCharacters' } as const;
    const moment = { at: 'beforeMessage', tokens: 50_000 } as const;
    expect(fires({ settings: pi, half: 63_999, moment })).toBe('below');
    expect(fires({ settings: pi, half: 64_000, moment })).toBe('ratio precheck');
  });

  it('with the default basis a message counts before it is added', () => {
    const moment = { at: 'beforeMessage', tokens: 1_000 } as const;
    expect(fires({ tokens: 78_999, moment })).toBe('below');
    expect(fires({ tokens: 79_000, moment })).toBe('ratio precheck');
  });

  it('before a call the safety margin is added, after a response only what was reported counts', {
    tags: ['C4'],
  }, () => {
    expect(fires({ tokens: 79_499, moment: { at: 'beforeCall' } })).toBe('below');
    expect(fires({ tokens: 79_500, moment: { at: 'beforeCall' } })).toBe('ratio precheck');
    expect(fires({ tokens: 85_000, appended: 5_001, reported: { input: 79_000, output: 999 } })).toBe('below');
    expect(fires({ tokens: 85_000, appended: 5_000, reported: { input: 79_000, output: 1_000 } })).toBe(
      'ratio threshold',
    );
  });
});

const limitOf = (settings: TriggerSettings, window: number) => new TriggerClauses(settings, window).limit;

describe('the limit of a trigger', () => {
  it('is where the first clause fires', () => {
    expect(limitOf({ ...DEFAULTS, reserve: 22_000 }, 100_000)).toBe(78_000);
    expect(limitOf({ ...DEFAULTS, reserve: 30_000 }, 100_000)).toBe(75_000);
    expect(limitOf({ ...DEFAULTS, reserve: 1_000 }, 100_000)).toBe(80_000);
    expect(limitOf({ ...DEFAULTS, ratio: 0 }, 100_000)).toBeNull();
    expect(limitOf(DEFAULTS, 0)).toBeNull();
  });
});
