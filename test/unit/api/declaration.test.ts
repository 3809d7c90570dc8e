import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emitDeclaration } from '../../../scripts/api/checkDeclaration.ts';
import { API_SOURCES, ROOT } from '../../../scripts/paths.ts';

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('the exported API', () => {
  it('B7: is as declared; a change is accepted with npm run api -- --write', async () => {
    expect(await emitDeclaration()).toBe(read('src/api/palimpsest-api.d.ts'));
  });

  it.each(API_SOURCES)('B7: %s imports nothing', (path) => {
    expect(read(path)).not.toMatch(/\bimport\b|\brequire\b/);
  });

  it('B7: its package depends on no other', () => {
    expect(Object.keys(JSON.parse(read('src/api/package.json')))).not.toContain('dependencies');
  });
});
