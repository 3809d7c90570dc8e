/** Arguments as models write them by mistake: what has one meaning is taken, what has two is refused with its field. */

import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { prepareCall } from '../../../src/core/tools/callTool.ts';
import type { Tool } from '../../../src/core/tools/tool.ts';
import { BUILT_IN_TOOLS } from '../../../src/core/tools/toolList.ts';
import { NO_BACKGROUND } from '../../support/ports/noBackground.ts';
import { createWorkbench, useTool } from './useTool.ts';

const FILES = {
  'a.ts': 'one\ntwo\nthree\n',
  'src/b.ts': 'x',
  '@scope/c.ts': 'y',
  'notes.md': '1',
};

/** A tool of a server: its schema is all that is known of it. */
function foreign(name: string, parameters: Record<string, unknown>): Tool {
  return {
    name,
    toolClass: 'mcp',
    description: '',
    input: z.record(z.string(), z.unknown()),
    parameters,
    prepare: async () => ({ title: name, approval: null, changes: [], run: async () => ({ text: 'done' }) }),
  };
}

const FOREIGN = [
  foreign('mcp__fs__read', {
    type: 'object',
    properties: { path: { type: 'string' }, head: { type: 'number' }, tail: { type: 'number' } },
    required: ['path'],
  }),
  foreign('mcp__fs__read_many', {
    type: 'object',
    properties: { paths: { type: 'array', items: { type: 'string' } } },
    required: ['paths'],
  }),
  foreign('mcp__odd__find', {
    type: 'object',
    properties: { $filter: { type: 'string' }, 'user name': { type: 'string' }, 名前: { type: 'string' } },
    required: ['$filter'],
  }),
  foreign('mcp__all__create', {
    type: 'object',
    additionalProperties: false,
    properties: {
      title: { type: 'string' },
      count: { type: 'integer', maximum: 10 },
      draft: { type: 'boolean' },
      labels: { type: 'array', items: { type: 'string' } },
      options: { $ref: '#/$defs/options' },
      state: { type: 'string', enum: ['OPEN', 'CLOSED'] },
      id: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      steps: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } },
    },
    required: ['title'],
    $defs: { options: { type: 'object', properties: { deep: { type: 'boolean' } }, additionalProperties: false } },
  }),
];

const TOOLS = [...BUILT_IN_TOOLS, ...FOREIGN] as readonly Tool[];

async function take(tool: string, text: string) {
  const ports = { ...createWorkbench(FILES), background: NO_BACKGROUND };
  return prepareCall({ id: 'call-1', name: tool, arguments: text }, TOOLS, ports);
}

const json = JSON.stringify;
const edit = { old_string: 'one', new_string: '1' };

