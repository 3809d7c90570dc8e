import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Locked {
  optionalDependencies?: Record<string, string>;
  integrity?: string;
  link?: boolean;
}

const packages: Record<string, Locked> = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../package-lock.json'), 'utf8'),
).packages;

describe('the lock file', () => {
  it('holds the builds for every machine, so that `npm ci` passes where nothing was installed before', () => {
    const missing = Object.entries(packages).flatMap(([folder, { optionalDependencies }]) =>
      Object.keys(optionalDependencies ?? {})
        .filter((name) => {
          const entry = packages[`${folder}/node_modules/${name}`] ?? packages[`node_modules/${name}`];
          return entry === undefined || (entry.integrity === undefined && entry.link !== true);
        })
        .map((name) => `${folder} > ${name}`),
    );
    expect(missing).toEqual([]);
  });
});
