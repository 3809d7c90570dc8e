import { expect, test } from 'vitest';
import { writeSession } from '../../../../scripts/peers/session.ts';

const SEEDS = [1, 2, 3, 40, 500];

test('a seed gives the same session again, and another seed other names, sizes and order', () => {
  expect(writeSession(7)).toEqual(writeSession(7));
  const [one, two] = [writeSession(1), writeSession(2)];
  const texts = (facts: typeof one.facts) => facts.map(({ text }) => text);
  expect(texts(one.facts).filter((text) => texts(two.facts).includes(text))).toEqual([]);
  const kinds = (its: typeof one) => its.parts.flatMap(({ steps }) => steps.map(({ kind }) => kind));
  expect(kinds(one)).not.toEqual(kinds(two));
  const sizes = (its: typeof one) => [...its.files.values()].map(({ length }) => length);
  expect(sizes(one)).not.toEqual(sizes(two));
  expect(new Set(sizes(one)).size).toBeGreaterThan(40);
});

test.each(SEEDS)('with seed %i there are 63 steps and 30 facts, each planted in one place', (seed) => {
  const { parts, facts, files } = writeSession(seed);
  const steps = parts.flatMap((part) => part.steps);
  expect(parts.map((part) => part.steps.length)).toEqual([21, 21, 21]);
  expect(
    Object.fromEntries(
      Map.groupBy(facts, ({ kind }) => kind)
        .entries()
        .map(([kind, its]) => [kind, its.length]),
    ),
  ).toEqual({
    order: 8,
    path: 8,
    error: 7,
    edit: 7,
  });
  const places = [
    ...[...files.values()],
    ...parts.map(({ prompt }) => prompt),
    ...steps.filter(({ kind }) => kind === 'read').map((step) => (step.kind === 'read' ? step.path : '')),
    ...steps.map((step) => (step.kind === 'edit' ? step.after : '')),
  ];
  for (const { text } of facts)
    expect(
      places.filter((place) => place.includes(text)),
      text,
    ).toHaveLength(1);
  // No fact is in another one, or it would survive with it.
  for (const one of facts) expect(facts.filter(({ text }) => text.includes(one.text))).toEqual([one]);
});

test.each(SEEDS)('with seed %i each edit fits the file that was read just before', (seed) => {
  const { parts, files } = writeSession(seed);
  for (const { steps } of parts)
    for (const [at, step] of steps.entries()) {
      if (step.kind !== 'edit') continue;
      expect(steps[at - 1]).toEqual({ kind: 'read', path: step.path });
      expect(files.get(step.path)?.split(step.before)).toHaveLength(2);
      expect(files.get(step.path)).not.toContain(step.after);
    }
});

test('sessions of all seeds are equally long', () => {
  const lengths = SEEDS.map((seed) =>
    [...writeSession(seed).files.values()].reduce((sum, text) => sum + text.length, 0),
  );
  expect(Math.max(...lengths) / Math.min(...lengths)).toBeLessThan(1.02);
});