const TAKEN: readonly (readonly [mistake: string, tool: string, text: string, meant: object])[] = [
  ['null for an optional field', 'read_file', '{"path":"a.ts","limit":null}', { path: 'a.ts' }],
  ['null for a field with a default', 'list_files', '{"path":null,"depth":2}', { depth: 2 }],
  ['"null" for an optional number', 'read_file', '{"path":"a.ts","limit":"null"}', { path: 'a.ts' }],
  ['a number as text', 'read_file', '{"path":"a.ts","offset":"2"}', { path: 'a.ts', offset: 2 }],
  ['a whole number with a point, as text', 'read_file', '{"path":"a.ts","offset":"2.0"}', { path: 'a.ts', offset: 2 }],
  ['a truth value as text', 'search_text', '{"pattern":"x","regex":"true"}', { pattern: 'x', regex: true }],
  ['Python’s truth value as text', 'search_text', '{"pattern":"x","regex":"False"}', { pattern: 'x', regex: false }],
  ['a number for text', 'search_text', '{"pattern":404}', { pattern: '404' }],
  ['a truth value for text', 'search_text', '{"pattern":true}', { pattern: 'true' }],
  ['a list as JSON text', 'edit_file', json({ path: 'a.ts', edits: json([edit]) }), { path: 'a.ts', edits: [edit] }],
  ['one object for a list', 'edit_file', json({ path: 'a.ts', edits: edit }), { path: 'a.ts', edits: [edit] }],
  [
    'one object as JSON text for a list',
    'edit_file',
    json({ path: 'a.ts', edits: json(edit) }),
    { path: 'a.ts', edits: [edit] },
  ],
  [
    'edit: other names at the top',
    'edit_file',
    json({ file_path: 'a.ts', old_str: 'one', new_str: '1' }),
    { path: 'a.ts', edits: [edit] },
  ],
  [
    'edit: camel case in the list',
    'edit_file',
    json({ path: 'a.ts', edits: [{ oldText: 'one', newText: '1' }] }),
    { path: 'a.ts', edits: [edit] },
  ],
  [
    'edit: search and replace',
    'edit_file',
    json({ filename: 'a.ts', search: 'one', replace: '1' }),
    { path: 'a.ts', edits: [edit] },
  ],
  ['arguments encoded twice', 'read_file', json(json({ path: 'a.ts' })), { path: 'a.ts' }],
  ['arguments encoded three times', 'read_file', json(json(json({ path: 'a.ts' }))), { path: 'a.ts' }],
  ['wrapped in arguments', 'read_file', '{"arguments":{"path":"a.ts"}}', { path: 'a.ts' }],
  ['wrapped in input as text', 'read_file', json({ input: json({ path: 'a.ts' }) }), { path: 'a.ts' }],
  ['wrapped in parameters', 'run_command', '{"parameters":{"command":"ls"}}', { command: 'ls' }],
  ['wrapped with its name', 'read_file', '{"name":"read_file","arguments":{"path":"a.ts"}}', { path: 'a.ts' }],
  ['wrapped in the name of the tool', 'read_file', '{"read_file":{"path":"a.ts"}}', { path: 'a.ts' }],
  ['a list of one call', 'read_file', '[{"path":"a.ts"}]', { path: 'a.ts' }],
  ['file_path', 'read_file', '{"file_path":"a.ts"}', { path: 'a.ts' }],
  ['filePath', 'read_file', '{"filePath":"a.ts"}', { path: 'a.ts' }],
  ['filename', 'write_file', '{"filename":"n.ts","content":"x"}', { path: 'n.ts', content: 'x' }],
  ['file and text', 'write_file', '{"file":"n.ts","file_text":"x"}', { path: 'n.ts', content: 'x' }],
  ['the same path twice', 'read_file', '{"path":"a.ts","file_path":"a.ts"}', { path: 'a.ts' }],
  ['cmd', 'run_command', '{"cmd":"ls"}', { command: 'ls' }],
  ['query for a pattern', 'search_text', '{"query":"x"}', { pattern: 'x' }],
  ['query and include', 'search_text', '{"query":"x","include":"*.ts"}', { pattern: 'x', glob: '*.ts' }],
  ['pattern for a glob', 'find_files', '{"pattern":"*.ts"}', { glob: '*.ts' }],
  [
    'lines by their numbers',
    'read_file',
    '{"path":"a.ts","start_line":2,"end_line":3}',
    { path: 'a.ts', offset: 2, limit: 2 },
  ],
  [
    'lines in camel case as text',
    'read_file',
    '{"path":"a.ts","startLine":"2","endLine":"2"}',
    { path: 'a.ts', offset: 2, limit: 1 },
  ],
  ['directory', 'list_files', '{"directory":"src"}', { path: 'src' }],
  ['source and destination', 'move_file', '{"source":"a.ts","destination":"z.ts"}', { path: 'a.ts', new_path: 'z.ts' }],
  ['from and to', 'move_file', '{"from":"a.ts","to":"z.ts"}', { path: 'a.ts', new_path: 'z.ts' }],
  ['upper case and hyphens', 'move_file', '{"Path":"a.ts","new-path":"z.ts"}', { path: 'a.ts', new_path: 'z.ts' }],
  ['a path as a mention', 'read_file', '{"path":"@src/b.ts"}', { path: 'src/b.ts' }],
  ['a path that begins with @', 'read_file', '{"path":"@scope/c.ts"}', { path: '@scope/c.ts' }],
  [
    'a new file whose folder begins with @',
    'write_file',
    '{"path":"@types/n.d.ts","content":"x"}',
    { path: '@types/n.d.ts', content: 'x' },
  ],
  ['a new file that begins with @', 'write_file', '{"path":"@n.ts","content":"x"}', { path: '@n.ts', content: 'x' }],
  ['a new file as a mention', 'write_file', '{"path":"@src/n.ts","content":"x"}', { path: 'src/n.ts', content: 'x' }],
  ['a path in backticks', 'read_file', '{"path":"`a.ts`"}', { path: 'a.ts' }],
  ['a path in quotes', 'read_file', json({ path: '"a.ts"' }), { path: 'a.ts' }],
  ['a whole path of the folder', 'read_file', '{"path":"/workspace/src/b.ts"}', { path: 'src/b.ts' }],
  ['an address of a file', 'read_file', '{"path":"file:///workspace/src/b.ts"}', { path: 'src/b.ts' }],
  ['the folder itself', 'list_files', '{"path":"/workspace"}', { path: '.' }],
  [
    'whole paths of new files',
    'move_file',
    '{"path":"/workspace/a.ts","new_path":"file:///workspace/my%20z.ts"}',
    { path: 'a.ts', new_path: 'my z.ts' },
  ],
  ['a list of one path', 'read_file', '{"path":["a.ts"]}', { path: 'a.ts' }],
  ['a field that only explains', 'run_command', '{"command":"ls","description":"List"}', { command: 'ls' }],
  ['an unknown field of a tool that reads', 'read_file', '{"path":"a.ts","encoding":"utf-8"}', { path: 'a.ts' }],
  ['more than there can be', 'read_file', '{"path":"a.ts","limit":999999999}', { path: 'a.ts', limit: 100_000 }],
  [
    'a choice in other letters',
    'write_todos',
    '{"todos":[{"text":"a","state":"Done"}]}',
    { todos: [{ text: 'a', state: 'done' }] },
  ],
  [
    'status for state',
    'write_todos',
    '{"todos":[{"content":"a","status":"open"}]}',
    { todos: [{ text: 'a', state: 'open' }] },
  ],
  ...(
    [
      ['open', 'pending', 'todo', 'TODO', 'to-do', 'not started'],
      ['doing', 'in_progress', 'in-progress', 'In Progress', 'active'],
      ['done', 'completed', 'Complete', 'finished'],
    ] as const
  ).flatMap(([state, ...words]) =>
    words.map(
      (word) =>
        [
          `the state ${word}`,
          'write_todos',
          json({ todos: [{ id: '1', content: 'a', status: word, activeForm: 'At a' }] }),
          { todos: [{ text: 'a', state }] },
        ] as const,
    ),
  ),
  ['paths with one of them', 'read_file', '{"paths":["a.ts"]}', { path: 'a.ts' }],
  ['files with one of them', 'delete_file', '{"files":["a.ts"]}', { path: 'a.ts' }],
  ['server: path for paths', 'mcp__fs__read_many', '{"path":"a.ts"}', { paths: ['a.ts'] }],
  ['server: several under path', 'mcp__fs__read_many', '{"path":["a.ts","b.ts"]}', { paths: ['a.ts', 'b.ts'] }],
  ['server: file_paths', 'mcp__fs__read_many', '{"file_paths":["a.ts"]}', { paths: ['a.ts'] }],
  ['server: one path under paths', 'mcp__fs__read', '{"paths":["a.ts"]}', { path: 'a.ts' }],
  ['a trailing comma', 'read_file', '{"path":"a.ts",}', { path: 'a.ts' }],
  [
    'a line break inside a string',
    'write_file',
    '{"path":"n.ts","content":"one\ntwo\t3"}',
    { path: 'n.ts', content: 'one\ntwo\t3' },
  ],
  ['Python literals', 'search_text', "{'pattern': 'x', 'regex': True, 'path': None}", { pattern: 'x', regex: true }],
  ['bare names', 'read_file', '{path: "a.ts"}', { path: 'a.ts' }],
  ['a code fence', 'read_file', '```json\n{"path":"a.ts"}\n```', { path: 'a.ts' }],
  ['nothing, where nothing is needed', 'list_files', '', {}],
  ['server: a text for a list', 'mcp__fs__read_many', '{"paths":"a.ts"}', { paths: ['a.ts'] }],
  [
    'server: a list as JSON text',
    'mcp__fs__read_many',
    json({ paths: '["a.ts","b.ts"]' }),
    { paths: ['a.ts', 'b.ts'] },
  ],
  ['server: file_path', 'mcp__fs__read', '{"file_path":"a.ts"}', { path: 'a.ts' }],
  ['server: a number as text', 'mcp__fs__read', '{"path":"a.ts","head":"5"}', { path: 'a.ts', head: 5 }],
  ['server: null', 'mcp__fs__read', '{"path":"a.ts","tail":null}', { path: 'a.ts' }],
  ['server: wrapped', 'mcp__fs__read', '{"input":{"path":"a.ts"}}', { path: 'a.ts' }],
  [
    'server: an object as text behind a reference',
    'mcp__all__create',
    json({ title: 't', options: '{"deep":"true"}' }),
    { title: 't', options: { deep: true } },
  ],
  ['server: a choice in lower case', 'mcp__all__create', '{"title":"t","state":"open"}', { title: 't', state: 'OPEN' }],
  ['server: a number for text or null', 'mcp__all__create', '{"title":"t","id":5}', { title: 't', id: '5' }],
  [
    'server: one object for a list',
    'mcp__all__create',
    '{"title":"t","steps":{"n":"1"}}',
    { title: 't', steps: [{ n: 1 }] },
  ],
  [
    'server: fields by the names that were sent',
    'mcp__odd__find',
    '{"_filter":"a","user_name":"b","field_3":"c"}',
    { $filter: 'a', 'user name': 'b', 名前: 'c' },
  ],
  ['server: null where null is a value', 'mcp__all__create', '{"title":"t","id":null}', { title: 't', id: null }],
];

