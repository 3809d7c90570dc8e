import { describe, expectTypeOf, it } from 'vitest';
import type * as published from '../../../src/api/testing.ts';
import type * as kit from '../../../src/core/compaction/conformance/testing.ts';

describe('the published types for tests of authors', () => {
  it('are true of what is exported', { tags: ['B7'] }, () => {
    expectTypeOf<typeof kit>().toExtend<typeof published>();
    expectTypeOf<keyof typeof published>().toEqualTypeOf<keyof typeof kit>();
  });

  it('say of a recorded message what it has', { tags: ['B7'] }, () => {
    expectTypeOf<ReturnType<typeof published.readRecorded>>().toEqualTypeOf<published.RecordedMessage[]>();
    expectTypeOf<ReturnType<typeof kit.readRecorded>>().toExtend<published.RecordedMessage[]>();
  });

  it('take every option of a single run', { tags: ['B7'] }, () => {
    expectTypeOf<published.RunOnceOptions>().toEqualTypeOf<NonNullable<Parameters<typeof kit.runOnce>[2]>>();
  });
});
