/** Every picker of the host gives the caret back to where it was (`notices/pickers.ts`). */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../../../scripts/paths.ts';

const SHOWS = /vscode\.window\.show(QuickPick|InputBox|OpenDialog|SaveDialog)\b/;
const CREATES = /vscode\.window\.create(QuickPick|InputBox)\b/;

it('no file shows a picker of its own', () => {
  const faulty = globSync('src/host/**/*.ts', { cwd: ROOT }).filter((path) => {
    // What is reviewed is a list in the editor's own view.
    if (path.endsWith('notices/pickers.ts') || path.includes('/review/')) return false;
    const text = readFileSync(join(ROOT, path), 'utf8');
    return SHOWS.test(text) || (CREATES.test(text) && !text.includes('caret.during('));
  });
  expect(faulty).toEqual([]);
});
