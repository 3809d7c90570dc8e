/**
 * How rolldown puts the declarations of `palimpsest-core` together: all that they name is in them, types of libraries too, so that
 * whoever installs the package needs no other for its types.
 */

import { join } from 'node:path';
import { dts } from 'rolldown-plugin-dts';

/** zod's package names its declarations for CommonJS first, which cannot be put together. */
const zod = join(import.meta.dirname, '../../node_modules/zod/index.d.ts');

/**
 * zod states the variance of some parameters, with a comment that keeps the compiler from checking the next line. Put together, both
 * stand in one line, so the statement goes: the compiler works the variance out, as it does for every other type.
 */
const withoutVariance = {
  name: 'without stated variance',
  transform: {
    order: 'pre',
    filter: { id: /[\\/]zod[\\/].*\.d\.ts$/ },
    handler: (code) => code.replace(/\/\*\* @ts-ignore Cast variance \*\/\s*(?:in out|in|out) /g, ''),
  },
};

export default {
  input: { index: 'src/embedding/index.ts', acp: 'src/embedding/acp.ts' },
  plugins: [
    { name: 'zod', resolveId: { order: 'pre', handler: (id) => (id === 'zod' ? zod : undefined) } },
    withoutVariance,
    dts({ emitDtsOnly: true, tsconfig: 'tsconfig.json', sourcemap: false }),
  ],
};
