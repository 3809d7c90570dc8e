/** Files of `src/host` that run without VS Code are found. */

import { expect, test } from 'vitest';
import { findStrays } from '../../../scripts/layers/findStrays.ts';

test('a file of src/host that reaches no vscode is found; a type reaches it, too, and through others', () => {
  const sources = Object.entries({
    'src/host/editor.ts': `import type * as vscode from 'vscode';`,
    'src/host/page.ts': `import { a } from './middle.ts';`,
    'src/host/middle.ts': `export type { Editor } from './editor.ts';`,
    'src/host/typed.ts': `let x: import('./page.ts').Page;`,
    'src/host/stray.ts': `import { join } from 'node:path'; import { disk } from '../node/disk.ts';`,
    'src/host/besideStray.ts': `import { stray } from './stray.ts';`,
    'src/node/disk.ts': `import 'node:fs';`,
  }).map(([path, text]) => ({ path, text }));
  expect(findStrays(sources)).toEqual(['src/host/stray.ts', 'src/host/besideStray.ts']);
});
