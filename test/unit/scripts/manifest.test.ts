/** What is generated from the tables is committed as they say. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generateManifest } from '../../../scripts/manifest/generateManifest.ts';
import { ROOT } from '../../../scripts/paths.ts';

test.each([...generateManifest()])('%s is what the tables say; npm run manifest writes it', (path, content) => {
  expect(readFileSync(join(ROOT, path), 'utf8')).toBe(content);
});
