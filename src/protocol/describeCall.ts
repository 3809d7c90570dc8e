/**
 * What a tool call asks for, in one line and as a person would look at it. It reads arguments as a model wrote them:
 * malformed JSON is shown as it is.
 */

import type { ToolCall } from '../core/context/message.ts';
import type { Row } from './rows.ts';
import { diffTexts } from './unifiedDiff.ts';

type ToolRow = Extract<Row, { type: 'tool' }>;

const MAX_TITLE = 300;
const MAX_ARGUMENTS = 20_000;
const MAX_DIFF = 60_000;

/** Arguments that name what a call is about, the telling one first. */
const TITLE_KEYS = ['command', 'pattern', 'query', 'path', 'url', 'name'];

export function describeCall(call: ToolCall, result: string | null): Pick<ToolRow, 'title' | 'arguments' | 'detail'> {
  const input = parseObject(call.arguments);
  if (!input)
    return {
      title: oneLine(call.arguments),
      arguments: call.arguments.slice(0, MAX_ARGUMENTS),
      detail: { kind: 'none' },
    };
  const pretty = JSON.stringify(input, null, 2);
  return {
    title: titleOf(input),
    arguments: pretty.slice(0, MAX_ARGUMENTS),
    detail: detailOf(call.name, input, result),
  };
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text || '{}');
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

function titleOf(input: Readonly<Record<string, unknown>>): string {
  const named = TITLE_KEYS.map((key) => input[key]).find((value) => typeof value === 'string' && value !== '');
  const any = named ?? Object.values(input).find((value) => typeof value === 'string');
  return typeof any === 'string' ? oneLine(any) : '';
}

const oneLine = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, MAX_TITLE);

function detailOf(name: string, input: Readonly<Record<string, unknown>>, result: string | null): ToolRow['detail'] {
  const word = (key: string) => (typeof input[key] === 'string' ? input[key] : '');
  switch (name) {
    case 'edit_file':
    case 'write_file': {
      const { diff, added, removed } =
        name === 'edit_file' ? diffTexts(word('old_text'), word('new_text')) : diffTexts('', word('content'));
      return { kind: 'edit', path: word('path'), added, removed, diff: diff.slice(0, MAX_DIFF) };
    }
    case 'run_command':
      return { kind: 'command', command: word('command'), exitCode: exitCodeOf(result) };
    default:
      return { kind: 'none' };
  }
}

/** The command tool begins its result with the code. */
function exitCodeOf(result: string | null): number | null {
  const code = /^\[?exit code:? (-?\d+)/i.exec(result ?? '')?.[1];
  return code === undefined ? null : Number(code);
}