const REFUSED: readonly (readonly [why: string, tool: string, text: string, says: RegExp])[] = [
  [
    'one field twice',
    'delete_file',
    '{"path":"a.ts","path":"src/b.ts"}',
    /"path" is given twice, with different values/,
  ],
  [
    'one field twice, further in',
    'mcp__all__create',
    '{"title":"x","options":{"deep":true,"deep":false}}',
    /"deep" is given twice/,
  ],
  ['several in one text, with semicolons', 'mcp__fs__read_many', '{"paths":"a.ts;b.ts"}', /paths: .*array/],
  ['null for a needed field', 'read_file', '{"path":null}', /path: .*expected string.*null/],
  ['a truth value for a path', 'read_file', '{"path":true}', /path: .*expected string.*true/],
  ['a truth value under another name', 'list_files', '{"directory":false}', /path: .*expected string.*false/],
  ['a truth value in a list of one', 'read_file', '{"path":[true]}', /path: .*expected string/],
  ['server: a truth value for a path', 'mcp__fs__read', '{"path":true}', /path: expected string, received boolean/],
  ['server: a truth value among paths', 'mcp__fs__read_many', '{"paths":[true]}', /paths\.0: expected string/],
  ['server: a truth value for paths', 'mcp__fs__read_many', '{"paths":true}', /paths: expected array/],
  ['several paths for one', 'read_file', '{"paths":["a.ts","src/b.ts"]}', /path: .*expected string/],
  ['a state that is none of ours', 'write_todos', '{"todos":[{"text":"a","state":"cancelled"}]}', /state: /],
  [
    'an empty text for a number',
    'read_file',
    '{"path":"a.ts","limit":""}',
    /limit: .*expected number.*given: string ""/,
  ],
  ['yes for a truth value', 'search_text', '{"pattern":"x","regex":"yes"}', /regex: .*expected boolean.*"yes"/],
  ['a part of a number', 'read_file', '{"path":"a.ts","offset":"2nd"}', /offset: .*expected number.*"2nd"/],
  ['half a line', 'read_file', '{"path":"a.ts","offset":2.5}', /offset: .*expected int.*2\.5/],
  ['two different paths', 'read_file', '{"path":"a.ts","file":"b.ts"}', /Unrecognized key: "file"/],
  ['two names for the one missing', 'read_file', '{"file":"a.ts","filename":"b.ts"}', /path: .*received undefined/],
  [
    'several in one text',
    'mcp__fs__read_many',
    '{"paths":"a.ts, b.ts"}',
    /paths: expected array, received string "a\.ts, b\.ts"/,
  ],
  ['a version as a number', 'mcp__all__create', '{"title":1.10}', /title: expected string, received number 1\.1/],
  ['a number with too many digits', 'mcp__all__create', '{"title":12345678901234567890}', /title: expected string/],
  [
    'a field that changes what is done',
    'write_file',
    '{"path":"a.ts","content":"x","append":true}',
    /Unrecognized key: "append"/,
  ],
  ['the same of a server', 'mcp__all__create', '{"title":"t","dry_run":true}', /has no field "dry_run"/],
  [
    'more than a server takes',
    'mcp__all__create',
    '{"title":"t","count":11}',
    /count: expected at most 10, received 11/,
  ],
  [
    'a choice that is none',
    'mcp__all__create',
    '{"title":"t","state":"done"}',
    /state: expected one of "OPEN", "CLOSED", received string "done"/,
  ],
  ['cut JSON', 'read_file', '{"path":"a.t', /not valid JSON/],
  ['a cut list', 'edit_file', '{"path":"a.ts","edits":[{"old_string":"one","new_string":"1"}', /not valid JSON/],
  ['two objects', 'read_file', '{"path":"a.ts"}{"path":"b.ts"}', /not valid JSON/],
  ['a server’s missing field', 'mcp__fs__read', '{"head":5}', /path: is required, and was not given/],
  ['nothing, where a path is needed', 'read_file', '', /the arguments are empty/],
];

