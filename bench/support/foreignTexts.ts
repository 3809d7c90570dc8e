/**
 * Texts made to be slow to read, at any length, and everything that reads text from outside: what a person pastes, models
 * and servers answer, tools print, repositories and files of other programs hold.
 */

import type { ContextMessage } from '../../src/api/index.ts';
import { readAgentFile } from '../../src/core/agent/parts/agentFile.ts';
import { isPlaceholder, splitAtElisions } from '../../src/core/codeBlocks/elisions.ts';
import { fitBlock } from '../../src/core/codeBlocks/fitBlock.ts';
import { isPatch, readPatch } from '../../src/core/codeBlocks/readPatch.ts';
import { readRecorded } from '../../src/core/compaction/conformance/readRecorded.ts';
import { isLedger, withoutLedger } from '../../src/core/compaction/draft/ledgerLines.ts';
import { SessionFacts } from '../../src/core/compaction/draft/sessionFacts.ts';
import { findNames, pathName } from '../../src/core/compaction/strategies/layered/names.ts';
import { SessionIndex } from '../../src/core/compaction/strategies/layered/sessionIndex.ts';
import { readSummary } from '../../src/core/compaction/summariser/readSummary.ts';
import { readFrontMatter } from '../../src/core/frontMatter.ts';
import { findOrders } from '../../src/core/instructions/orders/findOrders.ts';
import { readSkill } from '../../src/core/instructions/skill.ts';
import { TextRedaction } from '../../src/core/journal/redactText.ts';
import { findMentions, placesOf, readTarget, writeMention } from '../../src/core/mentions/mention.ts';
import { readPromptCall } from '../../src/core/mentions/promptCall.ts';
import { rankPaths } from '../../src/core/mentions/rankPaths.ts';
import { isSecretPath } from '../../src/core/secrets/secretPaths.ts';
import { recognise } from '../../src/core/sessions/recognise.ts';
import { countTokens } from '../../src/core/tokens/estimate.ts';
import { readPlainCommand } from '../../src/core/tools/commandRules.ts';
import { isGuarded } from '../../src/core/tools/guardedNames.ts';
import { cutText } from '../../src/core/tools/text/cutText.ts';
import { diffTexts, textsOfDiff } from '../../src/core/tools/text/diffTexts.ts';
import { findLookAlikes, openSearch } from '../../src/core/tools/text/findText.ts';
import { neutralise, neutraliseNotes } from '../../src/core/tools/text/neutralise.ts';
import { notebookText } from '../../src/core/tools/text/notebookText.ts';
import { showHidden, showInOneLine } from '../../src/core/tools/text/showHidden.ts';
import { createControlStripper, stripControls } from '../../src/core/tools/text/stripControls.ts';
import { parseTodos } from '../../src/core/tools/todos.ts';
import { describeCall } from '../../src/core/transcript/callRow.ts';
import { hideInAddresses } from '../../src/core/urls.ts';
import { createMarkedOutput } from '../../src/host/shell/terminalShell.ts';
import { findFileNames, findPaths, findWords } from '../../src/lab/anchors.ts';
import { textAsShown } from '../../src/node/session/findInRows.ts';
import { toMarkdown } from '../../src/node/web/toMarkdown.ts';
import { classifyError } from '../../src/providers/errors/classifyError.ts';
import { findOpenFence, splitBlocks } from '../../webview/markdown/blocks.ts';
import { fileInCode, fileInComment, fileOfLink, filesInText } from '../../webview/markdown/namedFile.ts';

const PLACE = { url: 'https://example.com', model: 'some-model', now: 0 };
const each = (text: string, take: (line: string) => unknown) => {
  for (const line of text.split('\n')) take(line);
};

/** Twenty messages of a session that is compacted, each with the text in another place. */
const session = (text: string) =>
  Array.from({ length: 20 }, (_, i) => {
    const base = { id: `m${i}`, tokens: 10, protected: false, pinned: false, hidden: false };
    if (i % 4 === 0) return { ...base, role: 'user', kind: 'user', text };
    if (i % 4 === 1)
      return { ...base, role: 'assistant', text, toolCalls: [{ id: `c${i}`, name: 'run_command', arguments: text }] };
    if (i % 4 === 2)
      return { ...base, role: 'tool', toolCallId: `c${i - 1}`, toolName: 'run_command', text, isError: i % 8 === 2 };
    return { ...base, role: 'user', kind: 'summary', text };
  }) as unknown as ContextMessage[];

