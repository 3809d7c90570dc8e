import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { ROOT } from './scripts/paths.ts';
import { readTable } from './scripts/rows/table.ts';

export default defineConfig({
  resolve: { alias: { vscode: join(ROOT, 'test/support/vscode.ts') } },
  test: {
    fsModuleCache: true,
    include: ['test/{unit,properties}/**/*.test.ts'],
    environment: 'node',
    // A worker for each file costs more than most files: they share one, so no test may leave anything behind in a module.
    isolate: false,
    maxWorkers: '100%',
    tags: [
      { name: 'long', description: 'takes seconds: left out by `npm test`, run by `npm test -- --rest`' },
      // The rows that a test holds in place: `npm run rows` says what each is.
      ...readTable().rows.map(({ row, text }) => ({ name: row, description: text })),
    ],
    // Upper bounds that only something wrong reaches: how long a test takes must not decide on a busy machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});
