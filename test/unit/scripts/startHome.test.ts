import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startHome } from '../../../scripts/start/startHome.ts';

test('two checkouts and both models have trial windows of their own, at each start the same', () => {
  const places = [
    ...['/home/dev/palimpsest', '/tmp/palimpsest'].flatMap((checkout) =>
      [false, true].map((scripted) => startHome('/cache', checkout, scripted)),
    ),
  ];
  expect(new Set(places).size).toBe(4);
  expect(places[0]).toMatch(/palimpsest-[0-9a-f]{8}$/);
  expect(places[0]).toBe(startHome('/cache', '/home/dev/palimpsest', false));
  // No folder lies in another one, which `--fresh` deletes.
  for (const one of places) for (const other of places) expect(other.startsWith(join(one, '/'))).toBe(false);
});
