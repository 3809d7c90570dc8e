import { defineConfig } from 'vitest/config';
import { isFeature, readTable } from '../rows/table.ts';

const features = readTable().rows.filter(isFeature);
/** The tests that have a feature as a tag: they alone count as proof. Vitest's types know this as an option of its command only. */
const proofs = { tagsFilter: [features.map(({ row }) => row).join(' || ')] };

/** These run the conformance kit for minutes, in processes of its own, where no change is seen. */
const ELSEWHERE = ['guide', 'sabotage'].map((name) => `test/unit/compaction/conformance/${name}.test.ts`);

export default defineConfig({
  test: {
    ...proofs,
    include: ['test/unit/compaction/**/*.test.ts'],
    exclude: ELSEWHERE,
    environment: 'node',
    tags: ['long', ...features.map(({ row }) => row)].map((name) => ({ name })),
    testTimeout: 60_000,
  },
});
