import { expect, test } from 'vitest';
import { showName } from '../../../../src/core/tools/text/showHidden.ts';
import { showPlainly } from '../../../../src/host/notices/pickers.ts';
import { pageText } from '../../../../src/node/pages/pageText.ts';

const NAME = 'a\n\u202Egnp.exe\u200B\u001B[2J';
const SHOWN = 'a⏎⟨U+202E⟩gnp.exe⟨U+200B⟩⟨U+001B⟩[2J';

test('a picker shows every text of an item on one line, and keeps what else the item has', () => {
  const item = { label: NAME, description: NAME, detail: NAME, value: NAME, picked: true };
  expect(showPlainly(item)).toEqual({ label: SHOWN, description: SHOWN, detail: SHOWN, value: NAME, picked: true });
  const options = { title: NAME, prompt: NAME, placeHolder: NAME, value: NAME };
  expect(showPlainly(options)).toEqual({ title: SHOWN, prompt: SHOWN, placeHolder: SHOWN, value: NAME });
});

test('a name is bounded, wherever it is cut', () => {
  expect(showName(NAME)).toBe(SHOWN);
  expect(showName('😀'.repeat(10_000)).length).toBeLessThan(310);
  expect(showName('😀'.repeat(10_000))).toMatch(/…$/);
});

test('a page as text has a line for each of its names', () => {
  const text = pageText({
    title: NAME,
    subtitle: NAME,
    blocks: [
      { kind: 'facts', facts: [{ name: NAME, value: NAME }] },
      { kind: 'list', items: [NAME] },
      { kind: 'table', label: NAME, columns: [{ title: 'x' }], rows: [[NAME]] },
      { kind: 'code', text: 'one\ntwo\u202E' },
    ],
  });
  expect(text).toBe(
    `# ${SHOWN}\n\n${SHOWN}\n\n- ${SHOWN}: ${SHOWN}\n\n- ${SHOWN}\n\n| x${' '.repeat(SHOWN.length - 1)} |\n| ${'-'.repeat(SHOWN.length)} |\n| ${SHOWN} |\n\n\`\`\`text\none\ntwo⟨U+202E⟩\n\`\`\`\n`,
  );
});
