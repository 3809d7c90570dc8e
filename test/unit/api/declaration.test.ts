import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { emitDeclaration } from '../../../scripts/api/checkDeclaration.ts';

const read = (name: string) => readFileSync(new URL(`../../../src/api/${name}`, import.meta.url), 'utf8');

describe('the exported API', () => {
  it('B7: is as declared; a change is accepted with npm run api -- --write', () => {
    expect(emitDeclaration(read('index.ts'))).toBe(read('palimpsest-api.d.ts'));
  });

  it('B7: imports nothing', () => {
    expect(read('index.ts')).not.toMatch(/\bimport\b|\brequire\b/);
    expect(Object.keys(JSON.parse(read('package.json')))).not.toContain('dependencies');
  });
});