export const ENTRIES: Readonly<Record<string, (text: string) => unknown>> = {
  'mentions in a message': findMentions,
  'a mention': (text) => [readTarget(text), placesOf(text), writeMention(text)],
  'paths that are offered': (text) => rankPaths(text.split('\n'), text.slice(0, 100), { most: 10 }),
  'names of secrets': (text) => each(text, isSecretPath),
  'a prompt that is called': readPromptCall,
  'standing orders': findOrders,
  'a code block and a file of it': (text) => fitBlock(text, text, ''),
  'a code block and a file that is longer': (text) => fitBlock(`${text}\nend\n${text}`, `${text}\nend`, ''),
  'a code block and another file': (text) => fitBlock(`start\n  ${text}`, `start\n${text}x\nstop`, ''),
  'a code block that is a diff': (text) => [isPatch(text, 'diff'), readPatch(text), fitBlock(text, text, 'diff')],
  elisions: (text) => [splitAtElisions(text.split('\n'), new Set()), each(text, (line) => isPlaceholder(line))],
  'Markdown of an answer': splitBlocks,
  'an open fence': (text) => findOpenFence(`\`\`\`\n${text}`),
  'files that an answer names': (text) => [fileInCode(text), fileOfLink(text), filesInText(text), fileInComment(text)],
  'an answer as it is sought': textAsShown,
  'the format of a session': recognise,
  'a recorded session': (text) => readRecorded(`{"role":"user","content":${JSON.stringify(text)}}`),
  'a session of Cline': (text) =>
    readRecorded(
      JSON.stringify([
        { role: 'assistant', content: `<read_file>${text}</read_file>` },
        { role: 'user', content: `[read_file for 'x'] Result:\n${text}` },
      ]),
    ),
  'paths in a text': (text) => [...findPaths(text)],
  'file names in a text': (text) => [...findFileNames(text)],
  'words in a text': (text) => [...findWords(text)],
  'a refusal': (text) => classifyError({ status: 400, body: text }, PLACE),
  'a refusal in JSON': (text) => classifyError({ status: 429, body: { error: { message: text } } }, PLACE),
  'HTML of a page': (text) => toMarkdown(text, new URL('https://example.com')),
  'controls of a terminal': stripControls,
  'controls in pieces': (text) => {
    const stripper = createControlStripper();
    for (let at = 0; at < text.length; at += 100) stripper.push(text.slice(at, at + 100));
    return stripper.end();
  },
  'output between marks': (text) => {
    const output = createMarkedOutput('secret');
    for (let at = 0; at < text.length; at += 100) output.push(text.slice(at, at + 100));
    return output.end();
  },
  'text made harmless': (text) => [neutralise(text), neutraliseNotes(text)],
  'a ledger': (text) => [isLedger(text), withoutLedger(text)],
  'hidden signs': (text) => [showHidden(text), showInOneLine(text)],
  'addresses with secrets': hideInAddresses,
  'secrets that are redacted': (text) => new TextRedaction([text.slice(0, 8)]).clean(text),
  'guarded names': (text) => [isGuarded(text), each(text, isGuarded)],
  'a command': readPlainCommand,
  'a name of layered': (text) => [findNames(text, () => undefined), pathName(text)],
  'the line index of layered': (text) => {
    const index = new SessionIndex();
    for (const message of session(text)) index.add(message);
  },
  'facts of a session': (text) => {
    const facts = new SessionFacts();
    for (const [seq, message] of session(text).entries())
      facts.add({ type: 'message', seq, parent: seq - 1, time: '', tokens: 1, message: message as never });
    return facts.of([], () => true).kinds.map((kind) => [...kind]);
  },
  'a summary': (text) =>
    readSummary(
      { type: 'done', finish: 'stop', text: `x${text}`, toolCalls: [] } as never,
      'm',
      1_000,
      '' as never,
      'summary',
    ),
  'a list of tasks': parseTodos,
  'two texts and their difference': (text) => diffTexts(text, `x${text}`),
  'a difference and its texts': (text) => textsOfDiff(text, text),
  'an edit that is sought': (text) => [openSearch(text)(`${text}x`, false), openSearch(text)(text.slice(0, 50), true)],
  'lines that look alike': (text) => findLookAlikes(text, text.slice(0, 200)),
  'a call': (text) => describeCall({ id: 'a', name: 'x', arguments: text } as never, null),
  'a notebook': (text) => notebookText(JSON.stringify({ cells: [{ cell_type: 'code', source: text, outputs: [] }] })),
  'settings at the head of a file': (text) => readFrontMatter(`---\n${text}\n---\nbody`),
  'an agent of a file': (text) => readAgentFile(`---\nname: a\n${text}\n---\nbody`, 'a.md'),
  'a skill of a file': (text) =>
    readSkill({ origin: 'a/SKILL.md', text: `---\nname: a\ndescription: ${text}\n---\n${text}` }),
  'text that is cut': (text) => cutText(text, { maxLines: 20, maxBytes: 2_000, direction: 'middle' }),
  tokens: (text) => countTokens(text),
};

