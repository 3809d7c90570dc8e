/** Files and logs that look like a project's and mean nothing. No line of one repeats what a fact of the session says. */

import type { Dice } from './dice.ts';

/** No word of these lists is a fact, and none sounds like a request for a summary. */
export const NOUNS =
  'berth tide pilot crane cargo buoy mooring ferry sluice draught manifest ballast convoy dock fender hatch jetty keel lantern mast pier quay rudder sail tug wharf anchor barge canal depot'.split(
    ' ',
  );
export const VERBS =
  'assign weigh chart drain load measure order pair queue route sort stow trim unload value admit bound clear divide'.split(
    ' ',
  );

/** Numbers in files stay below; those of facts are above. */
export const MOST_IN_FILES = 40_000;

/** TypeScript of about `size` bytes with `line` in the middle. */
export function writeSource(dice: Dice, size: number, line: string): string {
  const noun = () => dice.pick(NOUNS);
  const lines = [
    `// ${capital(noun())} and ${noun()}: how each ${noun()} is ${dice.pick(VERBS)}ed before the ${noun()}.`,
    `import { ${dice.pick(VERBS)}${capital(noun())} } from './${noun()}.js';`,
    '',
  ];
  let bytes = 0;
  const push = (...more: readonly string[]) => {
    lines.push(...more);
    bytes += more.reduce((sum, { length }) => sum + length + 1, 0);
  };
  for (let count = 1, placed = false; bytes < size; count++) {
    const [list, limit] = [noun(), `${noun()}${count}`];
    push(
      `export function ${dice.pick(VERBS)}${capital(noun())}${count}(${list}s: readonly ${capital(list)}[], ${limit}: number): number {`,
    );
    for (let left = 4 + dice.below(5), at = 0; at < left; at++)
      push(
        dice.chance(0.5)
          ? `  const ${noun()}${at} = ${list}s.filter((each) => each.${noun()} > ${dice.below(9_000)}).length * ${limit};`
          : `  if (${limit} % ${2 + dice.below(96)} === ${dice.below(2)}) throw new RangeError('${dice.pick(VERBS)} ${noun()}: no ${noun()} for this ${noun()}');`,
      );
    push(`  return ${limit} + ${dice.below(MOST_IN_FILES)};`, '}', '');
    if (!placed && bytes > size / 2) {
      push(line, '');
      placed = true;
    }
  }
  return lines.join('\n');
}

/** How a runner writes that one check failed, with its message. */
type FailureForm = (dice: Dice, message: string) => readonly string[];

/** Those of three usual runners; a session has one of them. */
const FAILURE_FORMS: readonly FailureForm[] = [
  (dice, message) => [
    `FAIL  suite/${dice.pick(NOUNS)}.spec.ts`,
    `  Error: ${message}`,
    `    at ${dice.pick(VERBS)}${capital(dice.pick(NOUNS))} (lib/${dice.pick(NOUNS)}.ts:${1 + dice.below(400)}:${1 + dice.below(60)})`,
    '',
  ],
  (dice, message) => [
    `--- FAIL: Test${capital(dice.pick(NOUNS))} (0.0${dice.below(9)}s)`,
    `    ${dice.pick(NOUNS)}_test.go:${1 + dice.below(400)}: ${message}`,
    '',
  ],
  (dice, message) => [
    `____ test_${dice.pick(NOUNS)} ____`,
    `>       assert ${dice.pick(VERBS)}(${dice.pick(NOUNS)}) == ${dice.below(90)}`,
    `E       AssertionError: ${message}`,
    '',
    `tests/test_${dice.pick(NOUNS)}.py:${1 + dice.below(400)}: AssertionError`,
  ],
];

/** Of about `size` bytes, with one failure at `place` (0 to 1) of it and passing checks around. */
export function writeLog(dice: Dice, { size, place, message, form }: LogOptions): string {
  const lines = [`> check --suite ${dice.pick(NOUNS)}-${100 + dice.below(900)}`, ''];
  const failure = (FAILURE_FORMS[form % FAILURE_FORMS.length] as FailureForm)(dice, message);
  let bytes = 0;
  for (let placed = false; bytes < size || !placed; ) {
    const more: readonly string[] =
      placed || bytes < size * place
        ? [
            `  ok ${lines.length} ${dice.pick(VERBS)}s the ${dice.pick(NOUNS)} of a ${dice.pick(NOUNS)} in ${(dice.below(900) / 10).toFixed(1)} ms`,
          ]
        : failure;
    placed ||= more === failure;
    lines.push(...more);
    bytes += more.reduce((sum, { length }) => sum + length + 1, 0);
  }
  lines.push(`${100 + dice.below(400)} passed, 1 failed`, '');
  return lines.join('\n');
}

interface LogOptions {
  readonly size: number;
  readonly place: number;
  readonly message: string;
  /** Any number; the same number is the same runner. */
  readonly form: number;
}

export const capital = (word: string): string => word.replace(/^./, (letter) => letter.toUpperCase());
