import { defineConfig } from 'vitest/config';

/** The tests of compaction that name a row: they alone count as proof. */
export default defineConfig({
  test: {
    include: ['test/unit/compaction/**/*.test.ts'],
    environment: 'node',
    testNamePattern: /\b[KMCNPB]\d{1,2}:/,
    testTimeout: 60_000,
  },
});
