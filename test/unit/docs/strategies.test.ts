import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

interface Configuration {
  readonly properties: Readonly<Record<string, { readonly default?: unknown }>>;
}

/** By name below `palimpsest.compaction.`, as the manifest has them. */
const defaults = (JSON.parse(read('package.json')).contributes.configuration as Configuration[])
  .flatMap(({ properties }) => Object.entries(properties))
  .flatMap(([key, { default: value }]) =>
    /^palimpsest\.compaction\./.test(key) ? [[key.slice(22), value] as const] : [],
  );

/** As the page writes it: `.name` after a name of the same section, a number with thousands, on or off. */
function written(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'number' ? value.toLocaleString('en') : '';
}

describe('the page of strategies', () => {
  const page = read('docs/strategies.md');

  it.each(defaults.filter(([, value]) => typeof value === 'number' || typeof value === 'boolean'))(
    'names %s with its default',
    (key, value) => {
      const last = key.slice(key.lastIndexOf('.'));
      const section = key.slice(0, key.lastIndexOf('.'));
      const line = page
        .split('\n')
        .filter((it) => it.includes(`\`${key}\``) || (it.includes(`\`${section}.`) && it.includes(`\`${last}\``)));
      const text = RegExp.escape(written(value));
      const said = new RegExp(`\`(?:${RegExp.escape(key)}|${RegExp.escape(last)})\` (?:\\| |\\()?${text}\\b`);
      expect(line.join('\n')).toMatch(said);
    },
  );
});
