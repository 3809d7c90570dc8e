/**
 * The endless script of the standalone test model. Its answers follow from the words of the newest message and from how
 * far the work on it has come, as the request shows. For `--scripted` starts and end-to-end tests.
 */

import { type Json, objectOf, parseJson } from '../../../src/core/json.ts';
import { type ModelServer, startModelServer } from './modelServer.ts';
import type { Reply, ReplyCall } from './modelServerReply.ts';
import { answerSummary, isSummaryRequest, textOfContent } from './summaryRequest.ts';

export interface ScriptedModelOptions {
  readonly port?: number;
  readonly key?: string;
  /** Tokens that the server itself enforces; also listed for its model. */
  readonly window?: number;
  /** Milliseconds between two pieces of an answer. */
  readonly pieceDelayMs?: number;
  /** The file meant by a message without a path. */
  readonly file?: string;
}

export const SCRIPTED_MODEL = 'scripted-model';

/** Answers for ever. Its rules are checked as in every test: look at `failures` or call `assertDone`. */
export function startScriptedModel(options: ScriptedModelOptions = {}): Promise<ModelServer> {
  const { port, key, window } = options;
  return startModelServer({
    script: ({ body }) => answerByWords(body, options),
    models: [{ id: SCRIPTED_MODEL, ...(window ? { window } : {}) }],
    ...(port === undefined ? {} : { port }),
    ...(key === undefined ? {} : { key }),
    ...(window === undefined ? {} : { window }),
  });
}

/**
 * The words: `list`, `read <path>`, `search "text"`, `edit <path> replace "a" with "b"`, `write <path> "text"`,
 * `` run `command` ``, `long`; or, exactly, lines of `call <tool> <json>`. Each becomes one call, in the order written.
 */
export function answerByWords(body: Json, options: ScriptedModelOptions = {}): Reply {
  const messages = (Array.isArray(body.messages) ? body.messages : []).map((message) => objectOf(message));
  const pace = options.pieceDelayMs ? { pieceDelayMs: options.pieceDelayMs } : {};
  const asked = messages.findLastIndex(isFromPerson);
  const text = textOf(messages[asked]);
  if (isSummaryRequest(body)) return { kind: 'answer', text: answerSummary(body), ...pace };
  const plan = planCalls(text, options.file ?? 'README.md');
  const since = messages.slice(asked + 1);
  const next = plan[since.filter((message) => message.tool_calls !== undefined).length];
  if (next) return { kind: 'answer', text: `Scripted model: calling ${next.name}.`, calls: [next], ...pace };
  return { kind: 'answer', text: closingText(text, since), ...pace };
}

function isFromPerson(message: Json): boolean {
  return message.role === 'user' && !/^<(context-notes|system-reminder|skill)>/.test(textOf(message));
}

const textOf = (message: Json | undefined): string => textOfContent(message?.content);

function planCalls(text: string, file: string): ReplyCall[] {
  const exact = [...text.matchAll(/^call (\w+) (\{.*\})$/gm)];
  if (exact.length > 0) {
    return exact.map(([, name = '', input = '']) => ({ name, arguments: parseJson(input) ?? input }));
  }
  const found: (readonly [at: number, call: ReplyCall])[] = [];
  const find = (pattern: RegExp, make: (groups: readonly (string | undefined)[]) => ReplyCall) => {
    for (const match of text.matchAll(pattern)) found.push([match.index, make(match)]);
  };
  find(/\blist(?: ([\w./-]+))?/gi, ([, path]) => call('list_files', { path: path?.includes('/') ? path : '.' }));
  find(/\bread(?:[^.\n]*?\s([\w-]*[/.][\w./-]*\w))?/gi, ([, path]) => call('read_file', { path: path ?? file }));
  find(/\bsearch[^"\n]*"([^"\n]+)"/gi, ([, pattern]) => call('search_text', { pattern }));
  find(/\bedit\s+([\w./-]+)\s+replace "([^"\n]+)" with "([^"\n]*)"/gi, ([, path, before, after]) =>
    call('edit_file', { path, old_string: before, new_string: after }),
  );
  find(/\bwrite\s+([\w./-]+)\s+"([^"\n]*)"/gi, ([, path, content]) => call('write_file', { path, content }));
  find(/\brun `([^`\n]+)`/gi, ([, command]) => call('run_command', { command }));
  return found.sort(([a], [b]) => a - b).map(([, planned]) => planned);
}

function call(name: string, input: Readonly<Record<string, unknown>>): ReplyCall {
  return { name, arguments: input };
}

const PARAGRAPH =
  'This paragraph is filler from the scripted model, written to take up room in the context window. It says nothing about the workspace, and every copy of it has a number so that copies can be told apart.';

function closingText(asked: string, since: readonly Json[]): string {
  const results = since.filter(({ role }) => role === 'tool').length;
  const done = results > 0 ? `All ${results} calls are answered.` : 'There was nothing to call.';
  const head = `Scripted model: you wrote “${asked.slice(0, 120).toWellFormed()}”. ${done}`;
  if (!/\blong\b/i.test(asked)) return head;
  const paragraphs = Array.from({ length: 12 }, (_, number) => `${number + 1}. ${PARAGRAPH}`);
  return [head, ...paragraphs].join('\n\n');
}
