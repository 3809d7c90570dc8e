import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emitPromise, PROMISED } from '../../../scripts/api/checkDeclaration.ts';
import { API_SOURCES, ROOT } from '../../../scripts/paths.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('the exported API', () => {
  it('is as promised; a change is accepted with npm run api -- --write', { tags: ['B7'] }, () => {
    expect(emitPromise()).toBe(read(PROMISED));
  });

  it.each(API_SOURCES)('%s imports nothing', { tags: ['B7'] }, (path) => {
    expect(read(path)).not.toMatch(/\bimport\b|\brequire\b/);
  });

  it('its package depends on no other', { tags: ['B7'] }, () => {
    expect(Object.keys(JSON.parse(read('src/api/package.json')))).not.toContain('dependencies');
  });
});
