/** The compactor only sequences its parts, so it has few members of its own, and its parts show little of themselves. */

import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Compactor } from '../../../src/core/compaction/compactor.ts';
import { compactionHarness, going, user } from '../../support/compactionHarness.ts';

const MOST_MEMBERS = 12;
/** Of what makes and runs compactions: neither the strategies themselves, nor the steps that they take. */
const MOST_EXPORTS = 155;
const ENGINE = globSync('src/core/compaction/**/*.ts', {
  exclude: ['**/strategies/**', '**/conformance/**', '**/draft/**'],
});

describe('the surface of the compactor', () => {
  it(`has at most ${MOST_MEMBERS} public members`, async () => {
    const { compactor } = await compactionHarness({ history: [user('go')] });
    const methods = Object.getOwnPropertyNames(Compactor.prototype).filter((name) => name !== 'constructor');
    const members = [...methods, ...Object.getOwnPropertyNames(compactor)];
    expect(members).toContain('gauge');
    expect(members.length, members.join(', ')).toBeLessThanOrEqual(MOST_MEMBERS);
  });

  it(`exports at most ${MOST_EXPORTS} names`, () => {
    const exported = ENGINE.flatMap((path) => readFileSync(path, 'utf8').match(/^export .*/gm) ?? []);
    expect(exported.length).toBeGreaterThan(50);
    expect(exported.length).toBeLessThanOrEqual(MOST_EXPORTS);
  });

  it('runs one operation at a time', async () => {
    const { compactor } = await compactionHarness({ history: [user('go')] });
    const [first, second] = await Promise.all([
      compactor.consent.preview({}, going),
      compactor.compact({ trigger: 'manual' }, going),
    ]);
    expect(first.kind).not.toBe('compacted');
    expect(second).toEqual({ kind: 'none', reason: 'A compaction is already running.' });
  });
});
