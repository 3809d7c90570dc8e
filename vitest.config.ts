import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/{unit,properties}/**/*.test.ts'],
    environment: 'node',
    // A worker for each file costs more than most files: they share one, so no test may leave anything behind in a module.
    isolate: false,
    // `npm run rows -- --prove` runs tests with other defaults than those of the product.
    setupFiles: process.env.PALIMPSEST_DEFAULTS ? ['test/support/changeDefaults.ts'] : [],
    testTimeout: 60_000,
    // How long a test waits for what must come; on a busy machine the default of one second is short.
    expect: { poll: { timeout: 30_000 } },
  },
});
