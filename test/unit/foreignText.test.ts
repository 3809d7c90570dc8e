/**
 * Texts of strangers that a pattern would begin to read again at each place. With a million characters that would take
 * hours; read once, each takes milliseconds.
 */

import { expect, test } from 'vitest';
import { readCline } from '../../src/core/sessions/formats/cline.ts';
import { isGuarded } from '../../src/core/tools/guardedNames.ts';
import { neutralise, restoreNeutralised } from '../../src/core/tools/text/neutralise.ts';
import { showCommand } from '../../src/core/tools/text/showHidden.ts';
import { stripControls } from '../../src/core/tools/text/stripControls.ts';
import { nameFolders } from '../../src/host/files/nameFolders.ts';
import { findFileNames, findPaths } from '../../src/lab/anchors/words.ts';
import { writeScriptedSummary } from '../../src/providers/demo/demoSummary.ts';
import { parseEndpoint } from '../../src/providers/endpoint.ts';

const MANY = 1_000_000;
const readUser = (text: string) => readCline([{ role: 'user', content: text }]);
/** As older tasks have it: the answer's tags, and the result that names them. */
const readCall = (text: string) =>
  readCline([
    { role: 'assistant', content: `<read_file>${text}</read_file>` },
    { role: 'user', content: '[read_file] Result:\nfound' },
  ]);

const CASES: readonly (readonly [name: string, read: (text: string) => unknown, text: string])[] = [
  ['an address of slashes', (path) => parseEndpoint(`https://host.example/${path}x`), '/'.repeat(MANY)],
  ['a folder named by dots', (name) => nameFolders([{ name: `${name}x`, path: '/' }]), '. '.repeat(MANY)],
  ['a path of dots', (name) => isGuarded(`${name}x`), '. '.repeat(MANY)],
  ['a command padded with blanks', (text) => showCommand(`${text}x`), ' \t'.repeat(MANY)],
  ['a command padded with lines', (text) => showCommand(text), '\n\n \n'.repeat(MANY)],
  ['output of opened sequences', stripControls, '\u001b]'.repeat(MANY)],
  ['output of parameters', (text) => stripControls(`\u001b[${text}`), '0 '.repeat(MANY)],
  ['output of returns', stripControls, '\r'.repeat(MANY)],
  ['output of brackets', neutralise, '[\\ '.repeat(MANY)],
  ['input of backslashes', (text) => restoreNeutralised(`[${text}`), '\\'.repeat(MANY)],
  ['environments that never end', readUser, '<environment_details>'.repeat(MANY / 10)],
  ['environments between empty lines', readUser, `${'\n'.repeat(MANY)}x`],
  ['a task of blanks', (text) => readUser(`<task>x${text}x`), ' '.repeat(MANY)],
  ['tags that never end', readCall, '<path>'.repeat(MANY / 10)],
  ['many names of tags', readCall, [...Array(MANY / 10).keys()].map((n) => `<${lettersOf(n)}>`).join('')],
  ['a word without a path', (text) => [...findPaths(text), ...findFileNames(text)], 'a'.repeat(MANY)],
  ['calls of the demo that never end', (text) => writeScriptedSummary(text), '[calls look {'.repeat(MANY / 10)],
  ['names of the demo that never end', (text) => writeScriptedSummary(text), 'a-'.repeat(MANY)],
];

function lettersOf(number: number): string {
  return number.toString(26).replace(/./g, (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26)));
}

test.each(CASES)('is read once: %s', (_, read, text) => {
  expect(read(text)).toBeDefined();
});

test('Cline: what stands around an environment and in tags is read as it was', () => {
  expect(readUser('<task>\n look \n</task>\n\n<environment_details>\n# Files\n</environment_details>\n')).toEqual([
    { role: 'user', text: 'look' },
    { role: 'user', kind: 'reminder', text: '<environment_details>\n# Files\n</environment_details>' },
  ]);
  expect(readCall('<path> a </path><open><path>b</path><lines>1</lines>')).toMatchObject([
    { toolCalls: [{ arguments: '{"path":"b","lines":"1"}' }] },
    { role: 'tool' },
  ]);
});
