import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { ROOT } from './scripts/paths.ts';
import { breakSource } from './scripts/rows/breakSource.ts';

const broken = process.env.PALIMPSEST_BREAK;

export default defineConfig({
  // `npm run rows -- --prove` runs tests with one behaviour broken in the source.
  plugins: broken ? [breakSource(broken)] : [],
  resolve: { alias: { vscode: join(ROOT, 'test/support/vscode.ts') } },
  test: {
    // A cached module would not be broken, and a broken one must not be cached.
    fsModuleCache: !broken,
    include: ['test/{unit,properties}/**/*.test.ts'],
    environment: 'node',
    // A worker for each file costs more than most files: they share one, so no test may leave anything behind in a module.
    isolate: false,
    // `npm run rows -- --prove` runs tests with other defaults than those of the product.
    setupFiles: process.env.PALIMPSEST_DEFAULTS ? ['test/support/changeDefaults.ts'] : [],
    // Upper bounds that only something wrong reaches: how long a test takes must not decide on a busy machine. A behaviour
    // that is broken on purpose may well reach them, and is waited for less long.
    testTimeout: broken ? 60_000 : 300_000,
    hookTimeout: broken ? 60_000 : 300_000,
    expect: { poll: { timeout: broken ? 30_000 : 60_000 } },
  },
});