describe('what has one meaning is taken', () => {
  test.each(TAKEN)('%s', async (_, tool, text, meant) => {
    const taken = await take(tool, text);
    if (taken.kind === 'refused') throw new Error(taken.outcome.text);
    expect(JSON.parse(taken.call.arguments)).toEqual(meant);
  });

  test('what fits is stored letter for letter', async () => {
    const text = '{ "path" : "a.ts" }';
    const taken = await take('read_file', text);
    expect(taken.kind === 'prepared' && taken.call.arguments).toBe(text);
  });

  test('the result says what was ignored and what was lowered', async () => {
    const read = await useTool(createWorkbench(FILES), 'read_file', { path: 'a.ts', encoding: 'x', limit: 1e9 });
    expect(read.text).toMatch(
      /\n\n\[.*1000000000 is more than the most that is allowed here: 100000 was taken\..*\]$/s,
    );
    expect(read.text).toContain('"encoding" is no field of read_file; it was ignored.');
  });
});

describe('what has two meanings is refused, with the field, what came and what is wanted', () => {
  test.each(REFUSED)('%s', async (_, tool, text, says) => {
    const taken = await take(tool, text);
    expect(taken.kind).toBe('refused');
    expect(taken.kind === 'refused' && taken.outcome.text).toMatch(says);
  });
});

test.each([
  ['quotes without an end', `{"a":"${'\\"'.repeat(500_000)}`],
  ['fences', '`'.repeat(1_000_000)],
  ['brackets in single quotes', `{'a':'${'['.repeat(500_000)}`],
  ['bare names', `{${'a'.repeat(1_000_000)}`],
  ['deep brackets hidden by a quote', `{'"':${'['.repeat(200_000)}`],
  ['text in text', json(json(json(json('['.repeat(100_000)))))],
])('malformed arguments are read in steps that grow with their length: %s', async (_, text) => {
  expect((await take('read_file', text)).kind).toBe('refused');
});
