import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/{unit,properties}/**/*.test.ts'],
    environment: 'node',
    // A worker for each file costs more than most files: they share one, so no test may leave anything behind in a module.
    isolate: false,
    testTimeout: 60_000,
  },
});
