/**
 * How rolldown puts the declarations of `palimpsest-core` together: all that they name is in them, types of libraries too, so that
 * whoever installs the package needs no other for its types.
 */

import { join } from 'node:path';
import { dts } from 'rolldown-plugin-dts';

/** zod's package names its declarations for CommonJS first, which cannot be put together. */
const zod = join(import.meta.dirname, '../../node_modules/zod/index.d.ts');

export default {
  input: { index: 'src/embedding/index.ts', acp: 'src/embedding/acp.ts' },
  plugins: [
    { name: 'zod', resolveId: { order: 'pre', handler: (id) => (id === 'zod' ? zod : undefined) } },
    dts({ dtsOnly: true, tsconfig: 'tsconfig.json', sourcemap: false }),
  ],
};
