/** What the editor says of an author's package.json, beside what the product does with it. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { ROOT } from '../../../scripts/paths.ts';
import { readDeclarations } from '../../../src/core/compaction/hosting/contributed.ts';

const read = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
const [{ fileMatch, url }] = read('package.json').contributes.jsonValidation;
const schema = z.fromJSONSchema(read(url));
const accepts = (manifest: unknown) => schema.safeParse(manifest).success;
const declaring = (...compactionStrategies: readonly unknown[]) => ({
  contributes: { palimpsest: { compactionStrategies } },
});
const problems = (manifest: unknown) => readDeclarations('acme.keep', manifest).problems;

const whole = { name: 'keep', label: 'Keep', description: 'Keeps.', settings: 'acmeKeep' };

describe('the schema for the package.json of extensions', () => {
  it('is found by the editor, and packaged', { tags: ['B7'] }, () => {
    expect(fileMatch).toBe('package.json');
    expect(existsSync(join(ROOT, url))).toBe(true);
    expect(readFileSync(join(ROOT, '.vscodeignore'), 'utf8')).toContain('!schemas/*.json');
  });

  it.each([
    ['nothing of ours', { name: 'any', contributes: { commands: [] } }],
    ['no contributions', { name: 'any' }],
    ['an empty list', declaring()],
    ['a whole declaration', declaring(whole)],
    ['a declaration of a name and a label', declaring({ name: 'a-1', label: 'A' })],
  ])('takes %s, as the product does', { tags: ['B7'] }, (_what, manifest) => {
    expect(accepts(manifest)).toBe(true);
    expect(problems(manifest)).toEqual([]);
  });

  it.each([
    ['no list', { contributes: { palimpsest: { compactionStrategies: whole } } }],
    ['no object', declaring('keep')],
    ['no name', declaring({ label: 'Keep' })],
    ['a name with a slash', declaring({ ...whole, name: 'acme/keep' })],
    ['a name that is too long', declaring({ ...whole, name: 'k'.repeat(65) })],
    ['no label', declaring({ name: 'keep' })],
    ['a blank label', declaring({ ...whole, label: '  ' })],
    ['settings that are no section', declaring({ ...whole, settings: ['acmeKeep'] })],
  ])('refuses %s, as the product does', { tags: ['B7'] }, (_what, manifest) => {
    expect(accepts(manifest)).toBe(false);
    expect(problems(manifest)).toHaveLength(1);
  });

  it.each([
    ['a misspelt field', declaring({ ...whole, descripton: 'x' })],
    ['a misspelt contribution', { contributes: { palimpsest: { strategies: [] } } }],
    ['a label that would be cut', declaring({ ...whole, label: 'x'.repeat(81) })],
    ['a description that would be cut', declaring({ ...whole, description: 'x'.repeat(401) })],
  ])('also marks what the product would pass over: %s', { tags: ['B7'] }, (_what, manifest) => {
    expect(accepts(manifest)).toBe(false);
  });

  const samples = readdirSync(join(ROOT, 'test/extensions'));
  it.each(samples)('takes the manifest of %s', { tags: ['B7'] }, (name) => {
    expect(accepts(read(`test/extensions/${name}/package.json`))).toBe(true);
  });
});
