import { defineConfig } from 'vitest/config';
import { isFeature, readTable } from '../rows/table.ts';

const features = readTable().rows.filter(isFeature);
/** The tests that have a feature as a tag: they alone count as proof. Vitest's types know this as an option of its command only. */
const proofs = { tagsFilter: [features.map(({ row }) => row).join(' || ')] };

export default defineConfig({
  test: {
    ...proofs,
    include: ['test/unit/compaction/**/*.test.ts'],
    environment: 'node',
    tags: ['long', ...features.map(({ row }) => row)].map((name) => ({ name })),
    testTimeout: 60_000,
  },
});
