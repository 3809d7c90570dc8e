import { describe, expect, it } from 'vitest';
import { isModelError, isUnsupportedApiVersion } from '../../../src/api/errors.ts';
import { ModelError } from '../../../src/core/errors.ts';
import { PublicApi } from '../../../src/host/api/publicApi.ts';

const thrownBy = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (thrown) {
    return thrown;
  }
};
const { exports: palimpsest } = new PublicApi({ all: [], getExtension: () => undefined });
const refused = thrownBy(() => palimpsest.getAPI(2 as 1));
const offline = new ModelError('network', 'The model cannot be reached.');

describe('the errors that an extension can tell apart', () => {
  it('knows what Palimpsest throws by its guard', { tags: ['B7'] }, () => {
    expect([isModelError(offline), isUnsupportedApiVersion(offline)]).toEqual([true, false]);
    expect([isModelError(refused), isUnsupportedApiVersion(refused)]).toEqual([false, true]);
    expect(isModelError(offline) && offline.kind).toBe('network');
  });

  it.each([
    ['another error', new Error('ModelError')],
    ['a name without a kind', Object.assign(new Error('x'), { name: 'ModelError' })],
    ['an object of that shape', { name: 'ModelError', kind: 'network', message: 'x' }],
    ['nothing', undefined],
    ['null', null],
  ])('%s is neither', { tags: ['B7'] }, (_what, thrown) => {
    expect([isModelError(thrown), isUnsupportedApiVersion(thrown)]).toEqual([false, false]);
  });
});
