/**
 * Texts of strangers that a pattern would begin to read again at each place. With a million characters that would take
 * hours; read once, each takes milliseconds.
 */

import { expect, test } from 'vitest';
import { readAgentFile } from '../../src/core/agent/parts/agentFile.ts';
import { isPlaceholder } from '../../src/core/codeBlocks/elisions.ts';
import { fitBlock } from '../../src/core/codeBlocks/fitBlock.ts';
import { pathName } from '../../src/core/compaction/strategies/layered/names.ts';
import { findMentions } from '../../src/core/mentions/mention.ts';
import { isSecretPath } from '../../src/core/secrets/secretPaths.ts';
import { readCline } from '../../src/core/sessions/formats/cline.ts';
import { CallIds, OpenCalls } from '../../src/core/sessions/importRecorded.ts';
import { isGuarded } from '../../src/core/tools/guardedNames.ts';
import { neutralise, restoreNeutralised } from '../../src/core/tools/text/neutralise.ts';
import { showCommand } from '../../src/core/tools/text/showHidden.ts';
import { stripControls } from '../../src/core/tools/text/stripControls.ts';
import { findFileNames, findPaths } from '../../src/lab/anchors.ts';
import { nameFolders } from '../../src/node/files/nameFolders.ts';
import { textAsShown } from '../../src/node/session/findInRows.ts';
import { writeScriptedSummary } from '../../src/providers/demo/demoHistory.ts';
import { parseEndpoint } from '../../src/providers/endpoint.ts';
import { splitBlocks } from '../../webview/markdown/blocks.ts';
import { fileInComment, filesInText } from '../../webview/markdown/namedFile.ts';

const MANY = 1_000_000;
const readUser = (text: string) => readCline([{ role: 'user', content: text }]);
/** As older tasks have it: the answer's tags, and the result that names them. */
const readCall = (text: string) =>
  readCline([
    { role: 'assistant', content: `<read_file>${text}</read_file>` },
    { role: 'user', content: '[read_file] Result:\nfound' },
  ]);

const readBlankTool = (text: string) => readAgentFile(`---\nname: a\ntools: Read(${text}x\n---\nbody`, 'a.md');
const CALL_IDS = new CallIds('-');
const answerBackwards = (text: string) => {
  const calls = [...text].map((_, i) => ({ recordedId: `${i}`, call: { id: `${i}`, name: 'read', arguments: '{}' } }));
  const open = new OpenCalls(calls);
  return [calls.toReversed().map(({ recordedId }) => open.answer(recordedId)), open.left];
};

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
  ['a mention of dots', (text) => findMentions(`@${text}x`), '.'.repeat(MANY)],
  ['a fence that is longer than all after it', (text) => findMentions(`${text}x${text.slice(1)}`), '`'.repeat(MANY)],
  ['an answer of brackets that is sought', textAsShown, '['.repeat(MANY)],
  ['an answer of links without an end that is sought', textAsShown, '[]('.repeat(MANY)],
  ['a list item of many lines', splitBlocks, `- a\n${'1a\n'.repeat(MANY / 20)}`],
  ['names of files of dots', (text) => [filesInText(`${text}x`), fileInComment(`//${text}`)], '.'.repeat(MANY)],
  ['a comment of blanks', (text) => [fileInComment(`//${text}x`), isPlaceholder(`//${text}x`)], ' '.repeat(MANY)],
  ['a path of layered that ends in dots', (text) => pathName(`src/${text}x`), '.'.repeat(MANY)],
  ['a code block that ends far behind empty lines', (text) => fitBlock('x', `${text}x`, ''), '\n'.repeat(MANY)],
  [
    'a code block of equal lines',
    (text) => fitBlock(`${text}end\n${text}`, `${text}end`, ''),
    'x();\n'.repeat(MANY / 20),
  ],
  [
    'a code block of equal lines that nearly fit',
    (text) => fitBlock(`a() {\n${text}`, `a() {\n${text}y();`, ''),
    'x();\n'.repeat(MANY / 20),
  ],
  [
    'a code block of pieces',
    (text) => fitBlock('file\n'.repeat(MANY / 20), text, ''),
    'lie\n// ...\n'.repeat(MANY / 20),
  ],
  [
    'a diff of many hunks',
    (text) => fitBlock('x();\n'.repeat(MANY / 20), text, 'diff'),
    '@@ -1 +1 @@\n-x();\n+y();\n'.repeat(MANY / 40),
  ],
  ['calls of one id', (text) => [...text].map(() => CALL_IDS.take('call')), 'x'.repeat(MANY / 10)],
  ['results in the other order than their calls', answerBackwards, 'x'.repeat(MANY / 10)],
  ['a tool of an agent with blanks', readBlankTool, ' '.repeat(90_000)],
  ['a name of many secrets', isSecretPath, 'credential'.repeat(MANY / 10)],
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

test('what mentions nothing, is too much to compare or stands in links is told as it was', () => {
  expect(findMentions('`@a` ``` @b ``` @c.. ~~~ @d').map(({ name }) => name)).toEqual(['c']);
  expect(findMentions('```` @a ``` @b ```` @c,').map(({ name }) => name)).toEqual(['c']);
  expect(findMentions('`` @a` @b\n` @c').map(({ name }) => name)).toEqual(['a', 'b', 'c'].slice(1));
  expect(textAsShown('see [the [clock](src/a.ts) and ![it](b.png), not [this] (x)')).toBe(
    'see the [clock and it, not [this] (x)',
  );
  const lines = 'x();\n'.repeat(50_000);
  expect(fitBlock(`a() {\n${lines}`, `a() {\n${lines}y();`, '')).toMatchObject({ kind: 'unfit', whole: null });
  const ids = new CallIds('-');
  expect(['a', 'a', 'a-2', 'a', ''].map((id) => ids.take(id))).toEqual(['a', 'a-2', 'a-2-2', 'a-3', '']);
});