const UNITS: readonly string[] = [
  ...'.@[(`*_~<>|"\'\\/:;,-+=#&!?$%^{} \t\n0aé中'.split(''),
  'a.',
  '.a',
  'a/',
  '/a',
  '@a',
  'a@',
  'a ',
  'a\n',
  ' \n',
  '\r\n',
  '}\n',
  '{\n',
  'a,',
  '0,',
  '0 ',
  '0.',
  'a:',
  'a-',
  '1. ',
  '- a\n',
  '> ',
  '# ',
  '```\n',
  '~~~\n',
  '```a\n',
  '** ',
  '*a',
  '_a_',
  '[]',
  '[](',
  '![',
  '[a](',
  '[a]: ',
  '](a',
  '<a',
  '<a>',
  '<!--',
  '<!',
  '</a>',
  '<a b="',
  '<div>',
  '<p>',
  '<b>',
  '<ul><li>',
  '<table>',
  '<pre>',
  '\u001b[',
  '\u001b]',
  '\u001b[0',
  '\u009b',
  '\u0007',
  '\b',
  '\u202e',
  '\u200b',
  '\uff3b',
  '…',
  '...',
  '// ...\n',
  '/*',
  '//',
  '--',
  '# existing ',
  '{"a":',
  '[{',
  '"\\',
  '\\"',
  '{"a":1}\n',
  'never ',
  'credential',
  'private-key',
  'write tests ',
  'if any ',
  'every file ',
  'make sure ',
  'rather ',
  'ledger',
  'l\u200b',
  '[p',
  'must not ',
  'always use ',
  '不要',
  '以后',
  'token ',
  'maximum 1 ',
  'context length ',
  '10,000 tokens ',
  'try again in ',
  '1h',
  'http://',
  'https://a:b@',
  'www.a',
  'a@b.c ',
  '@@ ',
  '@@ -1 +1 @@\n',
  '+a\n',
  '-a\n',
  'diff ',
  '--- a\n',
  'foo(bar\n',
  '  return x;\n',
  'import a from "b',
  'let a = 1;\n',
  'exit code 1\n',
  'error: a\n',
  '- asked: a\n',
  '[palimpsest:',
  '[Output pruned at ',
  '<task>',
  '<summary>',
  '<environment_details>',
  '😀',
  '\ud800',
  'a: b\n',
  'a: [',
  '&a ',
  '*a ',
  '$(',
  '${',
  '&&',
  "'a'",
  'é',
  'ſ',
  'K',
];

/** What a pattern may begin at, before what it may go back over. */
const BEGINNINGS: readonly string[] = [
  'rules',
  '//',
  '<!--',
  '- ',
  'Error: ',
  '<a ',
  'tokens',
  'tools: Read(',
  '```',
  'a:',
  '@"',
  '[a](',
  '/skill',
  'x = "',
];
const RUNS: readonly string[] = [' ', '\t', '.', '(', '-', '\u200b', '"', '\\', ',', '/', 'a ', '_'];

/** A text of this length for each family. */
const REPEATED: readonly (readonly [string, (length: number) => string])[] = UNITS.flatMap((unit) => {
  const repeated = (length: number) => unit.repeat(Math.ceil(length / unit.length));
  const name = JSON.stringify(unit);
  return [
    [name, repeated],
    [`@${name}x`, (length: number) => `@${repeated(length)}x`],
    [`${name} x`, (length: number) => `x ${repeated(length)} x\nx`],
    [
      `numbered ${name}`,
      (length: number) => Array.from({ length: length / (unit.length + 6) }, (_, i) => `${unit}${i}`).join(''),
    ],
  ] as const;
});

export const FAMILIES: typeof REPEATED = [
  ...REPEATED,
  ...BEGINNINGS.flatMap((begin) =>
    RUNS.map(
      (run) =>
        [
          `${JSON.stringify(begin)} and ${JSON.stringify(run)}`,
          (length: number) => `${begin}${run.repeat(Math.ceil(length / run.length))}x`,
        ] as const,
    ),
  ),
];
